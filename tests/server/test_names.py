"""Names: what is refused, and which look alike (look-alike, invisible and padded names of other people)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from robby_protocol.errors import NAME_INVALID, NAME_RESERVED
from robby_server.bot_names import bot_name
from robby_server.names import MAX_CELLS, BadNameError, check_name, skeletons, title_problem


def alike(one: str, other: str) -> bool:
    return bool(skeletons(one) & skeletons(other))


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("Bob", "Bob"),
        ("bob", "bob"),
        ("Ｂｏｂ", "Bob"),
        ("e\u0301lan", "\u00e9lan"),
        ("Ana-María 2", "Ana-María 2"),
        ("O'Neil", "O'Neil"),
        ("Z\u00a0Z", "Z Z"),
        ("山田やまだ", "山田やまだ"),
        ("Иван", "Иван"),
        ("عمر", "عمر"),
        ("Bob👍", "Bob👍"),
        ("42", "42"),
    ],
)
def test_names_that_people_have(sent: str, shown: str) -> None:
    assert check_name(sent) == shown


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "Bob ",
        " Bob",
        "Bob  Marley",
        "B\u043eb",  # a Cyrillic o
        "B\u200bob",
        "\u200b",
        "\u202eboB",
        "\u2066Bob\u2069",
        "\ufeffBob",
        "a\nb",
        "a\rb",
        "a\tb",
        "\x1b[2J",
        "\x1b]52;c;aGk=\x07",
        "a\x9bc",
        "a\u0085b",
        "a\u2028b",
        "\u3164",
        "\u2800",
        "Bo\u00adb",
        "Bob\ufe0f",
        "\ue000",
        "\u0378",
        "\ud800",
        "\u0301a",
        "a\u0301\u0302\u0303",
        "...",
        "👍",
        "x" * (MAX_CELLS + 1),
        "山" * (MAX_CELLS // 2 + 1),
        "x" * 10_000,
        "a" + "\u0301" * 60,
        "👩\u200d👩\u200d👧",
    ],
)
def test_names_that_deceive_or_do_not_fit_are_refused(name: str) -> None:
    with pytest.raises(BadNameError) as caught:
        check_name(name)
    assert caught.value.code == NAME_INVALID
    assert caught.value.reason.endswith(".")


@pytest.mark.parametrize(
    "name",
    [
        *("server", "SERVER", "Gentleman", "the Gentleman", "Robby Junior", "R0bby Junior", "robby-junior", "Host 2"),
        *("you", "bot", "Greedy", "greedy 12", "ADMIN"),
    ],
)
def test_reserved_names(name: str) -> None:
    with pytest.raises(BadNameError) as caught:
        check_name(name, ["greedy"])
    assert caught.value.code == NAME_RESERVED


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bob", "bob"),
        ("Bob", "BOB"),
        ("Bob", "Ｂｏｂ"),
        ("\u00e9lan", "e\u0301lan"),
        ("coco", "\u0441\u043e\u0441\u043e"),
        ("COCO", "\u0441\u043e\u0441\u043e"),
        ("Bill", "BiII"),
        ("modern", "modem"),
        ("Cleo", "C1eo"),
        ("oo", "O0"),
        ("Ann", "A.n-n"),
        ("Strasse", "Straße"),
    ],
)
def test_names_that_look_alike(one: str, other: str) -> None:
    assert alike(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ana", "Anna"), ("Tim", "Tom"), ("Ben", "Bea"), ("Vic", "Nic"), ("Bob 1", "Bob 2"), ("Eva", "Éva")],
)
def test_names_that_differ(one: str, other: str) -> None:
    assert not alike(one, other)


@given(st.text(max_size=60))
def test_an_accepted_name_is_safe_to_show_and_stays_itself(text: str) -> None:
    try:
        name = check_name(text)
    except BadNameError:
        return
    assert 1 <= wcswidth(name) <= MAX_CELLS
    assert name.isprintable()
    assert check_name(name) == name
    assert alike(name, text)


def test_bots_have_names_of_their_own() -> None:
    taken: list[str] = ["DUSTY", "Ana"]
    for _ in range(60):
        name = bot_name(taken)
        assert not any(alike(name, other) for other in taken)
        assert check_name(name) == name
        taken.append(name)
    assert bot_name(["DUSTY"]) == "Hattie"


def test_titles() -> None:
    assert title_problem("Friday: ♠ & friends", 40) is None
    assert title_problem("", 40) is None
    for title in ("x" * 41, "\x1b[2J", "a\nb", "\u202eabc", "a\u0301\u0301\u0301\u0301"):
        assert title_problem(title, 40)
