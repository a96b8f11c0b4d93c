"""No secret of a game gets into the log, whatever the server has reason to log."""

import base64
import io
import json
import logging
import re
import secrets
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
import structlog
import trio

from robby_protocol import fair, identity
from robby_protocol.messages import ChatSend, DealOpen, TableCreate, TableJoin, TableReady, TableStart, Welcome
from robby_rules.journal import Start
from robby_server.log import set_up_logging, tell_repeats
from robby_server.settings import Settings
from robby_server.store import MemoryStore
from tests.server.kit import Host, LoginRefused, Peer, play_all, running

PASSWORD = "correct-horse-battery"
TABLE_PASSWORD = "staple-of-the-table"
SAID = "what is said at a table"


@pytest.fixture(autouse=True)
def _own_configuration() -> Iterator[None]:
    yield
    structlog.reset_defaults()


async def test_whole_games_leave_no_secret_in_the_log(autojump_clock: Any) -> None:
    """Every secret that goes over a wire or into the journal is gathered, and looked for in a log of all levels: of
    fair deals at a private table of a server with a password, with all that may be got wrong on the way there."""
    out = io.StringIO()
    set_up_logging(out, level=logging.DEBUG)
    store = MemoryStore()
    keys = [secrets.token_bytes(32) for _ in range(2)]
    nonces = [secrets.token_bytes(32) for _ in range(8)]
    raw: list[bytes] = [*keys, *nonces]
    async with running(Settings(password=PASSWORD), journal=store, fair=True) as host:
        peers = [await _person(host, "Ana"), await _person(host, "Ben")]
        for name, key in zip(("Cleo", "Dora"), keys, strict=True):
            peer = host.peer()
            await peer.hello()
            await peer.login_key(name, key)
            peers.append(peer)
        with pytest.raises(LoginRefused):
            await host.guest("Wrong", resume=secrets.token_bytes(32))
        table_key = identity.table_password_key(TABLE_PASSWORD, host.server.server_id)
        raw.append(table_key)
        created = await peers[0].do(
            TableCreate, game="robby-solo", private=True, password_key=table_key, options={"max_rounds": 3}
        )
        invite = peers[0].state.invite
        assert invite
        await peers[1].refused(TableJoin, table=created["table"], invite="WRONG-CODE")
        for peer in peers[1:]:
            await peer.do(TableJoin, table=created["table"], invite=invite)
        await peers[0].do(ChatSend, table=created["table"], text=SAID)
        for match in range(2):
            await _begin(peers, nonces[4 * match : 4 * match + 4])
            if match:
                await peers[1].drop()
                await trio.sleep(1)
            await play_all([peer for peer in peers if not peer.closed])
            (start, *_) = await store.read(peers[0].update.match)
            assert isinstance(start, Start)
            assert start.deal is not None
            raw += [start.seed, start.deal.secret]
    tell_repeats(all_now=True)
    text = out.getvalue()
    assert text.count("match_finished") == 2
    tokens = [welcome.resume for peer in peers for welcome in peer.all(Welcome) if welcome.resume]
    assert len(tokens) == 2
    looked_for = [spelling for one in (*raw, *tokens) for spelling in _spellings(one)]
    found = [one for one in (*looked_for, PASSWORD, TABLE_PASSWORD, invite, "WRONG-CODE", SAID) if one in text]
    assert not found
    fields = {field for line in text.splitlines() for field in json.loads(line)}
    assert not fields & {"bank", "action", "view", "decision", "legal", "loot", "deck", "hand", "text"}
    assert not re.search(r"\bb'", text)


def _spellings(raw: bytes) -> list[str]:
    return [raw.hex(), repr(raw)[2:-1], str(list(raw))[1:-1], base64.b64encode(raw).decode().rstrip("=")]


async def _person(host: Host, name: str) -> Peer:
    peer = host.peer()
    await peer.hello()
    await peer.login(name, password=PASSWORD)
    return peer


async def _begin(peers: Sequence[Peer], nonces: Sequence[bytes]) -> None:
    for peer, nonce in zip(peers[1:], nonces[1:], strict=True):
        await peer.call(TableReady, ready=True, commitment=fair.seat_commitment(nonce))
    match = (await peers[0].do(TableStart, commitment=fair.seat_commitment(nonces[0])))["match"]
    for peer, nonce in zip(peers, nonces, strict=True):
        await peer.do(DealOpen, match=match, nonce=nonce)
