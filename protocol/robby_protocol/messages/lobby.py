"""The lobby: which tables there are."""

from robby_protocol.messages.base import Command, Message, Natural
from robby_protocol.messages.table import TableInfo


class LobbyList(Command, tag="lobby.list", kw_only=True, frozen=True):
    """Ask for all tables once. result: {tables: [TableInfo, …]}."""


class LobbyWatch(Command, tag="lobby.watch", kw_only=True, frozen=True):
    """Begin or end being sent `lobby.tables`: once at the beginning, then after changes. result: {}."""

    on: bool


class LobbyTables(Message, tag="lobby.tables", kw_only=True, frozen=True):
    """All tables as they are now. Changes that come close together are told together.

    people: how many people are on the server.
    """

    tables: list[TableInfo]
    people: Natural
