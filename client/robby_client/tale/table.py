"""What happens at a table besides its game, as sentences."""

from robby_client.codes import refusal
from robby_client.safe import safe
from robby_client.words.common import amount, name_list
from robby_protocol.i18n import N_, _, ngettext
from robby_protocol.messages import Notice, TableInfo, TableNews

_SENTENCES: dict[str, str] = {
    "joined": N_("{name} sat down."),
    "left": N_("{name} left."),
    "away": N_("{name} lost the connection; the seat is kept."),
    "quit": N_("{name} left for now; the seat is kept."),
    "back": N_("{name} is back."),
    "stand_in": N_("{name} is away: a bot plays meanwhile."),
    "host": N_("{name} is the host now."),
    "kicked": N_("{name} was removed by the host."),
    "bot_added": N_("The bot {name} sat down."),
    "ready": N_("{name} is ready."),
    "not_ready": N_("{name} is not ready."),
    "configured": N_("The host changed the table's options; get ready anew."),
    "started": N_("The game starts."),
    "finished": N_("The game has ended."),
    "aborted": N_("The game was broken off."),
    "start_aborted": N_("The start was broken off: {name} did not open the commitment. Get ready anew."),
    "muted": N_("{name} was muted by the host."),
    "unmuted": N_("{name} may speak again."),
    "server_back": N_("The server was away and is back; nobody lost time."),
    "not_kept": N_("The server cannot write to its disk: the game goes on, but would not survive a crash."),
    "kept": N_("The server writes to its disk again; the game is kept."),
}
_NOTICES: dict[str, str] = {
    "draining": N_("The server will stop when the last game ends; it starts nothing new."),
    "undrained": N_("The server goes on after all; new games can be started."),
    "not_kept": N_("The server cannot write to its disk: running games go on, new ones are not started."),
    "kept": N_("The server writes to its disk again."),
}


def news_sentence(news: TableNews) -> str | None:
    """The news as a sentence; None for a code that this client does not know."""
    known = _SENTENCES.get(news.code)
    return None if known is None else _(known).format(name=safe(news.name))


def result_sentence(table: TableInfo) -> str | None:
    """A finished match's result in a line; None without one."""
    if not table.result:
        return None
    scores = ", ".join(f"{safe(line.name)} {amount(line.score)}" for line in table.result)
    winners = [safe(line.name) for line in table.result if line.winner]
    if not winners:
        return _("The game has ended: {scores}.").format(scores=scores)
    said = ngettext("{names} wins: {scores}.", "{names} share the win: {scores}.", len(winners))
    return said.format(names=name_list(winners), scores=scores)


def notice_sentence(notice: Notice) -> str:
    """A notice to everybody on the server as a sentence; the operator's own words literally, and said to be theirs."""
    known = _NOTICES.get(notice.code)
    if known is not None:
        return _(known)
    return _operator(refusal(notice.code, notice.text))


def _operator(text: str) -> str:
    # No name has two spaces in a row, so nobody can be called like the beginning of this line.
    return "***  " + _("The operator says: {text}").format(text=text)


def paused_sentence() -> str:
    """What is said while a phase's time does not run."""
    return _("The clock stands still until everybody is back.")


def chat_sentence(name: str, text: str, *, kind: str = "person") -> str:
    """A line of chat, shown literally in one line whatever it holds."""
    who, line = safe(name), safe(text)
    if kind == "spectator":
        return _("{name} (watching): {text}").format(name=who, text=line)
    if kind == "operator":
        return _operator(line)
    return f"{who}: {line}"
