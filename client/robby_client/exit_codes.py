"""Exit codes of the command, and which of them the end of a client means. README.md documents them; none ever changes.

Imports nothing at the top: `robby --help` reads the numbers and must be quick.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from robby_client.events import Ended

WELL = 0
BUG = 1
"""Our own mistake; the details were written to a file."""
USAGE = 2
CANNOT_LISTEN = 3
CANNOT_CONNECT = 4
REFUSED = 5
"""The server refused the login or the command, or is not the server that was known."""
ENDED = 6
"""The connection ended for good."""
NO_TERMINAL = 7
"""This terminal cannot show what was asked for."""
BAD_CONFIG = 8
"""The server's configuration file cannot be used."""
BAD_TLS = 9
"""The server's certificate or its key cannot be used."""
BAD_STORE = 10
"""What the server keeps is damaged, newer than this version, in use by another server, or cannot be written."""
NOT_VERIFIED = 11
"""A record was checked, and something in it does not hold."""
BAD_RECORD = 12
"""A file is no record or receipt, is damaged, or cannot be read."""
INTERRUPTED = 130
"""128 + SIGINT, as shells count."""
BROKEN_PIPE = 141
"""128 + SIGPIPE: whoever read our output (`| head`) has had enough."""
TERMINATED = 143
"""128 + SIGTERM."""


def of_end(ended: "Ended", *, was_connected: bool) -> int:
    """The exit code for a client's end. was_connected: whether it had been logged in."""
    from robby_client import codes
    from robby_protocol import errors

    if ended.code == codes.STOPPED:
        return WELL
    if ended.code == codes.CLIENT_FAULT:
        return BUG
    if ended.code == codes.TLS_CA_UNREADABLE:
        return USAGE  # a file that the command line names
    after_login = (
        errors.IDLE,
        errors.INTERNAL,
        errors.REMOVED,
        errors.REPLACED,
        errors.SERVER_STOPPING,
        errors.SILENT,
        errors.TOO_SLOW,
    )
    if was_connected or ended.code in after_login:
        return ENDED
    no_connection = (
        codes.ADDRESS_INVALID,
        codes.CONNECTION_REFUSED,
        codes.UNREACHABLE,
        codes.HOST_NOT_FOUND,
        codes.TIMED_OUT,
        codes.CONNECTION_LOST,
        codes.SERVER_SILENT,
        codes.NO_ROBBY_SERVER,
        codes.TLS_NOT_OFFERED,
        codes.TLS_TIMED_OUT,
        codes.TLS_FAILED,
    )
    return CANNOT_CONNECT if ended.code in no_connection else REFUSED
