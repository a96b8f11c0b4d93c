"""The server is away: the client says so, marks nothing as played, and comes back into its seat by itself."""

import re
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.player import PATIENCE, Person, at_lobby, play
from tests.e2e.proxied import ProxyThread
from tests.e2e.stage import ServerProcess

NOBODY = 1
"""A port where nothing listens."""
NOTICED_WITHIN = 30.0
"""Seconds after which a silent server counts as gone, at most."""
SLOW = 5.0


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path / "server", "--bot-think", "0") as running:
        yield running


def at_a_table_with_bots(person: Person) -> None:
    """A table with two bots, asked for a card in the first round."""
    person.open_form()
    person.fill("Seats (2–6)", "3")
    person.fill("greedy bots", "2")
    person.choose("random bots", "relaxed")
    person.press("\x13", "id to join by:")
    person.press("s", "round 1/", again=False)
    play([person], lambda: person.question is not None and person.question[1] == "lay", seconds=PATIENCE)


def test_comes_back_after_a_reset(server: ServerProcess, tmp_path: Path) -> None:
    with ProxyThread(server.port) as proxy, at_lobby("Ana", proxy.address, tmp_path / "ana") as ana:
        at_a_table_with_bots(ana)
        proxy.lead_to(NOBODY)
        proxy.reset_all()
        ana.wait_for("Connection lost", PATIENCE)
        nothing_is_played_offline(ana)
        proxy.lead_to(server.port)
        back_in_the_seat(ana)


@pytest.mark.slow
def test_comes_back_after_a_silence(server: ServerProcess, tmp_path: Path) -> None:
    """The server's machine hangs: nothing is closed, nothing comes."""
    with at_lobby("Ana", server.address, tmp_path / "ana") as ana:
        at_a_table_with_bots(ana)
        server.freeze()
        begin = time.monotonic()
        ana.pump_for(0.3)
        ana.send("y")
        ana.wait_for("Sent; waiting for the server", PATIENCE)
        # The client answers keys all the while.
        ana.press("?", "What it is about")
        ana.press("\x1b", "Sent; waiting for the server")
        ana.wait_for("Connection lost", NOTICED_WITHIN + SLOW)
        assert time.monotonic() - begin < NOTICED_WITHIN + SLOW
        assert "You laid" not in ana.text
        server.thaw()
        ana.wait_for(lambda text: "Connection lost" not in text, PATIENCE)
        play([ana], lambda: "round 2/" in ana.text, seconds=PATIENCE)


def nothing_is_played_offline(ana: Person) -> None:
    """A key is answered, and the screen says that nothing was sent."""
    ana.press("y", "nothing was sent")
    assert "thinks" in ana.row_of("Ana"), ana.text
    assert "You laid" not in ana.text


def back_in_the_seat(ana: Person) -> None:
    """By itself; what was pressed meanwhile was not sent later; and the game goes on."""
    ana.wait_for(lambda text: "Connection lost" not in text, PATIENCE)
    ana.pump_for(0.5)
    assert ana.question is not None
    assert ana.question[:2] == (1, "lay")
    assert ana.text.count("You laid") == 0
    play([ana], lambda: "round 2/" in ana.text, seconds=PATIENCE)


def test_rematch_and_a_new_host(server: ServerProcess, tmp_path: Path) -> None:
    """From the result screen into another game, and to another host when the first leaves."""
    with ExitStack() as stack:
        ana = stack.enter_context(at_lobby("Ana", server.address, tmp_path / "ana"))
        ben = stack.enter_context(at_lobby("Ben", server.address, tmp_path / "ben"))
        ana.open_form()
        ana.fill("Seats (2–6)", "3")
        ana.fill("greedy bots", "1")
        ana.choose("random bots", "relaxed")
        ana.fill("rounds at most", "1")
        ana.press("\x13", "id to join by:")
        ben.wait_for("waiting", PATIENCE)
        ben.press("\r", "Press r when you are ready.")
        people = [ana, ben]
        for game in (1, 2):
            ben.press("r", re.compile("You are ready"), again=False)
            ana.pump_for(0.5)
            ana.press("s", lambda text: "round 1/" in text and "game is over" not in text)
            play(people, lambda: all("final scores" in person.text for person in people))
            assert ana.final_places(3) == ben.final_places(3), game
        ana.press("l", "create a table")
        ben.press("o", re.compile(r"Ana.*left|Ben.*host|You are the host", re.DOTALL))
        ben.wait_for("s start", PATIENCE)
        ben.press("l", "create a table")
