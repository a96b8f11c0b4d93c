"""What a client is told before it begins: who to be, what is known of the server, and its waits."""

from collections.abc import Callable
from dataclasses import dataclass, field

from robby_protocol import identity


@dataclass(frozen=True)
class Timings:
    """All waits of a client, in seconds.

    ping: between our pings. silence: after this long without a word the server counts as gone; so a dead server is
    noticed within 30 s. handshake: from the dial to the welcome. first_wait, longest_wait: before the first and between
    later tries to come back; they double, with jitter. steady: a connection that held this long makes the waits begin
    anew. farewell: for the last bytes of `stop`.
    """

    ping: float = 5.0
    silence: float = 25.0
    handshake: float = 15.0
    first_wait: float = 0.5
    longest_wait: float = 30.0
    steady: float = 10.0
    farewell: float = 1.0


DEFAULT_TIMINGS = Timings()


@dataclass(frozen=True)
class LoginPlan:
    """Who to be, and what is known of the server.

    key: the private seed, 32 bytes; None: see key_for. key_for: asked with the server's id for the key to use there;
    None from it, or no key and no key_for: a guest. resume: a guest's token from earlier; resume_for likewise by
    server id. known_server_id: what the server must be; None: whoever answers.
    """

    name: str
    key: bytes | None = None
    password: str | None = None
    resume: bytes = b""
    known_server_id: bytes | None = None
    key_for: Callable[[bytes], bytes | None] | None = None
    resume_for: Callable[[bytes], bytes] | None = None
    _secrets: dict[bytes, bytes] = field(default_factory=dict, init=False, repr=False, compare=False)

    def password_secret(self, server_id: bytes) -> bytes:
        """What the password's proof is made with at this server. Slow the first time, so it is kept."""
        if self.password is None:
            raise ValueError("there is no password")
        if server_id not in self._secrets:
            self._secrets[server_id] = identity.password_key(self.password, server_id)
        return self._secrets[server_id]
