"""Races on the server, with Wild Wild Pattern: stamps, order, secrecy, restarts, floods."""

from collections.abc import Sequence
from typing import Any

import pytest
import trio

from robby_client.codes import refusal
from robby_protocol import errors
from robby_protocol.messages import (
    Act,
    ChatSend,
    Error,
    GameUpdate,
    LobbyWatch,
    Ok,
    Ping,
    RecordGet,
    TableLeave,
    TableWatch,
)
from robby_rules.entries import Act as ActEntry
from robby_rules.entries import Entry
from robby_rules.journal import replay
from robby_rules.record_check import examine
from robby_server.settings import Settings
from robby_server.store import MemoryStore
from tests.server.far import dial
from tests.server.kit import Host, Peer, begin, bot_of, play_all, running, settled, sit_down
from tests.server.lives import Lives, back, person

GAME = "wild-wild-pattern"
NAMES = ("Ana", "Ben", "Cleo", "Dora")
EASY = Settings(message_burst=100_000)
MEASURED = 11.0
"""Seconds after which everybody's round trip has been measured."""


async def gunslingers(host: Host, *trips: float, **create: Any) -> list[Peer]:
    """People at these distances in a match of Wild Wild Pattern that has just begun."""
    peers = [await host.guest(name, stream=dial(host.server, trip)) for name, trip in zip(NAMES, trips, strict=False)]
    await trio.sleep(MEASURED)
    await sit_down(peers, game=GAME, **create)
    await begin(peers)
    return peers


async def to_shootout(peers: Sequence[Peer]) -> None:
    """Go on to the next shoot-out, which all have been shown; nobody grabs Clementine."""
    while any(peer.update.public.view["phase"] != "shootout" for peer in peers):
        for peer in peers:
            if peer.update.public.view["phase"] == "ready" and peer.update.decision is not None:
                await peer.act({"type": "ready"})
        await trio.sleep(1)


async def shoot(peer: Peer, place: int = 0, after: float = 0) -> None:
    await trio.sleep(after)
    await peer.act({"type": "cover", "place": place})


async def all_shoot(peers: Sequence[Peer], *reactions: float) -> dict[str, Any]:
    """All shoot, each so long from now, when all have seen the cards; how it was decided."""
    before = len(peers[0].told())
    async with trio.open_nursery() as nursery:
        for number, (peer, reaction) in enumerate(zip(peers, reactions, strict=True)):
            nursery.start_soon(shoot, peer, number, reaction)
    await trio.sleep(1)
    (covered,) = [event for event in peers[0].told()[before:] if event["type"] == "covered"]
    race: dict[str, Any] = covered["race"]
    return race


async def test_the_nearer_one_arrives_first_and_the_quicker_one_wins(autojump_clock: Any) -> None:
    async with running(EASY) as host:
        ana, ben = await gunslingers(host, 0.01, 0.1)
        await to_shootout([ana, ben])
        # Ben shoots 30 ms sooner, and is heard 15 ms later.
        race = await all_shoot([ana, ben], 0.530, 0.500)
        assert race["winner"] == 1
        assert [(one["seat"], one["credit"]) for one in race["entrants"]] == [(1, 100), (0, 10)]
        first, second = race["entrants"]
        assert first["arrival"] > second["arrival"]
        assert first["moment"] < second["moment"]


async def test_a_match_with_races_is_played_again_from_its_record(autojump_clock: Any) -> None:
    store = MemoryStore()
    async with running(EASY, journal=store) as host:
        peers = await gunslingers(host, 0.01, 0.1, options={"rounds": 1})
        await to_shootout(peers)
        await all_shoot(peers, 0.53, 0.5)
        match = peers[0].update.match
        shots = [one for one in await store.read(match) if isinstance(one, ActEntry)][-2:]
        assert [(shot.seat, shot.credit, shot.rival) for shot in shots] == [(0, 10, 100), (1, 100, 10)]
        await play_all(peers)
        assert examine((await peers[0].call(RecordGet, match=match))["record"]).holds


