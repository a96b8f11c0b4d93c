"""What is counted is what happened; the text is Prometheus' own; health tells trouble; neither tells a secret."""

import re
from pathlib import Path
from typing import Any

import pytest
import trio
from prometheus_client.parser import text_string_to_metric_families

from robby_protocol.messages import LobbyWatch, TableCreate, TableLeave, TableStart
from robby_server.health import complaints
from robby_server.local_http import Page
from robby_server.metrics import OTHER, Metrics
from robby_server.operation import operate, pages
from robby_server.settings import Settings
from robby_server.store import MemoryStore
from robby_server.tally import ANSWER_BOUNDS, Durations
from robby_server.tls import Tls
from tests import certificates
from tests.server.kit import Host, begin, play_all, running, settled, sit_down

OPERATION = Path(__file__).resolve().parents[2] / "docs" / "operation.md"


def read(host: Host) -> dict[str, float]:
    """Every sample by its name with its labels."""
    text = Metrics(host.server).text().decode()
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found


async def test_what_happened_is_counted(autojump_clock: Any) -> None:
    async with running() as host:
        before = read(host)
        peers = await host.playing(3, options={"max_rounds": 2})
        during = read(host)
        assert during["robby_connections"] == 3
        assert during["robby_people"] == 3
        assert during["robby_tables{phase=playing}"] == 1
        assert during["robby_tables{phase=waiting}"] == 0
        await play_all(peers)
        await peers[0].refused(TableStart)
        await peers[1].refused(TableCreate, game="robby-solo")
        await peers[2].bye()
        await settled()
        after = read(host)
        assert after["robby_connections"] == 2
        assert after["robby_tables{phase=finished}"] == 1
        assert after["robby_matches_total{what=started}"] == 1
        assert after["robby_matches_total{what=finished}"] == 1
        assert after["robby_refused_total{code=already_seated}"] == 1
        received = sum(len(peer.bytes_received) for peer in peers)
        assert abs(after["robby_bytes_total{direction=out}"] - received) < 200  # goodbyes are no messages of a session
        assert after["robby_messages_total{direction=out}"] == sum(len(peer.got) for peer in peers)
        answered = sum(len(peer.answers) for peer in peers)
        assert after["robby_answer_seconds_count"] == answered
        assert after["robby_messages_total{direction=in}"] >= answered
        assert before["robby_answer_seconds_count"] == 0


async def test_a_match_that_is_broken_off_is_counted(autojump_clock: Any) -> None:
    async with running() as host:
        for peer in await host.playing(3):
            await peer.drop()
        await trio.sleep(1000)
        assert read(host)["robby_matches_total{what=broken_off}"] == 1
        assert read(host)["robby_connections"] == 0


async def test_a_reader_too_slow_is_counted_by_its_code(autojump_clock: Any) -> None:
    async with running(Settings(outbox_bytes=2000)) as host:
        slow = await host.guest("Slow")
        await slow.call(LobbyWatch, on=True)
        slow.stop_reading()
        await sit_down([await host.guest("Ana")])
        for number in range(40):
            await sit_down([await host.guest(f"Ana{number}")])
            await trio.sleep(1)
        assert read(host)["robby_ended_connections_total{code=too_slow}"] == 1


async def test_answers_take_as_long_as_they_take(autojump_clock: Any) -> None:
    class Slow(MemoryStore):
        async def append(self, match: str, entry: Any) -> None:
            await trio.sleep(0.2)
            await super().append(match, entry)

    async with running(journal=Slow()) as host:
        await begin(await host.seated(3))
        found = read(host)
        assert found["robby_answer_seconds_bucket{le=0.1}"] == found["robby_answer_seconds_count"] - 1
        assert found["robby_answer_seconds_bucket{le=0.25}"] == found["robby_answer_seconds_count"]


async def test_a_code_of_nobodys_makes_no_label(autojump_clock: Any) -> None:
    async with running() as host:
        for number in range(50):
            host.server.tally.refused[f"made_up_{number}"] += 1
        found = read(host)
        assert found[f"robby_refused_total{{code={OTHER}}}"] == 50
        assert not [name for name in found if "made_up" in name]


