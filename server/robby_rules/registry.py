"""Which games can be played, by name, with their rules."""

from typing import Any

from robby_rules.interface import Rules
from robby_rules.robby_solo import RobbySolo
from robby_rules.tresor_diebe import TresorDiebe
from robby_rules.wild_wild_pattern import WildWildPattern

RULES: dict[str, Rules[Any]] = {
    RobbySolo.name: RobbySolo(),
    TresorDiebe.name: TresorDiebe(),
    WildWildPattern.name: WildWildPattern(),
}
