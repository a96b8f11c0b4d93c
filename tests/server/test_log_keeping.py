"""What keeps a log short, small and harmless to whoever writes it: sums of repeated entries, files that rotate, full
disks, and values that look like secrets."""

import errno
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from trio.testing import MockClock

from robby_protocol.messages import Login
from robby_server import log_file, log_repeats
from robby_server.log import Throttle, set_up_logging, tell_repeats
from robby_server.log_file import LogFile
from robby_server.log_repeats import NEWS_PER_PERIOD, PERIOD_SECONDS, TROUBLES_PER_PERIOD
from robby_server.log_secrets import REDACTED, without_secrets

log = structlog.get_logger("robby.test")


@pytest.fixture(autouse=True)
def _own_configuration() -> Iterator[None]:
    log_repeats._throttles.clear()  # of servers of earlier tests
    yield
    structlog.reset_defaults()


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(log_repeats.Repeats.__init__, "__defaults__", (found,))
    monkeypatch.setattr(log_file.LogFile.__init__, "__kwdefaults__", {"clock": found})
    return found


def entries(out: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


# Repeated entries.


def test_a_trouble_that_comes_again_and_again_is_summed_up(clock: Clock) -> None:
    out = io.StringIO()
    set_up_logging(out)
    for _ in range(1000):
        log.warning("broken", code="x")
    log.warning("broken", code="y")
    told = entries(out)
    assert [entry["code"] for entry in told] == ["x"] * TROUBLES_PER_PERIOD + ["y"]
    clock.now += PERIOD_SECONDS + 1
    log.warning("broken", code="x")
    assert entries(out)[len(told) :][0].items() >= {"event": "repeated", "of": "broken x", "more": 995}.items()


def test_what_was_held_back_is_told_when_it_has_ended_and_nobody_logs_any_more(clock: Clock) -> None:
    out = io.StringIO()
    set_up_logging(out)
    for _ in range(TROUBLES_PER_PERIOD + 312):
        log.error("broken")
    tell_repeats()
    assert len(entries(out)) == TROUBLES_PER_PERIOD
    clock.now += PERIOD_SECONDS
    tell_repeats()
    (summary,) = entries(out)[TROUBLES_PER_PERIOD:]
    assert summary["more"] == 312
    assert summary["seconds"] == PERIOD_SECONDS
    clock.now += 10 * PERIOD_SECONDS
    tell_repeats()
    assert len(entries(out)) == TROUBLES_PER_PERIOD + 1
    log.error("broken")
    assert entries(out)[-1]["event"] == "broken"


def test_at_the_end_everything_held_back_is_told_at_once(clock: Clock) -> None:
    out = io.StringIO()
    set_up_logging(out)
    for _ in range(TROUBLES_PER_PERIOD + 3):
        log.error("broken")
    tell_repeats(all_now=True)
    assert entries(out)[-1]["more"] == 3


def test_logins_and_tables_are_told_in_a_usual_evening_and_summed_up_in_a_storm(clock: Clock) -> None:
    out = io.StringIO()
    set_up_logging(out)
    for number in range(5 * NEWS_PER_PERIOD):
        log.info("logged_in", name=f"Ana {number}")
        log.info("table_created", table=str(number))
    assert len(entries(out)) == 2 * NEWS_PER_PERIOD
    clock.now += PERIOD_SECONDS
    tell_repeats()
    assert [entry["more"] for entry in entries(out)[-2:]] == [4 * NEWS_PER_PERIOD] * 2


def test_a_trouble_that_never_ends_stays_a_line_a_minute(clock: Clock) -> None:
    out = io.StringIO()
    set_up_logging(out)
    for _second in range(600):
        for _ in range(20):
            log.warning("broken")
        tell_repeats()
        clock.now += 1
    assert len(entries(out)) <= TROUBLES_PER_PERIOD + 11
    tell_repeats(all_now=True)
    told = entries(out)
    assert sum(entry.get("more", 1) for entry in told) == 12_000


async def test_what_a_throttle_held_back_is_told_after_its_end(mock_clock: MockClock) -> None:
    out = io.StringIO()
    set_up_logging(out)
    throttle = Throttle()
    for _ in range(8):
        throttle.let("full")
    tell_repeats()
    assert not entries(out)
    mock_clock.jump(2)
    tell_repeats()
    tell_repeats()
    (summary,) = entries(out)
    assert (summary["of"], summary["more"]) == ("full", 7)


# Files.


def test_a_log_file_rotates_and_stays_under_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "robby.log"
    set_up_logging(file=path, file_bytes=2000, files=3)
    for number in range(300):
        log.info(f"event_{number}", text="x" * 50)
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["robby.log", "robby.log.1", "robby.log.2"]
    assert all(file.stat().st_size <= 2000 for file in files)
    told = [json.loads(line)["event"] for file in reversed(files) for line in file.read_text().splitlines()]
    assert told == [f"event_{number}" for number in range(300)][-len(told) :]
    assert not path.stat().st_mode & 0o007


def test_a_log_file_is_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "robby.log"
    for _ in range(2):
        set_up_logging(file=path)
        log.info("started")
    assert path.read_text().count("\n") == 2


def test_a_log_file_that_is_replaced_is_closed(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for number in range(5):
        set_up_logging(file=tmp_path / f"{number}.log")
        log.info("started")
    set_up_logging(io.StringIO())
    assert len(os.listdir("/proc/self/fd")) <= before
    assert len(list(tmp_path.iterdir())) == 5


def test_a_log_file_that_cannot_be_opened_is_said_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        set_up_logging(file=tmp_path / "missing" / "robby.log")


def test_a_full_disk_loses_lines_stops_nothing_and_is_told_when_there_is_space_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    path = tmp_path / "robby.log"
    set_up_logging(file=path)
    log.info("before")
    whole = os.write

    def full(fd: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def half(fd: int, data: bytes) -> int:
        return whole(fd, data[: len(data) // 2])

    monkeypatch.setattr(os, "write", half)
    log.info("half")
    monkeypatch.setattr(os, "write", full)
    for number in range(30):
        clock.now += 0.5
        log.info(f"lost_{number}")
    monkeypatch.setattr(os, "write", whole)
    clock.now += log_file.RETRY_SECONDS
    log.info("after")
    told = [json.loads(line) for line in path.read_text().splitlines()]
    assert [entry["event"] for entry in told] == ["before", "log_lost", "after"]
    assert told[1]["lines"] == 31


def test_a_log_folder_that_vanishes_stops_nothing(tmp_path: Path, clock: Clock) -> None:
    folder = tmp_path / "log"
    folder.mkdir()
    set_up_logging(file=folder / "robby.log", file_bytes=200)
    log.info("before")
    (folder / "robby.log").unlink()
    folder.rmdir()
    for number in range(10):
        log.info(f"nowhere_{number}", text="x" * 100)
    folder.mkdir()
    clock.now += log_file.RETRY_SECONDS
    log.info("after")
    assert json.loads((folder / "robby.log").read_text().splitlines()[-1])["event"] == "after"


def test_a_stream_that_is_gone_stops_nothing() -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    set_up_logging(Gone())
    log.error("nobody_reads_this")
    closed = io.StringIO()
    closed.close()
    set_up_logging(closed)
    log.error("nor_this")


def test_a_pipe_that_nobody_reads_holds_up_nobody() -> None:
    """As with a terminal that was stopped by Ctrl-S. Without care the whole server would wait for it."""
    reader, writer = os.pipe()
    with os.fdopen(writer, "w", encoding="utf-8") as stream, os.fdopen(reader, "rb", buffering=0) as read:
        set_up_logging(stream)
        for number in range(3_000):
            log.info(f"event_{number}", text="ä" * 50)
        try:
            raise ValueError("x" * 50_000)
        except ValueError:
            log.exception("long_one")
        whole = read.read(100_000)
        log.info("afterwards")
        whole += read.read(100_000)
    lines = [json.loads(line) for line in whole.decode().splitlines()]
    told = [entry["event"] for entry in lines]
    kept = len(told) - 2
    assert 10 < kept < 2_900
    assert told == [f"event_{number}" for number in range(kept)] + ["log_lost", "afterwards"]
    assert lines[-2]["lines"] == 3_001 - kept


def test_a_long_entry_into_a_pipe_is_whole_or_cut_off_from_the_next() -> None:
    reader, writer = os.pipe()
    with os.fdopen(writer, "w", encoding="utf-8") as stream, os.fdopen(reader, "rb", buffering=0) as read:
        set_up_logging(stream)
        for number in range(100):
            try:
                raise ValueError("y" * 5_000)
            except ValueError:
                log.exception(f"long_{number}")
        whole = read.read(200_000)
        log.info("afterwards")
        whole += read.read(200_000)
    *lines, cut, lost, last = whole.decode().splitlines()
    assert len(lines) > 5
    assert all(json.loads(line)["event"].startswith("long_") for line in lines)
    with pytest.raises(json.JSONDecodeError):
        json.loads(cut)
    assert json.loads(lost)["lines"] == 100 - len(lines)
    assert json.loads(last)["event"] == "afterwards"


def test_a_log_file_keeps_one_if_asked_for_less(tmp_path: Path) -> None:
    file = LogFile(tmp_path / "log", most_bytes=100, files=0)
    for _ in range(20):
        file.write("x" * 60 + "\n")
    file.close()
    assert [path.name for path in tmp_path.iterdir()] == ["log"]
    assert (tmp_path / "log").stat().st_size == 61


# Secrets.


@pytest.mark.parametrize(
    "value",
    [
        {"password": "hunter2"},
        {"one": [{"resume_token": "hunter2"}]},
        (b"hunter2" * 3,),
        "login failed: b'hunter2hunter2' was wrong",
        b"hunter2".hex() * 4,
        Login(method="guest", name="Ana", resume=b"hunter2"),
        {"invite": "hunter2"},
        [[[[[["hunter2"]]]]]],
    ],
)
def test_what_looks_like_a_secret_is_left_out(value: object) -> None:
    out = io.StringIO()
    set_up_logging(out)
    log.error("mistake", value=value)
    assert "hunter2" not in out.getvalue()
    assert b"hunter2".hex() not in out.getvalue()
    assert json.loads(out.getvalue())["event"] == "mistake"


def test_fields_named_like_secrets_are_left_out() -> None:
    out = io.StringIO()
    set_up_logging(out)
    log.error("mistake", password="a", match_seed="b", invite="c", name="Ana", code="too_slow", peer="192.0.2.7")
    entry = json.loads(out.getvalue())
    assert [entry[name] for name in ("password", "match_seed", "invite")] == [REDACTED] * 3
    assert (entry["name"], entry["code"], entry["peer"]) == ("Ana", "too_slow", "192.0.2.7")


def test_plain_values_stay_what_they_are() -> None:
    for value in (None, True, 3, 0.5, "Ana", "192.0.2.7 port 7622", ["a", 1], {"a": {"b": 2}}, "TABLE123-4"):
        assert without_secrets(value) == value
