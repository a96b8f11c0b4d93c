"""Reading, writing and judging the recorded wire."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

from robby_games.registry import GAMES
from robby_protocol import codec, schema
from robby_protocol.handshake import PROTOCOL_VERSIONS, Version
from robby_protocol.schema import Schema, Step
from tests.protocol import samples
from tests.protocol.golden import FOLDER

SCHEMA = "schema.json"
FRAMES = "frames.txt"


class AlreadyRecordedError(Exception):
    """A version's record differs from the code, and nobody said that the version is unreleased."""


def folder_of(version: Version) -> Path:
    return FOLDER / f"{version[0]}.{version[1]}"


def versions() -> list[Version]:
    """All recorded versions, oldest first."""
    names = [path.name.split(".") for path in FOLDER.iterdir() if path.is_dir() and path.name[0].isdigit()]
    return sorted((int(major), int(minor)) for major, minor in names)


def schema_of(version: Version) -> Schema:
    found: dict[str, Any] = json.loads((folder_of(version) / SCHEMA).read_text(encoding="utf-8"))
    return found


def frames_of(version: Version) -> dict[str, bytes]:
    """The recorded frames by the sample's name."""
    lines = (folder_of(version) / FRAMES).read_text(encoding="ascii").splitlines()
    pairs = (line.split() for line in lines if line and not line.startswith("#"))
    return {name: bytes.fromhex(text) for name, text in pairs}


def current_schema() -> Schema:
    return schema.schema(GAMES.values())


def current_frames() -> dict[str, bytes]:
    return {name: codec.encode(message) for name, message in samples.ALL.items()}


def problems() -> list[str]:
    """What is wrong between the records and the code, each a sentence with what to do."""
    now = PROTOCOL_VERSIONS[-1]
    found: list[str] = []
    if now not in versions():
        found.append(f"Version {now} is not recorded: run scripts/schema.")
    else:
        if schema_of(now) != json.loads(json.dumps(current_schema())):
            found.append(
                f"The wire differs from what is recorded as {now}: raise PROTOCOL_VERSIONS, run scripts/schema."
            )
        if frames_of(now) != current_frames():
            found.append(f"Frames differ from those recorded for {now}: raise PROTOCOL_VERSIONS, run scripts/schema.")
    chain = [schema_of(version) for version in versions()]
    if now not in versions():
        chain.append(current_schema())
    for old, new in pairwise(chain):
        found += too_small_a_step(old, new)
    return found


def too_small_a_step(old: Schema, new: Schema) -> list[str]:
    """Where a version follows another with more changed than its number says."""
    needed = schema.step_between(old, new)
    made = schema.step_of_versions(old["version"], new["version"])
    found = [
        f"{game}'s types changed from {old['version']} to {new['version']}: raise its version in robby_games."
        for game in schema.changed_games(old, new)
    ]
    if made < needed:
        part = "major" if needed is Step.MAJOR else "minor"
        found.append(f"From {old['version']} to {new['version']} the {part} version has to be raised.")
    return found


def record(*, again: bool) -> Path:
    """Write today's version. again: also over an existing record. Raises AlreadyRecordedError."""
    now = PROTOCOL_VERSIONS[-1]
    if now in versions() and not again:
        raise AlreadyRecordedError(
            f"Version {now[0]}.{now[1]} is recorded and the code differs from it. Raise PROTOCOL_VERSIONS in "
            "robby_protocol/handshake.py; only before its first release write it again with --unreleased."
        )
    folder = folder_of(now)
    folder.mkdir(exist_ok=True)
    (folder / SCHEMA).write_text(schema.to_text(current_schema()), encoding="utf-8")
    lines = [f"# Frames of protocol version {now[0]}.{now[1]}: name, then the whole frame in hexadecimal."]
    lines += [f"{name} {frame.hex()}" for name, frame in current_frames().items()]
    (folder / FRAMES).write_text("\n".join(lines) + "\n", encoding="ascii")
    return folder
