"""The server is killed and comes back: every table, seat, phase, remaining time and option is there."""

import random
from typing import Any

import pytest
import trio

from robby_protocol.messages import TableState, Welcome
from tests.server.kit import choose, settled
from tests.server.lives import Lives, back, people, picture, playing, remaining, seated


async def test_a_waiting_table_comes_back(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        peers = await seated(host, "Ana", "Ben", title="Friday", capacity=4, options={"max_rounds": 5}, bots=["greedy"])
        before = peers[1].state.table
    async with lives.life() as host:
        peers = await people(host, "Ben", "Ana")
        for peer in peers:
            await peer.expect(TableState)
        await settled()
        ben, ana = peers
        assert ben.last(Welcome).table == before.table
        assert ben.state.table == before
        assert (ben.seat, ana.seat) == (before.seats.index(before.seats[2]), 0)
        assert ben.codes.count("server_back") == ana.codes.count("server_back") == 1
        assert "back" not in ben.codes


PHASES: dict[str, tuple[dict[str, Any], set[str]]] = {
    "robby-solo": ({"max_rounds": 3}, {"supply", "plays", "gentleman", "revision"}),
    "tresor-diebe": ({"rounds": 1}, {"turn", "thrown"}),
    "wild-wild-pattern": ({"rounds": 1}, {"ready", "shootout", "declare", "take", "grab", "name"}),
}
"""Options of each game, and the phases that are met."""


@pytest.mark.parametrize("game", PHASES)
async def test_a_match_comes_back_in_every_phase(autojump_clock: Any, game: str) -> None:
    lives = Lives()
    rng = random.Random(3)
    options, expected = PHASES[game]
    names = ("Ana", "Ben", "Cleo")
    phases: set[str] = set()
    async with lives.life() as host:
        peers = await playing(host, *names, game=game, options=options)
        before, left = [picture(peer) for peer in peers], [remaining(peer) for peer in peers]
        told = peers[0].told()
    over = False
    while not over:
        await trio.sleep(1000)  # nobody loses the time in which there is no server
        async with lives.life() as host:
            peers = await back(host, *names)
            await settled()
            assert [picture(peer) for peer in peers] == before
            assert [peer.told() for peer in peers] == [told] * 3
            assert [remaining(peer) for peer in peers] == left
            assert not any(peer.update.clock is not None and peer.update.clock.paused for peer in peers)
            for _ in range(3):
                phases.add(peers[0].update.public.view["phase"])
                await trio.sleep(rng.randrange(0, 2000) / 1000)
                acting = [peer for peer in peers if peer.update.decision is not None]
                if acting:
                    peer = rng.choice(acting)
                    action = choose(peer.update, rng)
                    assert action is not None
                    await peer.act(action)
                    await settled()
            # The server's clock is recorded each second, so the time left is exact at a whole second.
            await trio.sleep(-host.server.clock_ms % 1000 / 1000 + 1e-6)
            await settled()
            before, left = [picture(peer) for peer in peers], [remaining(peer) for peer in peers]
            told = peers[0].told()
            over = peers[0].over
    assert phases >= expected
