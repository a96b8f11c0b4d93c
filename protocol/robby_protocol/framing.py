"""Frames: a 4-byte big-endian length, then that many bytes of body. Knows nothing of what a body means.

A length is refused from its four bytes alone, before any of the body is kept, so a reader never holds more than its
limit and the piece that is being fed.
"""

from robby_protocol.errors import FRAME_EMPTY, FRAME_TOO_LARGE, NOT_ROBBY, RemoteProtocolError

HEADER_SIZE = 4

LIMIT_HANDSHAKE_FROM_CLIENT = 4 * 1024
"""Body bytes of `hello` and `login`: a stranger may make the server keep no more than this."""
LIMIT_FROM_CLIENT = 64 * 1024
"""Body bytes of a client's frame after the handshake: the longest command is a few kilobytes."""
LIMIT_HANDSHAKE_FROM_SERVER = 64 * 1024
"""Body bytes that a client takes before the handshake is done. Today's greetings are far below 4 KiB; the room is for
greetings of servers yet to come, since old clients must read them for ever."""
LIMIT_FROM_SERVER = 1024 * 1024
"""Body bytes of a server's frame after the handshake: a lobby of a thousand tables, a long history."""

_TLS_RECORDS = range(0x14, 0x19)
"""Content types of TLS records: change_cipher_spec, alert, handshake, application_data, heartbeat."""
_TLS_MAJOR = 0x03


def add_header(body: bytes) -> bytes:
    """The whole frame for a body."""
    return len(body).to_bytes(HEADER_SIZE, "big") + body


def foreign_protocol(head: bytes) -> str | None:
    """What another protocol the first four bytes of a connection look like: `tls`, `text` (HTTP, SSH, …), or None.

    No frame begins so: as lengths these bytes mean at least 150 megabytes.
    """
    if head[0] in _TLS_RECORDS and head[1] == _TLS_MAJOR:
        return "tls"
    if all(0x20 <= byte < 0x7F or byte in b"\t\r\n" for byte in head):
        return "text"
    return None


class FrameReader:
    """Cuts a byte stream into bodies, however it was split or merged on the way.

    limit: most bytes of a body; may be changed at any time and holds for every frame not yet returned.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._buffer = bytearray()
        self._first = True

    @property
    def held(self) -> int:
        """How many bytes wait for the rest of their frame, or to be taken."""
        return len(self._buffer)

    def feed(self, data: bytes) -> None:
        """Add what was received. Take all bodies before feeding more: then no more than one frame is held."""
        self._buffer += data

    def next_body(self) -> bytes | None:
        """The next whole body, or None until more is fed.

        Raises RemoteProtocolError: FRAME_TOO_LARGE, FRAME_EMPTY, or NOT_ROBBY where the first bytes of the connection
        belong to another protocol. Everything held is dropped then.
        """
        if len(self._buffer) < HEADER_SIZE:
            return None
        length = int.from_bytes(self._buffer[:HEADER_SIZE], "big")
        if not 0 < length <= self.limit:
            head = bytes(self._buffer[:HEADER_SIZE])
            self.clear()
            raise self._refusal(head, length)
        end = HEADER_SIZE + length
        if len(self._buffer) < end:
            return None
        body = bytes(memoryview(self._buffer)[HEADER_SIZE:end])
        del self._buffer[:end]
        self._first = False
        return body

    def clear(self) -> None:
        """Drop everything held."""
        self._buffer = bytearray()

    def _refusal(self, head: bytes, length: int) -> RemoteProtocolError:
        if self._first and (foreign := foreign_protocol(head)) is not None:
            return RemoteProtocolError(NOT_ROBBY, foreign)
        if length == 0:
            return RemoteProtocolError(FRAME_EMPTY)
        return RemoteProtocolError(FRAME_TOO_LARGE, f"{length} bytes announced, {self.limit} allowed")
