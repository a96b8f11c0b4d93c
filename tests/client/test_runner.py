"""Bots as clients: against a server driven step by step, and whole games on the real one. Fake clock, no sockets."""

import logging
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from robby_bots.interface import Bot, BotView
from robby_bots.registry import BOTS
from robby_bots.robby_solo.greedy import GreedyBot
from robby_bots.runner import run_bot
from robby_client.client import Client, LoginPlan
from robby_client.codes import CONNECTION_LOST, STOPPED
from robby_client.deal import REVEALED
from robby_client.events import Ended
from robby_client.quick import QuickTable, sit_down
from robby_client.stories.robby_solo import RobbySoloStory
from robby_client.streams import over_trio
from robby_client.tale.robby_solo import sentence
from robby_games.robby_solo import GameOver, Lay, Reveal, total_of
from robby_protocol import errors
from robby_protocol.messages import (
    Act,
    Bye,
    Decision,
    Error,
    Goodbye,
    LobbyTables,
    LobbyWatch,
    Pong,
    TableClosed,
    TableCreate,
    TableInfo,
    TableJoin,
    TableReady,
    TableStart,
)
from robby_protocol.messages import Ping as PingMessage
from robby_server.bots import BotTicket
from tests.client.fakes import FakeServer, Peer, public_view, seat, table, table_state, update
from tests.server.kit import Host, running

LAY = [{"type": "lay", "bank": bank} for bank in range(4)]


class First(Bot):
    """Takes the first legal action and counts how often it was asked."""

    name = "first"

    def __init__(self) -> None:
        self.asked: list[BotView] = []

    def choose(self, view: BotView, rng: random.Random) -> Any:
        self.asked.append(view)
        return view.legal[0]


class Playing:
    """A bot that runs against a fake server, at a table, in a match."""

    def __init__(self, bot: Bot, **options: Any) -> None:
        self.server = FakeServer()
        self.bot = bot
        self.client = self.server.client(LoginPlan(name="Bot"), **options.pop("client", {}))
        self.options = options
        self.ended: Ended | None = None

    async def run(self) -> None:
        self.ended = await run_bot(self.client, self.bot, random.Random(1), **self.options)

    async def seated(self, nursery: trio.Nursery) -> Peer:
        nursery.start_soon(self.run)
        peer = await self.server.accept()
        await peer.welcome(table="t1")
        await peer.send(table_state())
        return peer


def ask(number: int, seq: int, legal: list[dict[str, Any]] = LAY) -> Any:
    return update(seq, decision=Decision(id=number, legal=legal))


async def nothing_said(peer: Peer, seconds: float = 20) -> None:
    """The client sends nothing but heartbeats for so long."""
    with trio.move_on_after(seconds):
        while True:
            message = await peer.receive()
            assert isinstance(message, PingMessage | Pong), message


async def test_a_bot_answers_each_decision_once(autojump_clock: MockClock) -> None:
    playing = Playing(First())
    async with trio.open_nursery() as nursery:
        peer = await playing.seated(nursery)
        for number in (1, 2, 3):
            await peer.send(ask(number, number))
            act = await peer.answer(Act)
            assert (act.decision, act.action) == (number, LAY[0])
            await peer.send(update(number))
        await nothing_said(peer)
        await peer.send(Goodbye(code=errors.TABLE_CLOSED, text="", reconnect=False))
    assert playing.ended is not None
    assert playing.ended.code == errors.TABLE_CLOSED


async def test_a_bot_sees_the_view_and_the_start_of_the_phase(autojump_clock: MockClock) -> None:
    bot = First()
    playing = Playing(bot)
    async with trio.open_nursery() as nursery:
        peer = await playing.seated(nursery)
        events = [{"type": "laid", "seat": 2}]
        await peer.send(update(1, view=public_view("revision", deck=9), events=events))
        await peer.send(
            update(
                2,
                first=1,
                view=public_view("revision", deck=8),
                own={"seat": 0, "card": 2, "stack": [3]},
                decision=Decision(id=1, legal=LAY),
            )
        )
        await peer.answer(Act)
        (view,) = bot.asked
        assert (view.game, view.seat, view.own.card) == ("robby-solo", 0, 2)
        assert (view.phase_start.deck, view.public.deck) == (9, 8)
        assert view.legal == tuple(Lay(bank=bank) for bank in range(4))
        assert len(view.events) == 1
        playing.client.stop()


