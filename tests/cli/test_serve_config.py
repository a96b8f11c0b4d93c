"""`robby serve` before it serves: its configuration, its files, and the exit code of each that cannot be used."""

import os
import socket
from pathlib import Path

import pytest

from robby_cli import command_line as cli
from robby_client import exit_codes
from robby_server.config_page import example
from robby_server.store import STORE_FILE
from tests.certificates import DAY, server

Printed = pytest.CaptureFixture[str]


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configuration that works: a data folder, a certificate, a password."""
    server().write(tmp_path)
    (tmp_path / "password").write_text("Friday\n")
    path = tmp_path / "robby.toml"
    path.write_text(
        '[server]\nhosts = ["127.0.0.1"]\nport = 0\ndata = "data"\npassword_file = "password"\n'
        '[tls]\ncertificate = "server.crt"\nkey = "server.key"\n'
    )
    return path


def check(config: Path, *more: str) -> int:
    return cli.run(["serve", "--check-config", "--config", str(config), *more])


def test_a_configuration_that_works_is_ok_and_checking_makes_nothing(config: Path, capsys: Printed) -> None:
    before = sorted(config.parent.iterdir())
    assert check(config) == exit_codes.WELL
    assert capsys.readouterr() == ("ok\n", "")
    assert sorted(config.parent.iterdir()) == before


def test_the_example_is_written_and_is_ok(tmp_path: Path, capsys: Printed) -> None:
    assert cli.run(["serve", "--example-config"]) == exit_codes.WELL
    said = capsys.readouterr().out
    assert said == example()
    path = tmp_path / "robby.toml"
    path.write_text(said)
    assert check(path, "--data", str(tmp_path / "data")) == exit_codes.WELL


def test_everything_that_is_wrong_in_the_file_is_said_at_once(config: Path, capsys: Printed) -> None:
    config.write_text("[server]\nnmae = 1\nport = 'x'\n[chta]\n")
    for arguments in (["--check-config"], []):
        assert cli.run(["serve", "--config", str(config), *arguments]) == exit_codes.BAD_CONFIG
        said = capsys.readouterr()
        assert said.out == ""
        lines = said.err.splitlines()
        assert [line.partition(": ")[0] for line in lines] == [f"{config}, line {number}" for number in (2, 3, 4)]


def test_files_that_cannot_be_used_are_said_together(config: Path, capsys: Printed) -> None:
    (config.parent / "server.key").write_text("no key")
    data = config.parent / "data"
    data.mkdir()
    (data / "server-key").write_text("damaged")
    assert check(config) == exit_codes.BAD_TLS
    said = capsys.readouterr().err
    assert "server.key" in said
    assert str(data / "server-key") in said
    assert (data / "server-key").read_text() == "damaged"


def test_a_key_that_cannot_be_read_is_named_and_left(config: Path, capsys: Printed) -> None:
    key = config.parent / "data" / "server-key"
    key.mkdir(parents=True)  # nobody can read that, not even root
    for arguments in (["--check-config"], []):
        assert cli.run(["serve", "--config", str(config), *arguments]) == exit_codes.USAGE
        assert str(key) in capsys.readouterr().err
    assert key.is_dir()


def test_an_expired_certificate_is_said_and_ok(config: Path, capsys: Printed) -> None:
    server(begins=-2 * DAY, ends=-DAY).write(config.parent)
    assert check(config) == exit_codes.WELL
    said = capsys.readouterr()
    assert said.out == "ok\n"
    assert "server.crt" in said.err


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("server.crt", "no certificate", exit_codes.BAD_TLS),
        ("server.crt", None, exit_codes.BAD_TLS),
        ("server.key", None, exit_codes.BAD_TLS),
        ("password", None, exit_codes.USAGE),
        ("password", "\n", exit_codes.USAGE),
        ("robby.toml", None, exit_codes.BAD_CONFIG),
        ("robby.toml", "[server\n", exit_codes.BAD_CONFIG),
        ("data", "a file where a folder should be", exit_codes.USAGE),
        ("data/server-key", "damaged", exit_codes.USAGE),
        (f"data/{STORE_FILE}", "no database, only a text that is long enough to be looked at", exit_codes.BAD_STORE),
    ],
)
def test_a_server_does_not_start_with_a_file_that_it_cannot_use_and_leaves_it(
    config: Path, name: str, content: str | None, code: int, capsys: Printed
) -> None:
    path = config.parent / name
    if content is None:
        path.unlink()
    else:
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    assert cli.run(["serve", "--config", str(config)]) == code
    said = capsys.readouterr().err
    assert path.name in said
    assert "Traceback" not in said
    assert (path.read_text() if path.is_file() else None) == content


def test_a_certificate_without_its_key_on_the_command_line(config: Path, capsys: Printed) -> None:
    certificate = str(config.parent / "server.crt")
    data = str(config.parent / "data")
    assert cli.run(["serve", "--tls-cert", certificate, "--data", data]) == exit_codes.BAD_TLS
    assert "--tls-key" in capsys.readouterr().err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(config: Path, capsys: Printed) -> None:
    data = config.parent / "data"
    data.mkdir(mode=0o500)
    assert check(config) == exit_codes.USAGE
    assert str(data) in capsys.readouterr().err


def test_a_log_that_cannot_be_written(config: Path, capsys: Printed) -> None:
    config.write_text(config.read_text() + '[log]\nfile = "no/such/folder/robby.log"\n')
    assert cli.run(["serve", "--config", str(config)]) == exit_codes.BAD_CONFIG
    assert "robby.log" in capsys.readouterr().err
    assert check(config) == exit_codes.BAD_CONFIG
    assert "robby.log" in capsys.readouterr().err


def test_the_command_line_wins_over_the_file(config: Path, capsys: Printed) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        code = cli.run(["serve", "--config", str(config), "--port", str(port)])
    assert code == exit_codes.CANNOT_LISTEN
    assert str(port) in capsys.readouterr().err


def test_a_seed_is_refused_where_others_can_reach_the_server(config: Path, capsys: Printed) -> None:
    config.write_text(config.read_text().replace("127.0.0.1", "0.0.0.0"))
    assert cli.run(["serve", "--config", str(config), "--seed", "7"]) == exit_codes.USAGE
    assert "--seed" in capsys.readouterr().err
