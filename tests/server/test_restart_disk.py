"""Lives on the real store, on disk: killed at random moments, a whole match long."""

import random
from pathlib import Path
from typing import Any, Self

import pytest
import trio

from robby_protocol.messages import Act as ActCommand
from robby_protocol.messages import GameUpdate, TableState
from robby_rules.journal import Act, replay
from robby_server.settings import Settings
from robby_server.store.sqlite import SqliteStore
from tests.server.kit import LATE, Answered, Gone, Peer, choose, settled
from tests.server.lives import USUAL, Lives, back, people, picture, playing, remaining, to_plays

NAMES = ("Ana", "Ben", "Cleo")


class DiskLives(Lives):
    """Each life opens the same folder anew."""

    def __init__(self, folder: Path, settings: Settings = USUAL) -> None:
        super().__init__(settings)
        self.folder = folder
        self.disk = self._open()
        self.store = self.disk  # type: ignore[assignment]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.disk.abandon()

    def _open(self) -> SqliteStore:
        return SqliteStore(self.folder, inline=True)

    def kill(self) -> None:
        self.disk.abandon()
        self.disk = self._open()
        self.store = self.disk  # type: ignore[assignment]


async def test_everything_comes_back_from_the_disk(autojump_clock: Any, tmp_path: Path) -> None:
    with DiskLives(tmp_path) as lives:
        async with lives.life() as host:
            peers = await playing(host, *NAMES, title="Friday", bots=["greedy"])
            await to_plays(peers)
            await trio.sleep(3 + 1e-6)
            await settled()
            seen, info = [picture(peer) for peer in peers], peers[0].state.table
            left = [remaining(peer) for peer in peers]
        await trio.sleep(86_400)
        async with lives.life() as host:
            peers = await back(host, *NAMES)
            await settled()
            assert [picture(peer)[:1] + picture(peer)[2:4] for peer in peers] == [one[:1] + one[2:4] for one in seen]
            assert [remaining(peer) for peer in peers] == left
            assert peers[0].state.table == info


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_what_was_answered_with_ok_is_there_after_any_kill(
    autojump_clock: Any, tmp_path: Path, seed: int
) -> None:
    with DiskLives(tmp_path) as lives:
        rng = random.Random(seed)
        acknowledged: list[tuple[int, int, dict[str, Any]]] = []

        async def answer(peer: Peer) -> None:
            """Answer whatever is asked until the connection ends, and note what the server said ok to."""
            while not peer.closed:
                update = peer.newest(GameUpdate)
                decision = None if update is None else update.decision
                if peer.over or decision is None:
                    await peer._news.wait()
                    continue
                await trio.sleep(rng.random())
                action = choose(peer.update, rng) if peer.update.decision == decision else None
                if action is None or peer.over:
                    continue
                try:
                    await peer.call(ActCommand, table=peer.table, decision=decision.id, action=action)
                except Answered as refused:
                    if refused.code not in LATE:
                        raise
                except (Gone, trio.BrokenResourceError, trio.ClosedResourceError):
                    return
                else:
                    acknowledged.append((peer.seat, decision.id, action))

        async with lives.life() as host:
            peers = await playing(host, *NAMES, options={"max_rounds": 3})
            match = peers[0].update.match
        kills, over = 1, False
        while not over:
            async with lives.life() as host:
                peers = await people(host, *NAMES)
                for peer in peers:
                    await peer.expect(TableState)
                    host.nursery.start_soon(answer, peer)
                ends = trio.current_time() + rng.uniform(0.0, 4.0)
                with trio.move_on_at(ends):
                    await peers[0].until(lambda peer=peers[0]: peer.over)  # type: ignore[misc]
                    over = True
            kills += 1
        entries = await lives.store.read(match)
        kept = [(entry.seat, entry.decision, entry.action) for entry in entries if isinstance(entry, Act)]
        assert kills > 3
        assert len(acknowledged) > 10
        assert [one for one in acknowledged if one not in kept] == []
        assert replay(entries).result() is not None
        assert (await lives.table()).phase == "finished"
