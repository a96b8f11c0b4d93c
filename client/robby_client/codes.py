"""Codes and texts for what only a client can notice: addresses, the network, the server's identity.

They stand beside the protocol's own codes (`robby_protocol.errors`); no code is in both. Like those they never change.
"""

from robby_protocol import errors
from robby_protocol.i18n import N_, _

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

_TEXTS: dict[str, str] = {
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
    PASSWORD_NEEDED: N_("The server asks for a password. Ask whoever runs it, and connect with it."),
    NOT_CONNECTED: N_("There is no connection now. Nothing was sent; try again when it is back."),
    MAYBE_DONE: N_("The connection was lost before the answer came. Look at the table whether it was done."),
    STOPPED: N_("The client has ended."),
    CLIENT_FAULT: N_("The client made a mistake. Report it, and try again."),
}

CODES: frozenset[str] = frozenset(_TEXTS)


def text_for(code: str) -> str:
    """What a person is told for one of our codes or one of the protocol's, with the remedy."""
    known = _TEXTS.get(code)
    return errors.text_for(code) if known is None else _(known)
