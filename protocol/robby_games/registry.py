"""Which games there are, by name, with their wire types. Server, clients and bots look games up here."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from robby_games import robby_solo, robby_solo_sound, tresor_diebe, tresor_diebe_sound
from robby_protocol.i18n import N_


@dataclass(frozen=True)
class GameTypes:
    """One game's wire types.

    name: as in messages (`robby-solo`). version: of the rules and these types together.
    title: for people, to be translated. seats: (fewest, most) seats at a table.
    action, event: unions of tagged Structs. public, own: the two parts of a view.
    sound_view, sound_event, sound_action: whether a view (public, own), an event, an offered action (with the public
    view) names nothing that there cannot be; for who must not trust the sender.
    reserved: words of the game that nobody may be called, in small letters.
    within: an offered action that stands for many (with the public and the own view) → the narrower ones to choose
    from next, which may stand for many themselves; nothing for an action that can be sent.
    allows: whether an action is among the offered ones (with the public view), or among what these stand for.
    """

    name: str
    version: int
    title: str
    seats: tuple[int, int]
    options: type[Struct]
    action: Any
    event: Any
    public: type[Struct]
    own: type[Struct]
    sound_view: Callable[[Any, Any], bool]
    sound_event: Callable[[Any], bool]
    sound_action: Callable[[Any, Any], bool]
    reserved: tuple[str, ...] = ()
    within: Callable[[Any, Any, Any], Sequence[Any]] = field(default=lambda _action, _public, _own: ())
    allows: Callable[[Any, Sequence[Any], Any], bool] = field(default=lambda action, legal, _public: action in legal)


GAMES: dict[str, GameTypes] = {
    "robby-solo": GameTypes(
        name="robby-solo",
        version=1,
        title=N_("Robby Solo"),
        seats=(2, 6),
        options=robby_solo.Options,
        action=robby_solo.Action,
        event=robby_solo.Event,
        public=robby_solo.PublicView,
        own=robby_solo.OwnView,
        sound_view=robby_solo_sound.sound_view,
        sound_event=robby_solo_sound.sound_event,
        sound_action=robby_solo_sound.sound_action,
        reserved=("gentleman", "lady", "the gentleman", "the lady", "junior", "robby junior", "police", "bank"),
    ),
    "tresor-diebe": GameTypes(
        name="tresor-diebe",
        version=1,
        title=N_("Tresor Diebe"),
        seats=(2, 4),
        options=tresor_diebe.Options,
        action=tresor_diebe.Action,
        event=tresor_diebe.Event,
        public=tresor_diebe.PublicView,
        own=tresor_diebe.OwnView,
        sound_view=tresor_diebe_sound.sound_view,
        sound_event=tresor_diebe_sound.sound_event,
        sound_action=tresor_diebe_sound.sound_action,
        reserved=("thief", "the thief"),
    ),
}
