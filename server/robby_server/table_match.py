"""The match at a table: start, answers, deadlines, presence, end. The rules decide; this keeps and tells."""

from typing import TYPE_CHECKING, Any

import structlog
import trio

from robby_protocol import errors
from robby_protocol.messages import Act, DealOpen
from robby_rules.interface import IllegalActionError, Stamp
from robby_rules.match import Change, Match
from robby_rules.record import RecordSeat
from robby_server import offers
from robby_server.bots import BotTicket
from robby_server.play import Play
from robby_server.records import Facts
from robby_server.rejected import Rejected
from robby_server.seats import Player, Seat
from robby_server.session import Session
from robby_server.wall import wall_now

if TYPE_CHECKING:
    from robby_server.table import Table

log = structlog.get_logger("robby.table")


async def start(table: "Table") -> dict[str, Any]:
    """Begin a match with everybody who sits here, at once or when all commitments are open. Raises Rejected."""
    table.services.gate.check()
    offers.check_start(table.game, table.options, len(table.seats), table.capacity)
    match = table.dealing.try_start()
    if table.dealing.opening is None:
        await _begin(table, match)
    return {"match": match}


async def open_commitment(table: "Table", index: int, command: DealOpen) -> dict[str, Any]:
    """A seat opens its commitment; the last one lets the match begin. Raises Rejected."""
    if table.dealing.open(index, command):
        await _begin(table, command.match)
    return {}


async def _begin(table: "Table", match_id: str) -> None:
    seed, deal = table.dealing.seed()
    match = Match.start(match_id, table.game, table.options, len(table.seats), seed, deal=deal, began=int(wall_now()))
    play = Play(match, table.services.store, table.id, [seat.owner for seat in table.seats])
    await play.keep_start()
    table.play = play
    table.phase = "playing"
    for seat in table.seats:
        seat.unready()
        seat.asked = 0
    table.services.tally.matches_started += 1
    log.info("match_started", table=table.id, match=play.id, seats=len(table.seats))
    table.news("started")
    table.push_state()
    table.push_update(None)
    for seat in table.seats:
        if seat.bot is not None:
            send_bot(table, seat, seat.bot)
    for index, seat in enumerate(table.seats):
        if seat.person and seat.state == "away":
            # Lost while the others still opened.
            await mark_presence(table, index, absent=True)


def send_bot(table: "Table", seat: Seat, bot: str) -> None:
    """Send a bot to play a seat, its own or an absent person's."""
    who, token = table.services.identities.bot(seat.owner.name, table.id)
    ticket = BotTicket(bot=bot, game=table.game, name=who.name, resume=token, table=table.id)
    seat.player = Player(who, table.services.bots.send(ticket))


async def act(table: "Table", index: int, session: Session, command: Act, at: float) -> dict[str, Any]:
    """A seat's answer to its decision. session: that it came by. Raises Rejected; nothing has changed then."""
    play = table.play
    answer = {"decision": command.decision}
    if play is None:
        raise Rejected(errors.NOT_PLAYING)
    if command.match is not None and command.match != play.id:
        raise Rejected(errors.STALE_DECISION)
    if table.phase != "playing":
        if _is_repeat(table, index, command):
            return answer
        raise Rejected(errors.NOT_PLAYING)
    seat = table.seats[index]  # before seats move up, should this end the match
    try:
        change = play.match.submit(index, command.decision, command.action, _stamp(table, play, index, session, at))
    except IllegalActionError as error:
        raise Rejected(error.code, None, **error.details) from None
    if change is not None:
        if not play.asks:
            raise Rejected(errors.NO_DECISION)
        await _happen(table, change)
    hushed = change is not None and change.only is not None
    if seat.bot is not None and seat.state == "away" and table.phase == "playing" and not hushed:
        # A bot that was taken for hanging answers after all. (What nobody may notice does not show it to be back.)
        seat.enter("here", trio.current_time())
        table.news("back", seat)
        await mark_presence(table, index, absent=False)
    return answer


