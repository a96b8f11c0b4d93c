"""What the games with dice and with races bring that Robby Solo has not (PR-03, PR-06, PR-07, PR-18)."""

import random
from collections import Counter
from collections.abc import Sequence

import trio

from tests.e2e.proxy import Proxy
from tests.e2e.trials.measured import Measured
from tests.e2e.trials.served import Served
from tests.e2e.trials.tables import LATE, any_news, begin, drive, people, playing, sit, told
from tests.e2e.trials.wire import Wire, again, clients, guest
from tests.protocol.raw_client import Frame, frame

DICE = "tresor-diebe"
RACES = "wild-wild-pattern"
SHORTEST = {"decision_ms": 1000, "rounds": 1}
"""The shortest limit that a table may have."""


# PR-03


async def throws_in_one_segment(served: Served, rounds: int) -> Measured:
    """Five times to throw, and then a pass, in one segment: one throw, its answer each time, and no pass."""
    async with clients() as nursery:
        players = await playing(nursery, served.port, 2, game=DICE)
        for _ in range(rounds):
            thief = await _to_a_turn(players)
            before = len(told(thief, thief.update["match"]))
            fields = thief.act_fields({"type": "throw"})
            wanted = [{"type": "throw"}] * 5 + [{"type": "pass"}]
            ids = [thief.new_id() for _ in wanted]
            segment = [
                frame({"type": "game.act", "id": request, **fields, "action": action})
                for request, action in zip(ids, wanted, strict=True)
            ]
            await thief.send_bytes(b"".join(segment))
            for request in ids[:-1]:
                assert await thief.answer(request) == {"decision": fields["decision"]}
            assert await thief.code(ids[-1]) == "stale_decision", "passed after throwing"
            await thief.until(lambda thief=thief: thief.view["phase"] == "thrown")  # type: ignore[misc]
            kinds = [event["type"] for event in told(thief, thief.update["match"])[before:]]
            assert kinds == ["thrown"], kinds
            assert not thief.answered_twice
    return Measured(rounds, "one throw each")


async def _to_a_turn(players: Sequence[Wire]) -> Wire:
    """Go on until somebody has to throw or pass. Returns who."""
    while (await drive(players, "turn", "over"))["phase"] == "over":
        await begin(players)
    return players[players[0].view["turn"]]


# PR-06


async def claims_at_once(served: Served, rounds: int, *, delay: float = 0.075) -> Measured:
    """Four claim within two milliseconds, one of them `delay` away each way: one winner, the same for all."""
    rng = random.Random(6)
    wins: Counter[int] = Counter()
    async with clients() as nursery:
        proxy = Proxy(served.port, delay=delay)
        far = await nursery.start(proxy.serve)
        near = await people(nursery, served.port, 3)
        players = [*near, await guest(nursery, far, "Far away")]
        await sit(players, game=RACES)
        await begin(players)
        raced = 0
        behind: list[int] = []
        while raced < rounds:
            if await _to_a_race(players, rng) == "over":
                await begin(players)
                continue
            before = len(told(players[0], players[0].update["match"]))
            requests = await _cover(players, rng)
            codes = [await player.code(request) for player, request in requests]
            assert all(code in ("ok", "too_late") for code in codes), codes
            for (player, request), code in zip(requests, codes, strict=True):
                if code == "too_late":
                    behind.append(player.answers[request]["details"]["late_ms"])
            for player in players:
                await player.until(lambda player=player: player.view["race"] is not None)  # type: ignore[misc]
            races = [_race(player, before) for player in players]
            assert all(race == races[0] for race in races), races
            entered = {entrant["seat"] for entrant in races[0]["entrants"]}
            assert entered == {player.seat for player, code in zip(players, codes, strict=True) if code == "ok"}
            least = min(entrant["moment"] for entrant in races[0]["entrants"])
            first = [entrant["seat"] for entrant in races[0]["entrants"] if entrant["moment"] == least]
            assert races[0]["winner"] in first, races[0]
            wins[races[0]["winner"]] += 1
            raced += 1
        for player in players:
            assert not player.answered_twice
    assert max(behind, default=0) < 1000, "told a wrong time"
    by_seat = [wins[seat] for seat in range(4)]
    return Measured(
        rounds, f"one winner each time; wins by seat {by_seat}, the last far away; late by {behind[:9]} … ms"
    )


async def _cover(players: Sequence[Wire], rng: random.Random) -> list[tuple[Wire, int]]:
    """All cover a card, within two milliseconds and in any order. Returns the requests."""
    shots = []
    for player in rng.sample(players, len(players)):
        fields = player.act_fields({"type": "cover", "place": rng.randrange(8)})
        shots.append((player, request := player.new_id(), frame({"type": "game.act", "id": request, **fields})))
    for player, _, data in shots:
        await player.send_bytes(data)
        await trio.sleep(rng.uniform(0, 0.0005))
    return [(player, request) for player, request, _ in sorted(shots, key=lambda shot: shot[0].seat)]


def _race(player: Wire, before: int) -> Frame:
    """How this connection was told that the race was decided."""
    (covered,) = [event for event in told(player, player.update["match"])[before:] if event["type"] == "covered"]
    race: Frame = covered["race"]
    return race


async def _to_a_race(players: Sequence[Wire], rng: random.Random) -> str:
    """Go on until all may shoot, or the match is over; which it is. Names and takes anything, and grabs Clementine."""
    done: set[tuple[int, int]] = set()
    while True:
        phases = {player.view["phase"] for player in players}
        if phases == {"over"} or (phases == {"shootout"} and all(player.legal("cover") for player in players)):
            return str(phases.pop())
        acted = False
        for player in players:
            legal = [action for action in player.legal() if action["type"] not in ("cover", "click")]
            if legal and (key := (player.seat, player.act_fields({})["decision"])) not in done:
                done.add(key)
                code = await player.code_of("game.act", **player.act_fields(rng.choice(legal)))
                assert code == "ok" or code in LATE, code
                acted = True
        if not acted:
            await any_news(players)


# PR-07


async def the_thief_drops(served: Served, drops: int, *, slack: float) -> Measured:
    """Who is on turn drops, before throwing and after: it passes, or the dice count as they lie."""
    slowest = 0.0
    async with clients() as nursery:
        players = await playing(nursery, served.port, 3, game=DICE, options=SHORTEST)
        for number in range(drops):
            thief = await _to_a_turn(players)
            rest = [player for player in players if player is not thief]
            thrown = bool(number % 2)
            if thrown:
                await thief.act({"type": "throw"})
                await thief.until(lambda thief=thief: thief.view["throws"] == 1)  # type: ignore[misc]
            dice = thief.view["dice"]
            seat, match = thief.seat, thief.update["match"]
            began, before = trio.current_time(), len(told(thief, match))
            await thief.drop()
            await rest[0].until(
                lambda before=before, match=match, seen=rest[0]: len(told(seen, match)) > before  # type: ignore[misc]
            )
            slowest = max(slowest, trio.current_time() - began)
            event = told(rest[0], match)[before]
            assert event["seat"] == seat
            assert event["auto"], event
            if thrown:
                assert event["type"] in ("opened", "failed")
                assert event["safe"] == sum(dice)
            else:
                assert event["type"] == "passed"
            players[players.index(thief)] = back = await again(nursery, served.port, thief)
            await back.expect("game.update")
            assert back.seat == seat
    assert slowest < 1.0 + slack, f"a limit of 1 s took {slowest:.2f} s"
    return Measured(drops, f"the longest limit of 1 s took {slowest:.2f} s")
