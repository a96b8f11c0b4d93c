"""The reveal, and who robs what."""

from robby_games.robby_solo import Clashed, Revealed, Robbed
from robby_rules.robby_solo.police import patrol
from robby_rules.robby_solo.state import Loot, State, Tale


def turn_cards(state: State, marks: tuple[str, ...], at: int, tale: Tale) -> State:
    """All cards are turned: a bank named once is robbed, one named more often keeps its loot. Then the police.

    Loot is taken in the order in which it lay, so that the newest card ends on top [ours].
    """
    loot, cards = state.loot, state.cards
    public = tale.public
    public.append(Revealed(cards))
    banks, stacks = list(loot.banks), list(loot.stacks)
    for bank, lying in enumerate(loot.banks):
        named = cards.count(bank)
        if named == 1:
            robber = cards.index(bank)
            public.append(Robbed(robber, bank, lying))
            stacks[robber] += lying
            banks[bank] = ()
        elif named:
            public.append(Clashed(bank, tuple([who for who, card in enumerate(cards) if card == bank]), lying))
    after = Loot(loot.round, loot.gentleman, loot.deck, tuple(banks), tuple(stacks), loot.junior)
    return patrol(state, after, marks, 0, state.serial, at, tale)
