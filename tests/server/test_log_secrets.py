"""No secret of a game gets into the log, whatever the server has reason to log."""

import base64
import io
import logging
import re
import secrets
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
import trio

from robby_protocol.messages import Welcome
from robby_server.log import set_up_logging, tell_repeats
from robby_server.settings import Settings
from robby_server.store import MemoryStore
from tests.server.kit import begin, play_all, running, sit_down


@pytest.fixture(autouse=True)
def _own_configuration() -> Iterator[None]:
    yield
    structlog.reset_defaults()


async def test_whole_games_leave_no_secret_in_the_log(autojump_clock: Any) -> None:
    """Every secret that goes over a wire or into the journal is gathered, and looked for in a log of all levels."""
    out = io.StringIO()
    set_up_logging(out, level=logging.DEBUG)
    seeds: list[bytes] = []

    def seed() -> bytes:
        seeds.append(secrets.token_bytes(32))
        return seeds[-1]

    password = "correct-horse-battery"
    keys = [secrets.token_bytes(32) for _ in range(2)]
    async with running(Settings(password=password), journal=MemoryStore(), match_seed=seed) as host:
        peers = []
        for name in ("Ana", "Ben"):
            peer = host.peer()
            await peer.hello()
            await peer.login(name, password=password)
            peers.append(peer)
        for name, key in zip(("Cleo", "Dora"), keys, strict=True):
            peer = host.peer()
            await peer.hello()
            await peer.login_key(name, key)
            peers.append(peer)
        await sit_down(peers, options={"max_rounds": 3})
        await begin(peers)
        await play_all(peers)
        await begin(peers)
        await peers[1].drop()
        await trio.sleep(1)
        await play_all([peers[0], *peers[2:]])
    tell_repeats(all_now=True)
    text = out.getvalue()
    assert "match_finished" in text
    assert len(seeds) == 2
    tokens = [welcome.resume for peer in peers for welcome in peer.all(Welcome) if welcome.resume]
    assert len(tokens) == 2
    shown = [secret for raw in (*seeds, *tokens, *keys) for secret in _spellings(raw)]
    assert not [secret for secret in (*shown, password) if secret in text]
    assert not re.search(r'"(?:bank|action|view|decision|legal|loot|deck)"', text)


def _spellings(raw: bytes) -> list[str]:
    return [raw.hex(), repr(raw)[2:-1], str(list(raw))[1:-1], base64.b64encode(raw).decode().rstrip("=")]
