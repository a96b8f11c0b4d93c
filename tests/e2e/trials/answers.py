"""Answers that come twice, at once, late, or on the very deadline (PR-03, PR-04, PR-05)."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import trio

from tests.e2e.proxy import Proxy
from tests.e2e.trials.measured import Measured, percentile
from tests.e2e.trials.served import Served
from tests.e2e.trials.tables import LATE, begin, choose, drive, next_round, people, playing, sit, told
from tests.e2e.trials.wire import Wire, again, clients
from tests.protocol.raw_client import frame

SHORT = {"supply_ms": 1000, "play_ms": 1000, "gentleman_ms": 1000, "revision_max_ms": 1000}

# PR-03


async def same_card_twice(served: Served, rounds: int) -> Measured:
    """The same card, and then another one, in one segment: one card lies, and the repeat has the first's answer."""
    async with clients() as nursery:
        players = await playing(nursery, served.port, 3)
        for _ in range(rounds):
            await drive(players, "plays")
            player = next(player for player in players if player.legal("lay"))
            first, other = player.legal("lay")[:2]
            ids = [player.new_id() for _ in range(3)]
            fields = [player.act_fields(action) for action in (first, first, other)]
            segment = [frame({"type": "game.act", "id": ids[i], **fields[i]}) for i in range(3)]
            await player.send_bytes(b"".join(segment))
            decision = fields[0]["decision"]
            assert await player.answer(ids[0]) == {"decision": decision}
            assert await player.answer(ids[1]) == {"decision": decision}
            assert await player.code(ids[2]) in ("stale_decision", "no_decision"), "a second card was laid"
            assert player.update["own"]["card"] == first["bank"]
            laid = [event for event in told(player, player.update["match"]) if event["type"] in ("laid", "supplied")]
            since = len(laid) - [event["type"] for event in reversed(laid)].index("supplied")
            assert [event["seat"] for event in laid[since:]].count(player.seat) == 1, laid[since:]
            view = await next_round(players, "supply")
            if view["phase"] == "over":
                break
        await drive(players, "over")
        for player in players:
            assert not player.answered_twice
    return Measured(rounds, "one card each")


async def joins_in_one_segment(served: Served, rounds: int) -> Measured:
    """Ten joins in one segment give one seat, and ten equal answers."""
    async with clients() as nursery:
        host, other = await people(nursery, served.port, 2)
        for _ in range(rounds):
            table = (await host.call("table.create", game="robby-solo"))["table"]
            ids = [other.new_id() for _ in range(10)]
            await other.send_bytes(b"".join(frame({"type": "table.join", "id": i, "table": table}) for i in ids))
            results = [await other.answer(i) for i in ids]
            assert all(result == {"table": table, "seat": 1} for result in results), results
            state = await host.expect("table.state", lambda state: len(state["table"]["seats"]) > 1)
            assert len(state["table"]["seats"]) == 2
            await other.call("table.leave")
            await host.call("table.leave")
            await host.send("ping", n=1)
    return Measured(rounds, "one seat each")


async def race_for_the_last_seat(served: Served, rounds: int, *, racers: int = 2) -> Measured:
    """Connections race for the last seat: one gets it, the others are told that the table is full."""
    async with clients() as nursery:
        host, *others = await people(nursery, served.port, racers + 1)
        wins = dict.fromkeys(range(racers), 0)
        for number in range(rounds):
            table = (await host.call("table.create", game="robby-solo", capacity=2, options={"junior": True}))["table"]
            order = list(range(racers))
            random.Random(number).shuffle(order)
            ids = {racer: await others[racer].ask("table.join", table=table) for racer in order}
            seated = []
            for racer, request in ids.items():
                code = await others[racer].code(request)
                assert code in ("ok", "table_full"), code
                if code == "ok":
                    seated.append(racer)
            assert len(seated) == 1, seated
            wins[seated[0]] += 1
            assert len(host.state["seats"]) <= 2
            await others[seated[0]].call("table.leave")
            await host.call("table.leave")
            # The rate limit is not what is tried here.
            await trio.sleep(0.05 if rounds < 50 else 0.11)
    return Measured(rounds, f"one seat each time; wins {sorted(wins.values())}")


