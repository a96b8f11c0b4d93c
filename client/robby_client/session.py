"""A client put together from what this machine remembers and what the person asked for."""

from collections.abc import Callable
from typing import Any

from robby_client.address import Address
from robby_client.client import Client
from robby_client.dial import TlsPlan, tcp
from robby_client.keeper import Keeper
from robby_client.store import Store
from robby_protocol.messages import Greeting, Welcome


def open_client(
    store: Store,
    address: Address,
    name: str,
    *,
    guest: bool = False,
    password: str | None = None,
    tls: TlsPlan | None = None,
    make: Callable[..., Client] = Client,
    **options: Any,
) -> Client:
    """A client for this address that logs in by the store's key (or as a guest) and remembers what is worth it.

    tls: how to connect by TLS; None: without. What the store remembers is asked by the caller (`Store.tls`), who knows
    what the person wants. options: passed on to Client (`first_try_fatal`, …).
    """
    plan = store.plan(address, name, guest=guest, password=password)
    return make(tcp(address, tls), plan, **kept_by(store, address, name, tls), **options)


def kept_by(store: Store, address: Address, name: str, tls: TlsPlan | None = None) -> dict[str, Any]:
    """The options of a Client that make the store remember logins, mutes, receipts and records."""

    def welcome(greeting: Greeting, welcome: Welcome) -> None:
        store.remember(address, greeting, welcome, name=name, tls=tls)

    return {
        "on_welcome": welcome,
        "keeper": Keeper(store.keeps, store.not_kept),
        "on_mutes": lambda names: store.keep_mutes(address, names),
        "mutes": store.mutes(address),
    }
