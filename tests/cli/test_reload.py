"""Reading everything again, without a process: what is adopted, what is kept, and that a bad file changes nothing."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import structlog
from structlog.testing import capture_logs

from robby_cli import reload as reloading
from robby_cli.reload import Reloader
from robby_cli.serve_options import ServeOptions, open_tls
from robby_server.app import Server
from robby_server.config import Config
from robby_server.store import MemoryStore
from tests.certificates import DAY, authority, server

TLS = '[tls]\ncertificate = "server.crt"\nkey = "server.key"\n'


class Reloaded:
    """A server that was made by a configuration file, and its reloader; logging stays as it is."""

    def __init__(self, folder: Path, text: str, **given: object) -> None:
        self.file = folder / "robby.toml"
        self.file.write_text(text)
        options = ServeOptions(config=self.file, data=folder / "data", **given)  # type: ignore[arg-type]
        config = options.read()
        self.server = Server(config.settings, MemoryStore(), key=bytes(32), tls=open_tls(config))
        self.reloader = Reloader(self.server, options, config)
        self.logged: list[tuple[str, object]] = []
        self.warnings: Sequence[str] = ()

    async def read(self, text: str | None = None) -> list[str]:
        if text is not None:
            self.file.write_text(text)
        with capture_logs() as logs:
            problems, self.warnings = await self.reloader.reload()
        self.logged = [(entry["event"], entry.get("keys", entry.get("changed"))) for entry in logs]
        return list(problems)


@pytest.fixture(autouse=True)
def _logging_stays(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = structlog.get_config()
    monkeypatch.setattr(reloading, "start_logging", check_log_file)
    yield
    structlog.configure(**before)


def check_log_file(config: Config) -> None:
    if config.settings.log_file == "unwritable":
        raise PermissionError(13, "Permission denied")


async def test_what_counts_at_once_is_adopted_and_the_rest_waits(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("Friday\n")
    made = Reloaded(tmp_path, "")
    assert (
        await made.read("[connections]\nconnections = 7\n[chat]\nkept = 1\n[server]\npassword_file = 'password'") == []
    )
    settings = made.server.settings
    assert (settings.connections, settings.password) == (7, "Friday")
    assert settings.chat_kept != 1
    assert made.logged == [
        ("reload_needs_restart", ["chat.kept"]),
        ("reloaded", ["server.password_file", "connections.connections"]),
    ]
    assert await made.read() == []
    assert made.logged[-1] == ("reloaded", [])


async def test_a_password_changed_in_its_file_counts(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("Friday\n")
    made = Reloaded(tmp_path, "[server]\npassword_file = 'password'\n")
    (tmp_path / "password").write_text("Saturday\n")
    assert await made.read() == []
    assert made.server.settings.password == "Saturday"


async def test_the_command_line_still_wins(tmp_path: Path) -> None:
    made = Reloaded(tmp_path, "", max_connections=5)
    assert await made.read("[connections]\nconnections = 7\n") == []
    assert made.server.settings.connections == 5


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[zzz]\n", "line 1"),
        ("[server]\npassword_file = 'none'\n", "none"),
        ("[log]\nfile = 'unwritable'\n", "unwritable"),
        ("[tls]\ncertificate = 'server.crt'\nkey = 'none.key'\n", "none.key"),
    ],
)
async def test_anything_wrong_changes_nothing(tmp_path: Path, text: str, named: str) -> None:
    server().write(tmp_path)
    made = Reloaded(tmp_path, TLS)
    before, tls = made.server.settings, made.server.tls
    if "tls" not in text:
        text += TLS
    (problem,) = await made.read("[connections]\nconnections = 7\n" + text if "zzz" not in text else text)
    assert named in problem
    assert made.server.settings == before
    assert made.server.tls is tls
    assert [event for event, _keys in made.logged] == ["reload_failed"]


async def test_a_new_certificate_is_taken_from_the_same_or_another_file(tmp_path: Path) -> None:
    server().write(tmp_path)
    made = Reloaded(tmp_path, TLS)
    first = made.server.tls
    assert first is not None
    server("other.example").write(tmp_path, "other")
    assert await made.read(TLS.replace("server.", "other.")) == []
    assert made.server.tls is not None
    assert made.server.tls.names == ["other.example"]
    assert made.logged == [("reloaded", ["tls.certificate", "tls.key"])]


async def test_whoever_reloads_is_told_what_is_odd_all_the_same(tmp_path: Path) -> None:
    made = Reloaded(tmp_path, "")
    assert await made.read("[chat]\nkept = 1\n") == []
    (warning,) = made.warnings
    assert "chat.kept" in warning
    server(by=authority()).write(tmp_path)
    made = Reloaded(tmp_path, TLS)
    assert await made.read() == []
    assert not made.warnings
    server(by=authority(), begins=-2 * DAY, ends=-DAY).write(tmp_path)
    assert await made.read() == []
    (warning,) = made.warnings
    assert "expired" in warning
    assert made.logged[0][0] == "certificate"


@pytest.mark.parametrize("at_first", ["", TLS])
async def test_tls_is_neither_switched_on_nor_off(tmp_path: Path, at_first: str) -> None:
    server().write(tmp_path)
    made = Reloaded(tmp_path, at_first)
    assert await made.read("" if at_first else TLS) == []
    assert (made.server.tls is None) == (not at_first)
    assert made.logged[0] == ("reload_needs_restart", ["tls.certificate", "tls.key"])


async def test_there_is_something_to_read_again(tmp_path: Path) -> None:
    made = Reloaded(tmp_path, "")
    assert made.reloader.useful
    assert not Reloader(made.server, ServeOptions(), Config()).useful
