"""The options that say how to connect by TLS: for every command that connects to a server."""

from pathlib import Path

from robby_cli.exits import CommandError
from robby_client import exit_codes
from robby_client.address import Address
from robby_client.dial import TlsPlan
from robby_client.store import Store
from robby_protocol.i18n import _


def tls_plan(store: Store, address: Address, tls: bool | None, ca: Path | None, name: str | None) -> TlsPlan | None:
    """How to connect to this address: as asked for; where nothing was, as the store remembers. Raises CommandError.

    A server that was once joined by TLS is joined without it only if `--no-tls` says so.
    """
    if tls is False:
        if ca is not None or name is not None:
            raise CommandError(_("Give --no-tls, or --tls-ca and --tls-name, not both."), exit_codes.USAGE)
        return None
    known = store.tls(address)
    if tls is None and ca is None and name is None:
        return known
    if known is None:
        return TlsPlan(ca=ca, name=name)
    return TlsPlan(ca=known.ca if ca is None else ca, name=known.name if name is None else name)
