"""docs/protocol.md: keeps its generated parts true. `python -m tests.protocol.page` rewrites them in place.

A part stands between `<!-- part NAME -->` and `<!-- end -->`. Tables of fields keep their last column, which is written
by hand, and get names, types and defaults from the types; examples are made whole by running the real code.
"""

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from robby_games.registry import GAMES
from robby_protocol import errors, fair, identity, schema
from robby_protocol.connection import Connection, Role
from robby_protocol.messages import GameOffer, Greeting, Hello, LobbyList, Login, Message, Ok, Ping, Pong, Welcome

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"
MISSING = "TO BE WRITTEN"
_PART = re.compile(r"<!-- part (?P<name>[^ ]+) -->\n(?P<body>.*?)<!-- end -->", re.DOTALL)
_HEX_COLUMNS = 16

SERVER_SEED = bytes(range(0x20))
CLIENT_SEED = bytes(range(0x20, 0x40))
NONCE = bytes(range(0x40, 0x60))
CHALLENGE = bytes(range(0x60, 0x80))
PASSWORD = "open sesame"
NAME = "Zoë"
TABLE = "K7QF2M9X"
TABLE_PASSWORD = "friday"
MATCH = f"{TABLE}-1"
DEAL_SECRET = bytes(range(0x80, 0xA0))
DEAL_NONCES = (bytes(range(0xA0, 0xC0)), b"", bytes(range(0xC0, 0xE0)))


def rewritten(text: str) -> str:
    """The page with its generated parts as they have to be."""
    return _PART.sub(
        lambda found: f"<!-- part {found['name']} -->\n{part(found['name'], found['body'])}<!-- end -->", text
    )


def parts(text: str) -> list[str]:
    """The names of the page's parts."""
    return [found["name"] for found in _PART.finditer(text)]


def expected_parts() -> set[str]:
    """What the page must have: all that the schema has, and the examples."""
    found = _schema()
    names = {f"fields:messages/{name}/fields" for name, message in found["messages"].items() if message["fields"]}
    names |= {f"fields:types/{name}" for name in found["types"]}
    for name, game in found["games"].items():
        names |= {f"fields:games/{name}/{side}" for side in ("options", "public", "own")}
        names |= {f"variants:games/{name}/{kind}" for kind in ("actions", "events")}
        names |= {f"fields:games/{name}/types/{kind}" for kind in game["types"]}
    return names | {"codes", "limits", *_EXAMPLES}


