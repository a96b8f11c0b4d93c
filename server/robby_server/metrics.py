"""The server's numbers in Prometheus' text format. They are put together when they are asked for, never before.

docs/operation.md names them all. No label holds anything of a person's: only phases, directions and our own codes.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from robby_protocol.errors import CODES
from robby_server.admin import Steered
from robby_server.handshake import software
from robby_server.table import Table
from robby_server.tally import Durations

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
PHASES = ("waiting", "playing", "finished")
OTHER = "other"
"""Stands for a code that is none of ours, so that nobody can make labels without end."""


class Metrics:
    """The registry of one server."""

    def __init__(self, server: Steered) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_ServerCollector(server))
        ProcessCollector(registry=self._registry)

    def text(self) -> bytes:
        """Everything as it is now."""
        return generate_latest(self._registry)


class _ServerCollector(Collector):
    def __init__(self, server: Steered) -> None:
        self._server = server

    def collect(self) -> Iterable[Metric]:
        """Called for each scrape."""
        yield from self._now()
        yield from self._since_the_start()

    def describe(self) -> Iterable[Metric]:
        """Nothing beforehand: the server may not serve yet when this is registered."""
        return ()

    def _now(self) -> Iterable[Metric]:
        server = self._server
        info = GaugeMetricFamily("robby_info", "The version that runs; always 1.", labels=["version"])
        info.add_metric([software()], 1)
        yield info
        yield _gauge("robby_connections", "Connections now, those inside the process included.", len(server.sessions))
        yield _gauge("robby_people", "People connected now.", server.identities.people)
        phases: Counter[str] = Counter(t.phase for t in server.directory.all() if isinstance(t, Table) and not t.ended)
        tables = GaugeMetricFamily("robby_tables", "Tables now, by phase.", labels=["phase"])
        for phase in PHASES:
            tables.add_metric([phase], phases[phase])
        yield tables
        yield _gauge("robby_parked_tables", "Tables kept that this version cannot go on with.", len(server.parked))
        yield _gauge("robby_bans", "Bans now.", len(server.bans.all()))
        yield _gauge("robby_draining", "1 while nothing new may begin.", server.draining)
        yield _gauge("robby_store_trouble", "1 while nothing can be written to disk.", server.store.trouble is not None)
        if server.tls is not None:
            end = server.tls.until.timestamp()
            yield _gauge("robby_certificate_end_seconds", "When the certificate ends, in seconds since 1970.", end)
        backlog = int(getattr(server.store, "backlog", 0))
        yield _gauge("robby_store_backlog", "Writes that wait for the disk now.", backlog)

    def _since_the_start(self) -> Iterable[Metric]:
        tally = self._server.tally
        yield _counter("robby_accepted_connections", "Connections taken from the network.", tally.accepted)
        yield _counter("robby_turned_away_connections", "Connections over the limits.", tally.turned_away)
        yield _by_code("robby_ended_connections", "Connections that the server ended, by code.", tally.ended)
        yield _by_code("robby_refused", "Commands that were refused, by code.", tally.refused)
        messages = CounterMetricFamily("robby_messages", "Messages, by direction.", labels=["direction"])
        messages.add_metric(["in"], tally.messages_in)
        messages.add_metric(["out"], tally.messages_out)
        yield messages
        traffic = CounterMetricFamily("robby_bytes", "Bytes of messages, by direction.", labels=["direction"])
        traffic.add_metric(["in"], tally.bytes_in)
        traffic.add_metric(["out"], tally.bytes_out)
        yield traffic
        matches = CounterMetricFamily("robby_matches", "Matches, by what became of them.", labels=["what"])
        matches.add_metric(["started"], tally.matches_started)
        matches.add_metric(["finished"], tally.matches_finished)
        matches.add_metric(["broken_off"], tally.matches_broken_off)
        matches.add_metric(["start_aborted"], tally.starts_aborted)
        yield matches
        yield _histogram("robby_answer_seconds", "From the receipt of a command to its answer.", tally.answers)
        yield _histogram("robby_commit_seconds", "What the store took for one commit.", tally.commits)
        yield _histogram("robby_loop_lag_seconds", "How late the loop came to a timer.", tally.lag)


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(name, text, value=value)


def _by_code(name: str, text: str, counts: Mapping[str, int]) -> Metric:
    family = CounterMetricFamily(name, text, labels=["code"])
    known: Counter[str] = Counter()
    for code, count in counts.items():
        known[code if code in CODES else OTHER] += count
    for code in sorted(known):
        family.add_metric([code], known[code])
    return family


def _histogram(name: str, text: str, durations: Durations) -> Metric:
    buckets, below = [], 0
    for bound, count in zip((*durations.bounds, float("inf")), durations.counts, strict=True):
        below += count
        buckets.append(("+Inf" if bound == float("inf") else repr(bound), float(below)))
    return HistogramMetricFamily(name, text, buckets=buckets, sum_value=durations.total)
