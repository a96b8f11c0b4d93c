"""Wild Wild Pattern's rules: who was first, what a declaration is worth, and what becomes of the Wheel.

`rules` is the face that the rest of the program knows; `shootout` has the part of the rules that is published, `house`
the whole part that is ours, so that it can be changed; `race` finds who was first, `clock` says what the passing of
time does and `views` what is seen.
"""

from robby_rules.wild_wild_pattern.rules import WildWildPattern

__all__ = ["WildWildPattern"]
