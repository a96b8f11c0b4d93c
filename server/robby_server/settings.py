"""Every limit of the server, with its default and its reason. Times are seconds, sizes are bytes.

What a person may want to change is a field here; nothing else in the server is a number without a name.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The server's settings. All have defaults that suit friends on a LAN and a small rented machine alike."""

    server_name: str = "Robby"
    """Shown in the greeting."""
    password: str | None = field(default=None, repr=False)
    """If set, every login must bring it. Bots that the server seats come by their tokens and need none."""

    # Connections
    connections: int = 500
    """At a time in all. A typical limit of 1,024 descriptors leaves the rest for journal, log and listeners."""
    connections_per_address: int = 32
    """At a time from one address: a household or a class behind one router, but not a flood. As many tables can stand
    that were made from there, one for each: whoever connects, makes a table and vanishes must not fill the server. Of
    IPv6 a /64 is one address, and a /48 may have eight times as many."""
    refusals: int = 32
    """Connections over the limits that are told so at a time; beyond these they are closed without a word."""
    handshake_seconds: float = 10.0
    """From accept to welcome. A person does not type during it."""
    wrong_password_seconds: float = 1.0
    """A wrong password is answered so late that guessing many takes ages, the connections of one address being few."""
    partial_frame_seconds: float = 10.0
    """A frame that has begun must be whole by then: 64 KiB in 10 s is a modem's speed."""
    message_rate: float = 30.0
    """Messages per second that a client may send for long. A person makes one or two, a bot a few."""
    message_burst: int = 100
    """Messages that may come at once on top: a pasted script, a client that comes back."""
    message_bytes: int = 1024
    """A message counts once more for each so many bytes. All that is needed in a game is shorter; a map of thousands of
    values takes milliseconds to read, and thirty of those a second on each of many connections would stop the games."""
    outbox_bytes: int = 2 * 1024 * 1024
    """What may wait for one slow reader; twice the longest frame, and more than a long game's whole history."""
    lobby_outbox_bytes: int = 64 * 1024
    """A watcher with more than this waiting is skipped by lobby pushes until it has caught up."""
    ping_seconds: float = 5.0
    """How often the server pings."""
    race_credit_ms: int = 150
    """The most that a race takes off a player's arrival for the round trip of the connection; as far as most of the way
    round the world. It is also all that somebody can gain who delays every answer to the server's pings."""
    race_ping_seconds: float = 1.0
    """How often the server pings who plays a game that races, so that round trips are known as they are now."""
    round_trip_seconds: float = 30.0
    """The round trip is the least that was measured within so long: some of thirty pings find the line free, and after
    a change of the network it is right again soon."""
    silence_seconds: float = 25.0
    """A peer that sent nothing for so long is gone; below the 30 s after which a seat must be marked away."""
    farewell_seconds: float = 1.0
    """How long the last words may take to leave, and the peer to close after them."""
    stop_seconds: float = 5.0
    """The server stops within this time, whatever the clients do."""

    # Identities
    key_days: float = 365.0
    """A name bound to a key that was not used for so long is free again."""
    attempts: int = 10
    """Wrong passwords and invite codes from one address within `attempts_seconds`; beyond them the address is refused
    without looking until some are older."""
    attempts_seconds: float = 600.0
    """See `attempts`: ten guesses in ten minutes are enough for a person and nothing for a machine."""
    resume_attempts: int = 320
    """The same for resume tokens. Nobody guesses one, so this is against floods alone: a class whose tokens have all
    expired over the weekend must get in, ten times over."""
    idle_seconds: float = 6 * 3600.0
    """A person without a seat who asked for nothing for so long is disconnected, told that it may come back."""
    guest_hours: float = 24.0
    """A guest's token that was not used for so long expires."""
    guests: int = 10_000
    """Guests remembered; beyond them those away longest are forgotten."""
    guests_per_address: int = 256
    """Guests that came from one address; beyond them it gives up its own away longest, so that nobody can push out
    the guests of others."""
    keys: int = 10_000
    """Keys whose names are kept; beyond them the one away longest is forgotten."""
    keys_per_address: int = 64
    """Keys that were first used from one address; beyond them it gives up its own away longest: making keys is cheap,
    and all names must not belong to whoever makes many."""

    seen_seconds: float = 3600.0
    """How often it is written down who is connected, and who is not any more: the grain of `guest_hours` after a
    crash."""

    # Tables
    tables: int = 500
    """At a time. A table without a running match costs a few kilobytes."""
    listed_tables: int = 300
    """Shown in the lobby at a time, those to join first: what one frame holds. All can be joined by id."""
    idle_table_seconds: float = 12 * 3600.0
    """A table between matches at which nobody did anything for so long closes."""
    spectators: int = 50
    """People who watch one table at a time."""
    spectator_delay_most: float = 900.0
    """The longest delay that a table may set for its spectators: what is held back is kept in memory."""
    spectator_bytes: int = 4 * 1024 * 1024
    """What may be held back for the spectators of one table: ten times what a quarter of an hour of play takes. Beyond
    it steps in between are left out, so that players who change their minds without end do not fill the memory."""
    spectator_bytes_all: int = 64 * 1024 * 1024
    """What may be held back for the spectators of all tables together; it takes two or three times as much memory.
    Beyond it a table holds an eighth of its own limit, so that somebody with many tables does not fill it either."""
    chat_characters: int = 300
    """Of one line of chat: three lines of a terminal."""
    chat_rate: float = 0.5
    """Lines of chat per second that somebody may say for long."""
    chat_burst: int = 5
    """Lines of chat that may come at once on top."""
    chat_kept: int = 50
    """Lines of a table's chat that are shown to whoever comes later."""
    title_cells: int = 40
    """A title's width; two fit beside each other on 80 columns."""
    inbox: int = 256
    """Commands that may wait at one table: far more than six people send before it can answer."""
    lobby_seconds: float = 0.2
    """Changes of the lobby within this time are told together."""
    grace_seconds: float = 60.0
    """An absent person's seat in a match is played by the clock alone for so long; then a bot stands in."""
    waiting_seat_seconds: float = 60.0
    """An absent person's seat at a table between matches is kept so long."""
    host_away_seconds: float = 20.0
    """An absent host stays host so long while another person is here."""
    empty_playing_seconds: float = 300.0
    """A match that no person attends is broken off after this time."""
    open_seconds: float = 10.0
    """How long a client may take to open its commitment to the fair deal; it does so by itself."""
    resume_seconds: float = 35.0
    """After a restart a match stands still until all who played are back, but no longer: a client's longest wait
    between two tries is 30 s."""
    clock_seconds: float = 1.0
    """How often the server's own clock is recorded: the grain of remaining times after a crash."""
    store_retry_seconds: float = 2.0
    """How often a store that could not write tries again."""
    ended_matches: int = 1_000
    """Matches whose journals stay in the store after their end, the newest: about 40 MB. Records are kept apart."""
    records: int = 10_000
    """Record files that are kept, the newest: about 300 MB."""
    bot_patience_seconds: float = 30.0
    """A bot that owes a decision for longer counts as absent: an untimed table must not wait for ever."""
    bot_farewell_seconds: float = 2.0
    """A dismissed bot may take so long to end before it is cancelled."""
    stand_in: str = "greedy"
    """Which bot stands in for an absent person, if the server has it; else the first it has."""

    # Operation
    log_level: str = "info"
    """The least of `debug`, `info`, `warning`, `error` that is logged."""
    log_file: str | None = None
    """The log goes into this file instead of standard error; a relative path begins in the data folder."""
    log_bytes: int = 10 * 1024 * 1024
    """A log file that would grow beyond this is set aside as FILE.1 and begun anew."""
    log_files: int = 5
    """Log files kept at most, the one being written included: with their size this bounds the disk that logs take."""
    admin: bool = True
    """Whether `robby admin` can reach the server, through a socket in its data folder that its user alone may open."""
    metrics_host: str = "127.0.0.1"
    """Where metrics and health are served: this machine alone, as they are meant for a collector that runs here."""
    metrics_port: int | None = None
    """The port for metrics and health; none: they are not served."""
