"""Standard streams that cannot fail on a character."""

import codecs
import io
import sys

import pytest

from robby_cli import terminal


@pytest.mark.parametrize(
    ("text", "spelt"),
    [
        ("◆ blue (B)", " blue (B)"),
        ("„I will rob“ …", '"I will rob" ...'),
        ("Zoë – wins", "Zoe - wins"),
        ("日本", "??"),
        ("opens safe 9: 300 €, to field 3", "opens safe 9: 300 EUR, to field 3"),
        ("plain", "plain"),
    ],
)
def test_spelling(text: str, spelt: str) -> None:
    assert terminal.spell(text) == spelt


@pytest.mark.parametrize("encoding", ["ascii", "iso-8859-1", "cp437", "utf-8"])
def test_a_stream_of_any_encoding_takes_any_text(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    terminal.prepare_streams()
    print("„◆ blue“ 日本 \udc80")
    said = raw.getvalue().decode(encoding)
    assert "blue" in said
    assert said.endswith("\n")


class _Screen(io.BytesIO):
    """A stream that may be a terminal."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize(
    ("environ", "on_terminal", "through_pipe"),
    [
        ({}, "Zoë: 300 €\n", "Zoë: 300 €\n"),
        ({"LANG": "de_DE.UTF-8"}, "Zoë: 300 €\n", "Zoë: 300 €\n"),
        ({"LANG": "C"}, "Zoe: 300 EUR\n", "Zoë: 300 €\n"),
        ({"LC_ALL": "POSIX", "LANG": "de_DE.UTF-8"}, "Zoe: 300 EUR\n", "Zoë: 300 €\n"),
        ({"ROBBY_ASCII": "1", "LANG": "de_DE.UTF-8"}, "Zoe: 300 EUR\n", "Zoe: 300 EUR\n"),
    ],
)
def test_lines_are_as_plain_as_the_screens(
    environ: dict[str, str], on_terminal: str, through_pipe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LC_ALL", "LC_CTYPE", "LANG", "ROBBY_ASCII"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    for is_terminal, expected in ((True, on_terminal), (False, through_pipe)):
        raw = _Screen(is_terminal)
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="utf-8"))
        terminal.prepare_streams()
        print("Zoë: 300 €")
        assert raw.getvalue().decode() == expected


def test_a_banks_shape_is_left_out_with_its_space() -> None:
    terminal.prepare_streams()
    told = "dealt from the right: ● yellow (Y) 9,000, ▲ green (G) …"
    assert told.encode("ascii", terminal.HANDLER) == b"dealt from the right: yellow (Y) 9,000, green (G) ..."
    assert "◆".encode("ascii", terminal.HANDLER) == b""


def test_streams_that_are_closed_altogether(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    terminal.prepare_streams()
    assert sys.stdin.read() == ""
    print("nobody hears this")
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.close()


def test_only_encoding_is_spelt() -> None:
    terminal.prepare_streams()
    with pytest.raises(UnicodeDecodeError):
        codecs.decode(b"\xff", "ascii", terminal.HANDLER)
