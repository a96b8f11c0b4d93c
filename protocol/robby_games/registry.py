"""Which games there are, by name, with their wire types. Server, clients and bots look games up here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from robby_games import (
    robby_solo,
    robby_solo_sound,
    tresor_diebe,
    tresor_diebe_sound,
    wild_wild_pattern,
    wild_wild_pattern_sound,
)
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
    "wild-wild-pattern": GameTypes(
        name="wild-wild-pattern",
        version=1,
        title=N_("Wild Wild Pattern"),
        seats=(2, 4),
        options=wild_wild_pattern.Options,
        action=wild_wild_pattern.Action,
        event=wild_wild_pattern.Event,
        public=wild_wild_pattern.PublicView,
        own=wild_wild_pattern.OwnView,
        sound_view=wild_wild_pattern_sound.sound_view,
        sound_event=wild_wild_pattern_sound.sound_event,
        sound_action=wild_wild_pattern_sound.sound_action,
        reserved=("clementine", "shooter", "the shooter"),
    ),
}
