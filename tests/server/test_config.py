"""The configuration file: what is read, what is refused and with which words, and its page."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robby_client import exit_codes
from robby_client.address import DEFAULT_PORT
from robby_server.config import LARGEST_FILE, Config, ConfigError, changed, read_config
from robby_server.config_keys import NOT_IN_FILE, PORT, RELOADED, Serving, all_keys, keys
from robby_server.config_page import example
from robby_server.settings import Settings
from tests.server.config_page import PAGE, brought_up_to_date


def read(folder: Path, text: str | bytes) -> Config:
    path = folder / "robby.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_config(path)


def refused(folder: Path, text: str | bytes) -> list[str]:
    with pytest.raises(ConfigError) as error:
        read(folder, text)
    assert error.value.problems
    start = f"{folder / 'robby.toml'}, line "
    for problem in error.value.problems:
        assert problem.startswith(start)
    return [problem.removeprefix(start) for problem in error.value.problems]


def test_every_setting_has_one_place_in_the_file_a_reason_and_a_default_that_it_allows() -> None:
    found = [key.field for key in all_keys()]
    wanted = {field.name for kind in (Settings, Serving) for field in fields(kind)}
    assert sorted(found) == sorted(wanted - NOT_IN_FILE)
    assert set(found) >= RELOADED
    for key in all_keys():
        assert key.why.endswith((".", ".)")), key.path
        if key.kind in ("whole", "number") and key.default is not None:
            assert key.least <= key.default <= key.most, key.path
        if key.choices and key.default is not None:
            assert key.default in key.choices, key.path


def test_server_and_client_agree_on_the_port() -> None:
    assert PORT == DEFAULT_PORT


def test_an_empty_file_is_all_defaults(tmp_path: Path) -> None:
    assert read(tmp_path, "") == Config()
    assert read(tmp_path, "\ufeff# nothing\r\n") == Config()


def test_the_example_changes_nothing_as_it_is_and_holds_every_key_at_its_default(tmp_path: Path) -> None:
    assert read(tmp_path, example()) == Config()
    uncommented = "\n".join(
        line.removeprefix("#") if line.startswith("#") and not line.startswith("# ") else line
        for line in example().splitlines()
        if "# not set by default" not in line
    )
    config = read(tmp_path, uncommented)
    assert (config.settings, config.serving) == (Settings(), Serving())
    assert config.given == {key.field for key in all_keys() if key.default is not None}
    everything = "\n".join(
        line.removeprefix("#") if not line.startswith("# ") else line for line in example().splitlines()
    )
    assert {table: set(content) for table, content in tomllib.loads(everything).items()} == {
        table: set(content) for table, content in keys().items()
    }
    assert read(tmp_path, everything).given == {key.field for key in all_keys()}


def test_values_arrive_and_relative_paths_begin_beside_the_file(tmp_path: Path) -> None:
    config = read(
        tmp_path,
        """
        [server]
        name = "Friday"
        hosts = ["127.0.0.1", "::1"]
        data = "data"
        password_file = "/etc/robby/password"
        [log]
        file = "robby.log"
        [metrics]
        port = 9000
        [connections]
        handshake_seconds = 3
        [chat]
        characters = 100
        [admin]
        enabled = false
        """,
    )
    assert config.settings.server_name == "Friday"
    assert config.serving.hosts == ("127.0.0.1", "::1")
    assert config.serving.data == tmp_path / "data"
    assert config.serving.password_file == Path("/etc/robby/password")
    assert config.settings.log_file == "robby.log"
    assert config.settings.metrics_port == 9000
    assert config.settings.handshake_seconds == 3.0
    assert isinstance(config.settings.handshake_seconds, float)
    assert config.settings.chat_characters == 100
    assert not config.settings.admin


def test_the_command_line_wins(tmp_path: Path) -> None:
    config = read(tmp_path, "[server]\nport = 1\nname = 'File'\n").over(port=2, server_name=None, data=Path("x"))
    assert (config.serving.port, config.settings.server_name, config.serving.data) == (2, "File", Path("x"))
    with pytest.raises(TypeError):
        config.over(prot=3)


@pytest.mark.parametrize(
    ("text", "line", "named"),
    [
        ("[server]\nnmae = 'x'\n", 2, "name?"),
        ("[sever]\nname = 'x'\n", 1, "[server]"),
        ("[zebra]\n", 1, "connections"),
        ("[server]\n\nport = 1\nchat_rate = 2\n", 4, "chat.rate"),
        ("[server]\nconnections = 3\n", 2, "[connections]"),
        ("port = 3\n", 1, "[server]"),
        ("# x\nprot = 3\n", 2, "server.port"),
        ("zzzzz = 3\n", 1, "connections"),
        ("[chat]\nzzzzz = 3\n", 2, "characters"),
        ("[server]\npassword = 'x'\n", 2, "password_file"),
        ("server.nmae = 'x'\n", 1, "name?"),
        ("server = {nmae = 'x'}\n", 1, "name?"),
        ("server = 3\n", 1, "[server]"),
        ('["server"]\n"nmae" = "x"\n', 2, "name?"),
        ("[[server]]\nname = 'x'\n", 1, "[server]"),
    ],
)
def test_an_unknown_name_is_refused_with_its_line_and_the_nearest(
    tmp_path: Path, text: str, line: int, named: str
) -> None:
    (problem,) = refused(tmp_path, text)
    assert problem.startswith(f"{line}: ")
    assert named in problem


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[server]\nport = 65536", "from 0 to 65,535"),
        ("[server]\nport = -1", "from 0 to 65,535"),
        ("[server]\nport = '7622'", "whole number"),
        ("[server]\nport = 7622.0", "whole number"),
        ("[server]\nport = true", "whole number"),
        ("[server]\nname = ''", "text"),
        ('[server]\nname = "a\\nb"', "text"),
        ('[server]\nname = "\\u001b[31m"', "text"),
        ("[server]\nname = 3", "text"),
        ("[server]\nhosts = '127.0.0.1'", "list"),
        ("[server]\nhosts = [1]", "list"),
        ("[server]\ndata = 1", "path"),
        ("[server]\ndurability = 'disk'", '"process", "power"'),
        ("[log]\nlevel = 'loud'", '"debug"'),
        ("[admin]\nenabled = 1", "true or false"),
        ("[connections]\nping_seconds = 0", "from 0.1"),
        ("[connections]\nping_seconds = nan", "number"),
        ("[connections]\nidle_seconds = inf", "number"),
        ("[connections]\noutbox_bytes = 1000", "1,048,580"),
        ("[metrics]\nport = 65536", "from 0 to 65,535"),
        ("[server]\nport = 1979-05-27", "whole number"),
    ],
)
def test_a_wrong_value_is_refused_with_its_line_and_what_is_allowed(tmp_path: Path, text: str, named: str) -> None:
    (problem,) = refused(tmp_path, text)
    assert problem.startswith("2: ")
    assert named in problem


def test_what_does_not_fit_together_is_refused(tmp_path: Path) -> None:
    (problem,) = refused(tmp_path, "[connections]\nping_seconds = 30\nsilence_seconds = 20")
    assert problem.startswith("3: silence_seconds")
    (problem,) = refused(tmp_path, "[tls]\n# x\ncertificate = 'x'")
    assert problem.startswith("3: ")
    assert "key" in problem


def test_all_that_is_wrong_is_said_at_once_in_the_order_of_the_lines(tmp_path: Path) -> None:
    problems = refused(
        tmp_path, "[chat]\nrate = 0\n[zzz]\n[server]\nport = 'x'\nnmae = 1\n[connections]\nrefusals = -1\n"
    )
    assert [int(problem.partition(":")[0]) for problem in problems] == [2, 3, 5, 6, 8]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[server\n", 1),
        ("[server]\nname = Robby\n", 2),
        ("[server]\nname = 'x'\nname = 'y'\n", 3),
        ("[server]\n\n[server]\n", 3),
        ("[server]\nname = 'x", 2),
        ("[server]\nhosts = [", 2),
        (b"[server]\nname = 'caf\xe9'\n", 2),
        (b"\x00\x01", 1),
    ],
)
def test_what_is_no_toml_is_refused_with_its_line(tmp_path: Path, text: str | bytes, line: int) -> None:
    (problem,) = refused(tmp_path, text)
    assert problem.startswith(f"{line}: ")


def test_a_file_that_cannot_be_read_or_is_no_configuration(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(ConfigError) as error:
            read_config(path)
        assert str(path) in error.value.problems[0]
    large = tmp_path / "large.toml"
    large.write_bytes(b"#" * (LARGEST_FILE + 1))
    with pytest.raises(ConfigError, match="too large"):
        read_config(large)


@pytest.mark.parametrize("value", ["9" * 5_000, "[" * 5_000, "{a=" * 5_000])
def test_a_file_that_strains_the_reader_is_refused(tmp_path: Path, value: str) -> None:
    path = tmp_path / "robby.toml"
    path.write_text(f"a = {value}\n")
    with pytest.raises(ConfigError, match=re.escape(str(path))):
        read_config(path)


_PIECES = st.sampled_from(
    [
        "[server]",
        "[chat]",
        "[",
        "]",
        "=",
        "port",
        "name",
        "rate",
        "'x'",
        '"',
        "3",
        "0.5",
        "true",
        "[1]",
        "\n",
        " ",
        "#",
        ".",
    ]
)


@given(st.lists(_PIECES | st.text(max_size=3), max_size=30).map("".join))
def test_any_text_is_read_or_refused_with_the_file_and_the_line(tmp_path_factory: Any, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_text(text, encoding="utf-8", errors="replace", newline="")
    problems: list[str] = []
    given: frozenset[str] = frozenset()
    try:
        given = read_config(path).given
    except ConfigError as error:
        problems = error.problems
        assert problems, "a refusal says why"
    assert all(problem.startswith(f"{path}") for problem in problems)
    assert given <= {key.field for key in all_keys()}


def test_what_has_changed_and_whether_a_reload_is_enough(tmp_path: Path) -> None:
    old = read(tmp_path, "[server]\nport = 1\n[connections]\nconnections = 5\n")
    new = read(tmp_path, "[server]\nport = 2\nname = 'x'\n[connections]\nconnections = 6\n")
    found: dict[str, Any] = {key.path: key.reloaded for key in changed(old, new)}
    assert found == {"server.port": False, "server.name": True, "connections.connections": True}
    assert changed(new, new) == []


def test_the_page_has_every_key_as_the_code_has_it() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == brought_up_to_date(page), "run scripts/config-page"


def test_the_page_has_every_exit_code_of_the_server() -> None:
    page = PAGE.read_text(encoding="utf-8")
    codes = (exit_codes.WELL, exit_codes.BUG, exit_codes.USAGE, exit_codes.CANNOT_LISTEN)
    for code in (*codes, exit_codes.BAD_CONFIG, exit_codes.BAD_TLS, exit_codes.BAD_STORE):
        assert f"\n| {code} | " in page


def test_the_pages_example_works(tmp_path: Path) -> None:
    example = PAGE.read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]
    assert len(read(tmp_path, example).given) == 5
