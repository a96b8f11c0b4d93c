"""A client put together from what this machine remembers and what the person asked for."""

from collections.abc import Callable
from typing import Any

from robby_client.address import Address
from robby_client.client import Client
from robby_client.dial import tcp
from robby_client.store import Store


def open_client(
    store: Store,
    address: Address,
    name: str,
    *,
    guest: bool = False,
    password: str | None = None,
    make: Callable[..., Client] = Client,
    **options: Any,
) -> Client:
    """A client for this address that logs in by the store's key (or as a guest) and remembers what is worth it.

    options: passed on to Client (`first_try_fatal`, `accept_server_id`, …).
    """
    plan = store.plan(address, name, guest=guest, password=password)
    return make(
        tcp(address),
        plan,
        on_welcome=lambda greeting, welcome: store.remember(address, greeting, welcome, name=name),
        **options,
    )
