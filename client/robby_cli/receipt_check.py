"""Compares a record with what one client saw of the match: its receipt. Pure; docs/records.md names the checks."""

from robby_client.receipt import Receipt
from robby_protocol import fair
from robby_protocol.codec import plain
from robby_rules.record import FINISHED
from robby_rules.record_check import Check, Examined, State

SERVER = "receipt_server"
MATCH = "receipt_match"
COMMITMENTS = "receipt_commitments"
NONCE = "receipt_nonce"
EVENTS = "receipt_events"
RESULTS = "receipt_results"
RECEIPT_CHECKS = (SERVER, MATCH, COMMITMENTS, NONCE, EVENTS, RESULTS)


def compare(examined: Examined, receipt: Receipt) -> tuple[Check, ...]:
    """The checks of a record against a receipt, in order."""
    return (
        _server(examined, receipt),
        _match(examined, receipt),
        _commitments(examined, receipt),
        _nonce(examined, receipt),
        _events(examined, receipt),
        _results(examined, receipt),
    )


def _check(name: str, problem: str, state: State = "ok") -> Check:
    return Check(name, "failed", problem) if problem else Check(name, state)


def _server(examined: Examined, receipt: Receipt) -> Check:
    same = examined.record.server_id.hex() == receipt.server_id
    return _check(SERVER, "" if same else f"the receipt is of the server {receipt.server_id}")


def _match(examined: Examined, receipt: Receipt) -> Check:
    record = examined.record
    problem = ""
    for what, recorded, seen in (
        ("match", record.match, receipt.match),
        ("game", record.game, receipt.game),
        ("table", record.table, receipt.table or record.table),
        ("options", record.options, receipt.options or record.options),
    ):
        if recorded != seen:
            problem = problem or f"the receipt is of another {what}"
    return _check(MATCH, problem)


def _commitments(examined: Examined, receipt: Receipt) -> Check:
    """What the owner was shown before anything was opened."""
    deal = examined.record.deal
    if not receipt.commitment and not receipt.commitments and not receipt.nonce:
        return Check(COMMITMENTS, "absent", "the receipt has none")
    if deal is None:
        return Check(COMMITMENTS, "failed", "the record has no fair deal, and there was one")
    if receipt.commitment and receipt.commitment != deal.commitment.hex():
        return Check(COMMITMENTS, "failed", "the server was committed to something else")
    recorded = [one.hex() for one in deal.commitments]
    if (receipt.commitments or receipt.nonce) and receipt.commitments != recorded:
        return Check(COMMITMENTS, "failed", "the seats were committed to something else")
    return Check(COMMITMENTS, "ok")


def _nonce(examined: Examined, receipt: Receipt) -> Check:
    """The own nonce above all: with it in the seed nobody else can have chosen the cards."""
    deal = examined.record.deal
    if not receipt.nonce and not receipt.nonces:
        return Check(NONCE, "absent", "the receipt's owner did not commit")
    recorded = [] if deal is None else [one.hex() for one in deal.nonces]
    if receipt.nonce:
        seat = receipt.seat
        if seat is None or seat >= len(recorded) or recorded[seat] != receipt.nonce:
            return Check(NONCE, "failed", "the receipt's nonce is not in the deal")
    if receipt.nonces and receipt.nonces != recorded:
        return Check(NONCE, "failed", "other nonces were opened")
    return Check(NONCE, "ok") if receipt.nonce else Check(NONCE, "absent", "the receipt's owner did not commit")


def _events(examined: Examined, receipt: Receipt) -> Check:
    if examined.match is None:
        return Check(EVENTS, "unchecked")
    if not receipt.events:
        return Check(EVENTS, "absent", "the receipt's owner saw nothing from the beginning")
    events = examined.match.events
    if receipt.events > len(events) or (receipt.finished and receipt.events != len(events)):
        return Check(EVENTS, "failed", f"{receipt.events} events were seen, the record has {len(events)}")
    digest = fair.events_digest(plain(event) for event in events[: receipt.events])
    return _check(EVENTS, "" if digest.hex() == receipt.events_digest else "something else was told")


def _results(examined: Examined, receipt: Receipt) -> Check:
    record = examined.record
    if receipt.names != [seat.name for seat in record.seats]:
        return Check(RESULTS, "failed", "other names played")
    if receipt.secret and (record.deal is None or record.deal.secret.hex() != receipt.secret):
        return Check(RESULTS, "failed", "another secret was revealed")
    if not receipt.finished:
        return Check(RESULTS, "absent", "the receipt's owner did not see the end")
    if record.ending != FINISHED or tuple(receipt.results) != record.results:
        return Check(RESULTS, "failed", "other results were told")
    return Check(RESULTS, "ok")
