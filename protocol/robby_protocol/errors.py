"""Stable codes for everything that can be refused, and the two exceptions of the protocol.

A code never changes its meaning. Programs match codes; people read the text that comes with them.
"""

from dataclasses import dataclass

from robby_protocol.i18n import N_, _

# The connection ends (in `goodbye` after the handshake, in `refused` during it).
FRAME_TOO_LARGE = "frame_too_large"
FRAME_EMPTY = "frame_empty"
FRAME_TIMEOUT = "frame_timeout"
MALFORMED = "malformed"
NOT_ROBBY = "not_robby"
HANDSHAKE_TIMEOUT = "handshake_timeout"
HANDSHAKE_ORDER = "handshake_order"
CLIENT_TOO_OLD = "client_too_old"
SERVER_TOO_OLD = "server_too_old"
UNKNOWN_METHOD = "unknown_method"
BAD_PROOF = "bad_proof"
BAD_KEY = "bad_key"
RESUME_UNKNOWN = "resume_unknown"
PASSWORD_WRONG = "password_wrong"
NAME_INVALID = "name_invalid"
NAME_TAKEN = "name_taken"
NAME_RESERVED = "name_reserved"
SERVER_FULL = "server_full"
REPLACED = "replaced"
SERVER_STOPPING = "server_stopping"
TOO_SLOW = "too_slow"
SILENT = "silent"
INTERNAL = "internal"
TLS_REQUIRED = "tls_required"
BANNED = "banned"
TOO_MANY_ATTEMPTS = "too_many_attempts"
REMOVED = "removed"
IDLE = "idle"

# A command is refused; the connection goes on.
INVALID_MESSAGE = "invalid_message"
UNKNOWN_COMMAND = "unknown_command"
TOO_MANY_MESSAGES = "too_many_messages"
NO_SUCH_TABLE = "no_such_table"
NO_SUCH_SEAT = "no_such_seat"
TABLE_FULL = "table_full"
TABLE_PLAYING = "table_playing"
TOO_MANY_TABLES = "too_many_tables"
ALREADY_SEATED = "already_seated"
NOT_SEATED = "not_seated"
NOT_HOST = "not_host"
NOT_READY = "not_ready"
TOO_FEW_PLAYERS = "too_few_players"
UNKNOWN_GAME = "unknown_game"
BAD_OPTIONS = "bad_options"
UNKNOWN_BOT = "unknown_bot"
KICKED = "kicked"
TABLE_CLOSED = "table_closed"
TABLE_PARKED = "table_parked"
TABLE_PRIVATE = "table_private"
ACCESS_DENIED = "access_denied"
SPECTATORS_FORBIDDEN = "spectators_forbidden"
OWN_TABLE = "own_table"
NOT_WATCHING = "not_watching"
TOO_MANY_WATCHERS = "too_many_watchers"
BAD_CHAT = "bad_chat"
CHAT_TOO_FAST = "chat_too_fast"
MUTED = "muted"
NOT_KEPT = "not_kept"
DRAINING = "draining"
NO_SUCH_RECORD = "no_such_record"
NO_DEAL = "no_deal"
BAD_NONCE = "bad_nonce"

# An action in a game is refused; nothing has changed.
NOT_PLAYING = "not_playing"
NO_DECISION = "no_decision"
STALE_DECISION = "stale_decision"
TOO_LATE = "too_late"
ILLEGAL_ACTION = "illegal_action"
FALSE_DECLARATION = "false_declaration"
CARD_IN_HAND = "card_in_hand"
MALFORMED_ACTION = "malformed_action"

