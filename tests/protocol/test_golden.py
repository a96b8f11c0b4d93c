"""The recorded wire: it cannot change unnoticed, and what older versions sent is understood for ever."""

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest

from robby_games.registry import GAMES
from robby_protocol import codec, errors, schema
from robby_protocol.connection import Role, State
from robby_protocol.handshake import PROTOCOL_VERSIONS
from robby_protocol.messages import FROM_CLIENT, FROM_SERVER, Ping
from robby_protocol.schema import Step, step_between, step_of_versions
from tests.protocol import samples
from tests.protocol.golden import __main__ as command
from tests.protocol.golden import records
from tests.protocol.talk import connection_in

NOW = PROTOCOL_VERSIONS[-1]
KINDS = {str(kind.__struct_config__.tag): kind for kind in (*FROM_CLIENT, *FROM_SERVER)}


def test_the_wire_is_the_recorded_one() -> None:
    assert records.problems() == []


def test_every_message_and_every_code_has_a_sample() -> None:
    assert {type(message) for message in samples.MESSAGES.values()} == {*FROM_CLIENT, *FROM_SERVER}
    assert {name.removeprefix("code.") for name in samples.CODES} == errors.CODES
    for name, message in samples.MESSAGES.items():
        assert name.startswith(str(message.__struct_config__.tag) + ".")


@pytest.mark.parametrize("name", samples.ALL)
def test_encoding_gives_the_recorded_bytes(name: str) -> None:
    assert codec.encode(samples.ALL[name]).hex() == records.frames_of(NOW)[name].hex()


@pytest.mark.parametrize("name", samples.ALL)
def test_decoding_the_recorded_bytes_gives_the_message(name: str) -> None:
    frame = records.frames_of(NOW)[name]
    assert int.from_bytes(frame[:4], "big") == len(frame) - 4
    found = codec.unpack(frame[4:])
    assert msgspec.convert(found, KINDS[found["type"]], builtin_types=(bytes,)) == samples.ALL[name]


def test_frames_of_all_recorded_versions_of_this_major_are_understood() -> None:
    for version in records.versions():
        if version[0] != NOW[0]:
            continue
        for name, frame in records.frames_of(version).items():
            found = codec.unpack(frame[4:])
            message = msgspec.convert(found, KINDS[found["type"]], builtin_types=(bytes,))
            assert isinstance(message, KINDS[found["type"]]), name


def test_a_recorded_frame_goes_through_a_connection() -> None:
    connection = connection_in(Role.SERVER, State.OPEN)
    connection.receive_data(records.frames_of((1, 0))["ping.largest"])
    assert connection.next_event() == Ping(n=2**53 - 1)


# What a change asks of the version.

BASE: dict[str, Any] = json.loads(json.dumps(schema.schema(GAMES.values())))


def changed(*path: Any, value: Any = None, drop: bool = False) -> dict[str, Any]:
    found = copy.deepcopy(BASE)
    place = found
    for key in path[:-1]:
        place = place[key]
    if drop:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return found


FIELD = {"type": "int"}
OPTIONAL = {"type": "int", "default": 0}


@pytest.mark.parametrize(
    ("new", "step"),
    [
        (BASE, Step.NONE),
        (changed("messages", "ping", "fields", "m", value=OPTIONAL), Step.MINOR),
        (changed("types", "Clock", "m", value=OPTIONAL), Step.MINOR),
        (changed("messages", "pang", value={"from": ["server"], "command": False, "fields": {}}), Step.MINOR),
        (changed("messages", "ok", "from", value=["server", "client"]), Step.MINOR),
        (changed("types", "Chat", value={}), Step.MINOR),
        (changed("codes", value=[*BASE["codes"], "tired"]), Step.MINOR),
        (changed("games", "other", value={}), Step.MINOR),
        (changed("messages", "ping", "fields", "m", value=FIELD), Step.MAJOR),
        (changed("messages", "ping", "fields", "n", drop=True), Step.MAJOR),
        (changed("messages", "ping", "fields", "n", "type", value="str"), Step.MAJOR),
        (changed("messages", "hello", "fields", "client", "default", value="x"), Step.MAJOR),
        (changed("messages", "hello", "fields", "client", "default", drop=True), Step.MAJOR),
        (changed("messages", "pong", drop=True), Step.MAJOR),
        (changed("messages", "ping", "from", value=["server"]), Step.MAJOR),
        (changed("messages", "game.act", "command", value=False), Step.MAJOR),
        (changed("types", "Clock", drop=True), Step.MAJOR),
        (changed("types", "Clock", "total_ms", "type", value="int"), Step.MAJOR),
        (changed("codes", value=BASE["codes"][1:]), Step.MAJOR),
        (changed("limits", "depth", value=9), Step.MAJOR),
        (changed("games", value={}), Step.MAJOR),
    ],
)
def test_what_a_change_asks_for(new: dict[str, Any], step: Step) -> None:
    assert step_between(BASE, new) is step
    for version, made in (([1, 0], Step.NONE), ([1, 1], Step.MINOR), ([2, 0], Step.MAJOR)):
        found = records.too_small_a_step(BASE, {**new, "version": version})
        assert bool(found) == (made < step)


