"""Making a connection over TCP, with TLS or without, and saying plainly why there is none.

What was asked for is what is done: a connection that was to be by TLS is never tried without it.
"""

import errno
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio.abc import ByteStream, SocketStream
from anyio.streams.tls import TLSStream

from robby_client.address import Address
from robby_client.codes import (
    CONNECTION_REFUSED,
    HOST_NOT_FOUND,
    TIMED_OUT,
    TLS_BAD_CERTIFICATE,
    TLS_CA_UNREADABLE,
    TLS_EXPIRED,
    TLS_FAILED,
    TLS_NOT_OFFERED,
    TLS_NOT_YET_VALID,
    TLS_SELF_SIGNED,
    TLS_TIMED_OUT,
    TLS_UNKNOWN_CA,
    TLS_WRONG_NAME,
    UNREACHABLE,
    text_for,
)
from robby_client.safe import safe
from robby_protocol.i18n import _

SECOND_TRY = 0.25
"""Seconds after which the next address is tried beside the one before (RFC 8305): a dead IPv6 costs no more."""
DIAL_TIMEOUT = 10.0
"""Seconds after which nobody waits for an answer any more; a system's own limit is minutes."""
TLS_TIMEOUT = 4.0
"""Seconds for the TLS handshake once TCP is connected: it takes two ways there and back, so a server that does not
answer by then does not speak TLS; and a person is told within five seconds."""

_TIMEOUTS = frozenset({errno.ETIMEDOUT})

_CERTIFICATE_FAULTS = {
    # OpenSSL's X509_V_ERR_… numbers, which never change.
    2: TLS_UNKNOWN_CA,  # the issuer is not there
    9: TLS_NOT_YET_VALID,
    10: TLS_EXPIRED,
    18: TLS_SELF_SIGNED,
    19: TLS_UNKNOWN_CA,  # the chain ends in an authority that is not trusted here
    20: TLS_UNKNOWN_CA,
    21: TLS_UNKNOWN_CA,
    62: TLS_WRONG_NAME,
    64: TLS_WRONG_NAME,  # an address instead of a name
}

_NO_TLS = frozenset({"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNKNOWN_PROTOCOL", "PACKET_LENGTH_TOO_LONG"})
"""What OpenSSL says of bytes that are no TLS record, such as a Robby frame."""


@dataclass(frozen=True)
class TlsPlan:
    """That a connection is by TLS, and whom to trust.

    ca: a PEM file with the authorities that are trusted instead of the system's. name: what the certificate must be
    for, if not the host that is connected to.
    """

    ca: Path | None = None
    name: str | None = None


class DialError(Exception):
    """No connection came about. code: from `codes`. text: for people, with a remedy; the code's own if not given."""

    def __init__(self, code: str, text: str | None = None) -> None:
        self.code = code
        self.text = text_for(code) if text is None else text
        super().__init__(f"{code}: {self.text}")


class TcpDial:
    """Connects to one address over TCP, trying all its IP addresses of both families. tls: None for none."""

    def __init__(self, address: Address, tls: TlsPlan | None = None) -> None:
        self.address = address
        self.tls = tls

    async def __call__(self) -> ByteStream:
        """A new connection. Raises DialError."""
        # The trust is read anew each time: the file may have been mended since.
        context = None if self.tls is None else trust(self.tls.ca)
        stream = await self._connect()
        if context is None:
            return stream
        try:
            return await self._secure(stream, context)
        except BaseException:  # also when cancelled: no connection may stay open
            with anyio.CancelScope(shield=True):
                await anyio.aclose_forcefully(stream)
            raise

    async def _connect(self) -> SocketStream:
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

    async def _secure(self, stream: SocketStream, context: ssl.SSLContext) -> ByteStream:
        assert self.tls is not None, "only called with it"
        # An IPv6 address may have a zone, a name the dot of the DNS's root: no certificate has them.
        name = self.tls.name or self.address.host.partition("%")[0].rstrip(".")
        try:
            with anyio.fail_after(TLS_TIMEOUT):
                return await TLSStream.wrap(stream, server_side=False, hostname=name, ssl_context=context)
        except TimeoutError:
            raise DialError(TLS_TIMED_OUT) from None
        except ssl.SSLCertVerificationError as error:
            raise _distrusted(error, name) from error
        except ssl.SSLError as error:
            raise DialError(TLS_NOT_OFFERED if error.reason in _NO_TLS else TLS_FAILED) from error
        except (anyio.EndOfStream, anyio.BrokenResourceError, OSError) as error:
            # It closed without a word of TLS: most likely it did not understand ours.
            raise DialError(TLS_NOT_OFFERED) from error
        except ValueError as error:
            raise DialError(TLS_WRONG_NAME) from error  # a name that no certificate can have


def tcp(address: Address, tls: TlsPlan | None = None) -> TcpDial:
    """A `dial` for Client that connects to this address over TCP, by TLS if there is a plan for it."""
    return TcpDial(address, tls)


def trust(ca: Path | None) -> ssl.SSLContext:
    """Whom to trust: the system's authorities, or those in a PEM file. Raises DialError."""
    try:
        context = ssl.create_default_context(cafile=None if ca is None else str(ca))
    except (OSError, ValueError) as error:
        cause = _("it has no certificate in PEM form")
        if isinstance(error, OSError) and not isinstance(error, ssl.SSLError) and error.strerror:
            cause = error.strerror
        text = _("The authority's certificate cannot be read from {file}: {cause}. Give another file with --tls-ca.")
        raise DialError(TLS_CA_UNREADABLE, text.format(file=safe(str(ca)), cause=cause)) from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _distrusted(error: ssl.SSLCertVerificationError, name: str) -> DialError:
    code = _CERTIFICATE_FAULTS.get(error.verify_code, TLS_BAD_CERTIFICATE)
    if code == TLS_WRONG_NAME:
        text = _("The server's certificate is not for {name}. Connect by the name that it is for: ask who runs it.")
        return DialError(code, text.format(name=safe(name)))
    if code == TLS_BAD_CERTIFICATE:
        text = _("The server's certificate cannot be trusted: {cause}. Ask whoever runs the server.")
        return DialError(code, text.format(cause=safe(error.verify_message)))
    return DialError(code)


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
