"""Whole games of scripted clients, over memory and over TCP."""

from typing import Any

import pytest
import trio

from robby_games.robby_solo import total_of
from robby_protocol.messages import GameUpdate
from robby_rules.journal import replay
from robby_server.listeners import open_listeners
from robby_server.store import MemoryStore
from tests.server.kit import Peer, begin, play_all, running, sit_down


def check_scores(peers: list[Peer]) -> None:
    """All tell the same end, and the scores are what the last view's stacks add up to."""
    results = [peer.state.table.result for peer in peers]
    assert results[0]
    assert all(result == results[0] for result in results)
    scores = {score["seat"]: score for score in peers[0].update.public.view["scores"]}
    for line in results[0]:
        seat = len(peers) if line.seat is None else line.seat
        assert line.score == total_of(scores[seat]["stack"]) == scores[seat]["total"]
        assert line.winner == scores[seat]["winner"]


async def check_journal(journal: MemoryStore, peers: list[Peer]) -> None:
    """The journal alone gives the match that the clients saw."""
    match = replay(await journal.read(peers[0].update.match))
    assert match.seq == peers[0].update.seq
    results = match.result()
    assert results is not None
    told = {line.seat: line.score for line in peers[0].state.table.result}
    assert {result.seat: result.score for result in results} == told


@pytest.mark.parametrize(
    ("people", "options"), [(3, {}), (6, {"time": "blitz"}), (4, {"junior": True}), (2, {"junior": True})]
)
async def test_a_game_is_played_to_its_end(people: int, options: dict[str, Any], autojump_clock: Any) -> None:
    journal = MemoryStore()
    async with running(journal=journal) as host:
        peers = await host.playing(people, options=options)
        await play_all(peers, seed=people)
        check_scores(peers)
        await check_journal(journal, peers)
        assert all(peer.told() == peers[0].told() for peer in peers)


async def test_three_play_over_tcp() -> None:
    listeners = await open_listeners("127.0.0.1", 0)
    async with running(listeners=listeners) as host:
        port = listeners[0].getsockname()[1]
        peers = []
        for name in ("Ana", "Ben", "Cleo"):
            peers.append(await host.guest(name, stream=await trio.open_tcp_stream("127.0.0.1", port)))
        await sit_down(peers, options={"revision_min_ms": 0, "max_rounds": 4})
        await begin(peers)
        await play_all(peers)
        check_scores(peers)
        for peer in peers:
            seqs = [update.seq for update in peer.all(GameUpdate)]
            assert seqs == list(range(len(seqs)))
