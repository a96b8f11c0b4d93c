"""A server that says nonsense of a match: the real screens of every game show it or say that they cannot, and go on."""

import copy
import random
from pathlib import Path
from typing import Any

import msgpack  # type: ignore[import-untyped]
import pytest

from robby_games.registry import GAMES
from robby_protocol.messages import Decision, GameUpdate, PublicPart
from tests.fuzz.seeds import exchange, seeds
from tests.tui.fakes import table_state
from tests.tui.kit import Stage, run

KEYS = ("1", "a", "s", "right", "enter", "escape")


@pytest.mark.parametrize("game", GAMES)
def test_screens_survive_whatever_is_said_of_a_match(game: str, tmp_path: Path) -> None:
    rng = random.Random(f"nonsense of {game}")
    told = [said for said in map(msgpack.unpackb, seeds("told")) if said["game"] == game]

    async def scene(stage: Stage) -> None:
        for number in range(40):
            said = copy.deepcopy(rng.choice(told))
            seat, changes = said["seat"], number % 4
            for _change in range(changes):
                exchange(said["view"], rng)
            if changes > 1:
                exchange(said, rng)
            if not fits(said):
                continue
            state = table_state("playing", you=seat, game=game, match=f"m{number}")
            update = GameUpdate(
                table=state.table.table,
                match=f"m{number}",
                seq=1,
                public=PublicPart(view=said["view"], first=0, events=said["events"]),
                own=said["own"],
                decision=Decision(id=1, legal=said["legal"]),
            )
            await stage.feed(state, update)
            known = stage.client.world.game
            assert known is not None
            assert known.public is not None or changes, "what is true is shown"
            await stage.press(*KEYS)
            assert stage.app._exception is None

    run(scene, tmp_path)


def fits(said: dict[str, Any]) -> bool:
    """Whether the protocol itself lets it through, so that it reaches a client's picture of the world."""
    lists = isinstance(said["events"], list) and isinstance(said["legal"], list)
    maps = isinstance(said["view"], dict) and isinstance(said["own"], dict | None)
    return lists and maps and all(isinstance(one, dict) for one in [*said["events"], *said["legal"]])
