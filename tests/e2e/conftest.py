"""One server process for all trials of a module that do not harm it."""

from collections.abc import Iterator

import pytest

from tests.e2e.trials.served import Served


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """A running `robby serve`; at the end it must stop well and have logged no traceback."""
    with Served() as process:
        yield process