async def test_a_bot_is_never_offered_reveal(autojump_clock: MockClock) -> None:
    bot = First()
    playing = Playing(bot)
    async with trio.open_nursery() as nursery:
        peer = await playing.seated(nursery)
        await peer.send(ask(1, 1, [{"type": "reveal"}]))
        await nothing_said(peer)
        assert bot.asked == []
        playing.client.stop()


async def test_a_bot_thinks_and_does_not_answer_what_is_no_longer_asked(autojump_clock: MockClock) -> None:
    bot = First()
    playing = Playing(bot, think=(2.0, 3.0))
    async with trio.open_nursery() as nursery:
        peer = await playing.seated(nursery)
        began = trio.current_time()
        await peer.send(ask(1, 1))
        act = await peer.answer(Act)
        assert 2 <= trio.current_time() - began <= 3
        await peer.send(ask(2, 2))
        await trio.sleep(1)
        await peer.send(ask(3, 3))
        act = await peer.answer(Act)
        assert act.decision == 3
        assert len(bot.asked) == 2
        await peer.send(ask(4, 4))
        await trio.sleep(1)
        await peer.send(update(5))
        await nothing_said(peer, 10)
        playing.client.stop()


@pytest.mark.parametrize(("think", "waits"), [(None, 10), ((1.0, 2.0), 10), ((0.0, 0.0), 0)])
async def test_a_bots_own_pace_counts_unless_nobody_is_to_wait(
    autojump_clock: MockClock, think: tuple[float, float] | None, waits: float
) -> None:
    class Dawdler(First):
        def pause(self, view: BotView, pace: random.Random) -> float | None:
            return 10.0

    playing = Playing(Dawdler(), think=think)
    async with trio.open_nursery() as nursery:
        peer = await playing.seated(nursery)
        began = trio.current_time()
        await peer.send(ask(1, 1))
        await peer.answer(Act)
        assert trio.current_time() - began == pytest.approx(waits)
        playing.client.stop()