def test_durations_are_counted_up_to_each_bound() -> None:
    durations = Durations((1.0, 2.0))
    for seconds in (0.0, 1.0, 1.5, 2.0, 99.0):
        durations.add(seconds)
    assert durations.counts == [2, 2, 1]
    assert (durations.count, durations.total, durations.most) == (5, 103.5, 99.0)
    assert list(ANSWER_BOUNDS) == sorted(set(ANSWER_BOUNDS))


async def test_buckets_are_cumulative(autojump_clock: Any) -> None:
    async with running() as host:
        for seconds in (0.0001, 0.003, 0.003, 60.0):
            host.server.tally.lag.add(seconds)
        found = read(host)
        assert found["robby_loop_lag_seconds_bucket{le=0.001}"] == 1
        assert found["robby_loop_lag_seconds_bucket{le=0.005}"] == 3
        assert found["robby_loop_lag_seconds_bucket{le=+Inf}"] == 4
        assert found["robby_loop_lag_seconds_sum"] == pytest.approx(60.0061)


async def test_the_process_is_measured(autojump_clock: Any) -> None:
    async with running() as host:
        found = read(host)
        for name in ("process_resident_memory_bytes", "process_open_fds", "process_cpu_seconds_total"):
            assert found[name] > 0


def page_of(host: Host, path: str) -> Page:
    page = pages(host.server)(path)
    assert page is not None
    return page


async def test_health(autojump_clock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running() as host:
        peers = await host.playing(3)
        assert page_of(host, "/healthz")[:2] == (200, b"ok\n")
        monkeypatch.setattr(MemoryStore, "trouble", property(lambda _self: "no space"))
        assert page_of(host, "/healthz")[:2] == (503, b"store: no space\n")
        assert read(host)["robby_store_trouble"] == 1
        host.server.drain()
        assert complaints(host.server) == ["store: no space", "draining"]
        assert read(host)["robby_draining"] == 1
        monkeypatch.undo()
        host.server.undrain()
        assert page_of(host, "/healthz").status == 200
        assert pages(host.server)("/secrets") is None
        assert not peers[0].closed


async def test_no_page_tells_a_name_or_a_secret(autojump_clock: Any) -> None:
    seed = b"\x05secret-seed-of-the-match-------"[:32]
    async with running(Settings(server_name="Tavern"), match_seed=lambda: seed) as host:
        peers = await host.playing(3, title="Friday")
        text = page_of(host, "/metrics").body.decode()
        for word in ("Ana", "Ben", "Cleo", "Friday", peers[0].table, "secret", seed.hex(), "bank", "127.0.0.1"):
            assert word not in text
        await peers[0].call(TableLeave)


async def test_the_lag_of_the_loop_is_measured_beside_the_server(autojump_clock: Any, tmp_path: Path) -> None:
    async with running(Settings(admin=False)) as host, trio.open_nursery() as nursery:
        nursery.start_soon(operate, host.server)
        await trio.sleep(10)
        assert read(host)["robby_loop_lag_seconds_count"] >= 39
        nursery.cancel_scope.cancel()


async def test_every_metric_is_on_the_page(autojump_clock: Any) -> None:
    page = OPERATION.read_text(encoding="utf-8")
    async with running() as host:
        text = Metrics(host.server).text().decode()
        names = set(re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE))
        assert len(names) > 20
        assert not [name for name in sorted(names) if name.startswith("robby_") and f"`{name}" not in page]
        assert set(re.findall(r"`(robby_[a-z_]+)", page)) - names == {"robby_certificate_end_seconds"}  # with TLS


async def test_the_end_of_the_certificate(autojump_clock: Any, tmp_path: Path) -> None:
    pair = certificates.server().write(tmp_path)
    async with running() as host:
        assert "robby_certificate_end_seconds" not in read(host)
        host.server.tls = Tls(*pair)
        assert read(host)["robby_certificate_end_seconds"] == Tls(*pair).until.timestamp()
