"""Reads a told game of Robby Solo and works it out again from its plays, by the rules alone and nothing of ours."""

import re
from dataclasses import dataclass, field

SHAPES = "●▲■◆✖★▼"
WORTH = (0, 1_000, 10_000, 20_000, 40_000, 60_000, 80_000, 100_000)
BANK = re.compile(rf"[{SHAPES}] (\w+) \(\w\)")


def cards(text: str) -> list[str]:
    """`4,000 + gold bar (item)` as cards; money without its comma."""
    return [] if text == "nothing" else [card.replace(",", "") for card in text.split(" + ")]


def by_bank(text: str, separator: str) -> dict[str, str]:
    """`● yellow (Y) 4,000, ▲ green (G) …` as bank to what follows it."""
    parts = re.split(rf"{separator} (?=[{SHAPES}])", text)
    found = {}
    for part in parts:
        bank = BANK.match(part)
        assert bank is not None, part
        found[bank.group(1)] = part[bank.end() :].strip()
    return found


def is_item(card: str) -> bool:
    return card.endswith("(item)")


def worth(stack: list[str]) -> int:
    return sum(int(card) for card in stack if not is_item(card)) + WORTH[sum(map(is_item, stack))]


@dataclass
class Told:
    """A game worked out again. totals: by name, from the plays. printed: by name, as the tale says."""

    names: list[str] = field(default_factory=list)
    stacks: dict[str, list[str]] = field(default_factory=dict)
    banks: dict[str, list[str]] = field(default_factory=dict)
    rounds: int = 0
    printed: dict[str, int] = field(default_factory=dict)
    printed_stacks: dict[str, list[str]] = field(default_factory=dict)
    winners: set[str] = field(default_factory=set)
    reveals: int = 0
    police: int = 0
    declarations: int = 0

    @property
    def totals(self) -> dict[str, int]:
        return {name: worth(stack) for name, stack in self.stacks.items()}


def work_out(text: str) -> Told:
    """Follow the tale line by line; any line that does not fit the rules is an AssertionError."""
    told = Told()
    plays: dict[str, str] = {}
    declared: tuple[str, bool, str] | None = None
    expected_police: list[str] = []
    to_pay: dict[str, int] = {}
    last_name = ""
    for line in map(str.strip, text.splitlines()):
        if match := re.match(r"The game begins: (.+) rob (\d) banks; 61 loot cards", line):
            told.names = re.split(r", | and ", match.group(1))
            told.stacks = {name: [] for name in told.names}
            assert int(match.group(2)) == len(told.names) + 1
        elif match := re.match(r"Round (\d+): ", line):
            assert not to_pay, "somebody has not paid"
            assert not expected_police, "the police have not come"
            told.rounds += 1
            assert int(match.group(1)) == told.rounds
        elif match := re.match(r"New loot, dealt from the \w+: (.+)\.$", line):
            for dealt, card in by_bank(match.group(1), ",").items():
                told.banks.setdefault(dealt, []).append(cards(card)[0])
        elif match := re.match(r"On the banks: (.+)\.$", line):
            assert {bank: cards(loot) for bank, loot in by_bank(match.group(1), ";").items()} == told.banks
        elif match := re.match(rf"(.+) declares: „I will (not )?rob [{SHAPES}] (\w+) \(\w\)“\.$", line):
            declared = match.group(1), match.group(2) is None, match.group(3)
            told.declarations += 1
        elif match := re.match(r"The cards are turned: (.+)\.$", line):
            plays = {}
            for part in match.group(1).split(", "):
                name, shape_and_bank = re.split(rf" (?=[{SHAPES}])", part)
                bank = BANK.match(shape_and_bank)
                assert bank is not None
                plays[name] = bank.group(1)
            assert list(plays) == told.names
            assert declared is not None
            who, robs, bank_named = declared
            assert (plays[who] == bank_named) is robs, "the declaration was false"
            declared = None
            told.reveals += 1
            for bank_name in told.banks:
                there = [name for name in plays if plays[name] == bank_name]
                if len(there) == 1:
                    told.stacks[there[0]] += told.banks[bank_name]
                    told.banks[bank_name] = []
            expected_police = [bank_name for bank_name in told.banks if len(told.banks[bank_name]) == 4]
        elif match := re.match(rf"Police at [{SHAPES}] (\w+) \(\w\): (.+) go under the deck\.", line):
            assert not to_pay, "somebody has not paid"
            assert match.group(1) == expected_police.pop(0)
            assert cards(match.group(2)) == told.banks[match.group(1)]
            told.banks[match.group(1)] = []
            told.police += 1
            most = max(len(stack) for stack in told.stacks.values())
            if most:
                to_pay = {name: most for name, stack in told.stacks.items() if len(stack) == most}
        elif match := re.match(r"(.+) returned (.+)\.$", line):
            name, (card,) = match.group(1), cards(match.group(2))
            assert len(told.stacks[name]) == to_pay.pop(name)
            money = [int(one) for one in told.stacks[name] if not is_item(one)]
            assert int(card) == max(money) if money else is_item(card)
            # The same value may lie there twice: any of them is the same.
            told.stacks[name].remove(card)
        elif match := re.match(r"\d\. (.+): ([\d,]+)( – wins)?$", line):
            last_name = match.group(1)
            told.printed[last_name] = int(match.group(2).replace(",", ""))
            if match.group(3):
                told.winners.add(last_name)
        elif match := re.match(r"cards: (.+)$", line):
            told.printed_stacks[last_name] = cards(match.group(1))
    return told
