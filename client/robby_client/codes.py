"""Codes and texts for what only a client can notice: addresses, the network, the server's identity.

They stand beside the protocol's own codes (`robby_protocol.errors`); no code is in both. Like those they never change.
"""

from collections.abc import Mapping
from typing import Any

from robby_client.safe import fit, safe
from robby_protocol import errors
from robby_protocol.i18n import N_, _

GAME_UNKNOWN = "game_unknown"
ADDRESS_INVALID = "address_invalid"
CONNECTION_REFUSED = "connection_refused"
UNREACHABLE = "unreachable"
HOST_NOT_FOUND = "host_not_found"
TIMED_OUT = "timed_out"
CONNECTION_LOST = "connection_lost"
SERVER_SILENT = "server_silent"
SERVER_ID_CHANGED = "server_id_changed"
SERVER_PROOF_WRONG = "server_proof_wrong"
NO_ROBBY_SERVER = "no_robby_server"
PASSWORD_NEEDED = "password_needed"
NOT_CONNECTED = "not_connected"
MAYBE_DONE = "maybe_done"
STOPPED = "stopped"
CLIENT_FAULT = "client_fault"
DEAL_COMMITMENT_MISSING = "deal_commitment_missing"
DEAL_SERVER_CHANGED = "deal_server_changed"
DEAL_CHANGED = "deal_changed"
DEAL_NONCE_WRONG = "deal_nonce_wrong"
DEAL_SECRET_WRONG = "deal_secret_wrong"
TLS_EXPIRED = "tls_expired"
TLS_NOT_YET_VALID = "tls_not_yet_valid"
TLS_SELF_SIGNED = "tls_self_signed"
TLS_UNKNOWN_CA = "tls_unknown_ca"
TLS_WRONG_NAME = "tls_wrong_name"
TLS_BAD_CERTIFICATE = "tls_bad_certificate"
TLS_NOT_OFFERED = "tls_not_offered"
TLS_TIMED_OUT = "tls_timed_out"
TLS_FAILED = "tls_failed"
TLS_CA_UNREADABLE = "tls_ca_unreadable"

LONGEST_REASON = 400
"""Cells kept of a server's own sentence; the longest that ours say have some hundred and fifty."""
_MOST_NAMED = 12
"""Names kept of what a server says that it has: more would fill a screen of foreign text."""
_LONGEST_RACE = 1_000_000
"""Milliseconds; what is said to have taken longer is nonsense."""

