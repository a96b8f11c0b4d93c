"""`robby` and `robby join`: a client for a person, with screens or in plain lines."""

import contextlib
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path

from robby_cli.exits import CommandError
from robby_cli.secret import read_password
from robby_cli.tls_options import tls_plan
from robby_client import exit_codes
from robby_client.address import Address, AddressError
from robby_client.dial import TlsPlan
from robby_client.quick import QuickTable
from robby_client.store import Store, StoreError
from robby_protocol.i18n import _


def start_client(*, name: str | None, profile: str | None) -> int:
    """`robby`: the connect screen."""
    return run_screens(open_store(profile), None, name=name)


def join(
    *,
    address: str,
    plain: bool,
    guest: bool,
    password_file: Path | None,
    tls: bool | None,
    tls_ca: Path | None,
    tls_name: str | None,
    trust_new_server: bool,
    name: str | None,
    profile: str | None,
) -> int:
    """`robby join`: straight to a server."""
    server = read_address(address)
    password = read_password(password_file)
    store = open_store(profile)
    plan = tls_plan(store, server, tls, tls_ca, tls_name)
    if trust_new_server:
        store.trust_next(server)
    if guest and name is None:
        # Not the name used last: at this server it may belong to the key of this very person.
        name = _("Guest {number}").format(number=secrets.randbelow(900) + 100)
    if plain:
        return run_plain(store, server, name=name, guest=guest, password=password, tls=plan)
    return run_screens(store, server, name=name, guest=guest, password=password, tls=plan)


def read_address(text: str) -> Address:
    """The address as typed. Raises CommandError."""
    try:
        return Address.parse(text)
    except AddressError as problem:
        raise CommandError(str(problem), exit_codes.USAGE) from problem


def open_store(profile: str | None) -> Store:
    """What this machine remembers. Raises CommandError."""
    try:
        return Store.open(profile=profile)
    except StoreError as problem:
        raise CommandError(str(problem), exit_codes.USAGE) from problem


def run_screens(
    store: Store,
    address: Address | None,
    *,
    name: str | None = None,
    guest: bool = False,
    password: str | None = None,
    quick: QuickTable | None = None,
    tls: TlsPlan | None = None,
) -> int:
    """The client with screens. Raises CommandError where the terminal cannot show them."""
    with starting():
        import robby_tui

    unfit = robby_tui.check_terminal()
    if unfit is not None and address is None:
        more = _("{reason} Lines of text need a server's address: robby join HOST --plain.")
        raise CommandError(more.format(reason=unfit), exit_codes.NO_TERMINAL)
    if unfit is not None:
        raise CommandError(unfit, exit_codes.NO_TERMINAL)
    return robby_tui.run(store=store, address=address, name=name, guest=guest, password=password, quick=quick, tls=tls)


@contextlib.contextmanager
def starting() -> Iterator[None]:
    """Say at a terminal that something comes, as long as the block takes; the line is wiped out again."""
    stream = sys.stderr
    if not stream.isatty():
        yield
        return
    text = _("Starting ...")
    print(text, end="", file=stream, flush=True)
    try:
        yield
    finally:
        print("\r" + " " * len(text), end="\r", file=stream, flush=True)


def run_plain(
    store: Store,
    address: Address,
    *,
    name: str | None = None,
    guest: bool = False,
    password: str | None = None,
    quick: QuickTable | None = None,
    tls: TlsPlan | None = None,
) -> int:
    """The client in lines of text."""
    import robby_plain

    return robby_plain.run(
        store=store, address=address, name=name, guest=guest, password=password, quick=quick, tls=tls
    )
