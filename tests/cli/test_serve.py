"""The server's key, its address, and its seeds."""

import os
import resource
import socket
import stat
import sys
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from robby_cli import seeds
from robby_cli.announced import announce, is_loopback
from robby_cli.descriptors import allow_descriptors
from robby_cli.exits import CommandError
from robby_cli.server_folder import KEY_BYTES, KEY_FILE, data_folder, key_is_missed, server_key, tell_missed_key
from robby_client import exit_codes


def test_a_new_key_is_kept_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "server"
    key = server_key(folder)
    assert len(key) == KEY_BYTES
    assert server_key(folder) == key
    assert stat.S_IMODE((folder / KEY_FILE).stat().st_mode) == 0o600
    assert [path.name for path in folder.iterdir()] == [KEY_FILE]


def test_a_key_that_is_missed_beside_a_store_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server_key(tmp_path)
    assert not key_is_missed(tmp_path)
    (tmp_path / "store.sqlite").touch()
    assert not key_is_missed(tmp_path)
    (tmp_path / "server-key").unlink()
    assert key_is_missed(tmp_path)
    tell_missed_key(tmp_path)
    assert str(tmp_path / "server-key") in capsys.readouterr().err


@pytest.mark.parametrize("content", ["", "00", "no key at all", "é" * 64])
def test_a_damaged_key_is_said_and_not_replaced(tmp_path: Path, content: str) -> None:
    (tmp_path / KEY_FILE).write_text(content)
    with pytest.raises(CommandError) as refused:
        server_key(tmp_path)
    assert refused.value.code == exit_codes.USAGE
    assert (tmp_path / KEY_FILE).read_text() == content


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CommandError) as refused:
        server_key(tmp_path / "file" / "server")
    assert refused.value.code == exit_codes.USAGE


def test_where_the_data_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROBBY_HOME", str(tmp_path))
    assert data_folder() == tmp_path / "server"
    monkeypatch.delenv("ROBBY_HOME")
    assert data_folder().parts[-1] == "server"


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("localhost", True),
        ("127.1.2.3", True),
        (None, False),
        ("", False),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.5", False),
        ("example.org", False),
    ],
)
def test_which_addresses_only_this_machine_can_reach(host: str | None, local: bool) -> None:
    assert is_loopback(host) is local


def test_seeds_repeat_and_differ_by_use() -> None:
    assert [seeds.stream("7", "bot 1").random() for _ in range(3)] == [seeds.stream("7", "bot 1").random()] * 3
    assert seeds.stream("7", "bot 1").random() != seeds.stream("7", "bot 2").random()
    assert seeds.stream("7", "bot 1").random() != seeds.stream("8", "bot 1").random()
    assert seeds.stream(None, "bot 1").random() != seeds.stream(None, "bot 1").random()


def test_each_match_of_a_seed_has_its_own_32_bytes() -> None:
    one, other = seeds.match_seeds("7"), seeds.match_seeds("7")
    assert one is not None
    assert other is not None
    first = [one() for _ in range(3)]
    assert first == [other() for _ in range(3)]
    assert len(set(first)) == 3
    assert {len(seed) for seed in first} == {32}


def test_without_a_seed_nobody_gives_the_server_its_chance_so_it_deals_fairly() -> None:
    assert seeds.match_seeds(None) is None


def announced(capsys: pytest.CaptureFixture[str], host: str, tls_names: list[str] | None) -> str:
    with socket.socket() as listener:
        listener.bind((host, 0))
        announce("Friday", bytes(32), [listener], [], tls_names=tls_names)
        return capsys.readouterr().out.replace(f":{listener.getsockname()[1]}", ":PORT")


@pytest.mark.parametrize(
    ("tls_names", "join"),
    [
        (None, "127.0.0.1:PORT"),
        ([], "127.0.0.1:PORT --tls"),
        (["*.example.org", "robby.example.org"], "robby.example.org:PORT --tls"),
        (["*.example.org"], "127.0.0.1:PORT --tls"),
        (["::1"], "[::1]:PORT --tls"),
    ],
)
def test_what_friends_type_is_by_a_name_that_the_certificate_has(
    capsys: pytest.CaptureFixture[str], tls_names: list[str] | None, join: str
) -> None:
    said = announced(capsys, "127.0.0.1", tls_names)
    assert "The server Friday listens on 127.0.0.1:PORT." in said
    assert f"robby join {join}\n" in said


def test_a_reader_that_has_gone_is_no_reason_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two pieces of what is announced a terminal may hang up; the server lives on."""
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w", encoding="utf-8") as gone, socket.socket() as listener:
        monkeypatch.setattr(sys, "stdout", gone)
        listener.bind(("127.0.0.1", 0))
        announce("Friday", bytes(32), [listener], [], tls_names=None)
        print("later", flush=True)


@pytest.mark.parametrize(
    ("soft", "hard", "raised", "warned"),
    [
        (1024, 4096, None, False),
        (256, 4096, 600, False),
        (256, 400, 400, True),
        (256, resource.RLIM_INFINITY, 600, False),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, None, False),
    ],
)
def test_as_many_files_as_connections_need(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, raised: int | None, warned: bool
) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _what: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _what, limits: asked.append(limits))
    with capture_logs() as logs:
        allow_descriptors(500)
    assert asked == ([] if raised is None else [(raised, hard)])
    assert [entry["event"] for entry in logs] == (["few_descriptors"] if warned else [])
