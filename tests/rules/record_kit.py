"""Records to look at: a match played at random, dealt fairly, and what a server would write of it."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from robby_protocol import fair, identity
from robby_protocol.messages import ScoreLine
from robby_rules.journal import Deal, Entry, encode_entry
from robby_rules.match import Match
from robby_rules.record import (
    BROKEN_OFF,
    FINISHED,
    Record,
    RecordDeal,
    RecordSeat,
    encode_record,
    readers_of,
)
from robby_rules.record_check import digest_of, scores
from tests.rules.kit import random_match

SERVER_SEED = bytes(range(32))
SERVER_ID = identity.public_key(SERVER_SEED)
NAMES = ("Ana", "Ben", "Cleo", "Dora", "Emil", "Fay")


def sign(payload: bytes) -> bytes:
    """As the server of these records."""
    return identity.sign(SERVER_SEED, payload)


@dataclass(frozen=True)
class Played:
    """A match and all its entries."""

    match: Match
    entries: Sequence[Entry]
    nonces: Sequence[bytes]
    secret: bytes


def play(
    match_id: str = "K7QF2M9X-1",
    *,
    seats: int = 3,
    rng_seed: int = 1,
    fairly: bool = True,
    steps: int = 100_000,
    **options: Any,
) -> Played:
    """Play a match at random; fewer steps leave it unfinished. All but the last seat commit."""
    rng = random.Random(rng_seed)
    secret = rng.randbytes(32)
    nonces = (*(rng.randbytes(32) for _ in range(seats - 1)), b"")
    deal = Deal(secret, tuple(fair.seat_commitment(nonce) if nonce else b"" for nonce in nonces), nonces)
    seed = fair.seed(match_id, secret, nonces)
    match = Match.start(
        match_id, "robby-solo", options, seats, seed, deal=deal if fairly else None, began=1_800_000_000
    )
    changes = random_match(match, rng, steps=steps)
    return Played(match, (match.start_entry, *(change.entry for change in changes)), nonces, secret)


def record_of(played: Played, **changes: Any) -> Record:
    """What a server writes of it."""
    match, start = played.match, played.match.start_entry
    names = NAMES[: match.seats]
    events, digest = digest_of(match)
    deal = start.deal
    record = Record(
        match=start.match,
        table="K7QF2M9X",
        title="Friday",
        game=start.game,
        rules_version=start.rules_version,
        options=start.options,
        server_id=SERVER_ID,
        server_name="Kitchen",
        software="robby 0",
        seats=tuple(RecordSeat(name=name, kind="person") for name in names),
        began=start.began,
        ended=start.began + 600,
        ending=FINISHED if match.result() is not None else BROKEN_OFF,
        aborted=0,
        deal=None
        if deal is None
        else RecordDeal(
            commitment=fair.server_commitment(start.match, deal.secret),
            secret=deal.secret,
            commitments=deal.commitments,
            nonces=deal.nonces,
        ),
        entries=tuple(encode_entry(entry) for entry in played.entries),
        events=events,
        events_digest=digest,
        results=scores(match, names),
        readers=readers_of(start.match, ["a", "b"]),
    )
    return msgspec.structs.replace(record, **changes)


def file_of(played: Played, **changes: Any) -> bytes:
    """The bytes of its record file, properly signed whatever was changed."""
    return encode_record(record_of(played, **changes), sign)


def cheated(results: Sequence[ScoreLine]) -> tuple[ScoreLine, ...]:
    """Results with a thousand more for the first."""
    first, *others = results
    return (msgspec.structs.replace(first, score=first.score + 1_000), *others)