async def test_a_claim_before_the_cards_are_shown_is_refused(autojump_clock: Any) -> None:
    async with running(EASY) as host:
        ana, _ben = await gunslingers(host, 0.0, 0.02)
        assert ana.update.public.view["phase"] == "ready"
        assert ana.update.decision is not None
        shot = {"type": "cover", "place": 0}
        now = await ana.refused(Act, table=ana.table, decision=ana.update.decision.id, action=shot)
        ahead = await ana.refused(Act, table=ana.table, decision=ana.update.decision.id + 1, action=shot)
        assert (now.code, ahead.code) == (errors.ILLEGAL_ACTION, errors.STALE_DECISION)
        before = ana.update.seq
        await trio.sleep(1)
        assert ana.update.seq == before, "nothing has happened"


async def test_whoever_comes_too_late_is_told_so_and_all_others_get_their_ok(autojump_clock: Any) -> None:
    async with running(EASY) as host:
        peers = await gunslingers(host, 0.0, 0.02, 0.3)
        await to_shootout(peers)
        decisions = [peer.update.decision for peer in peers]
        race = await all_shoot(peers[:2], 0.5, 0.51)
        assert (race["drawn"], len(race["entrants"])) == (True, 2)
        assert decisions[2] is not None
        late = await peers[2].refused(
            Act, table=peers[2].table, decision=decisions[2].id, action={"type": "cover", "place": 0}
        )
        assert late.code == errors.TOO_LATE
        # Ben had his answer at 530 ms; a second later Cleo shoots, and is heard after 150 ms more. Ana shot at 500 ms.
        assert late.details == {"late_ms": 530 + 1000 + 150 - 150 - 500, "credit_ms": 150}
        text = "Too late by 1030 ms (your credit: 150 ms): somebody was quicker."
        assert refusal(late.code, late.text, late.details) == text


async def test_what_arrived_before_the_window_closed_counts_even_if_the_table_takes_it_later(
    autojump_clock: Any,
) -> None:
    class Slow(MemoryStore):
        """Takes its time for each entry."""

        pause = 0.0

        async def append(self, match: str, entry: Entry) -> None:
            await trio.sleep(self.pause)
            await super().append(match, entry)

    store = Slow()
    async with running(EASY, journal=store) as host:
        peers = await gunslingers(host, 0.0, 0.05, 0.14)
        await to_shootout(peers)
        store.pause = 0.3  # longer than any window
        race = await all_shoot(peers, 0.52, 0.51, 0.5)
        assert race["winner"] == 2
        assert [one["seat"] for one in race["entrants"]] == [2, 1, 0]
        assert [one["credit"] for one in race["entrants"]] == [140, 50, 0]


async def test_robby_solo_has_neither_credit_nor_more_pings(autojump_clock: Any) -> None:
    store = MemoryStore()
    async with running(EASY, journal=store) as host:
        peers = [await host.guest(name, stream=dial(host.server, 0.1)) for name in NAMES[:3]]
        await sit_down(peers)
        await begin(peers)
        before = len(peers[0].all(Ping))
        await play_all(peers)
        began = trio.current_time()
        assert len(peers[0].all(Ping)) - before <= (began - peers[0].times[0]) / EASY.ping_seconds + 1
        entries = await store.read(peers[0].update.match)
        assert all((entry.credit, entry.rival) == (0, 0) for entry in entries if isinstance(entry, ActEntry))


async def test_who_plays_a_game_that_races_is_pinged_each_second_and_nobody_else(autojump_clock: Any) -> None:
    async with running(EASY) as host:
        ana, ben = await gunslingers(host, 0.01, 0.02)
        cleo = await host.guest("Cleo")
        await cleo.do(TableWatch, table=ana.table)
        counts = [len(peer.all(Ping)) for peer in (ana, ben, cleo)]
        await trio.sleep(20)
        assert [len(peer.all(Ping)) - count for peer, count in zip((ana, ben, cleo), counts, strict=True)] == [
            pytest.approx(20, abs=2),
            pytest.approx(20, abs=2),
            pytest.approx(4, abs=1),
        ]


