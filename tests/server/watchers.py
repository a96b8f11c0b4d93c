"""What the tests about spectators share: coming to watch, and what somebody was shown."""

from typing import Any

from robby_protocol import codec
from robby_protocol.messages import (
    ChatSaid,
    GameUpdate,
    LobbyList,
    TableClosed,
    TableState,
    TableWatch,
)
from tests.server.kit import Host, Peer

SHORT = {"max_rounds": 2}
DELAY = 30


async def watching(host: Host, table: str, name: str = "Xenia") -> Peer:
    peer = await host.guest(name)
    await peer.do(TableWatch, table=table)
    return peer


async def line(peer: Peer, table: str) -> dict[str, Any] | None:
    """The lobby's line of a table as it is asked for now."""
    tables: list[dict[str, Any]] = (await peer.call(LobbyList))["tables"]
    return next((info for info in tables if info["table"] == table), None)


def publics(peer: Peer) -> list[bytes]:
    """The public parts of all updates, as bytes."""
    return [codec.encode_public(update.public) for update in peer.all(GameUpdate)]


def shown(peer: Peer) -> list[tuple[float, object]]:
    """All that a client was told of its table, with the time; without what differs by receiver."""
    found: list[tuple[float, object]] = []
    for moment, message in zip(peer.times, peer.got, strict=True):
        if isinstance(message, TableState):
            found.append((moment, ("state", message.table, message.news)))
        elif isinstance(message, GameUpdate):
            found.append((moment, ("update", message.seq, codec.encode_public(message.public))))
        elif isinstance(message, ChatSaid):
            found.append((moment, ("said", message.name, message.text)))
        elif isinstance(message, TableClosed):
            found.append((moment, ("closed", message.code)))
    return found
