"""What happens at a table besides its game, as sentences."""

from robby_client.safe import safe
from robby_protocol.i18n import N_, _
from robby_protocol.messages import TableNews

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
}


def news_sentence(news: TableNews) -> str | None:
    """The news as a sentence; None for a code that this client does not know."""
    known = _SENTENCES.get(news.code)
    return None if known is None else _(known).format(name=safe(news.name))
