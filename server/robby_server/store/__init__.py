"""What the server keeps beyond its process: journals of matches, tables, identities, bans, its own clock."""

from robby_server.store.base import Ban, Kept, KeptIdentity, Store
from robby_server.store.memory import MemoryStore

__all__ = ["Ban", "Kept", "KeptIdentity", "MemoryStore", "Store"]
