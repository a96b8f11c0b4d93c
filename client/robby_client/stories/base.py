"""What every client needs to say about a game: a `Story`. Knows no game, no screens and no rules.

A new game derives from this; `registry.STORIES` lists them. Texts are looked up when shown, never at import.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from robby_client.options import OptionField, changed, fields_of
from robby_client.safe import safe
from robby_client.words.common import duration, preset_name
from robby_client.world import GameState
from robby_games.registry import GAMES, GameTypes
from robby_protocol.i18n import _

Telling = Callable[[Any, Sequence[str], int | None], list[str]]
"""Takes one match's events one by one, with the participants' names and the own seat; gives the lines that tell it."""


class Story(ABC):
    """One game in words. names: the participants', harmless to show. me: the own seat; None: as a spectator sees it.

    game: its name, as in `GAMES`. pitch: what it is in a few words, for who chooses among games. over: the event that
    ends it; it has `scores`, best first, as the public view of a finished match has. labels: each option for people.
    briefs: an option that is not as usual, in a word for the lobby; all others together are "own rules". All hold
    marked texts (`N_`), translated when shown.
    """

    game: ClassVar[str]
    pitch: ClassVar[str]
    over: ClassVar[type[Struct]]
    labels: ClassVar[Mapping[str, str]]
    briefs: ClassVar[Mapping[str, str]] = {}

    # What a game must say.

    @abstractmethod
    def sentence(self, event: Any, names: Sequence[str], me: int | None) -> str | None:
        """An event as a sentence, or a few where it is a whole scene. None: not known, or not worth one."""

    @abstractmethod
    def explained(self, score: Any, names: Sequence[str], me: int | None = None) -> list[str]:
        """One participant's result: place, name and total; then, line by line, what it is made of."""

    @abstractmethod
    def limits(self, options: Any) -> Any:
        """The time limits that these options lead to, in milliseconds, by the options' names without `_ms`."""

    @abstractmethod
    def rules(self) -> list[str]:
        """The rules, briefly, a paragraph each."""

    # What a game may say otherwise.

    def participants(self, names: Sequence[str], public: Any) -> list[str]:
        """All participants' names, harmless to show, in the game's order.

        names: of those with seats, as sent. public: the match's public view; None: not known yet.
        """
        return [safe(name) for name in names]

    def unseated(self, options: Mapping[str, Any]) -> int:
        """How many take part without a seat of their own."""
        return 0

    def fewest_seats(self, options: Mapping[str, Any]) -> int:
        """With how many seats a match can begin."""
        return self.types.seats[0]

    def together(self, event: Any) -> bool:
        """Whether several seats cause this at the same time, so that its order says no more than who was quicker."""
        return False

    def telling(self) -> Telling:
        """A new match told as text alone, where nobody sees the table; may add how things stand."""

        def tell(event: Any, names: Sequence[str], me: int | None) -> list[str]:
            told = self.sentence(event, names, me)
            return [] if told is None else [told]

        return tell

    def choice(self, field: OptionField, value: str) -> str:
        """One of the values of an option that is a choice."""
        return preset_name(value) if field.name == "time" else safe(value).replace("_", " ")

    def option_lines(self, options: Any) -> list[str]:
        """A table's options, one line each, for people who think of joining."""
        return [self._option_line(field, options) for field in fields_of(self.types.options)]

    # What follows.

    @property
    def types(self) -> GameTypes:
        """The game's wire types."""
        return GAMES[self.game]

    @property
    def title(self) -> str:
        """The game's name for people."""
        return _(self.types.title)

    def introduced(self) -> str:
        """The game in one line, for who chooses among games: its name, what it is, for how many."""
        text = _("{game} – {pitch}, {fewest}–{most}")
        return text.format(game=self.title, pitch=_(self.pitch), fewest=self.fewest_seats({}), most=self.types.seats[1])

    def names_in(self, game: GameState) -> list[str]:
        """The participants' names in a match: who sat where when it was played, whatever the seats are by now."""
        return self.participants(game.names, game.public)

    def label(self, option: str) -> str:
        """An option for people; one of a newer version as it is called in the protocol."""
        known = self.labels.get(option)
        return safe(option).replace("_", " ") if known is None else _(known)

    def typed_options(self, options: Mapping[str, Any]) -> Any | None:
        """A table's options as sent; None if this client does not understand them."""
        try:
            return msgspec.convert(dict(options), self.types.options, strict=True)
        except msgspec.ValidationError:
            return None

    def limit(self, field: OptionField, options: Any) -> int | None:
        """A time limit that is played with, in milliseconds; None: there is none."""
        found: int | None = getattr(self.limits(options), field.name.removesuffix("_ms"), None)
        return found

    def option_summary(self, options: Any) -> str:
        """A table's options in a few words, for a line of the lobby: `standard, open loot`."""
        others = [name for name in changed(options) if name != "time"]
        parts = [preset_name(options.time)]
        parts += [_(brief) for name, brief in self.briefs.items() if name in others]
        if any(name not in self.briefs for name in others):
            parts.append(_("own rules"))
        return ", ".join(parts)

    def _option_line(self, field: OptionField, options: Any) -> str:
        value = getattr(options, field.name)
        if field.is_limit:
            limit = self.limit(field, options)
            said = _("no limit") if limit is None else duration(limit)
        elif field.kind == "choice":
            said = self.choice(field, value)
        elif field.kind == "yes_no":
            said = _("yes") if value else _("no")
        else:
            said = str(value)
        return _("{option}: {value}").format(option=self.label(field.name), value=said)