_TEXTS: dict[str, str] = {
    GAME_UNKNOWN: N_(
        "This client cannot show that table's game, or not this version of it. Update it, or play in lines of text."
    ),
    ADDRESS_INVALID: N_(
        "This is not a server's address. Write a host name or an address, like example.org or [::1]:7622."
    ),
    CONNECTION_REFUSED: N_("Nothing answers at this address and port. Check both, and that the server runs."),
    UNREACHABLE: N_("The server cannot be reached. Check the network and the address."),
    HOST_NOT_FOUND: N_("There is no host of this name. Check the spelling."),
    TIMED_OUT: N_("The server did not answer in time. Check the address, or try again later."),
    CONNECTION_LOST: N_("The connection to the server was lost."),
    SERVER_SILENT: N_("The server has been silent for too long; the connection counts as lost."),
    SERVER_ID_CHANGED: N_(
        "This is not the server that was here before. Ask whoever runs it; go on only if it was set up anew."
    ),
    SERVER_PROOF_WRONG: N_("The server could not prove who it is. Do not go on; ask whoever runs it."),
    NO_ROBBY_SERVER: N_("What answers there is not a Robby server. Check the address and the port."),
    PASSWORD_NEEDED: N_(
        "The server asks for a password. Ask whoever runs it for it; --password-file FILE names a file that has it."
    ),
    NOT_CONNECTED: N_("There is no connection now. Nothing was sent; try again when it is back."),
    MAYBE_DONE: N_("The connection was lost before the answer came. Look at the table whether it was done."),
    STOPPED: N_("The client has ended."),
    CLIENT_FAULT: N_("The client made a mistake. Report it, and try again."),
    DEAL_COMMITMENT_MISSING: N_(
        "WARNING: the deal is not fair. What this client committed to does not stand among the commitments, so it "
        "opens nothing. Leave the table, and ask whoever runs the server."
    ),
    DEAL_SERVER_CHANGED: N_(
        "WARNING: the deal is not fair. The server has changed what it was committed to, so this client opens "
        "nothing. Leave the table, and ask whoever runs the server."
    ),
    DEAL_CHANGED: N_(
        "WARNING: the deal is not fair. The server told two different things about it. Leave the table, and ask "
        "whoever runs the server."
    ),
    DEAL_NONCE_WRONG: N_(
        "WARNING: the deal is not fair. What was opened is not what was committed to. Leave the table, and ask "
        "whoever runs the server."
    ),
    DEAL_SECRET_WRONG: N_(
        "WARNING: the deal was not fair. The server's secret is not the one that it was committed to. Keep the "
        "record and the receipt, and ask whoever runs the server."
    ),
    TLS_EXPIRED: N_(
        "The server's certificate has expired. Ask whoever runs it to renew it; if your own clock is wrong, set it."
    ),
    TLS_NOT_YET_VALID: N_(
        "The server's certificate is not valid yet. Check this machine's clock; if it is right, ask whoever runs the "
        "server."
    ),
    TLS_SELF_SIGNED: N_(
        "The server's certificate is signed by itself alone. If whoever runs it gave you its file, connect with "
        "--tls-ca FILE."
    ),
    TLS_UNKNOWN_CA: N_(
        "The server's certificate comes from an authority that is not trusted here. If whoever runs the server gave "
        "you the authority's file, connect with --tls-ca FILE."
    ),
    TLS_WRONG_NAME: N_(
        "The server's certificate is for another name than the one you connect to. Connect by the name that it is for."
    ),
    TLS_BAD_CERTIFICATE: N_("The server's certificate cannot be trusted. Ask whoever runs the server."),
    TLS_NOT_OFFERED: N_(
        "The server does not speak TLS at this address and port. Check both; only if you mean to go without TLS, "
        "leave out --tls."
    ),
    TLS_TIMED_OUT: N_(
        "The server did not finish the TLS handshake in time. Check address and port, or try again later."
    ),
    TLS_FAILED: N_("The server and this client agree on no way to speak TLS. Update both; check address and port."),
    TLS_CA_UNREADABLE: N_("The file with the authority's certificate cannot be used. Give one in PEM form."),
}

CODES: frozenset[str] = frozenset(_TEXTS)


def text_for(code: str) -> str:
    """What a person is told for one of our codes or one of the protocol's, with the remedy."""
    known = _TEXTS.get(code)
    return errors.text_for(code) if known is None else _(known)


def fingerprint(server_id: bytes) -> str:
    """A server's id as people compare it: its first 16 bytes in groups of four digits."""
    digits = server_id.hex()[:32]
    return " ".join(digits[start : start + 4] for start in range(0, len(digits), 4))


def refusal(code: str, text: str, details: Mapping[str, Any] | None = None) -> str:
    """What a person is told when the server refuses something or says farewell.

    A server that gives its reason is shown with it, made harmless and of bounded length; where it says no more than
    the code does, that is said in the person's language. details: as they came with the refusal; what the server
    says that it has is named.
    """
    if code in errors.CODES and errors.is_general(code, text):
        return _naming(code, details or {}) or text_for(code)
    return fit(" ".join(text.split()), LONGEST_REASON) or safe(code)


def _naming(code: str, details: Mapping[str, Any]) -> str | None:
    """The general sentence with the names that only the details have; None if there are none."""
    if code == errors.UNKNOWN_BOT:
        names = details.get("bots")
        sentence = _("The server has no such bot. It has: {names}.")
    elif code == errors.TOO_LATE:
        return _too_late(details)
    elif code == errors.UNKNOWN_GAME:
        names = details.get("games")
        sentence = _("The server does not know this game. It has: {names}.")
    else:
        return None
    if not isinstance(names, list | tuple) or not names or not all(isinstance(name, str) for name in names):
        return None
    return fit(sentence.format(names=", ".join(names[:_MOST_NAMED])), LONGEST_REASON)


def _too_late(details: Mapping[str, Any]) -> str | None:
    """By how much a race was lost; None if it was none."""
    late, credit = details.get("late_ms"), details.get("credit_ms")
    if not all(type(one) is int and 0 <= one < _LONGEST_RACE for one in (late, credit)):
        return None
    text = _("Too late by {late} ms (your credit: {credit} ms): somebody was quicker.")
    return text.format(late=late, credit=credit)
