"""Whole games without a network: the real rules on one side, each seat's picture of the world on the other."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from robby_bots.interface import Bot, BotView
from robby_bots.registry import UNOFFERED
from robby_client.world import World
from robby_protocol.codec import plain
from robby_protocol.messages import Clock, Decision, GameUpdate, PublicPart
from robby_rules.interface import Stamp
from robby_rules.match import Change, Match
from tests.client.fakes import table_state

NAMES = ("Ana", "Ben", "Cleo", "Dan", "Eve", "Fay")


class Offline:
    """A match and a World for each seat, told what the server would tell it. One spectator sees too (`watcher`)."""

    def __init__(
        self,
        seats: int = 4,
        *,
        game: str = "robby-solo",
        seed: bytes = b"s" * 32,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.match = Match.start("m1", game, options or {}, seats, seed)
        self.worlds = [World() for _seat in range(seats)]
        self.watcher = World()
        self.updates: list[GameUpdate] = []
        """What the watcher was sent."""
        self.sent: list[GameUpdate] = []
        """What seat 0 was sent."""
        self.sent_own_events: list[Any] = []
        for number, world in [*enumerate(self.worlds), (None, self.watcher)]:
            world.apply(table_state(you=number, names=NAMES[:seats], game=game))
        self._tell(0, self.match.events, self.match.start_private)

    def act(self, seat: int, action: Any) -> None:
        decision = self.match.decision(seat)
        assert decision is not None
        change = self.match.submit(seat, decision.id, plain(action), Stamp(0))
        assert change is not None
        self._adopt(change)

    def expire(self) -> None:
        due = self.match.deadline()
        assert due is not None
        self._adopt(self.match.expire(Stamp(due)))

    def _adopt(self, change: Change) -> None:
        self.match.adopt(change)
        self._tell(change.first, change.public, change.private)

    def _tell(self, first: int, events: Sequence[Any], private: Mapping[int, Sequence[Any]]) -> None:
        receivers: list[tuple[int | None, World]] = [*enumerate(self.worlds), (None, self.watcher)]
        for seat, world in receivers:
            public, own = self.match.view(seat)
            decision: Decision | None = None if seat is None else self.match.decision(seat)
            timer = self.match.timer(seat)
            clock = None
            if timer is not None:
                clock = Clock(remaining_ms=timer.total, total_ms=timer.total)
            own_events = () if seat is None else private.get(seat, ())
            message = GameUpdate(
                table="t1",
                match="m1",
                seq=self.match.seq,
                public=PublicPart(view=plain(public), first=first, events=[plain(event) for event in events]),
                own=plain(own),
                own_events=[plain(event) for event in own_events],
                decision=decision,
                clock=clock,
            )
            # As over the wire: nothing but plain values.
            message = msgspec.convert(plain(message), GameUpdate, strict=True, builtin_types=(bytes,))
            world.apply(message)
            if seat is None:
                self.updates.append(message)
            if seat == 0:
                self.sent.append(message)

    def view(self, seat: int) -> BotView | None:
        """What a bot in this seat is asked; None if nothing."""
        game = self.worlds[seat].game
        assert game is not None
        if game.decision is None:
            return None
        legal = tuple(action for action in game.decision.legal if not isinstance(action, UNOFFERED.get(game.name, ())))
        if not legal:
            return None
        return BotView(game.name, seat, game.public, game.own, legal, game.phase_start, tuple(game.events))

    def play(
        self,
        bots: Sequence[Bot],
        seed: int = 1,
        *,
        order: Callable[[list[int]], int] = min,
        on_choice: Callable[[BotView, Any], None] = lambda view, action: None,
    ) -> None:
        """Let these bots play to the end, each with its own stream of chance. order: who of those asked is quicker."""
        streams = [random.Random(f"{seed}/{seat}") for seat in range(len(bots))]
        while self.match.result() is None:
            asked = [seat for seat in range(len(bots)) if self.view(seat) is not None]
            if not asked:
                self.expire()
                continue
            seat = order(asked)
            view = self.view(seat)
            assert view is not None
            action = bots[seat].choose(view, streams[seat])
            assert action in view.legal
            on_choice(view, action)
            self.act(seat, action)