async def test_nobody_notices_a_race_before_it_is_decided(autojump_clock: Any) -> None:
    """Everything that is told from the first shot to the decision, to the seats, those who watch, and the lobby."""
    async with running(EASY) as host:
        ana, ben, cleo = peers = await gunslingers(host, 0.0, 0.05, 0.14)
        viewer, idler = await host.guest("Dora"), await host.guest("Emil")
        await viewer.do(TableWatch, table=ana.table)
        await idler.do(LobbyWatch, on=True)
        await to_shootout(peers)
        await trio.sleep(1.3)
        others = (ben, cleo, viewer, idler)
        before = [len(peer.got) for peer in others]
        sequence = ben.update.seq, viewer.update.seq
        own = ana.update.seq
        await shoot(ana)
        await trio.sleep(0.1)  # what was told has arrived by then
        assert ana.update.seq == own + 1
        assert ana.update.own is not None
        assert ana.update.own["shot"] == 0
        heard = [
            message
            for peer, count in zip(others, before, strict=True)
            for message in peer.got[count:]
            if not isinstance(message, Ping)
        ]
        assert heard == []
        # Somebody goes and comes back in the middle of it: nothing that this tells has a trace of the shot either.
        again = await host.again(cleo)
        await again.expect(GameUpdate)
        told = again.update
        assert told.own is not None
        assert (told.own["shot"], told.public.view["race"], told.public.view["phase"]) == (None, None, "shootout")
        assert told.seq == ben.update.seq == viewer.update.seq
        assert ana.update.seq == told.seq + 1
        assert (ben.update.seq - sequence[0], viewer.update.seq - sequence[1]) == (told.seq - sequence[0],) * 2
        await trio.sleep(1)
        assert ben.update.public.view["phase"] == viewer.update.public.view["phase"] != "shootout"
        for peer in (ana, ben, viewer):
            seqs = [update.seq for update in peer.all(GameUpdate)]
            assert seqs == sorted(set(seqs))