async def last_answer_again_after_a_resume(served: Served, rounds: int) -> Measured:
    """The last action sent again after a resume, with the same ids: the same answer, done once."""
    async with clients() as nursery:
        players = await playing(nursery, served.port, 3)
        for _ in range(rounds):
            view = await drive(players, "plays", "over")
            if view["phase"] == "over":
                break
            index = next(i for i, player in enumerate(players) if player.legal("lay"))
            player = players[index]
            fields = player.act_fields(player.legal("lay")[0])
            request = player.new_id()
            await player.send("game.act", id=request, **fields)
            result = await player.answer(request)
            events = [event["type"] for event in told(player, player.update["match"])]
            await player.drop()
            back = players[index] = await again(nursery, served.port, player)
            await back.expect("game.update")
            await back.send("game.act", id=request, **fields)
            assert await back.answer(request) == result
            assert back.update["own"]["card"] == fields["action"]["bank"]
            laid = [event["type"] for event in told(back, back.update["match"])].count("laid")
            assert laid <= events.count("laid") + 1, "the card was laid twice"
            await next_round(players, "supply")
        await drive(players, "over")
    return Measured(rounds, "the same answer each time")


# PR-04


async def barrier(served: Served, rounds: int) -> Measured:
    """All five who lay a card do so at one moment, every round: every one is accepted."""
    accepted = 0
    played = 0
    waits: list[float] = []
    async with clients() as nursery:
        players = await people(nursery, served.port, 6)
        await sit(players)
        while played < rounds:
            await begin(players)
            while played < rounds:
                view = await drive(players, "plays", "over")
                if view["phase"] == "over":
                    break
                layers = [player for player in players if player.legal("lay")]
                assert len(layers) == 5, "five of six lay a card"
                rng = random.Random(played)
                frames = [(player, player.new_id(), rng.choice(player.legal("lay"))) for player in layers]
                sent = trio.current_time()
                async with trio.open_nursery() as at_once:
                    for player, request, action in frames:
                        data = frame({"type": "game.act", "id": request, **player.act_fields(action)})
                        at_once.start_soon(player.send_bytes, data)
                for player, request, _ in frames:
                    await player.answer(request)
                    waits.append(player.answer_at[request] - sent)
                    accepted += 1
                played += 1
                await next_round(players, "supply")
    assert accepted == 5 * played
    return Measured(played, f"{accepted} of {5 * played} accepted; p99 answer {percentile(waits, 99) * 1000:.1f} ms")


async def held_into_the_next_round(served: Served, rounds: int) -> Measured:
    """A choice held back by the network until the next round, and one held into the revision: refused and told."""
    refused_codes: set[str] = set()
    async with clients() as nursery:
        proxy = Proxy(served.port)
        await nursery.start(proxy.serve)
        players = [*await people(nursery, served.port, 2), *await people(nursery, proxy.port, 1)]
        late = players[2]
        await sit(players, options=SHORT)
        await begin(players)
        for number in range(rounds):
            into = "revision" if number % 2 else "next"
            while (await drive(players, "plays", "over"))["phase"] == "over":
                await begin(players)
            if not late.legal("lay"):
                await next_round(players, "supply")
                continue
            link = proxy.link_of(late.port)
            link.hold()
            action = late.legal("lay")[0]
            request = await late.ask("game.act", **late.act_fields(action))
            held_in = late.view["round"]
            view = await drive(players[:2], "revision")
            if into == "next":
                await next_round(players[:2], "plays")
                view = await drive(players[:2], "plays", "gentleman", "over")
                assert view["round"] > held_in or view["phase"] == "over"
            seq = players[0].update["seq"]
            own = late.update["own"]
            link.release()
            code = await late.code(request)
            refused_codes.add(code)
            allowed = {"not_playing"} if view["phase"] == "over" else {"stale_decision", "too_late"}
            assert code in allowed, f"a choice of an earlier phase: {code}"
            if late.update["seq"] == seq:
                assert late.update["own"] == own, "a refused choice changed the own card"
            await next_round(players, "supply")
    return Measured(rounds, f"refused as {', '.join(sorted(refused_codes))}")


# PR-05


