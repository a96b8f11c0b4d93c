"""The server's side of the handshake: greeting, login, welcome, or why not. Knows no tables."""

import secrets
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version

import structlog
import trio

from robby_games.registry import GAMES
from robby_protocol import distribution, errors, identity
from robby_protocol.errors import RemoteProtocolError
from robby_protocol.messages import GameOffer, Greeting, Hello, Login, Welcome
from robby_rules.registry import RULES
from robby_server.attempts import Attempts
from robby_server.bans import Bans, ban_text
from robby_server.identities import Identities, Identity, LoginError
from robby_server.session import Session
from robby_server.settings import Settings

log = structlog.get_logger("robby.session")

METHODS = ("guest", "key")


class Handshake:
    """Does the handshake of every connection of one server.

    key: the server's private seed. bots: per game, the bots that it can seat. attempts: at the server's password; wrong
    invite codes count into it too. bans: who is kept out.
    """

    def __init__(
        self,
        settings: Settings,
        identities: Identities,
        key: bytes,
        bots: Mapping[str, Sequence[str]],
        *,
        attempts: Attempts,
        bans: Bans,
    ) -> None:
        self._identities = identities
        self._attempts = attempts
        self._resume_attempts = Attempts(settings.resume_attempts, settings.attempts_seconds)
        self._bans = bans
        self._key = key
        self.server_id = identity.public_key(key)
        self.use(settings)
        self._games = [
            GameOffer(name=name, version=types.version, bots=list(bots.get(name, ())))
            for name, types in GAMES.items()
            if name in RULES
        ]

    def use(self, settings: Settings) -> None:
        """Greet with another name, ask for another password, from now on."""
        self._settings = settings
        password = settings.password
        self._password_key = None if password is None else identity.password_key(password, self.server_id)

    async def shake(self, session: Session) -> bool:
        """Bring a connection to its welcome. Returns whether it got there; `session.who` is set then.

        Raises RemoteProtocolError, and what the transport raises.
        """
        hello = await session.receive()
        if hello is None:
            return False
        if not isinstance(hello, Hello):
            raise RemoteProtocolError(errors.HANDSHAKE_ORDER)
        session.send(self._greeting(session, hello))
        login = await session.receive()
        if login is None:
            return False
        if not isinstance(login, Login):
            raise RemoteProtocolError(errors.HANDSHAKE_ORDER)
        try:
            who, token = await self._log_in(session, login)
        except LoginError as error:
            accepts: dict[str, object] | None = None
            if error.code == errors.UNKNOWN_METHOD:
                accepts = {"methods": list(METHODS)}
            session.end(error.code, reconnect=False, text=error.text, accepts=accepts)
            return False
        log.info("logged_in", name=who.name, kind=who.kind, method=login.method, peer=session.address)
        older = self._identities.connected(who, session)
        session.who = who
        if older is not None:
            older.end(errors.REPLACED, reconnect=False)
        session.send(
            Welcome(
                identity=who.id,
                name=who.name,
                resume=token,
                table=who.table,
                ping_ms=round(self._settings.ping_seconds * 1000),
                silence_ms=round(self._settings.silence_seconds * 1000),
            )
        )
        return True

    def _greeting(self, session: Session, hello: Hello) -> Greeting:
        connection = session.connection
        assert connection.version is not None, "the connection has read a hello"
        challenge = secrets.token_bytes(32)
        proof = b""
        if hello.nonce:
            proof = identity.sign(self._key, connection.server_proof_payload(self.server_id, challenge))
        return Greeting(
            version=connection.version,
            server_id=self.server_id,
            server_name=self._settings.server_name,
            software=software(),
            challenge=challenge,
            proof=proof,
            password_required=self._password_key is not None and not session.trusted,
            methods=list(METHODS),
            games=self._games,
        )

    async def _log_in(self, session: Session, login: Login) -> tuple[Identity, bytes]:
        """Who it is, and the token that a guest comes back with."""
        await self._check_password(session, login)
        self._check_bans(session, login.name, login.key)
        who, token = await self._find(session, login)
        # With a seat it has another name than it asked for; and a ban may have come while it was being kept.
        self._check_bans(session, who.name, who.key)
        return who, token

    async def _find(self, session: Session, login: Login) -> tuple[Identity, bytes]:
        if login.method == "guest":
            if login.resume:
                return await self._resume(session, login), login.resume
            return await self._identities.guest(login.name, session.address)
        if login.method == "key":
            if not identity.is_public_key(login.key):
                raise LoginError(errors.BAD_KEY)
            payload = session.connection.login_proof_payload(login.name, login.key)
            if not identity.verify(login.key, payload, login.proof):
                raise LoginError(errors.BAD_PROOF)
            return await self._identities.keyed(login.key, login.name, session.address), b""
        raise LoginError(errors.UNKNOWN_METHOD)

    async def _resume(self, session: Session, login: Login) -> Identity:
        if not session.trusted and self._resume_attempts.blocked(session.address):
            raise LoginError(errors.TOO_MANY_ATTEMPTS)
        try:
            return await self._identities.resumed(login.resume, login.name)
        except LoginError as error:
            if error.code == errors.RESUME_UNKNOWN and not session.trusted:
                self._resume_attempts.wrong(session.address)
            raise

    def _check_bans(self, session: Session, name: str, key: bytes | None) -> None:
        ban = self._bans.of_address(session.address) or self._bans.of_person(name, key)
        if ban is not None and not session.trusted:
            raise LoginError(errors.BANNED, ban_text(ban))

    async def _check_password(self, session: Session, login: Login) -> None:
        if self._password_key is None or session.trusted:
            return
        if self._attempts.blocked(session.address):
            raise LoginError(errors.TOO_MANY_ATTEMPTS)
        payload = session.connection.password_proof_payload(login.name)
        if not identity.same_secret(identity.password_proof(self._password_key, payload), login.password_proof):
            self._attempts.wrong(session.address)
            await trio.sleep(self._settings.wrong_password_seconds)
            raise LoginError(errors.PASSWORD_WRONG)


@cache
def software() -> str:
    """Name and version of this server, for people."""
    try:
        return f"{distribution.NAME} {version(distribution.NAME)}"
    except PackageNotFoundError:
        return distribution.NAME