async def test_a_bot_that_raises_leaves_that_decision_to_the_clock_and_plays_on(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(First):
        name = "broken"

        def choose(self, view: BotView, rng: random.Random) -> Any:
            if len(self.asked) < 2:
                self.asked.append(view)
                raise ZeroDivisionError("line\nbreak \x1b[2J")
            return super().choose(view, rng)

    playing = Playing(Broken())
    async with trio.open_nursery() as nursery:
        peer = await playing.seated(nursery)
        for number in (1, 2):
            await peer.send(ask(number, number))
            await nothing_said(peer, 8)
        await peer.send(ask(3, 3))
        assert (await peer.answer(Act)).decision == 3
        playing.client.stop()
    (record,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    text = record.getMessage()
    assert "broken" in text
    assert "ZeroDivisionError" in text
    assert text.isprintable()


@pytest.mark.parametrize("answer", [Lay(bank=6), "lay", object(), Reveal()])
async def test_an_answer_that_is_not_allowed_is_logged_with_the_code_and_not_sent(
    answer: Any, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    class Wrong(First):
        name = "wrong"

        def choose(self, view: BotView, rng: random.Random) -> Any:
            return answer

    playing = Playing(Wrong())
    async with trio.open_nursery() as nursery:
        peer = await playing.seated(nursery)
        await peer.send(ask(1, 1))
        await nothing_said(peer)
        playing.client.stop()
    (record,) = caplog.records
    assert errors.ILLEGAL_ACTION in record.getMessage()
    assert "wrong" in record.getMessage()


@pytest.mark.parametrize(("code", "told"), [(errors.TABLE_PLAYING, False), (errors.NOT_READY, True)])
async def test_a_match_that_is_about_to_begin_is_no_refusal_to_tell(
    autojump_clock: MockClock, code: str, told: bool
) -> None:
    refused: list[Any] = []
    playing = Playing(First(), start=2, refused=refused.append)
    tries = 0
    async with trio.open_nursery() as nursery:
        nursery.start_soon(playing.run)
        peer = await playing.server.accept()
        await peer.welcome(table="t1")
        with trio.move_on_after(20):
            for _change in range(3):  # each is a reason to try again
                await peer.send(table_state(phase="waiting", seats=[seat("Bot"), seat("Ben", ready=True)]))
                with trio.move_on_after(6):
                    while True:
                        start = await peer.expect(TableStart)
                        tries += 1
                        await peer.send(Error(re=start.id, code=code, text=""))
        assert tries >= 2
        assert len(refused) == (tries if told else 0)
        await peer.send(Goodbye(code=errors.TABLE_CLOSED, text="", reconnect=False))


@pytest.mark.parametrize(("code", "worth_saying"), [(errors.CARD_IN_HAND, True), (errors.NOT_PLAYING, False)])
async def test_a_refused_answer_is_logged_with_its_code_and_not_sent_again(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, code: str, worth_saying: bool
) -> None:
    """An answer that somebody else's, or the end of the game, was quicker than is nothing to be warned of."""
    caplog.set_level(logging.INFO, "robby_bots")
    playing = Playing(First())
    async with trio.open_nursery() as nursery:
        peer = await playing.seated(nursery)
        await peer.send(ask(1, 1))
        act = await peer.expect(Act)
        await peer.send(Error(re=act.id, code=code, text=""))
        await nothing_said(peer)
        playing.client.stop()
    (record,) = [record for record in caplog.records if record.name.startswith("robby_bots")]
    assert code in record.getMessage()
    assert (record.levelno >= logging.WARNING) is worth_saying


async def test_a_bot_that_is_too_fast_waits_and_says_it_again(autojump_clock: MockClock) -> None:
    bot = First()
    playing = Playing(bot)
    async with trio.open_nursery() as nursery:
        peer = await playing.seated(nursery)
        await peer.send(ask(1, 1))
        act = await peer.expect(Act)
        began = trio.current_time()
        await peer.send(Error(re=act.id, code=errors.TOO_MANY_MESSAGES, text=""))
        again = await peer.answer(Act)
        assert trio.current_time() - began >= 1
        assert again.action == act.action
        assert len(bot.asked) == 1
        playing.client.stop()


async def test_a_bot_comes_back_and_says_the_same_again_if_it_is_still_asked(autojump_clock: MockClock) -> None:
    bot = First()
    playing = Playing(bot)
    async with trio.open_nursery() as nursery:
        peer = await playing.seated(nursery)
        await peer.send(ask(1, 1))
        act = await peer.expect(Act)
        await peer.close()
        peer = await playing.server.accept()
        await peer.welcome(table="t1")
        await peer.send(table_state())
        await peer.send(ask(1, 1))
        again = await peer.answer(Act)
        assert (again.decision, again.action) == (act.decision, act.action)
        assert len(bot.asked) == 1, "its chance is not used twice"
        playing.client.stop()


async def test_a_bot_without_reconnect_ends_with_its_connection(autojump_clock: MockClock) -> None:
    playing = Playing(First(), client={"reconnect": False})
    async with trio.open_nursery() as nursery:
        peer = await playing.seated(nursery)
        await peer.close()
    assert playing.ended is not None
    assert playing.ended.code == CONNECTION_LOST


async def test_a_bot_told_not_to_stay_says_bye_when_its_table_closes(autojump_clock: MockClock) -> None:
    playing = Playing(First(), stay=False)
    async with trio.open_nursery() as nursery:
        peer = await playing.seated(nursery)
        await peer.send(TableClosed(table="t1", code=errors.TABLE_CLOSED, text=""))
        await peer.expect(Bye)
    assert playing.ended is not None
    assert playing.ended.code == STOPPED


# Seats.


async def test_a_bot_sits_down_where_it_is_told_and_gets_ready(autojump_clock: MockClock) -> None:
    playing = Playing(First(), table="t7")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(playing.run)
        peer = await playing.server.accept()
        await peer.welcome()
        assert (await peer.answer(TableJoin, {"table": "t7", "seat": 1})).table == "t7"
        await peer.send(table_state(you=1, table="t7", phase="waiting", match=None))
        assert (await peer.answer(TableReady)).ready
        await peer.send(
            table_state(you=1, table="t7", phase="waiting", match=None, seats=[seat("Ana"), seat("Ben", ready=True)])
        )
        await nothing_said(peer, 10)
        await peer.send(TableClosed(table="t7", code=errors.KICKED, text=""))
        await nothing_said(peer, 10)
        playing.client.stop()


async def test_a_bot_looks_for_a_table_that_waits_and_has_room(autojump_clock: MockClock) -> None:
    tables: list[TableInfo] = [
        table(table="a", phase="playing"),
        table(table="b", phase="waiting", game="chess"),
        table(table="c", phase="waiting", capacity=3),
        table(table="d", phase="waiting"),
        table(table="e", phase="waiting"),
    ]
    playing = Playing(First(), seek=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(playing.run)
        peer = await playing.server.accept()
        await peer.welcome()
        await peer.answer(LobbyWatch)
        await peer.send(LobbyTables(tables=[], people=1))
        await nothing_said(peer, 5)
        await peer.send(LobbyTables(tables=tables, people=1))
        join = await peer.expect(TableJoin)
        assert join.table == "d"
        began = trio.current_time()
        await peer.send(Error(re=join.id, code=errors.TABLE_FULL, text=""))
        await peer.send(LobbyTables(tables=tables[-1:], people=1))
        assert (await peer.answer(TableJoin)).table == "e"
        assert trio.current_time() - began >= 3, "nobody is hammered"
        await peer.send(table_state(table="e", phase="playing"))
        await peer.send(TableClosed(table="e", code=errors.KICKED, text=""))
        await nothing_said(peer, 10)
        playing.client.stop()


@pytest.mark.parametrize(("start", "starts"), [(None, True), (3, True), (4, False)])
async def test_a_bot_that_is_host_starts_when_all_are_ready(
    start: int | None, starts: bool, autojump_clock: MockClock
) -> None:
    playing = Playing(First(), start=start)
    waiting: dict[str, Any] = {"phase": "waiting", "match": None}
    async with trio.open_nursery() as nursery:
        nursery.start_soon(playing.run)
        peer = await playing.server.accept()
        await peer.welcome(table="t1")
        await peer.send(table_state(**waiting, seats=[seat("Bot"), seat("Ben"), seat("Greedy", kind="bot")]))
        await nothing_said(peer, 10)
        ready = [seat("Bot"), seat("Ben", ready=True), seat("Greedy", kind="bot")]
        await peer.send(table_state(**waiting, seats=ready))
        if starts:
            await peer.answer(TableStart)
        else:
            await nothing_said(peer, 10)
        playing.client.stop()


async def test_for_a_seat_of_the_servers_own_nothing_is_said(autojump_clock: MockClock) -> None:
    playing = Playing(First())
    async with trio.open_nursery() as nursery:
        nursery.start_soon(playing.run)
        peer = await playing.server.accept()
        await peer.welcome(table="t1")
        seats = [seat("Bot", kind="bot", bot="first"), seat("Ben", ready=True)]
        await peer.send(table_state(phase="waiting", match=None, seats=seats))
        await nothing_said(peer, 10)
        playing.client.stop()


# The real server.


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds; looking often costs nothing under the fake clock."""
    while not holds():  # noqa: ASYNC110
        await trio.sleep(0.05)


def over(client: Client) -> bool:
    game = client.world.game
    return game is not None and game.public is not None and game.public.scores is not None


def memory_client(host: Host, name: str, **options: Any) -> Client:
    async def dial() -> Any:
        return over_trio(host.server.connect_memory())

    return Client(dial, LoginPlan(name=name), **options)


async def spawn(ticket: BotTicket, stream: trio.abc.Stream) -> None:
    async def dial() -> Any:
        return over_trio(stream)

    client = Client(dial, LoginPlan(name=ticket.name, resume=ticket.resume), reconnect=False)
    await run_bot(client, BOTS[ticket.game][ticket.bot](), random.Random(f"5/{ticket.name}"), stay=False)


async def _quick_game(host: Host, nursery: trio.Nursery, **options: Any) -> Client:
    """A person's seat played by a bot, with two of the server's, until the end."""
    client = memory_client(host, "Ana")

    async def make() -> None:
        await until(lambda: client.connected)
        await sit_down(client, QuickTable("robby-solo", bots=["greedy", "random"], options=options))

    nursery.start_soon(make)
    nursery.start_soon(run_bot, client, GreedyBot(), random.Random(1))
    await until(lambda: client.world.table is not None and client.world.table.phase == "finished")
    return client


async def test_bots_from_the_network_commit_and_open_and_find_the_deal_fair(autojump_clock: MockClock) -> None:
    async with running(fair=True) as host, trio.open_nursery() as nursery:
        clients = [memory_client(host, name) for name in ("Bot one", "Bot two", "Bot three")]
        first, *others = clients
        nursery.start_soon(partial(run_bot, first, GreedyBot(), random.Random(1), start=3))
        await until(lambda: first.connected)
        await first.call(TableCreate, game="robby-solo", capacity=3, options={"max_rounds": 2})
        for client in others:
            nursery.start_soon(partial(run_bot, client, GreedyBot(), random.Random(2), seek=True))
        await until(lambda: all(one.world.deal is not None and one.world.deal.stage == REVEALED for one in clients))
        deals = [client.world.deal for client in clients]
        for deal in deals:  # who of the others sat down first is chance
            assert deal is not None
            assert deal.seat is not None
            assert (deal.trouble, deal.people, deal.opened_by) == (None, 3, 3)
            assert deal.nonce == deal.nonces[deal.seat]
        assert sorted(deal.seat or 0 for deal in deals if deal is not None) == [0, 1, 2]
        assert len({deal.nonce for deal in deals if deal is not None}) == 3
        for client in clients:
            client.stop()


async def test_a_whole_game_on_the_real_server_told_to_its_end(autojump_clock: MockClock) -> None:
    async with running(spawn_bot=spawn) as host, trio.open_nursery() as nursery:
        client = await _quick_game(host, nursery, junior=True)
        game = client.world.game
        assert game is not None
        names = RobbySoloStory().names_in(game)
        assert len(names) == 4
        assert names[0] == "Ana"
        assert all(sentence(event, names, 0) for event in game.events)
        over = game.events[-1]
        assert isinstance(over, GameOver)
        for score in over.scores:
            assert score.total == total_of(score.stack)
        assert client.world.table is not None
        assert {line.score for line in client.world.table.result} == {score.total for score in over.scores}
        client.stop()


async def test_a_game_on_the_real_server_with_a_connection_that_is_cut_again_and_again(
    autojump_clock: MockClock,
) -> None:
    streams: list[Any] = []
    async with running(spawn_bot=spawn) as host, trio.open_nursery() as nursery:

        async def dial() -> Any:
            streams.append(host.server.connect_memory())
            return over_trio(streams[-1])

        client = Client(dial, LoginPlan(name="Ana"), rng=random.Random(1))

        async def make() -> None:
            await until(lambda: client.connected)
            await sit_down(client, QuickTable("robby-solo", bots=["greedy", "greedy"], options={"time": "blitz"}))
            cuts = random.Random(3)
            while True:
                await trio.sleep(cuts.uniform(0.5, 4))
                await trio.aclose_forcefully(streams[-1])

        nursery.start_soon(make)
        nursery.start_soon(lambda: run_bot(client, GreedyBot(), random.Random(1), think=(0.2, 0.6)))
        with trio.fail_after(3_600):
            await until(lambda: over(client))
        game = client.world.game
        assert game is not None
        assert len(streams) > 10
        assert isinstance(game.events[-1], GameOver)
        assert not any(event.__class__.__name__ == "UnknownEvent" for event in game.events)
        nursery.cancel_scope.cancel()


async def test_two_connections_of_one_guest_the_older_stops_trying(autojump_clock: MockClock) -> None:
    async with running() as host, trio.open_nursery() as nursery:
        first = memory_client(host, "Ana")
        nursery.start_soon(first.run)
        await first.events.__anext__()
        assert first.world.welcome is not None

        async def dial() -> Any:
            return over_trio(host.server.connect_memory())

        second = Client(dial, LoginPlan(name="Ana", resume=first.world.welcome.resume))
        nursery.start_soon(second.run)
        await second.events.__anext__()
        codes = [event.code async for event in first.events if isinstance(event, Ended)]
        assert codes == [errors.REPLACED]
        assert second.connected
        second.stop()


async def test_a_bot_that_says_nothing_is_asked_again_once_something_has_happened(autojump_clock: MockClock) -> None:
    seen: list[int] = []

    class Shy(First):
        name = "shy"

        def choose(self, view: BotView, rng: random.Random) -> Any:
            seen.append(view.public.round)
            return None if len(seen) == 1 else view.legal[0]

    playing = Playing(Shy())
    async with trio.open_nursery() as nursery:
        peer = await playing.seated(nursery)
        await peer.send(ask(1, 1))
        await nothing_said(peer)
        assert len(seen) == 1
        await peer.send(ask(1, 2))
        act = await peer.expect(Act)
        assert act.decision == 1
        playing.client.stop()
    assert len(seen) == 2


async def test_a_bot_may_take_its_own_time(autojump_clock: MockClock) -> None:
    class Slow(First):
        name = "slow"

        def pause(self, view: BotView, pace: random.Random) -> float:
            return 7.0

    playing = Playing(Slow())
    async with trio.open_nursery() as nursery:
        peer = await playing.seated(nursery)
        before = trio.current_time()
        await peer.send(ask(1, 1))
        await peer.expect(Act)
        assert 6.9 < trio.current_time() - before < 8
        playing.client.stop()
