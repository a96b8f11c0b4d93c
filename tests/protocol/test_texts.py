"""Codes and texts: each code has a text with a remedy, in the language that is in use."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from robby_protocol import errors, i18n
from robby_protocol.errors import LocalProtocolError, ProtocolError, RemoteProtocolError


@pytest.fixture(autouse=True)
def _english_afterwards() -> Iterator[None]:
    yield
    i18n.use_language(["en"])


def catalogue(folder: Path, texts: dict[str, str], language: str = "de") -> None:
    """A tiny compiled catalogue, in the format of GNU gettext."""
    texts = {"": "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=(n != 1);\n", **texts}
    keys = sorted(texts)
    ids = b"".join(key.encode() + b"\0" for key in keys)
    values = b"".join(texts[key].encode() + b"\0" for key in keys)
    tables, place = [], 28 + 16 * len(keys)
    for blob in ([key.encode() for key in keys], [texts[key].encode() for key in keys]):
        for item in blob:
            tables += [len(item), place]
            place += len(item) + 1
    header = [0x950412DE, 0, len(keys), 28, 28 + 8 * len(keys), 0, 0]
    path = folder / "locale" / language / "LC_MESSAGES"
    path.mkdir(parents=True)
    numbers = b"".join(number.to_bytes(4, "little") for number in (*header, *tables))
    (path / "robby.mo").write_bytes(numbers + ids + values)


@pytest.mark.parametrize("code", sorted(errors.CODES))
def test_every_code_is_told_with_a_remedy(code: str) -> None:
    text = errors.text_for(code)
    sentences = [part for part in text.replace(";", ".").split(".") if part.strip()]
    assert len(sentences) >= 2, "what happened, then what to do"
    assert text.endswith(".")
    assert text != code


def test_every_code_is_a_constant_of_its_own_name() -> None:
    named = {name: value for name, value in vars(errors).items() if name.isupper() and not name.startswith("_")}
    constants = {name: value for name, value in named.items() if isinstance(value, str)}
    assert {name.lower() for name in constants} == set(constants.values()) == errors.CODES


def test_a_code_of_a_newer_peer_is_shown_as_it_is() -> None:
    assert errors.text_for("dragon_ate_it") == "dragon_ate_it"


def test_texts_are_looked_up_when_they_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    english = errors.text_for(errors.TABLE_FULL)
    german = "Der Tisch ist voll. Such dir einen anderen."
    catalogue(tmp_path, {english: german, "{n} seat\0{n} seats": "{n} Platz\0{n} Plätze"})
    monkeypatch.setattr(i18n, "files", lambda package: tmp_path)
    i18n.use_language(["de"])
    assert errors.text_for(errors.TABLE_FULL) == german
    assert errors.text_for(errors.TABLE_PLAYING).startswith("The table")
    assert i18n.ngettext("{n} seat", "{n} seats", 1) == "{n} Platz"
    assert i18n.ngettext("{n} seat", "{n} seats", 3) == "{n} Plätze"
    i18n.use_language(["xx"])
    assert errors.text_for(errors.TABLE_FULL) == english


def test_the_environment_says_which_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue(tmp_path, {"Robby Solo": "Robby allein"})
    monkeypatch.setattr(i18n, "files", lambda package: tmp_path)
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    i18n.use_language()
    assert i18n._("Robby Solo") == "Robby Solo"
    monkeypatch.setenv("LANG", "de_CH.UTF-8")
    i18n.use_language()
    assert i18n._("Robby Solo") == "Robby allein"


def test_without_a_catalogue_plurals_are_english() -> None:
    assert i18n.ngettext("{n} seat", "{n} seats", 1) == "{n} seat"
    assert i18n.ngettext("{n} seat", "{n} seats", 2) == "{n} seats"
    assert i18n.N_("x") == "x"


def test_the_two_kinds_of_error_are_apart() -> None:
    assert not issubclass(LocalProtocolError, RemoteProtocolError)
    assert not issubclass(RemoteProtocolError, LocalProtocolError)
    assert issubclass(LocalProtocolError, ProtocolError)
    assert issubclass(RemoteProtocolError, ProtocolError)
    assert str(RemoteProtocolError(errors.MALFORMED)) == "malformed"
    assert str(RemoteProtocolError(errors.MALFORMED, "no type")) == "malformed: no type"
