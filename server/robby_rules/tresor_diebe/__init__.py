"""Tresor Diebe's rules: whose turn it is, what the dice do, when a round ends.

`rules` is the face that the rest of the program knows; `rounds` sets up, begins and ends rounds, `turns` is everything
within one; `clock` says what the passing of time does and `views` what is seen.
"""

from robby_rules.tresor_diebe.rules import TresorDiebe

__all__ = ["TresorDiebe"]
