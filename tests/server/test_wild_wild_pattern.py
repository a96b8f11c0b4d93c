"""Wild Wild Pattern at a server's table whose people vanish: nobody is waited for, and the game has its end."""

from typing import Any

import trio

from robby_protocol.messages import RecordGet
from robby_rules.record_check import examine
from robby_server.settings import Settings
from tests.server.kit import play_all, running

NO_STAND_IN = Settings(grace_seconds=1e6)
"""Whoever is away is played for by the clock alone."""


async def test_all_but_one_drop_and_the_game_ends_with_what_the_clock_did_marked(autojump_clock: Any) -> None:
    async with running(NO_STAND_IN) as host:
        ana, ben, cleo, dora = peers = await host.playing(4, game="wild-wild-pattern", options={"rounds": 1})
        while ana.update.public.view["phase"] != "shootout":
            for peer in peers:
                if peer.update.decision is not None and ana.update.public.view["phase"] == "ready":
                    await peer.act({"type": "ready"})
            await trio.sleep(1)
        await dora.drop()
        await ben.act({"type": "cover", "place": 3})
        await ben.asked("declare")
        before = len(ana.told())
        await ben.drop()
        await cleo.drop()
        await ana.until(lambda: len(ana.told()) > before)
        judged = ana.told()[before]
        assert judged["type"] == "judged"
        assert (judged["judgement"]["seat"], judged["judgement"]["verdict"]) == (ben.seat, "silent")

        await play_all([ana])
        told = ana.told()
        assert told[-1]["type"] == "game_over"
        looked = [event["auto"] for event in told if event["type"] == "looked"][1:]
        assert looked, "one turn was all"
        assert all(looked), "a turn in which three who are away were ready"
        taken = [event for event in told[before:] if event["type"] == "taken" and event["chosen"]]
        assert {event["auto"] for event in taken if event["seat"] != ana.seat} == {True}
        record = (await ana.call(RecordGet, match=ana.update.match))["record"]
        assert examine(record).holds
