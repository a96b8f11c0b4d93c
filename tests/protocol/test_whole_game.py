"""A client written from the page alone plays a whole match against the real server; every frame is as the page says."""

import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

import pytest
import trio

from robby_games.registry import GAMES
from robby_protocol import identity, schema
from robby_server.app import Server
from robby_server.listeners import open_listeners
from robby_server.settings import Settings
from robby_server.store import MemoryStore
from tests.protocol.raw_client import Closed, Frame, RawClient, guest

WIRE = schema.schema(GAMES.values())
GAME = WIRE["games"]["robby-solo"]


@contextmanager
def serving() -> Iterator[int]:
    """The real server on a free port of this machine, in a thread with a loop of its own."""
    ready: list[int] = []
    started, stop = threading.Event(), threading.Event()

    async def main() -> None:
        server = Server(Settings(), MemoryStore(), bots={}, key=identity.new_key())
        async with trio.open_nursery() as nursery:
            addresses = await nursery.start(server.serve, await open_listeners("127.0.0.1", 0))
            ready.append(addresses[0][1])
            started.set()
            await trio.to_thread.run_sync(stop.wait)
            await server.stop()

    thread = threading.Thread(target=trio.run, args=(main,))
    thread.start()
    try:
        assert started.wait(10)
        yield ready[0]
    finally:
        stop.set()
        thread.join(20)
        assert not thread.is_alive()


def as_documented(fields: dict[str, Any], value: dict[str, Any], types: dict[str, Any], where: str) -> None:
    """Every key is documented, every required one is there, all the way down."""
    assert value.keys() <= fields.keys(), where
    assert {name for name, field in fields.items() if "default" not in field} <= value.keys(), where
    for name, inner in value.items():
        words = fields[name]["type"].removesuffix(" or nil").removeprefix("list of ")
        for one in inner if isinstance(inner, list) else [inner]:
            if words in types and one is not None:
                as_documented(types[words], one, types, f"{where}.{name}")


def check_frame(frame: Frame) -> None:
    kind = frame["type"]
    fields = {name: value for name, value in frame.items() if name != "type"}
    as_documented(WIRE["messages"][kind]["fields"], fields, WIRE["types"], kind)
    if kind == "game.update":
        as_documented(GAME["public"], frame["public"]["view"], GAME["types"], "public")
        as_documented(GAME["own"], frame["own"], GAME["types"], "own")
    for event in (*frame.get("public", frame).get("events", ()), *frame.get("own_events", ())):
        fields = {name: value for name, value in event.items() if name != "type"}
        as_documented(GAME["events"][event["type"]], fields, GAME["types"], event["type"])


class Player:
    """Answers every decision with an action that leads on, and watches the order of what it is told."""

    def __init__(self, client: RawClient, table: str) -> None:
        self.client = client
        self.table = table
        self.seq = -1
        self.told = 0
        self.answered = 0
        self.over: Frame = {}

    def play(self) -> None:
        while not self.over:
            self.take(self.client.expect_any())

    def take(self, frame: Frame) -> None:
        if frame["type"] == "game.update":
            assert frame["seq"] == self.seq + 1
            self.seq = frame["seq"]
            assert frame["public"]["first"] == self.told
            self.told += len(frame["public"]["events"])
            if frame["decision"] is not None and frame["decision"]["id"] > self.answered:
                self.answer(frame["decision"])
        elif frame["type"] == "table.state" and frame["table"]["phase"] == "finished":
            self.over = frame
        else:
            assert frame["type"] in ("ok", "table.state"), frame

    def answer(self, decision: Frame) -> None:
        legal = [action for action in decision["legal"] if action["type"] != "reveal"]
        if not legal:
            return  # the Gentleman waits for the others' confirmations, so that no answer can come too late
        self.answered = decision["id"]
        confirms = [action for action in legal if action["type"] == "confirm"]
        action = (confirms or legal)[self.seq % len(confirms or legal)]
        self.client.send("game.act", id=self.answered, table=self.table, decision=self.answered, action=action)


@pytest.mark.timeout(60)
def test_two_raw_clients_and_junior_play_to_the_end() -> None:
    with serving() as port, guest("127.0.0.1", port, "Ana") as ana, guest("127.0.0.1", port, "Ben") as ben:
        options = {"junior": True, "revision_min_ms": 0}
        table = ana.call("table.create", game="robby-solo", options=options)["table"]
        assert ben.call("table.join", table=table) == {"table": table, "seat": 1}
        ben.call("table.ready", ready=True)
        assert "match" in ana.call("table.start")
        players = [Player(ana, table), Player(ben, table)]
        with ThreadPoolExecutor(2) as pool:
            ends = [pool.submit(player.play) for player in players]
            done, _rest = wait(ends, return_when=FIRST_EXCEPTION)
            for end in done:
                if end.exception() is not None:  # the other would play on by the clock alone
                    ana.socket.close()
                    ben.socket.close()
                end.result()
        for player in players:
            for frame in player.client.log:
                check_frame(frame)
            view = [frame for frame in player.client.log if frame["type"] == "game.update"][-1]["public"]["view"]
            assert view["phase"] == "over"
            totals = sorted(score["total"] for score in view["scores"])
            assert totals == sorted(line["score"] for line in player.over["table"]["result"])
        ana.send("bye")
        with pytest.raises(Closed):
            ana.expect("ok")


@pytest.mark.timeout(60)
def test_a_raw_client_comes_back_into_the_match() -> None:
    with serving() as port, guest("127.0.0.1", port, "Ana") as ana, guest("127.0.0.1", port, "Ben") as ben:
        table = ana.call("table.create", game="robby-solo", options={"junior": True})["table"]
        ben.call("table.join", table=table)
        ben.call("table.ready", ready=True)
        ana.call("table.start")
        seats = {0: ana, 1: ben}
        update = ana.expect("game.update")
        gentleman = update["public"]["view"]["gentleman"]
        act = {"table": table, "action": {"type": "supply", "side": "right"}}
        asked = update if gentleman == 0 else ben.expect("game.update")
        seats[gentleman].call("game.act", decision=asked["decision"]["id"], **act)
        other = seats[1 - gentleman]
        before = other.expect("game.update", lambda frame: frame["decision"] is not None)
        other.socket.close()
        with RawClient("127.0.0.1", port) as again:
            again.hello()
            welcome = again.login_guest("Somebody", resume=other.welcome["resume"])
            assert (welcome["identity"], welcome["table"]) == (other.welcome["identity"], table)
            kinds = []
            events: list[Any] = []
            while "game.update" not in kinds:
                frame = again.receive()
                check_frame(frame)
                kinds.append(frame["type"])
                if frame["type"] == "game.history":
                    assert frame["first"] == len(events)
                    events += frame["events"]
            assert kinds[0] == "table.state"
            assert set(kinds[1:-1]) == {"game.history"}
            assert frame["decision"] == before["decision"]
            assert (frame["public"]["first"], frame["public"]["events"]) == (len(events), [])
            assert [event["type"] for event in events[:3]] == ["game_started", "round_started", "supplied"]
            answer = {"table": table, "decision": frame["decision"]["id"], "action": frame["decision"]["legal"][0]}
            assert again.call("game.act", **answer) == {"decision": answer["decision"]}
            assert again.call("game.act", **answer) == {"decision": answer["decision"]}
