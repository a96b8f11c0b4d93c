"""The random source of a match: a counter-mode blake2b stream, the same in every language.

Block i of the stream (i = 0, 1, …) is BLAKE2b with a 64-byte digest, keyed with the 32-byte key, over i as 8 bytes
big-endian. The stream is read as big-endian 32-bit words. A number below n is drawn by rejection: words at or above
the largest multiple of n that fits are skipped, and the word modulo n is the number. Under the key 00 01 … 1f the
first four words are 9212bc97, 156556f6, 2890b1af, 16325851 (hexadecimal).
"""

from collections.abc import Sequence
from hashlib import blake2b
from struct import unpack
from typing import TypeVar

T = TypeVar("T")

_WORDS = 16
_RANGE = 2**32


class Chance:
    """A stream of random numbers.

    key: 32 secret bytes. position: how many words have been used; setting it back undoes draws (a refused action).
    """

    __slots__ = ("_block", "_block_number", "_key", "position")

    def __init__(self, key: bytes, position: int = 0) -> None:
        if len(key) != 32:
            raise ValueError("the key must have 32 bytes")
        self._key = key
        self.position = position
        self._block_number = -1
        self._block: tuple[int, ...] = ()

    def below(self, n: int) -> int:
        """A whole number from 0 to n−1, each equally likely. 1 ≤ n ≤ 2³²."""
        if not 1 <= n <= _RANGE:
            raise ValueError("n must be from 1 to 2**32")
        limit = _RANGE - _RANGE % n
        while True:
            number, offset = divmod(self.position, _WORDS)
            if number != self._block_number:
                digest = blake2b(number.to_bytes(8, "big"), key=self._key, digest_size=64).digest()
                self._block = unpack(">16I", digest)
                self._block_number = number
            self.position += 1
            word = self._block[offset]
            if word < limit:
                return word % n

    def choice(self, items: Sequence[T]) -> T:
        """One of the items, each equally likely."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> tuple[T, ...]:
        """The items in random order (Fisher–Yates from the end: place i swaps with a place below i+1)."""
        deck = list(items)
        for i in range(len(deck) - 1, 0, -1):
            j = self.below(i + 1)
            deck[i], deck[j] = deck[j], deck[i]
        return tuple(deck)