@dataclass
class Aim:
    """When choices are sent, in seconds from the deadline; it moves until about half of them are in time."""

    offset: float = 0.0

    def learn(self, *, in_time: bool) -> None:
        """One more result."""
        self.offset = min(0.05, max(-0.05, self.offset + (0.001 if in_time else -0.001)))


async def choices_at_the_deadline(
    tables: int, rounds: int, *, matches: int = 1, spread: float = 0.015, both: bool = True
) -> Measured:
    """Choices sent within some milliseconds around the deadline: acknowledged if and only if they count.

    both: some must have been in time and some late, or the race was not tried.
    """
    counts = {"acknowledged": 0, "refused": 0}
    async with clients() as nursery:
        with Served("--quiet") as served:
            async with trio.open_nursery() as games:
                for number in range(tables):
                    players = await people(nursery, served.port, 4)
                    await sit(players, options={"play_ms": 1000, "gentleman_ms": 1000, "max_rounds": rounds})
                    games.start_soon(_late_table, players, random.Random(number), spread, counts, matches)
    total = sum(counts.values())
    assert total, "nothing was tried"
    assert all(counts.values()) or not both, f"only one side of the deadline was tried: {counts}"
    return Measured(total, ", ".join(f"{count} {what}" for what, count in counts.items()))


async def _late_table(
    players: Sequence[Wire], rng: random.Random, spread: float, counts: dict[str, int], matches: int
) -> None:
    aim = Aim()
    for _ in range(matches):
        for player in players:
            player.sniffed.clear()
        chosen: dict[tuple[int, int], tuple[int, int]] = {}  # (round, seat): (request, bank)
        match = await begin(players)
        async with trio.open_nursery() as nursery:
            for player in players:
                nursery.start_soon(_late_player, player, match, random.Random(rng.random()), spread, aim, chosen)
        for player in players:
            _check_choices(player, chosen, counts)


async def _late_player(
    player: Wire,
    match: str,
    rng: random.Random,
    spread: float,
    aim: Aim,
    chosen: dict[tuple[int, int], tuple[int, int]],
) -> None:
    done = 0
    while player.state["phase"] != "finished":
        decision = player.decision
        if decision is None or decision["id"] == done or player.update["match"] != match:
            await player.news.wait()
            continue
        done = decision["id"]
        number = player.view["round"]
        action = choose(player, rng)
        if action is None:
            continue
        late = action["type"] == "lay" and player.view["phase"] == "plays"
        fields = player.act_fields(action)
        if late:
            due = player.update_at + player.update["clock"]["remaining_ms"] / 1000
            await trio.sleep_until(due + aim.offset + rng.uniform(-spread, spread))
        request = await player.ask("game.act", **fields)
        code = await player.code(request)
        assert code == "ok" or code in LATE, code
        if late:
            chosen[number, player.seat] = (request, action["bank"])
            aim.learn(in_time=code == "ok")


def _check_choices(player: Wire, chosen: dict[tuple[int, int], tuple[int, int]], counts: dict[str, int]) -> None:
    """By this player's sniff: what was acknowledged counts at the reveal, all else was the clock's, once."""
    number = 0
    laid: dict[int, list[bool]] = {}
    mine: dict[int, int] = {}
    card: int | None = None
    for sniffed in player.sniffed:
        found = sniffed.frame
        if found["type"] != "game.update":
            continue
        for event in found["own_events"]:
            if event["type"] == "you_laid":
                card = event["bank"]
        for event in found["public"]["events"]:
            if event["type"] == "round_started":
                number, card = event["round"], None
            elif event["type"] == "laid" and event["seat"] == player.seat:
                laid.setdefault(number, []).append(event.get("auto", False))
            elif event["type"] == "revealed":
                mine[number] = event["banks"][player.seat]
                assert card == mine[number], "another card was revealed than the one that was told privately"
    for (round_, seat), (request, bank) in chosen.items():
        if seat != player.seat:
            continue
        acknowledged = player.answers[request]["type"] == "ok"
        counts["acknowledged" if acknowledged else "refused"] += 1
        assert len(laid[round_]) == 1, f"laid {len(laid[round_])} times in round {round_}"
        assert laid[round_][0] is not acknowledged, "acknowledged if and only if the clock did not choose"
        if acknowledged:
            assert mine[round_] == bank, "an acknowledged choice does not count"
