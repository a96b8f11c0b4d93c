"""The random source: the documented stream, its fairness, and that nothing of it is lost."""

from collections import Counter
from hashlib import blake2b
from struct import unpack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robby_rules.chance import Chance
from tests.rules.kit import Play, R, Y

KEY = bytes(range(32))
WORDS = (
    "9212bc97 156556f6 2890b1af 16325851 4c78fd9c 7a4fffa9 7a3381bc a1fa788f 239282c9 "
    "d2934fa9 bd1daab2 10574f39 07a9351b aeaa33d3 e2a68484 a6af5d25 4e06705d 5f4e5a77 "
)
VECTORS = [int(word, 16) for word in WORDS.split()]
"""The first words of the stream under the key 00 01 … 1f, for programs in other languages to check themselves by."""


def words(key: bytes, count: int) -> list[int]:
    """The stream as the module's text describes it, made without the module."""
    stream = b"".join(
        blake2b(block.to_bytes(8, "big"), key=key, digest_size=64).digest() for block in range(count // 16 + 1)
    )
    return list(unpack(f">{len(stream) // 4}I", stream))[:count]


def test_the_stream_is_the_documented_one() -> None:
    assert words(KEY, len(VECTORS)) == VECTORS
    chance = Chance(KEY)
    assert [chance.below(2**32) for _word in VECTORS] == VECTORS
    assert chance.position == len(VECTORS)


def test_draws_below_are_words_modulo_n_and_blocks_follow_each_other() -> None:
    chance = Chance(KEY)
    assert [chance.below(7) for _draw in range(100)] == [word % 7 for word in words(KEY, 100)]
    assert chance.position == 100


def test_words_that_would_favour_small_numbers_are_skipped() -> None:
    n = 3 * 2**30
    expected = [word for word in words(KEY, 200) if word < n]
    assert len(expected) < 180
    chance = Chance(KEY)
    assert [chance.below(n) for _draw in expected] == expected
    assert chance.position > len(expected)


def test_a_stream_goes_on_from_any_position() -> None:
    for position in (0, 1, 15, 16, 17, 1_000):
        assert Chance(KEY, position).below(2**32) == words(KEY, 1_001)[position]


def test_setting_the_position_back_undoes_draws() -> None:
    chance = Chance(KEY)
    first = [chance.below(1_000) for _draw in range(40)]
    chance.position = 0
    assert [chance.below(1_000) for _draw in range(40)] == first


def test_one_of_one_still_takes_a_word() -> None:
    chance = Chance(KEY)
    assert chance.below(1) == 0
    assert chance.position == 1


@pytest.mark.parametrize("n", [0, -1, 2**32 + 1])
def test_numbers_that_cannot_be_drawn_below_are_refused(n: int) -> None:
    with pytest.raises(ValueError, match="2\\*\\*32"):
        Chance(KEY).below(n)


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_keys_of_another_length_are_refused(length: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Chance(bytes(length))


@given(st.binary(min_size=32, max_size=32), st.lists(st.integers(), max_size=30))
def test_shuffling_keeps_every_item(key: bytes, items: list[int]) -> None:
    assert sorted(Chance(key).shuffled(items)) == sorted(items)


def test_the_shuffle_is_the_documented_one() -> None:
    expected = list(range(10))
    source = iter(words(KEY, 9))
    for i in range(9, 0, -1):
        j = next(source) % (i + 1)
        expected[i], expected[j] = expected[j], expected[i]
    assert Chance(KEY).shuffled(range(10)) == tuple(expected)


def chi_square(counts: list[int]) -> float:
    """Against equal chances."""
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 / expected for count in counts)


# The fixed keys make these repeatable; the bounds are the 0.1 % points of the distribution.


@pytest.mark.parametrize(("n", "bound"), [(2, 10.83), (5, 18.47), (6, 20.52), (7, 22.46), (61, 99.61)])
def test_draws_are_spread_evenly(n: int, bound: float) -> None:
    chance = Chance(KEY)
    counts = Counter(chance.below(n) for _draw in range(60_000))
    assert set(counts) == set(range(n))
    assert chi_square(list(counts.values())) < bound


def test_every_order_of_four_is_as_likely() -> None:
    chance = Chance(KEY)
    counts = Counter(chance.shuffled("abcd") for _deal in range(24_000))
    assert len(counts) == 24
    assert chi_square(list(counts.values())) < 49.73


def test_the_first_gentleman_is_anybody_and_never_junior() -> None:
    counts = Counter(
        Play(4, key=number.to_bytes(32, "big"), gentleman=None, junior=True).state.loot.gentleman
        for number in range(2_000)
    )
    assert set(counts) == {0, 1, 2, 3}
    assert chi_square(list(counts.values())) < 16.27


def test_every_loot_card_comes_to_any_place_of_the_deck() -> None:
    place_of_the_pearl_necklace = Counter(
        Play(3, key=number.to_bytes(32, "big")).state.loot.deck.index(2) for number in range(3_050)
    )
    assert chi_square([place_of_the_pearl_necklace[place] for place in range(61)]) < 99.61


def test_draws_of_the_clock_are_spread_evenly() -> None:
    cards: Counter[int] = Counter()
    declared: Counter[int] = Counter()
    for number in range(800):
        play = Play(3, key=number.to_bytes(32, "big")).supply().expire()
        cards.update(play.state.cards[1:])
        play.lay(0, Y).expire()
        assert play.state.declaration is not None
        declared[play.state.declaration.bank] += 1
    assert chi_square([cards[bank] for bank in range(4)]) < 16.27
    assert set(declared) == {1, 2, 3}
    assert chi_square(list(declared.values())) < 13.82


def test_a_refused_action_draws_nothing() -> None:
    play = Play(3).supply().lay(1, R).lay(2, R)
    position = play.chance.position
    play.refused(1, play.state.setting)
    assert play.chance.position == position
    play.lay(0, R)
    assert play.chance.position == position, "what people decide needs no chance"
    play.expire()
    assert play.chance.position > position
