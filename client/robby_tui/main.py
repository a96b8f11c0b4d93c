"""Running the app: the real client behind it, and the exit code of the process."""

from collections.abc import Mapping
from typing import Any

from robby_client.address import Address
from robby_client.client import Client, LoginPlan
from robby_client.dial import TlsPlan, tcp
from robby_client.quick import QuickTable
from robby_client.store import Store
from robby_tui.app import RobbyApp
from robby_tui.screens.games import SCREENS
from robby_tui.source import ClientLike, MakeClient


def tcp_client(address: Address, login: LoginPlan, *, tls: TlsPlan | None, kept: Mapping[str, Any]) -> ClientLike:
    """A client over TCP whose first failed try ends it, so that the person sees at once what is wrong."""
    return Client(tcp(address, tls), login, first_try_fatal=True, games=SCREENS, **kept)


def run(
    *,
    store: Store,
    address: Address | None = None,
    name: str | None = None,
    guest: bool = False,
    password: str | None = None,
    tls: TlsPlan | None = None,
    quick: QuickTable | None = None,
    make_client: MakeClient = tcp_client,
) -> int:
    """Run the app until it is left. tls: how to connect to the address by TLS; None: without.

    Returns the exit code, of `robby_client.exit_codes`; 129: the terminal is gone.

    A mistake of our own is raised once the terminal is restored.

    The caller has asked `check_terminal` before.
    """
    app = RobbyApp(
        make_client, store=store, address=address, name=name, guest=guest, password=password, tls=tls, quick=quick
    )
    app.run()
    if app.fault is not None:
        raise app.fault
    return app.return_code or 0
