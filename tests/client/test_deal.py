"""The fair deal from a client's side: what it commits to, when it opens, and what it shouts about."""

import pytest

from robby_client import codes
from robby_client.deal import Deals
from robby_client.tale.deal import deal_sentence
from robby_protocol import fair
from robby_protocol.messages import DealCommitted, DealOpened, DealRevealed

SECRET = b"s" * 32
SERVER = fair.server_commitment("m1", SECRET)
OTHERS = b"o" * 32
LINE_CELLS = 76
"""Of a line at 80 columns, without the margins and the sign before the sentence."""


def deals() -> Deals:
    """At a table whose next match is m1."""
    made = Deals()
    made.shown("m1", SERVER)
    return made


def committed(*seats: bytes, server: bytes = SERVER, match: str = "m1") -> DealCommitted:
    return DealCommitted(table="t1", match=match, server=server, seats=list(seats), remaining_ms=10_000)


def opened(*nonces: bytes) -> DealOpened:
    return DealOpened(table="t1", match="m1", nonces=list(nonces))


def revealed(secret: bytes = SECRET) -> DealRevealed:
    return DealRevealed(table="t1", match="m1", secret=secret)


def test_a_fair_deal_from_commitment_to_secret() -> None:
    made = deals()
    own, other = made.commit(), fair.seat_commitment(OTHERS)
    assert made.committed(committed(other, own, b""), 1, ["Ben", "Ana", "Greedy"]) is None
    nonce = made.to_open("m1")
    assert fair.seat_commitment(nonce) == own
    assert made.opened(opened(OTHERS, nonce, b"")) is None
    assert made.revealed(revealed()) is None
    deal = made.deal
    assert deal is not None
    assert (deal.stage, deal.trouble, deal.people, deal.opened_by) == ("revealed", None, 2, 2)
    assert deal.names == ["Ben", "Ana", "Greedy"]
    sentence = deal_sentence(deal)
    assert sentence is not None
    assert len(sentence) <= LINE_CELLS


def test_no_commitment_without_a_deal_and_a_fresh_one_each_time() -> None:
    assert Deals().commit() == b""
    made = deals()
    assert made.commit() != made.commit()


def test_the_newest_commitment_counts_but_an_older_one_of_the_same_match_is_the_clients_too() -> None:
    made = deals()
    first = made.commit()
    made.commit()
    assert made.committed(committed(first), 0, ["Ana"]) is None
    assert fair.seat_commitment(made.to_open("m1")) == first


@pytest.mark.parametrize("instead", [b"", fair.seat_commitment(OTHERS)])
def test_nothing_is_opened_where_the_own_commitment_does_not_stand_in_its_place(instead: bytes) -> None:
    made = deals()
    own = made.commit()
    assert made.committed(committed(instead, own), 0, ["Ana", "Ben"]) == codes.DEAL_COMMITMENT_MISSING
    assert made.to_open("m1") == b""


def test_nothing_is_opened_for_a_seat_beyond_the_list() -> None:
    made = deals()
    made.commit()
    assert made.committed(committed(), 0, ["Ana"]) == codes.DEAL_COMMITMENT_MISSING
    assert made.to_open("m1") == b""


def test_nothing_is_opened_if_the_server_changed_its_own() -> None:
    made = deals()
    own = made.commit()
    other = fair.server_commitment("m1", b"t" * 32)
    made.shown("m1", other)  # shown later for the same match: the first counts
    assert made.committed(committed(own, server=other), 0, ["Ana"]) == codes.DEAL_SERVER_CHANGED
    assert made.to_open("m1") == b""


def test_a_nonce_of_another_match_is_not_opened() -> None:
    made = deals()
    own = made.commit()
    made.shown("m2", fair.server_commitment("m2", SECRET))
    told = committed(own, match="m2", server=fair.server_commitment("m2", SECRET))
    assert made.committed(told, 0, ["Ana"]) is None  # as if never committed: nothing to open
    assert made.to_open("m2") == b""


def test_a_match_that_was_never_shown_is_not_opened() -> None:
    made = deals()
    own = made.commit()
    assert made.committed(committed(own, match="m2"), 0, ["Ana"]) == codes.DEAL_COMMITMENT_MISSING
    assert made.to_open("m2") == b""


def test_two_tellings_of_one_deal_must_be_the_same() -> None:
    made = deals()
    own = made.commit()
    told = committed(own, fair.seat_commitment(OTHERS))
    assert made.committed(told, 0, ["Ana", "Ben"]) is None
    assert made.committed(told, 0, ["Ana", "Ben"]) is None
    assert made.to_open("m1") != b""
    assert made.committed(committed(own, b""), 0, ["Ana", "Ben"]) == codes.DEAL_CHANGED
    assert made.to_open("m1") == b""


def test_once_opened_it_is_never_opened_again() -> None:
    made = deals()
    own = made.commit()
    made.committed(committed(own), 0, ["Ana"])
    nonce = made.to_open("m1")
    made.opened(opened(nonce))
    assert made.to_open("m1") == b""
    assert made.opened(opened(nonce)) is None
    assert made.opened(opened(OTHERS)) == codes.DEAL_CHANGED


@pytest.mark.parametrize("nonces", [[b"x" * 32, b""], [OTHERS, b"x" * 32], [OTHERS], [b"", b""], [OTHERS, b"", b""]])
def test_nonces_that_do_not_fit_are_trouble(nonces: list[bytes]) -> None:
    made = deals()
    made.committed(committed(fair.seat_commitment(OTHERS), b""), None, ["Ben", "Bot"])
    assert made.opened(opened(*nonces)) == codes.DEAL_NONCE_WRONG


def test_a_secret_that_is_not_the_servers_is_trouble_and_told_once() -> None:
    made = deals()
    made.committed(committed(fair.seat_commitment(OTHERS)), None, ["Ben"])
    assert made.revealed(revealed(b"x" * 32)) == codes.DEAL_SECRET_WRONG
    assert made.revealed(revealed(b"x" * 32)) is None
    assert made.deal is not None
    assert deal_sentence(made.deal) == codes.text_for(codes.DEAL_SECRET_WRONG)


def test_a_rematch_commits_anew() -> None:
    made = deals()
    own = made.commit()
    made.committed(committed(own), 0, ["Ana"])
    made.opened(opened(made.to_open("m1")))
    made.revealed(revealed())
    second = fair.server_commitment("m2", SECRET)
    made.shown("m2", second)
    again = made.commit()
    assert again not in (b"", own)
    assert made.committed(committed(again, match="m2", server=second), 0, ["Ana"]) is None
    assert fair.seat_commitment(made.to_open("m2")) == again


def test_leaving_the_table_forgets_all() -> None:
    made = deals()
    made.commit()
    made.leave()
    assert made.commit() == b""
    assert made.deal is None
