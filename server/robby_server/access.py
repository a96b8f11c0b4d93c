"""Who may come to a private table: invite codes, the table's password, and guessing made slow.

Knows a table only by what it keeps about its access. Secrets are compared in constant time; neither an invite code nor
the password's key is ever told to anybody but those who sit there (the code), or written to a log.
"""

import secrets
from typing import TYPE_CHECKING, NamedTuple

from robby_protocol import errors, identity
from robby_protocol.i18n import _
from robby_server.directory import ALPHABET, read_table_id
from robby_server.rejected import Rejected

if TYPE_CHECKING:
    from robby_server.session import Session
    from robby_server.table import Table

INVITE_LENGTH = 12
"""60 bits of Crockford's base 32: as easily typed as a telephone number; nobody guesses it, the wrong tries being
counted."""


class Access(NamedTuple):
    """How a table is got at. invite: a private table's code, else empty. password_key: 32 bytes, none: invite alone."""

    private: bool = False
    invite: str = ""
    password_key: bytes = b""


def new_invite() -> str:
    """A new random invite code. It is read as a table's id is: in any case, with or without hyphens."""
    return "".join(secrets.choice(ALPHABET) for _position in range(INVITE_LENGTH))


def changed(
    access: Access, *, private: bool | None = None, password_key: bytes | None = None, new_code: bool = False
) -> Access:
    """The access after the host's wishes; what is None stays. Public takes code and password away. Raises Rejected."""
    if private is None:
        private = access.private
    if not private:
        if password_key:
            text = _("Only a private table has a password. Make it private as well.")
            raise Rejected(errors.BAD_OPTIONS, text, field="password_key")
        if new_code:
            text = _("Only a private table has an invite code. Make it private as well.")
            raise Rejected(errors.BAD_OPTIONS, text, field="new_invite")
        return Access()
    invite = new_invite() if new_code or not access.invite else access.invite
    return Access(True, invite, access.password_key if password_key is None else password_key)


def admit(table: "Table", session: "Session", invite: str, proof: bytes) -> None:
    """Let a connection in that has no seat here. Raises Rejected: TABLE_PRIVATE where it brings nothing at all,
    ACCESS_DENIED where what it brings is wrong, TOO_MANY_ATTEMPTS where its household has guessed too often."""
    if not table.private:
        return
    if not invite and not proof:
        raise Rejected(errors.TABLE_PRIVATE)
    attempts = None if session.trusted else table.services.attempts
    if attempts is not None and attempts.blocked(session.address):
        raise Rejected(errors.TOO_MANY_ATTEMPTS)
    if not (_invited(table, invite) | _knows_password(table, session, proof)):
        if attempts is not None:
            attempts.wrong(session.address)
        raise Rejected(errors.ACCESS_DENIED)


def _invited(table: "Table", invite: str) -> bool:
    # A table without a code compares with one that nobody has, so that it takes as long.
    code = table.invite or "-"
    return identity.same_secret(read_table_id(invite).encode(), code.encode())


def _knows_password(table: "Table", session: "Session", proof: bytes) -> bool:
    if not table.password_key or not proof:
        return False
    payload = session.connection.table_password_payload(table.id)
    return identity.same_secret(identity.password_proof(table.password_key, payload), proof)