def test_how_far_a_version_was_raised() -> None:
    assert step_of_versions([1, 2], [1, 2]) is Step.NONE
    assert step_of_versions([1, 2], [1, 3]) is Step.MINOR
    assert step_of_versions([1, 2], [2, 0]) is Step.MAJOR
    with pytest.raises(ValueError, match="older"):
        step_of_versions([1, 2], [1, 1])


def test_a_change_of_a_games_types_needs_its_own_version() -> None:
    new = changed("games", "robby-solo", "actions", "supply", "side", "type", value="str")
    assert schema.changed_games(BASE, new) == ["robby-solo"]
    assert records.too_small_a_step(BASE, new) != []
    new["games"]["robby-solo"]["version"] += 1
    assert records.too_small_a_step(BASE, new) == []


def test_the_schema_names_every_message_and_its_own_games() -> None:
    assert set(BASE["messages"]) == set(KINDS)
    assert set(BASE["games"]) == set(GAMES)
    assert BASE["codes"] == sorted(errors.CODES)
    assert json.loads(schema.to_text(BASE)) == BASE


class NotOnTheWire(msgspec.Struct):
    ratio: float


def test_a_float_has_no_place_on_the_wire() -> None:
    with pytest.raises(TypeError):
        schema.fields_of(NotOnTheWire, {})


class OfEveryKind(msgspec.Struct):
    anything: Any
    things: list[Any]
    number: int
    positive: Annotated[int, msgspec.Meta(ge=1)]
    small: Annotated[int, msgspec.Meta(le=9)]
    names: dict[str, list[str]]
    choices: list[int | None]
    pair: tuple[int, str] | None = None
    blob: bytes = b"\x01"
    many: list[int] = msgspec.field(default_factory=lambda: [1, 2])


def test_types_in_words() -> None:
    found = schema.fields_of(OfEveryKind, {})
    assert {name: entry["type"] for name, entry in found.items()} == {
        "anything": "any",
        "things": "list of any",
        "number": "int",
        "positive": "int 1..",
        "small": "int ..9",
        "names": "map to list of str",
        "choices": "list of (int or nil)",
        "pair": "(list of exactly: int, str) or nil",
        "blob": "bin",
        "many": "list of int",
    }
    assert {name: entry["default"] for name, entry in found.items() if "default" in entry} == {
        "pair": None,
        "blob": "01",
        "many": [1, 2],
    }


def test_the_module_prints_the_protocols_own_schema() -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "robby_protocol.schema"], capture_output=True, check=True, encoding="utf-8"
    ).stdout
    assert json.loads(printed) == {**BASE, "games": {}}


def test_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(records, "FOLDER", tmp_path)
    monkeypatch.setattr(command, "FOLDER", tmp_path / "a" / "b")
    assert command.main(["--check"]) == 1
    assert "not recorded" in capsys.readouterr().out
    assert records.record(again=False) == tmp_path / "1.0"
    assert records.problems() == []
    assert command.main([]) == 0
    (tmp_path / "1.0" / records.FRAMES).write_text("ping.small 00\n")
    assert len(records.problems()) == 1
    (tmp_path / "1.0" / records.SCHEMA).write_text(schema.to_text(changed("codes", value=[])))
    assert len(records.problems()) == 2
    capsys.readouterr()
    assert command.main([]) == 1
    assert "PROTOCOL_VERSIONS" in capsys.readouterr().err
    records.record(again=True)
    assert records.problems() == []
