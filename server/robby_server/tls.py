"""TLS on the server's sockets: the certificate and its key, and the bytes of a peer behind them.

The handshake belongs to the session of its connection, under its time limit: a peer that stops in the middle of it
delays nobody. What frames are is not known here, but for their first byte, by which a client that came without TLS is
told so.
"""

import os
import socket
import ssl
import stat
from datetime import UTC, datetime
from pathlib import Path

import structlog
import trio
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from robby_protocol.i18n import _
from robby_server.log import Throttle
from robby_server.transport import RECEIVE_BYTES, PlainPeer, Transport, kernel_round_trip
from robby_server.wall import wall_now

EXPIRES_SOON_DAYS = 14
"""Days before its end from which a certificate is warned of: renewal by machine happens thirty days before."""

_HANDSHAKE_RECORD = 0x16
"""The first byte of a TLS hello. A Robby frame begins with 0x00, its length being below 16 MiB."""
_ROBBY_FRAME = 0x00

log = structlog.get_logger("robby.tls")


class TlsError(Exception):
    """The certificate or its key cannot be used; str() is a sentence for the operator, with the file and the remedy."""


class Tls:
    """The server's certificate and key, by their files (PEM), loaded and ready. Raises TlsError.

    A certificate file holds the server's own certificate first, then those between it and its authority. For new ones
    another object is made.
    """

    def __init__(self, certificate: Path, key: Path) -> None:
        self.throttle = Throttle()
        self.context, self._certificate = load(certificate, key)
        self._files = (certificate, key)

    @property
    def until(self) -> datetime:
        """When the certificate ends."""
        return self._certificate.not_valid_after_utc

    @property
    def names(self) -> list[str]:
        """The names that the certificate is for, then its addresses."""
        try:
            extension = self._certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
        except x509.ExtensionNotFound:
            return []
        names = extension.value.get_values_for_type(x509.DNSName)
        return names + [str(address) for address in extension.value.get_values_for_type(x509.IPAddress)]

    @property
    def warnings(self) -> list[str]:
        """What is odd now about the certificate and its key, in sentences: it can be used all the same."""
        return _oddities(*self._files, self._certificate)


def load(certificate: Path, key: Path) -> tuple[ssl.SSLContext, x509.Certificate]:
    """Read and check a certificate and its key. Raises TlsError."""
    chain = _certificates(certificate)
    _check_key(certificate, key, chain)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    # Sessions are never taken up again: a client comes back by its key or token.
    context.options |= ssl.OP_NO_TICKET
    context.num_tickets = 0
    try:
        context.load_cert_chain(certificate, key)
    except (ssl.SSLError, OSError) as error:
        text = _("The certificate {certificate} and the key {key} cannot be used: {cause}. Make new ones.")
        raise TlsError(text.format(certificate=certificate, key=key, cause=_cause(error))) from error
    return context, chain[0]


def _certificates(path: Path) -> list[x509.Certificate]:
    data = _read(path, _("The certificate {file} cannot be read: {cause}."))
    try:
        return x509.load_pem_x509_certificates(data)
    except ValueError as error:
        text = _("{file} is not a certificate in PEM form. Give the file that begins with -----BEGIN CERTIFICATE-----.")
        raise TlsError(text.format(file=path)) from error


def _check_key(certificate: Path, path: Path, chain: list[x509.Certificate]) -> None:
    data = _read(path, _("The key {file} cannot be read: {cause}."))
    try:
        key = load_pem_private_key(data, password=None)
    except TypeError as error:
        text = _("The key {file} is locked by a passphrase. Give one without: openssl pkey -in {file} -out NEW-FILE.")
        raise TlsError(text.format(file=path)) from error
    except (ValueError, UnsupportedAlgorithm) as error:
        text = _("{file} is not a private key in PEM form. Give the file that begins with -----BEGIN PRIVATE KEY-----.")
        raise TlsError(text.format(file=path)) from error
    own = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    matching = [one.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo) == own for one in chain]
    if not matching[0]:
        text = _("The key {key} is not that of the certificate {certificate}. Give the two that were made together.")
        if any(matching):
            text = _(
                "The certificate of the key {key} is not the first in {certificate}. Put the server's own certificate "
                "first, those of the authorities after it."
            )
        raise TlsError(text.format(key=path, certificate=certificate))


