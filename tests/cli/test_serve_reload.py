"""SIGHUP at a running server, and a terminal that goes: what is read again, what stays, what ends."""

import os
import pty
import select
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from robby_client import exit_codes
from tests.certificates import Made, authority, server
from tests.cli.processes import ROBBY, SECONDS, Robby, environment

CA = authority()
OTHER = authority("Another authority")


class Running:
    """A server as a process with a configuration, whose log is a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = folder / "robby.toml"
        self.log = folder / "data" / "robby.log"
        self.use(server(by=CA))
        self.configure()
        self.process = Robby(["serve", "--config", str(self.config)], environment(folder / "home"))
        self.port = int(self.process.until(r"listens on 127\.0\.0\.1:(\d+)").group(1))
        self.process.until("server's id")

    def use(self, made: Made) -> None:
        made.write(self.folder)

    def configure(self, more: str = "", tls: str = '[tls]\ncertificate = "server.crt"\nkey = "server.key"\n') -> None:
        self.config.write_text(
            '[server]\nhosts = ["127.0.0.1"]\nport = 0\ndata = "data"\n' + tls + '[log]\nfile = "robby.log"\n' + more
        )

    def reload(self, event: str) -> str:
        """Tell it to, and wait until its log says how it went; returns the entry."""
        before = self.log.read_text().count("\n")
        self.process.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            for line in self.log.read_text().splitlines()[before:]:
                if f'"{event}"' in line:
                    return line
            # Its output says no more; this only waits, and ends at once if the server does.
            assert self.process.process.stdout is not None
            assert not select.select([self.process.process.stdout], [], [], 0.05)[0], self.process.errors()
        raise AssertionError(self.log.read_text())

    def trusted_by(self, made: Made) -> bool:
        context = ssl.create_default_context(cadata=made.pem.decode())
        with socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS) as plain:
            try:
                context.wrap_socket(plain, server_hostname="127.0.0.1").close()
            except ssl.SSLCertVerificationError:
                return False
        return True


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    one = Running(tmp_path)
    yield one
    one.process.process.send_signal(signal.SIGTERM)
    one.process.end()
    one.process.kill()
    assert one.process.code == exit_codes.WELL


def test_a_new_certificate_counts_from_the_reload_on(running: Running) -> None:
    assert running.trusted_by(CA)
    running.use(server(by=OTHER))
    assert running.trusted_by(CA)
    running.reload("reloaded")
    assert running.trusted_by(OTHER)


def test_a_bad_one_leaves_the_old_one_and_is_logged(running: Running) -> None:
    (running.folder / "server.key").write_text("no key")
    assert "server.key" in running.reload("reload_failed")
    assert running.trusted_by(CA)
    running.configure("[zzz]\n")
    assert "line 10" in running.reload("reload_failed")
    assert running.trusted_by(CA)


def test_what_a_reload_cannot_change_is_named_and_stays(running: Running) -> None:
    running.configure("[chat]\nkept = 1\n[connections]\nconnections = 7\n", tls="")
    entry = running.reload("reloaded")
    assert "connections.connections" in entry
    log = running.log.read_text()
    assert "chat.kept" in log
    assert "tls.certificate" in log
    assert running.trusted_by(CA)
    # Named once only: from now on the file is compared with what runs.
    assert "connections.connections" not in running.reload("reloaded")


def test_without_anything_to_read_again_it_stops(tmp_path: Path) -> None:
    process = Robby(["serve", "--host", "127.0.0.1", "--port", "0"], environment(tmp_path))
    process.until("server's id")
    process.process.send_signal(signal.SIGHUP)
    process.end()
    process.kill()
    assert process.code == exit_codes.WELL


def test_a_server_with_a_configuration_outlives_its_terminal(tmp_path: Path) -> None:
    config = tmp_path / "robby.toml"
    config.write_text('[server]\nhosts = ["127.0.0.1"]\nport = 0\n')
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*ROBBY, "serve", "--config", str(config)],
        env=environment(tmp_path / "home"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        said = b""
        while b"server's id" not in said:
            said += os.read(ours, 4096)
        port = int(said.partition(b"127.0.0.1:")[2].split(b".")[0])
        os.close(ours)
        process.send_signal(signal.SIGHUP)
        with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as plain:
            plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
            assert plain.recv(4)
        process.send_signal(signal.SIGTERM)
        assert process.wait(SECONDS) == exit_codes.WELL
    finally:
        process.kill()
        process.wait()


def test_the_service_manager_is_told_how_far_it_is(tmp_path: Path) -> None:
    config = tmp_path / "robby.toml"
    config.write_text('[server]\nhosts = ["127.0.0.1"]\nport = 0\n')
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(SECONDS)

        def told(state: bytes) -> None:
            while manager.recv(100) != state:
                pass

        told_where = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "300000"}
        process = Robby(["serve", "--config", str(config)], environment(tmp_path / "home", **told_where))
        try:
            told(b"READY=1")
            told(b"WATCHDOG=1")
            told(b"WATCHDOG=1")
            process.process.send_signal(signal.SIGHUP)
            told(b"RELOADING=1")
            told(b"READY=1")
            process.process.send_signal(signal.SIGTERM)
            told(b"STOPPING=1")
            process.end()
            assert process.code == exit_codes.WELL
        finally:
            process.kill()
