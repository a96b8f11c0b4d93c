"""Good inputs to begin from: every sample message at the moment it belongs to, journal entries, a snapshot, texts."""

import copy
import random
from collections.abc import Iterator
from typing import Any

import msgspec

from robby_protocol import codec
from robby_protocol.messages import FROM_CLIENT
from robby_rules.entries import encode_entry
from robby_rules.match import Match
from robby_rules.registry import RULES
from robby_server.kept import KeptSeat, KeptTable, encode_table
from tests.fuzz.targets import Told, moments
from tests.protocol import samples
from tests.rules.kit import random_match

_MOMENT = {"hello": 0, "login": 1, "greeting": 0, "welcome": 1, "refused": 0}


TEXTS = (
    "Ana",
    "Bjørn",
    "rob.example:7622",
    "[::1]:7622",
    "\x1b[2J",
    "\u202eabc",
    "\U0001f469\u200d\U0001f467",
)


def seeds(target: str) -> Iterator[bytes]:
    """Inputs for a target, the same each time."""
    if target in ("server_stream", "client_stream"):
        for name, message in samples.MESSAGES.items():
            if (type(message) in FROM_CLIENT) is (target == "server_stream"):
                yield bytes([_MOMENT.get(name.partition(".")[0], 2)]) + codec.encode(message)
    elif target == "body":
        for message in samples.MESSAGES.values():
            yield codec.pack(message)
    elif target == "entry":
        for game in RULES:
            match = Match.start("m1", game, {}, 4, bytes(range(32)))
            yield encode_entry(match.start_entry)
            for change in random_match(match, random.Random(1), steps=30):
                yield encode_entry(change.entry)
    elif target == "action":
        yield from dict.fromkeys(
            msgspec.msgpack.encode(one) for asked in moments() for one in asked.decision.legal[:40]
        )
    elif target == "told":
        for match, seat, decision in moments():
            public, own = match.view(seat)
            events = [codec.plain(event) for event in match.events]
            yield msgspec.msgpack.encode(
                Told(match.start_entry.game, seat, codec.plain(public), codec.plain(own), events, decision.legal[:8])
            )
    elif target == "snapshot":
        kept = KeptSeat(owner="k1", name="Ana", bot=None, state="here", joined=1)
        yield encode_table(
            KeptTable(
                table="ABCD2345",
                game="robby-solo",
                title="Friday",
                options={"junior": True},
                capacity=4,
                origin="127.0.0.1",
                phase="waiting",
                seats=(kept,),
                host=0,
                attempt=1,
            )
        )
    else:
        for said in TEXTS:
            yield said.encode()


def exchange(said: dict[str, Any], rng: random.Random) -> None:
    """Put something odd, or something from elsewhere in it, in one place."""
    places = list(insides(said))
    inside, key = rng.choice(places)
    old = inside[key]
    elsewhere, other = rng.choice(places)
    odd = [-1, 2**40, True, None, "", "\x1b[2J", [], {}, [0] * 9, elsewhere[other], elsewhere[other]]
    if isinstance(old, int):
        odd += [old - 1, old + 1] * 8
    elif isinstance(old, list):
        odd += [old[1:], old + old[-1:]] * 8
    inside[key] = copy.deepcopy(rng.choice(odd))


def insides(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of lists and maps within a value: the list or map, and where in it."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from insides(value[key])