def part(name: str, old: str) -> str:
    """One part. old: what stands there now; its hand-written column is kept."""
    kind, _, path = name.partition(":")
    if kind == "fields":
        rows = [(f"`{field}`", entry["type"], default(entry)) for field, entry in _at(path).items()]
        return table(("field", "type", "default", "meaning"), rows, old)
    if kind == "variants":
        variants = [(f"`{tag}`", ", ".join(map(_short, fields.items())) or "–") for tag, fields in _at(path).items()]
        return table(("type", "fields", "meaning"), variants, old)
    if kind == "codes":
        codes = [(f"`{code}`", errors.text_for(code)) for code in sorted(errors.CODES)]
        return table(("code", "text", "when, and what follows"), codes, old)
    if kind == "limits":
        limits = [(f"`{limit}`", f"{number:,}") for limit, number in _schema()["limits"].items()]
        return table(("limit", "number", "of what"), limits, old)
    return _EXAMPLES[name]()


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]], old: str) -> str:
    """A table with one more column than `rows`: kept from `old` by the row's first cell."""
    kept = {}
    for line in old.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if len(cells) == len(head):
            kept[cells[0]] = cells[-1]
    lines = [head, ("---",) * len(head), *((*row, kept.get(row[0], MISSING)) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def default(entry: dict[str, Any]) -> str:
    """A field's default as the page writes it; required ones have none."""
    if "default" not in entry:
        return "required"
    value = entry["default"]
    if value == "" and entry["type"].startswith("bin"):
        return "0 bytes"
    return f"`{_literal(value)}`"


def _literal(value: Any) -> str:
    names = {None: "nil", True: "true", False: "false", "": '""'}
    return names[value] if isinstance(value, bool | str | None) and value in names else str(value)


def _short(field: tuple[str, dict[str, Any]]) -> str:
    name, entry = field
    return f"`{name}` {entry['type']}" + (f" (default {default(entry)})" if "default" in entry else "")


def _at(path: str) -> dict[str, Any]:
    found: dict[str, Any] = _schema()
    for key in path.split("/"):
        found = found[key]
    return found


def _schema() -> schema.Schema:
    return schema.schema(GAMES.values())


# Examples: the first frames of a connection, and the proofs in them.


def handshake() -> tuple[list[tuple[str, Message, bytes]], dict[str, bytes]]:
    """(who, message, frame) of the example session, and the intermediate values of its proofs."""
    client, server = Connection(Role.CLIENT), Connection(Role.SERVER)
    frames: list[tuple[str, Message, bytes]] = []

    def say(sender: Connection, receiver: Connection, message: Message) -> None:
        frame = sender.send(message)
        receiver.receive_data(frame)
        assert receiver.next_event() == message
        frames.append((sender.role.value, message, frame))

    server_id, key = identity.public_key(SERVER_SEED), identity.public_key(CLIENT_SEED)
    say(client, server, Hello(versions=[(1, 0)], client="example 1", nonce=NONCE))
    assert server.version is not None
    server_payload = server.server_proof_payload(server_id, CHALLENGE)
    greeting = Greeting(
        version=server.version,
        server_id=server_id,
        server_name="Kitchen",
        software="robby",
        challenge=CHALLENGE,
        proof=identity.sign(SERVER_SEED, server_payload),
        password_required=True,
        methods=["guest", "key"],
        games=[GameOffer(name="robby-solo", version=1, bots=["greedy", "random"])],
    )
    say(server, client, greeting)
    login_payload = client.login_proof_payload(NAME, key)
    password_payload = client.password_proof_payload(NAME)
    password_key = identity.password_key(PASSWORD, server_id)
    login = Login(
        method="key",
        name=NAME,
        key=key,
        proof=identity.sign(CLIENT_SEED, login_payload),
        password_proof=identity.password_proof(password_key, password_payload),
    )
    say(client, server, login)
    table_payload = client.table_password_payload(TABLE)
    table_key = identity.table_password_key(TABLE_PASSWORD, server_id)
    say(server, client, Welcome(identity="k-1", name=NAME, ping_ms=5000, silence_ms=25000))
    say(server, client, Ping(n=1))
    say(client, server, Pong(n=1))
    say(client, server, LobbyList(id=1))
    say(server, client, Ok(re=1, result={"tables": []}))
    values = {
        "server's private seed": SERVER_SEED,
        "server_id": server_id,
        "client's private seed": CLIENT_SEED,
        "client's key": key,
        "nonce": NONCE,
        "challenge": CHALLENGE,
        "SHA-256 of hello's body": identity.digest(frames[0][2][4:]),
        "SHA-256 of greeting's body": identity.digest(frames[1][2][4:]),
        "server proof payload": server_payload,
        "server proof": greeting.proof,
        "login proof payload": login_payload,
        "login proof": login.proof,
        "password key": password_key,
        "password proof payload": password_payload,
        "password proof": login.password_proof,
        "table password's salt": identity.table_password_salt(server_id),
        "table password key": table_key,
        "table proof payload": table_payload,
        "table proof": identity.password_proof(table_key, table_payload),
    }
    return frames, values


def _frames(numbers: range) -> str:
    frames, _values = handshake()
    blocks = []
    for number in numbers:
        who, message, frame = frames[number]
        tag = message.__struct_config__.tag
        blocks.append(f"{who}: {tag}, {len(frame)} bytes\n{hexdump(frame)}")
    return "```\n" + "\n".join(blocks) + "```\n"


def _proofs() -> str:
    return _values(handshake()[1])


def _deal() -> str:
    """The fair deal's numbers, of a match of three seats whose second did not commit."""
    values = {
        "server's secret": DEAL_SECRET,
        "server's commitment": fair.server_commitment(MATCH, DEAL_SECRET),
        "nonce of seat 0": DEAL_NONCES[0],
        "commitment of seat 0": fair.seat_commitment(DEAL_NONCES[0]),
        "nonce of seat 2": DEAL_NONCES[2],
        "commitment of seat 2": fair.seat_commitment(DEAL_NONCES[2]),
        "what the seed is the hash of": fair.seed_payload(MATCH, DEAL_SECRET, DEAL_NONCES),
        "seed": fair.seed(MATCH, DEAL_SECRET, DEAL_NONCES),
    }
    return _values(values)


def _values(values: dict[str, bytes]) -> str:
    blocks = [f"{name} ({len(value)} bytes)\n{hexdump(value)}" for name, value in values.items()]
    return "```\n" + "\n".join(blocks) + "```\n"


def hexdump(data: bytes) -> str:
    """Sixteen bytes a line, with the printable characters beside them."""
    lines = []
    for start in range(0, len(data), _HEX_COLUMNS):
        piece = data[start : start + _HEX_COLUMNS]
        text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in piece)
        lines.append(f"  {piece.hex(' '):{_HEX_COLUMNS * 3 - 1}}  {text}\n")
    return "".join(lines)


_EXAMPLES: dict[str, Callable[[], str]] = {
    "example:handshake": lambda: _frames(range(4)),
    "example:after": lambda: _frames(range(4, 8)),
    "example:proofs": _proofs,
    "example:deal": _deal,
}


def main() -> int:
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(rewritten(text), encoding="utf-8")
    lacking = expected_parts() - set(parts(text))
    if lacking:
        print("The page lacks:", *sorted(lacking), sep="\n  ", file=sys.stderr)
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