def _read(path: Path, text: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise TlsError(text.format(file=path, cause=_cause(error))) from error


def _oddities(path: Path, key: Path, certificate: x509.Certificate) -> list[str]:
    found = []
    now = datetime.fromtimestamp(wall_now(), UTC)
    until = certificate.not_valid_after_utc
    if now > until:
        found.append(
            _("The certificate {file} has expired on {date}; clients will refuse it. Renew it.").format(
                file=path, date=until.date()
            )
        )
    elif now < certificate.not_valid_before_utc:
        found.append(
            _("The certificate {file} is valid from {date} on; clients will refuse it until then.").format(
                file=path, date=certificate.not_valid_before_utc.date()
            )
        )
    elif (until - now).days < EXPIRES_SOON_DAYS:
        found.append(
            _("The certificate {file} expires on {date}. Renew it, then reload the server.").format(
                file=path, date=until.date()
            )
        )
    if os.name == "posix" and key.exists() and key.stat().st_mode & stat.S_IROTH:
        found.append(
            _("Every user of this machine can read the key {file}. Take that away: chmod o-r").format(file=key)
        )
    return found


def _cause(error: OSError) -> str:
    if isinstance(error, ssl.SSLError):
        return str(error.reason or error)
    return error.strerror or str(error)


class TlsTransport(Transport):
    """A TCP connection that is to be by TLS.

    Until `open` has returned nothing can be sent. If it raised PlainPeer the connection goes on without TLS, for the
    one answer that says so.
    """

    def __init__(self, sock: socket.socket, address: str, tls: Tls) -> None:
        self.address = address
        self._throttle = tls.throttle
        self._socket = trio.socket.from_stdlib_socket(sock)
        self._raw = trio.SocketStream(self._socket)
        # An end of file without TLS's own farewell is one all the same: frames have a length.
        self._channel = trio.SSLStream(self._raw, tls.context, server_side=True, https_compatible=True)
        self._stream: trio.abc.Stream | None = None
        """What the bytes go through; None before the handshake is done."""

    async def open(self) -> None:
        first = await self._first_byte()
        if first != _HANDSHAKE_RECORD:
            self._stream = self._raw
            raise PlainPeer(robby=first == _ROBBY_FRAME)
        try:
            await self._channel.do_handshake()
        except trio.BrokenResourceError as error:
            held = self._throttle.let("failed")
            if held is not None:
                # Mostly what the client thinks of the certificate.
                cause = error.__cause__.reason if isinstance(error.__cause__, ssl.SSLError) else None
                log.info("tls_failed", peer=self.address, reason=cause or "closed", repeated=held)
            raise
        self._stream = self._channel

    async def _first_byte(self) -> int:
        """Looked at, not taken. Raises BrokenResourceError where there is none."""
        try:
            peeked = await self._socket.recv(1, socket.MSG_PEEK)
        except OSError as error:
            raise trio.BrokenResourceError from error
        if not peeked:
            raise trio.BrokenResourceError
        return peeked[0]

    def try_send(self, data: bytes) -> int:
        return 0

    async def send_all(self, data: bytes) -> None:
        if self._stream is None:
            raise trio.BrokenResourceError
        await self._stream.send_all(data)

    async def receive_some(self) -> bytes:
        if self._stream is None:
            raise trio.BrokenResourceError
        return bytes(await self._stream.receive_some(RECEIVE_BYTES))

    async def send_eof(self) -> None:
        try:
            if self._stream is self._channel:
                # What is still on its way here is of no interest now, and need not be TLS any more.
                self._stream = self._raw
                await self._channel.unwrap()
            await self._raw.send_eof()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return  # the peer has gone already, or says something after our farewell: nothing is left to tell

    def least_round_trip(self) -> float | None:
        return kernel_round_trip(self._socket)

    def close(self) -> None:
        self._socket.close()
