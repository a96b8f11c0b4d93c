"""Tresor Diebe at a server's table: what cheats send is refused and counted, nothing is lost, and the game goes on."""

import random
from typing import Any

from robby_protocol import errors
from robby_protocol.messages import Act, GameUpdate
from tests.server.kit import play_all, running

DICE = [6, 6, 6, 6, 6]


def rather_throw(update: GameUpdate, rng: random.Random) -> dict[str, Any]:
    assert update.decision is not None
    legal = update.decision.legal
    return legal[0] if rng.random() < 0.2 else rng.choice(legal[1:])


async def test_cheats_are_refused_and_counted_and_the_game_goes_on(autojump_clock: object) -> None:
    async with running() as host:
        peers = await host.playing(2, game="tresor-diebe", options={"rounds": 2})
        turn = peers[0].update.public.view["turn"]
        thief, other = (peers[0], peers[1]) if peers[0].seat == turn else (peers[1], peers[0])

        async def refused(peer: Any, decision: int, **action: Any) -> str:
            code: str = (await peer.refused(Act, table=peer.table, decision=decision, action=action)).code
            return code

        def asked() -> int:
            assert thief.update.decision is not None
            return thief.update.decision.id

        codes = [await refused(other, 1, type="throw"), await refused(thief, asked(), type="throw", dice=DICE)]
        seen = thief.update.public
        codes += [await refused(thief, asked(), type="again", dice=[0]) for _spam in range(10)]
        assert thief.update.public == seen
        await thief.act({"type": "throw"})
        for throws, dice in enumerate(([0], [1, 2]), 1):
            await thief.expect(GameUpdate, lambda update, made=throws: update.public.view["throws"] == made)  # type: ignore[misc]
            last = asked()
            await thief.act({"type": "again", "dice": dice})
        await other.asked("throw")
        codes += [await refused(thief, last + more, type="again", dice=[0]) for more in range(3)]
        assert codes[:2] == [errors.NO_DECISION, errors.MALFORMED_ACTION]
        assert codes[2:12] == [errors.ILLEGAL_ACTION] * 10
        assert set(codes[12:]) <= {errors.NO_DECISION, errors.STALE_DECISION}
        counted = host.server.tally.refused
        for code in set(codes):
            assert counted[code] == codes.count(code)
        thrown = [event["dice"] for event in other.told() if event["type"] == "thrown"]
        assert len(thrown) == 3
        assert thrown[0] != thrown[2]

        await play_all(peers, choose=rather_throw)
        for peer in peers:
            assert peer.told()[-1]["type"] == "game_over"
            assert len(peer.told()[-1]["scores"]) == 2
            assert [event["type"] for event in peer.told()].count("round_ended") == 2


async def test_a_table_left_by_all_ends_by_passes(autojump_clock: object) -> None:
    async with running() as host:
        peers = await host.playing(3, game="tresor-diebe", options={"time": "untimed", "rounds": 1})
        for peer in peers[1:]:
            await peer.drop()
        await peers[0].until(lambda: peers[0].update.decision is not None)
        await peers[0].act({"type": "pass"})
        await peers[0].until(lambda: peers[0].over)
        passed = [event for event in peers[0].told() if event["type"] == "passed"]
        assert len(passed) >= 3
        assert sum(event["auto"] for event in passed) >= 2
