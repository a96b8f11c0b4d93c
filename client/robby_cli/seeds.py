"""Everything random of a local game out of one seed, so that the game can be told again line by line.

Each use has a stream of its own, so that one more draw here changes nothing there.
"""

import hashlib
import itertools
import random
import secrets
from collections.abc import Callable


def stream(seed: str | None, use: str) -> random.Random:
    """A source of chance for one use (`bot 2`). Without a seed it differs each time.

    Seeding with a text is the same on every machine: it goes through a hash, not through Python's `hash`.
    """
    return random.Random(secrets.randbits(256)) if seed is None else random.Random(f"robby {seed} {use}")


def match_seeds(seed: str | None) -> Callable[[], bytes] | None:
    """Where a server takes the 32 secret bytes of each match from; None without a seed: it deals fairly."""
    if seed is None:
        return None
    numbers = itertools.count()
    return lambda: hashlib.blake2b(f"robby {seed} match {next(numbers)}".encode(), digest_size=32).digest()
