"""Robby Solo's rules: who may do what when, what happens then, and who may see it.

`rules` is the face that the rest of the program knows; the other modules follow the course of a round:
`rounds` (set-up, supply's beginning, the end), `plays` (supply, secret plays, the Gentleman), `revision`, `robbery`,
`police`; `clock` says what the passing of time does and `views` who sees what.
"""

from robby_rules.robby_solo.rules import RobbySolo

__all__ = ["RobbySolo"]
