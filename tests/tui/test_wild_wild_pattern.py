"""Wild Wild Pattern at the table: composing a declaration."""

from robby_games.wild_wild_pattern import Declare
from robby_games.wild_wild_patterns import ALL
from robby_tui.wild_wild_pattern.composing import Composing

OFFERED = tuple(Declare(side=one.side, a=one.a, b=one.b) for one in ALL)


def test_three_keys_lead_to_every_declaration_offered_and_to_no_other() -> None:
    made: list[Declare] = []
    for side in Composing().keys(OFFERED).values():
        assert isinstance(side, Composing)
        for a in side.keys(OFFERED).values():
            assert isinstance(a, Composing)
            assert a.back() == side
            made += [step for step in a.keys(OFFERED).values() if isinstance(step, Declare)]
    assert len(made) == len(OFFERED)
    assert set(made) == set(OFFERED)


def test_what_was_not_offered_has_no_key() -> None:
    assert not Composing("after", 0).keys([one for one in OFFERED if one.a != 0])
    assert Composing().keys([one for one in OFFERED if one.side == "after"]) == {"2": Composing("after")}
    assert Composing().back() == Composing("after").back() == Composing()
