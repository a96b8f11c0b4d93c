"""Pasted floods and held keys: the client answers, and no card is played by a key meant for an earlier screen."""

import time
from collections.abc import Callable
from pathlib import Path

from tests.e2e.player import AGAIN, LEFT, PATIENCE, READING, Person, at_lobby, play
from tests.e2e.stage import START_SECONDS, ServerProcess

PASTE = "\x1b[200~{}\x1b[201~"
MEGABYTE = "a book pasted by mistake " * 40_000
LINES = "y\ng\nr\nq\n" * 1_250
ANSWERS_WITHIN = 3.0
"""Seconds for one key after a flood, on a slow machine; a frozen client takes for ever."""
KEY_REPEAT = 0.03
"""Seconds between the repeats of a held key."""
HELD_ON = 1.5
"""Seconds for which the key is held on in the next round."""
OTHER_HAND = {"supply": LEFT, "declare": "w", "name": "\r", "revise": "c", "give": "1"}


def answers(person: Person, key: str, sign: str) -> None:
    """The client answers a key soon."""
    person.pump_for(0.3)
    begin = time.monotonic()
    person.send(key)
    person.wait_for(sign, PATIENCE)
    assert time.monotonic() - begin < ANSWERS_WITHIN


def test_pasted_floods_leave_the_client_alive(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "server") as server, at_lobby("Ana", server.address, tmp_path / "ana") as ana:
        # Nothing that takes text has the focus: nothing happens, whatever keys the text names.
        ana.send(PASTE.format(MEGABYTE + LINES))
        answers(ana, "?", "Keys everywhere")
        ana.press("\x1b", lambda text: "Keys everywhere" not in text and "No table yet" in text)
        # Into a field: as much as it holds, and one line.
        ana.press("i", "Type its id")
        ana.send(PASTE.format(LINES))
        ana.pump_for(0.3)
        ana.press("\x1b", lambda text: "Type its id" not in text)
        # Typed rather than pasted, as terminals without bracketed paste do it: keys like any others.
        ana.press("i", "Type its id")
        ana.send("no such table " * 100)
        ana.press("\x1b", lambda text: "Type its id" not in text)
        assert ana.leave() == 0


def test_the_first_key_in_a_dialog_counts(tmp_path: Path) -> None:
    """Once it has been there for a moment: a dialog must not take its own first key for one of the screen before."""
    with ServerProcess(tmp_path / "server") as server, at_lobby("Ana", server.address, tmp_path / "ana") as ana:
        ana.press("i", "Type its id")
        ana.pump_for(0.5)
        ana.press("\x1b", lambda text: "Type its id" not in text, again=False)
        ana.open_form()
        ana.pump_for(0.5)
        ana.press("\x13", "id to join by:", again=False)


def test_a_paste_at_the_table_plays_no_card(tmp_path: Path) -> None:
    arguments = ["play", "--name", "Ana", "--players", "3", "--fast", "--time", "relaxed"]
    with Person("Ana", *arguments, home=tmp_path) as ana:
        ana.wait_for("round 1/", START_SECONDS)
        play([ana], lambda: ana.question is not None and ana.question[1] == "lay", seconds=PATIENCE)
        ana.pump_for(0.3)
        ana.send(PASTE.format(LINES))
        answers(ana, "?", "What it is about")
        ana.press("\x1b", lambda _text: ana.question is not None)
        assert ana.question is not None
        assert ana.question[:2] == (1, "lay")


def test_a_held_key_counts_once(tmp_path: Path) -> None:
    """A bank's key held from the choice through revision and reveal into the next round lays one card, the first."""
    arguments = ["play", "--name", "Ana", "--players", "3", "--fast", "--time", "relaxed"]
    with Person("Ana", *arguments, home=tmp_path, columns=120, rows=50) as ana:
        ana.wait_for("round 1/", START_SECONDS)
        play([ana], lambda: ana.question is not None and ana.question[1] == "lay", seconds=PATIENCE)
        ana.pump_for(0.3)
        hold(ana, "y", lambda: ana.question is not None and ana.question[:2] == (2, "lay"))
        begin = time.monotonic()
        hold(ana, "y", lambda: time.monotonic() - begin > HELD_ON)
        ana.pump_for(0.3)
        # The second round's card is still to be laid; and no other may have been tried in the first round's revision.
        assert ana.question is not None
        assert ana.question[:2] == (2, "lay")
        assert ana.text.count("You laid a card") == 1
        # Let go and pressed anew it counts.
        ana.pump_for(1.0)
        ana.press("y", lambda _text: ana.question is None or ana.question[1] != "lay")


def hold(person: Person, key: str, until: Callable[[], bool]) -> None:
    """Hold a key down until something is so; the other hand meanwhile answers all that this key does not."""
    deadline = time.monotonic() + PATIENCE
    asked_at: dict[tuple[int, str, str], float] = {}
    while not until():
        now = time.monotonic()
        assert now < deadline, person.text
        person.send(key)
        person.pump(KEY_REPEAT)
        question = person.question
        if question is None or question[1] not in OTHER_HAND:
            continue
        since = asked_at.setdefault(question, now)
        if now - since > READING:
            asked_at[question] = now + AGAIN
            person.send(OTHER_HAND[question[1]])


def test_bytes_that_are_no_text_are_dropped(tmp_path: Path) -> None:
    """From a terminal of another encoding, or a paste of anything: the next key works as ever."""
    with ServerProcess(tmp_path / "server") as server, at_lobby("Ana", server.address, tmp_path / "ana") as ana:
        ana.send(b"\xff\xfe\x9b\xc3")
        ana.pump_for(0.5)
        answers(ana, "?", "Keys everywhere")
        ana.press("\x1b", lambda text: "Keys everywhere" not in text)
        assert ana.leave() == 0