_TEXTS: dict[str, str] = {
    FRAME_TOO_LARGE: N_("A message was longer than allowed. Use a Robby client of the same version as the server."),
    FRAME_EMPTY: N_("A message was empty. Use a Robby client."),
    FRAME_TIMEOUT: N_("A message did not arrive whole in time. Check the network and connect again."),
    MALFORMED: N_("A message was not valid msgpack as the protocol asks for. Use a Robby client."),
    NOT_ROBBY: N_("This is a Robby server; the other side speaks something else. Use a Robby client, or another port."),
    HANDSHAKE_TIMEOUT: N_("The connection said nothing for too long. Connect again."),
    HANDSHAKE_ORDER: N_("That message is not expected at this point of the handshake. Use a Robby client."),
    CLIENT_TOO_OLD: N_("This client is too old for the server. Update the client."),
    SERVER_TOO_OLD: N_("The server is too old for this client. Update the server, or use an older client."),
    UNKNOWN_METHOD: N_("The server does not offer this way to log in. Log in as a guest or with a key."),
    BAD_PROOF: N_("The key's proof is not right. Connect again; if it stays so, log in as a guest."),
    BAD_KEY: N_("The key is not an Ed25519 public key. Make a new key, or log in as a guest."),
    RESUME_UNKNOWN: N_("The server no longer knows this guest. Connect again with a name."),
    PASSWORD_WRONG: N_("The password is wrong. Ask whoever runs the server."),
    NAME_INVALID: N_("This name cannot be used. Choose another."),
    NAME_TAKEN: N_("This name, or one that looks like it, is taken. Choose another."),
    NAME_RESERVED: N_("This name is reserved. Choose another."),
    SERVER_FULL: N_("The server is full. Try again later."),
    REPLACED: N_("The same player connected from somewhere else; this connection ends. Go on there."),
    SERVER_STOPPING: N_("The server stops. Try again in a while."),
    TOO_SLOW: N_("This connection did not read fast enough. Connect again."),
    SILENT: N_("This connection was silent for too long. Connect again."),
    INTERNAL: N_("The server made a mistake. It has been logged; try again."),
    TLS_REQUIRED: N_("This server speaks TLS alone. Connect with TLS: robby join --tls."),
    BANNED: N_("The operator of the server keeps you out. Ask whoever runs it, or choose another server."),
    TOO_MANY_ATTEMPTS: N_("Too many wrong attempts from your address. Wait some minutes, then try again."),
    REMOVED: N_("The operator of the server ended your connection. Ask whoever runs it."),
    IDLE: N_("Nothing happened on this connection for very long. Connect again when you want to play."),
    INVALID_MESSAGE: N_("A field of the message is missing or wrong. See docs/protocol.md."),
    UNKNOWN_COMMAND: N_("The server does not know this command. Update the server, or do without."),
    TOO_MANY_MESSAGES: N_("Too many messages in a short time. Wait a moment."),
    NO_SUCH_TABLE: N_("There is no such table. Look at the list for those there are."),
    NO_SUCH_SEAT: N_("Nobody of that name sits there. Look again and choose anew."),
    TABLE_FULL: N_("The table is full. Choose another table, or create one."),
    TABLE_PLAYING: N_("The table is in the middle of a game. Wait for its end, or choose another."),
    TOO_MANY_TABLES: N_("There are as many tables as the server allows. Join one, or wait."),
    ALREADY_SEATED: N_("You already have a seat at a table. Leave it first."),
    NOT_SEATED: N_("You have no seat at a table. Join one first."),
    NOT_HOST: N_("Only the host may do this. Ask the host, or create a table of your own."),
    NOT_READY: N_("Somebody is not ready yet. Wait until all are."),
    TOO_FEW_PLAYERS: N_("There are too few players. Wait for more, or add bots."),
    UNKNOWN_GAME: N_("The server does not know this game. Choose one of those that it names."),
    BAD_OPTIONS: N_("The options do not fit. Change what the details name."),
    UNKNOWN_BOT: N_("The server has no such bot. Choose one of those that it names."),
    KICKED: N_("The host removed you from the table. Choose another table."),
    TABLE_CLOSED: N_("The table was closed. Choose another table, or create one."),
    TABLE_PARKED: N_(
        "This game was begun under rules that the server does not have now. It is kept; whoever runs the server can go "
        "on with it under the version that began it. Choose another table."
    ),
    TABLE_PRIVATE: N_("The table is private. Give its invite code or its password."),
    ACCESS_DENIED: N_("The invite code or the password is wrong. Ask somebody at the table."),
    SPECTATORS_FORBIDDEN: N_("The host lets nobody watch this table. Choose another, or join it."),
    OWN_TABLE: N_("You have a seat at this table, so you cannot watch it. Play, or leave it first."),
    NOT_WATCHING: N_("You neither sit at this table nor watch it. Join or watch it first."),
    TOO_MANY_WATCHERS: N_("As many watch this table as can. Try again later, or watch another."),
    BAD_CHAT: N_("This cannot be said: a line is short and has no line breaks or control characters. Change it."),
    CHAT_TOO_FAST: N_("That was much in a short time. Wait a moment, then say it again."),
    MUTED: N_("The host has muted you at this table. Ask the host."),
    NOT_KEPT: N_(
        "The server cannot write to its disk now, so it starts nothing new; running games go on. Try again later, or "
        "ask whoever runs it."
    ),
    DRAINING: N_("The server is about to stop and starts nothing new. Finish what is running; come back later."),
    NO_SUCH_RECORD: N_("There is no record of such a match, or it is not over. Ask again when it is."),
    NO_DEAL: N_("No commitment of yours is to be opened now. Wait for the next start."),
    BAD_NONCE: N_("These bytes are not what was committed to. Open what you committed to."),
    NOT_PLAYING: N_("No game is being played at the table. Get ready for the next."),
    NO_DECISION: N_("Nothing is asked of you now. Wait for your turn."),
    STALE_DECISION: N_("This was an answer to an earlier question. Look at the table and choose anew."),
    TOO_LATE: N_("This came too late. Go on: it was decided without it."),
    ILLEGAL_ACTION: N_("The rules do not allow this now. Choose one of the actions offered."),
    FALSE_DECLARATION: N_("A declaration must be true. Declare something that fits your card."),
    CARD_IN_HAND: N_("Your card is in your hand. Lay a card first, then confirm."),
    MALFORMED_ACTION: N_("That is not an action of this game. Choose one of the actions offered."),
}

CODES: frozenset[str] = frozenset(_TEXTS)


def text_for(code: str) -> str:
    """What a person is told for a code, with the remedy, in the language in use.

    A code of a newer peer, which has no text here, is returned as it is.
    """
    known = _TEXTS.get(code)
    return code if known is None else _(known)


def is_general(code: str, text: str) -> bool:
    """Whether a peer's text says no more than the code itself: none, or the general sentence as it is or as shown."""
    return text.strip() in ("", code, _TEXTS.get(code), text_for(code))


class ProtocolError(Exception):
    """Base of the two kinds: ours and theirs. Any other exception out of the protocol package is a bug."""


class LocalProtocolError(ProtocolError):
    """We tried to send something that the protocol does not allow now. A bug on this side."""


class UnsendableError(LocalProtocolError):
    """The message itself cannot be sent at any time: too long, or with values that msgpack cannot carry."""


@dataclass
class RemoteProtocolError(ProtocolError):
    """The peer broke the protocol; the connection cannot go on.

    code: one of the codes above. detail: for the log, bounded in length, never secret.
    """

    code: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}" if self.detail else self.code
