"""What the server keeps beyond its process: journals of matches, tables, identities, bans, its own clock."""

from robby_server.store.base import Ban, Kept, KeptIdentity, Store
from robby_server.store.errors import StoreError
from robby_server.store.memory import MemoryStore
from robby_server.store.opening import STORE_FILE, Durability
from robby_server.store.sqlite import SqliteStore

__all__ = [
    "STORE_FILE",
    "Ban",
    "Durability",
    "Kept",
    "KeptIdentity",
    "MemoryStore",
    "SqliteStore",
    "Store",
    "StoreError",
]
