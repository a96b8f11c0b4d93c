"""Running the plain client on the process's own standard streams, until the person leaves or a signal comes."""

import os
import signal
import sys
from collections.abc import AsyncIterator

import anyio

from robby_client import exit_codes
from robby_client.address import Address
from robby_client.codes import PASSWORD_NEEDED, fingerprint
from robby_client.dial import TlsPlan
from robby_client.events import Ended
from robby_client.lines import write_line
from robby_client.quick import QuickTable
from robby_client.session import open_client
from robby_client.store import Store
from robby_plain.app import PlainClient
from robby_plain.input import LineReader
from robby_plain.output import Printer
from robby_plain.registry import TEXTS
from robby_plain.session import seen_or_not, unseen
from robby_protocol.errors import PASSWORD_WRONG
from robby_protocol.i18n import _

_ABOUT_PASSWORD = (PASSWORD_NEEDED, PASSWORD_WRONG)
"""Why a login fails where a person can type the password and try again."""

_ENDING = {signal.SIGINT: exit_codes.INTERRUPTED, signal.SIGTERM: exit_codes.TERMINATED}
if hasattr(signal, "SIGHUP"):
    _ENDING[signal.SIGHUP] = 128 + signal.SIGHUP


def run(
    *,
    store: Store,
    address: Address,
    name: str | None = None,
    guest: bool = False,
    password: str | None = None,
    quick: QuickTable | None = None,
    tls: TlsPlan | None = None,
) -> int:
    """Play in lines of text on standard input and output. Returns the exit code."""

    async def main() -> int:
        return await _run(store, address, name, guest, password, quick, tls)

    # Under trio the thread that waits for a line does not keep the process from ending.
    return anyio.run(main, backend="trio")


def _input() -> int:
    """The descriptor of standard input; of the null device where there is none, so that the input is at its end."""
    try:
        return sys.stdin.fileno()
    except (OSError, ValueError):
        return os.open(os.devnull, os.O_RDONLY)


async def _run(
    store: Store,
    address: Address,
    name: str | None,
    guest: bool,
    password: str | None,
    quick: QuickTable | None,
    tls: TlsPlan | None,
) -> int:
    fd = _input()
    lines = LineReader(fd)
    signalled: list[int] = []
    code = exit_codes.WELL
    async with anyio.create_task_group() as tasks:
        ready = anyio.Event()
        plain: PlainClient | None = None

        async def watch() -> None:
            with anyio.open_signal_receiver(*_ENDING) as signals:
                ready.set()
                async for number in signals:
                    signalled.append(_ENDING[number])
                    if plain is None or len(signalled) > 1:
                        tasks.cancel_scope.cancel()
                    else:
                        plain.stop()

        tasks.start_soon(watch)
        await ready.wait()
        printer = Printer(write_line)
        name = name or store.last_name or await _ask_name(lines, printer)
        if name is None:
            printer.say(_("No name was given. Use --name."))
            code = exit_codes.USAGE
        while name is not None:
            client = open_client(
                store, address, name, guest=guest, password=password, tls=tls, first_try_fatal=True, games=TEXTS
            )
            for warning in store.take_warnings():
                printer.say(warning)
            plain = PlainClient(client, lines, write_line, quick=quick, script=not os.isatty(fd))
            ended = await plain.run()
            code = exit_codes.of_end(ended, was_connected=plain.was_connected)
            tried, plain = plain, None  # a signal now ends the process at once
            if ended.new_id is not None and await _trusts(ended, address, lines, printer, person=os.isatty(fd)):
                store.trust(address, ended.new_id)
            elif ended.code in _ABOUT_PASSWORD and os.isatty(fd) and not tried.was_connected:
                password = await _ask_password(lines, printer)
                if password is None:
                    break
            else:
                break
        tasks.cancel_scope.cancel()
    return signalled[0] if signalled else code


async def _trusts(ended: Ended, address: Address, lines: AsyncIterator[str], printer: Printer, *, person: bool) -> bool:
    """Another server answers at a known address: whether the person says that it is well. A script is never asked."""
    assert ended.new_id is not None, "that is when to ask"
    if ended.known_id is not None:
        printer.say(_("The server that you knew at {address}:").format(address=address))
        printer.say(f"  {fingerprint(ended.known_id)}")
    printer.say(_("The server that answers there now:"))
    printer.say(f"  {fingerprint(ended.new_id)}")
    if not person:
        printer.say(_("To go on all the same, give --trust-new-server."))
        return False
    printer.say(_("To go on with the new one from now on, type yes. Anything else ends this."))
    async for line in lines:
        return line.casefold() in ("yes", _("yes"))
    return False


async def _ask_password(lines: AsyncIterator[str], printer: Printer) -> str | None:
    """The server's password as typed; None: the person would rather not, or the input ends."""
    with unseen(lines) as hidden:
        printer.say(_("Type the server's password; an empty line ends this.") + " " + seen_or_not(hidden))
        async for line in lines:
            return line or None
    return None


async def _ask_name(lines: AsyncIterator[str], printer: Printer) -> str | None:
    """A name as typed; None if the input ends."""
    printer.say(_("What is your name?"))
    async for line in lines:
        if line:
            return line
        printer.say(_("What is your name?"))
    return None