async def test_a_server_killed_in_the_middle_of_a_window_decides_the_race_all_the_same(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        ana, ben = [await person(host, name, dial(host.server, trip)) for name, trip in (("Ana", 0.0), ("Ben", 0.1))]
        await trio.sleep(MEASURED)
        await sit_down([ana, ben], game=GAME)
        await begin([ana, ben])
        await to_shootout([ana, ben])
        await shoot(ana, 3, after=0.5)
        await trio.sleep(0.01)
        assert ana.update.own is not None
        assert ana.update.own["shot"] == 3
        assert ben.update.public.view["phase"] == "shootout"
    async with lives.life() as host:
        ana, ben = await back(host, "Ana", "Ben")
        await trio.sleep(0.5)
        assert ana.update.public.view["phase"] == "declare"
        (covered,) = [event for event in ben.told() if event["type"] == "covered"]
        assert (covered["seat"], covered["place"], covered["race"]["winner"]) == (0, 3, 0)
        entries = await lives.store.read(ana.update.match)
        assert replay(entries).pending() == (0,)


async def test_nobody_is_asked_in_a_race_until_all_are_back(autojump_clock: Any) -> None:
    """Whoever is back sooner after a restart would be first while the others do not even see the cards."""
    lives = Lives()
    async with lives.life() as host:
        peers = [await person(host, name) for name in NAMES[:3]]
        await sit_down(peers, game=GAME)
        await begin(peers)
        await to_shootout(peers)
    async with lives.life() as host:
        (ana,) = await back(host, "Ana")
        assert ana.update.public.view["phase"] == "shootout"
        assert ana.update.decision is None
        shot = {"type": "cover", "place": 0}
        for guessed in range(10):  # some of them the right one
            refused = await ana.refused(Act, table=ana.table, decision=guessed, action=shot)
            assert refused.code in (errors.NO_DECISION, errors.STALE_DECISION)
        ben, cleo = await back(host, "Ben", "Cleo")
        await settled()
        assert all(peer.update.decision is not None for peer in (ana, ben, cleo))
        await shoot(ben, 1, after=0.2)
        await trio.sleep(0.1)
        (covered,) = [event for event in ana.told() if event["type"] == "covered"]
        assert (covered["seat"], len(covered["race"]["entrants"])) == (1, 1)


async def test_a_server_killed_in_a_window_tells_no_rival_that_somebody_has_shot(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        ana, ben = [await person(host, name, dial(host.server, trip)) for name, trip in (("Ana", 0.0), ("Ben", 0.1))]
        await trio.sleep(MEASURED)
        await sit_down([ana, ben], game=GAME)
        await begin([ana, ben])
        await to_shootout([ana, ben])
        await shoot(ana, 3, after=0.5)
        await trio.sleep(0.01)
    async with lives.life() as host:
        ben = await person(host, "Ben", dial(host.server, 0.1))  # Ana is awaited
        await trio.sleep(MEASURED)
        assert ben.update.decision is None
        codes = [await refused_as(ben, number) for number in range(20)]
        open_one = codes.index(errors.NO_DECISION)
        await person(host, "Ana")
        # On its way when the match goes on: it counts from there, not from the round trip before.
        await ben.send(Act(id=ben.new_id(), table=ben.table, decision=open_one, action={"type": "cover", "place": 1}))
        await trio.sleep(1)
        (covered,) = [event for event in ben.told() if event["type"] == "covered"]
        mine, other = sorted(covered["race"]["entrants"], key=lambda one: one["seat"])
        assert other["arrival"] - other["credit"] == other["moment"] >= mine["moment"]


async def refused_as(peer: Peer, decision: int) -> str:
    shot = {"type": "cover", "place": 1}
    return (await peer.refused(Act, table=peer.table, decision=decision, action=shot)).code


async def test_two_hundred_claims_a_second_are_slowed_refused_counted_and_lose_nothing(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben = peers = await gunslingers(host, 0.0, 0.05)
        await to_shootout(peers)
        await trio.sleep(10)
        decision = ana.update.decision
        assert decision is not None
        numbers = [ana.new_id() for _ in range(200)]
        claims = [
            Act(
                id=number,
                table=ana.table,
                decision=decision.id,
                action={"type": "cover", "place": (number - numbers[0]) and number % 7 + 1},
            )
            for number in numbers
        ]
        began = trio.current_time()
        await ana.send(*claims)
        assert (await ben.call(ChatSend, table=ben.table, text="hello")) == {}
        assert trio.current_time() - began <= 0.06, "nobody else waits"
        await ana.until(lambda: all(number in ana.answers for number in numbers))
        assert trio.current_time() - began >= (200 - Settings().message_burst) / Settings().message_rate * 0.9
        answers = [ana.answers[number] for number in numbers]
        assert [len(answer) for answer in answers] == [1] * 200
        assert isinstance(answers[0][0], Ok)
        refused = [answer[0].code for answer in answers[1:] if isinstance(answer[0], Error)]
        assert len(refused) == 199
        assert set(refused) <= {errors.STALE_DECISION, errors.NO_DECISION, errors.TOO_LATE}
        assert sum(host.server.tally.refused[code] for code in set(refused)) == 199
        assert [error.code for error in ana.all(Error) if error.re is None] == [errors.TOO_MANY_MESSAGES]
        covered = [event for event in ben.told() if event["type"] == "covered"]
        assert len(covered) == 1
        assert not ana.closed
        await trio.sleep(200)
        assert ben.update.public.view["turn"] >= 2, "the game goes on"


async def test_a_racer_who_goes_before_the_decision_was_first_all_the_same(autojump_clock: Any) -> None:
    async with running(EASY) as host:
        ana, ben, cleo = await gunslingers(host, 0.0, 0.1, 0.14)
        await to_shootout([ana, ben, cleo])
        await shoot(ana, 3, after=0.5)
        await ana.drop()
        await shoot(ben, 2, after=0.08)
        await trio.sleep(1)
        assert cleo.update.public.view["phase"] == "declare"
        (covered,) = [event for event in cleo.told() if event["type"] == "covered"]
        first, second = covered["race"]["entrants"]
        assert (covered["seat"], first["seat"], second["seat"]) == (0, 0, 1)
        again = await host.again(ana)
        await again.asked("declare")
        await again.act({"type": "declare", "side": "after", "a": 0, "b": 8})
        await trio.sleep(0.5)
        assert [event["judgement"]["seat"] for event in cleo.told() if event["type"] == "judged"] == [0]


async def test_whoever_leaves_in_a_race_has_shot_and_the_stand_in_declares(autojump_clock: Any) -> None:
    seen: list[Any] = []
    bots = {GAME: ["random"]}
    async with running(EASY, spawn_bot=bot_of(seen=seen), bots=bots) as host:
        ana, ben = await gunslingers(host, 0.0, 0.1)
        await to_shootout([ana, ben])
        await shoot(ana, 3, after=0.5)
        await ana.do(TableLeave)
        await trio.sleep(0.05)
        assert len(seen) == 1, "a bot plays on"
        assert ben.update.public.view["phase"] == "shootout"
        await trio.sleep(1)
        (covered,) = [event for event in ben.told() if event["type"] == "covered"]
        assert (covered["seat"], covered["place"], len(covered["race"]["entrants"])) == (0, 3, 1)
        assert [event["judgement"]["seat"] for event in ben.told() if event["type"] == "judged"] == [0]