def _stamp(table: "Table", play: Play, index: int, session: Session, at: float) -> Stamp:
    """When an answer was received; in a game that races, with its credit and what the rivals' could be."""
    if not play.races:
        return play.stamp(at)
    rivals = [one.credit for number, seat in enumerate(table.seats) if number != index for one in seat.sessions()]
    return play.stamp(at, session.credit, max(rivals, default=0.0))


async def expire(table: "Table", at: float) -> None:
    """Carry out the deadline that is due. at: the moment that counts, on trio's clock."""
    assert table.play is not None, "a match is played"
    await _happen(table, table.play.match.expire(table.play.stamp(at)))


async def mark_presence(table: "Table", index: int, *, absent: bool) -> None:
    """Nobody plays this seat of the running match any more, or somebody does again."""
    assert table.play is not None, "a match is played"
    change = table.play.match.presence(index, absent, table.play.stamp(table.moment))
    if change is not None:
        await _happen(table, change)


async def _happen(table: "Table", change: Change) -> None:
    assert table.play is not None, "a match is played"
    await table.play.take(change)
    table.push_update(change)
    if table.play.match.result() is not None:
        await finish(table)


async def finish(table: "Table") -> None:
    """The match is over: bots go, seats given up are free, those away have the waiting table's time to come back."""
    assert table.play is not None, "a match was played"
    table.result = table.play.scores()
    await end(table, table.play)
    table.phase = "finished"
    table.empty_since = None
    now = trio.current_time()
    table.services.tally.matches_finished += 1
    log.info("match_finished", table=table.id, match=table.play.id)
    table.news("finished")
    table.push_state()  # with the seats of the match, before they move up
    table.dealing.reveal()
    everybody_here = all(seat.state == "here" for seat in table.seats)
    for seat in tuple(table.seats):
        table.dismiss(seat, errors.TABLE_CLOSED)
        if seat.bot is not None:
            seat.enter("here", now)
        elif seat.state == "left":
            table.unsit(seat)
        elif seat.state != "here":
            seat.enter("away", now)
    if not everybody_here:
        table.push_state()


def broken_off(table: "Table") -> None:
    """The table closes while a match is played. Called before its seats are given up; the table then ends the match."""
    table.services.tally.matches_broken_off += 1
    log.info("match_broken_off", table=table.id, match=None if table.play is None else table.play.id)
    if table.play is not None:
        table.facts = facts(table, table.play)
        table.dealing.reveal()


async def end(table: "Table", play: Play) -> None:
    """The match needs not be taken up again: its record is kept."""
    await table.services.recorder.keep(play.match, table.facts or facts(table, play))
    table.facts = None
    await play.end()


def facts(table: "Table", play: Play) -> Facts:
    """What the record says besides the match, while its seats are still there."""
    return Facts(
        table=table.id,
        title=table.title,
        seats=[
            RecordSeat(name=name, kind="bot" if seat.bot else "person", bot=seat.bot)
            for name, seat in zip(play.names, table.seats, strict=True)
        ],
        aborted=table.aborted,
        results=play.scores(),
        delay_s=table.delay_s,
        readers=[owner.id for owner in play.owners if owner.kind == "person"],
        watchers=table.audience.identities(),
    )


def note_questions(table: "Table") -> None:
    """Remember since when each bot owes a decision that no limit runs for."""
    if table.play is None or table.phase != "playing":
        return
    now = trio.current_time()
    for index, seat in enumerate(table.seats):
        if seat.bot is not None:
            limited = table.play.match.timer(index) is not None
            decision = None if limited else table.play.match.decision(index)
            asked = 0 if decision is None else decision.id
            if asked != seat.asked:
                seat.asked, seat.asked_since = asked, now


def _is_repeat(table: "Table", index: int, command: Act) -> bool:
    """Whether this is the last accepted answer of a finished match again, whose answer was lost."""
    assert table.play is not None, "a match was played"
    seat = table.play.seat_of(table.seats[index].owner)
    if seat is None:
        return False
    try:
        change = table.play.match.submit(seat, command.decision, command.action, table.play.stamp(trio.current_time()))
    except IllegalActionError:
        return False
    return change is None
