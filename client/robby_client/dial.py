"""Making a connection over TCP, and saying plainly why there is none."""

import errno
import socket
from collections.abc import Iterator

import anyio
from anyio.abc import ByteStream

from robby_client.address import Address
from robby_client.codes import CONNECTION_REFUSED, HOST_NOT_FOUND, TIMED_OUT, UNREACHABLE, text_for

SECOND_TRY = 0.25
"""Seconds after which the next address is tried beside the one before (RFC 8305): a dead IPv6 costs no more."""
DIAL_TIMEOUT = 10.0
"""Seconds after which nobody waits for an answer any more; a system's own limit is minutes."""

_TIMEOUTS = frozenset({errno.ETIMEDOUT})


class DialError(Exception):
    """No connection came about. code: from `codes`. text: for people, with a remedy."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.text = text_for(code)
        super().__init__(f"{code}: {self.text}")


class TcpDial:
    """Connects to one address over TCP, trying all its IP addresses of both families."""

    def __init__(self, address: Address) -> None:
        self.address = address

    async def __call__(self) -> ByteStream:
        """A new connection. Raises DialError."""
        try:
            with anyio.fail_after(DIAL_TIMEOUT):
                return await anyio.connect_tcp(self.address.host, self.address.port, happy_eyeballs_delay=SECOND_TRY)
        except TimeoutError:
            raise DialError(TIMED_OUT) from None
        except OSError as error:
            raise DialError(_code_of(error)) from error
        except UnicodeError:
            # The resolver's own check of a name that looks well but has no legal form in the DNS.
            raise DialError(HOST_NOT_FOUND) from None


def tcp(address: Address) -> TcpDial:
    """A `dial` for Client that connects to this address over TCP."""
    return TcpDial(address)


def _code_of(error: OSError) -> str:
    """The plainest cause of a failed try; of several addresses' causes, the one that says most."""
    causes = list(_causes(error))
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return HOST_NOT_FOUND
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return CONNECTION_REFUSED
    if any(isinstance(cause, TimeoutError) or cause.errno in _TIMEOUTS for cause in causes):
        return TIMED_OUT
    return UNREACHABLE


def _causes(error: BaseException | None) -> Iterator[OSError]:
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _causes(one)
    elif isinstance(error, OSError):
        yield error
        yield from _causes(error.__cause__)
