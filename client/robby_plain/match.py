"""A running match in lines: events told once, decisions asked with numbers, the clock said at sensible moments."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import anyio
from anyio.abc import TaskGroup

from robby_client.client import NotConnected, Refused
from robby_client.stories.registry import STORIES, game_title
from robby_client.tale.table import paused_sentence
from robby_client.world import GameState, OpenDecision
from robby_plain.games import GameTexts
from robby_plain.registry import TEXTS
from robby_plain.session import Session
from robby_protocol.i18n import _, ngettext

ANNOUNCED_AT = (60, 30, 10, 5)
"""Seconds left at which an open question's time is said: often enough to plan, too seldom to disturb."""
NOT_SOON_AFTER = 0.75
"""A moment is announced only if so large a part of the time at asking is gone before it."""
LOG_SHOWN = 20

Choice = tuple[Callable[[], Awaitable[None]], str]
"""What is done if it is chosen, and what it is called."""


class MatchPart:
    """Shown while the own table plays, and for the results."""

    def __init__(self, session: Session, tasks: TaskGroup) -> None:
        self._session = session
        self._tasks = tasks
        self._match: str | None = None
        self._told = 0
        self._own_told = 0
        self._countdown: anyio.CancelScope | None = None
        self._paused = False
        self._shown: GameState | None = None
        """The match that was shown last, and `_seat`, the own one in it: the table may be gone sooner than its end has
        been told, where messages come all at once."""
        self._seat: int | None = None

    @property
    def _game(self) -> GameState | None:
        game = self._session.world.game
        return game if game is not None and game.public is not None else None

    def _texts(self, game: GameState) -> GameTexts:
        return TEXTS[game.name]

    def _names(self, game: GameState) -> list[str]:
        return self._texts(game).story.names_in(game)

    def refresh(self, found_match: str | None = None) -> None:
        """The world may have changed: tell what is new, and ask what is asked.

        found_match: a match whose beginning was not seen here: how it stands is shown, but it is not told from the
        beginning.
        """
        self.catch_up()
        game = self._game
        session = self._session
        self._shown, self._seat = game, session.world.seat
        if game is None:
            if session.world.trouble is not None:
                self._close_question()
            return
        if game.match != self._match:
            self._match = game.match
            found = game.match == found_match
            self._told = len(game.events) if found else 0
            self._own_told = len(game.own_events) if found else 0
            if found:
                self._remember(game)
                if session.world.watching:
                    session.say(_("A game is played here. Type log for what happened."))
                else:
                    session.say(_("You are in the middle of a game. Type log for what happened."))
                self.view()
        self._tell(game)
        self._tell_pause(game)
        self._ask(game)

    def catch_up(self) -> None:
        """Tell what has happened in the match that was shown last, before anything else is said."""
        if self._shown is not None and self._shown.match == self._match:
            self._tell(self._shown)

    def _remember(self, game: GameState) -> None:
        """Put what happened before into the log without saying it."""
        names = self._names(game)
        for event in game.events:
            self._session.log.extend(self._texts(game).sentences(event, names, self._session.world.seat))

    def _tell(self, game: GameState) -> None:
        session = self._session
        names = self._names(game)
        new = [*game.events[self._told :], *game.own_events[self._own_told :]]
        self._told = len(game.events)
        self._own_told = len(game.own_events)
        for event in new:
            for line in self._texts(game).sentences(event, names, self._seat):
                session.tell(line)

    def _tell_pause(self, game: GameState) -> None:
        """The time stands still, or runs again."""
        paused = game.clock is not None and game.clock.paused
        if paused == self._paused:
            return
        self._paused = paused
        if paused:
            self._session.say(paused_sentence())
            self._stop_countdown()
        else:
            self.time()
            if self.asks:
                self._start_countdown(game)

    def _ask(self, game: GameState) -> None:
        session = self._session
        decision = game.decision
        if decision is None:
            self._close_question()
            return
        key = _key(game, decision)
        if session.numbers.key == key:
            return
        self._close_question()
        session.ask(key, self._question(game), self._choices(game, decision, decision.legal))
        self._start_countdown(game)

    def _choices(self, game: GameState, decision: OpenDecision, actions: Sequence[Any]) -> list[Choice]:
        menu = self._texts(game).menu(actions, game)
        return [(partial(self._choose, decision, label, inner), label) for label, inner in menu]

    async def _choose(self, decision: OpenDecision, label: str, actions: Sequence[Any]) -> None:
        """Take a choice: an action is done; several are asked for next."""
        game = self._game
        if len(actions) == 1:
            await self._act(decision, actions[0])
        elif game is not None and self.asks:
            back = (partial(self._back, decision), _("back"))
            self._session.ask(_key(game, decision), label, [*self._choices(game, decision, actions), back])

    async def _back(self, decision: OpenDecision) -> None:
        """The decision's first choices again."""
        game = self._game
        if game is not None and self.asks:
            self._session.ask(_key(game, decision), self._question(game), self._choices(game, decision, decision.legal))

    def _question(self, game: GameState) -> str:
        question = self._texts(game).question(game, self._names(game))
        if game.clock is None:
            return question
        if game.clock.paused:
            return f"{question} {paused_sentence()}"
        seconds = round(game.clock.remaining(self._session.world.now()))
        left = ngettext("{count} second.", "{count} seconds.", seconds).format(count=seconds)
        return f"{question} {left}"

    def _close_question(self) -> None:
        if self.asks:
            self._session.numbers.close()
        self._stop_countdown()

    def _stop_countdown(self) -> None:
        if self._countdown is not None:
            self._countdown.cancel()
            self._countdown = None

    def pause(self) -> None:
        """No connection: what was asked cannot be answered now."""
        self._close_question()

    @property
    def asks(self) -> bool:
        """Whether a decision of this match can be answered now."""
        return isinstance(self._session.numbers.key, tuple) and self._session.numbers.key[0] == "decision"

    def read(self, text: str) -> Any | None:
        """The action that typed words mean in the table's game; None if they mean none."""
        table = self._session.world.table
        texts = None if table is None else TEXTS.get(table.game)
        return None if texts is None else texts.read(text, self._game)

    async def answer(self, action: Any, *, patient: bool) -> bool:
        """Answer the decision that was asked last by an action. Returns whether one is open.

        An action that is not offered is said; patient: not where the decision can be passed, as the next may fit.
        """
        game = self._game
        decision = None if game is None else game.decision
        if game is None or decision is None or self._session.numbers.key != _key(game, decision):
            return False
        if action in decision.legal:
            await self._act(decision, action)
        elif patient and self._texts(game).can_be_passed(decision.legal):
            return False
        else:
            self._session.say(_("That is not asked now; nothing was done."))
        return True

    async def _act(self, decision: OpenDecision, action: Any) -> None:
        session = self._session
        try:
            await session.client.act(action, decision=decision.id)
        except (Refused, NotConnected) as problem:
            session.say(problem.text)
            return
        # The question is answered; a new one comes with the next view, or is there already.
        game = self._game
        if game is None or game.decision is None:
            self._close_question()

    def _start_countdown(self, game: GameState) -> None:
        clock = game.clock
        if clock is None or clock.paused:
            return
        left = clock.remaining(self._session.world.now())
        moments = [moment for moment in ANNOUNCED_AT if moment <= left * NOT_SOON_AFTER]
        self._countdown = anyio.CancelScope()
        self._tasks.start_soon(self._count_down, self._countdown, clock.remaining, moments)

    async def _count_down(
        self, scope: anyio.CancelScope, remaining: Callable[[float], float], moments: list[int]
    ) -> None:
        with scope:
            for moment in moments:
                await anyio.sleep(max(0.0, remaining(self._session.world.now()) - moment))
                self._session.say(
                    ngettext("{count} second left.", "{count} seconds left.", moment).format(count=moment)
                )

    def view(self) -> None:
        """`view`: the whole table."""
        game = self._game
        if game is None:
            self._session.say(_("No game is being played."))
            return
        for line in self._texts(game).view(game, self._names(game), self._session.world.seat):
            self._session.say(line)
        question = self._question(game)
        if game.decision is not None and self._session.numbers.open:
            self._session.repeat(question)
        else:
            self._session.say(question)

    def hand(self) -> None:
        """`hand`: what only this seat sees."""
        game = self._game
        for line in [_("No game is being played.")] if game is None else self._texts(game).hand(game):
            self._session.say(line)

    def time(self) -> None:
        """`time`: what is left of the phase."""
        game = self._game
        if game is None or game.clock is None:
            self._session.say(_("No time limit runs."))
            return
        if game.clock.paused:
            self._session.say(paused_sentence())
        seconds = round(game.clock.remaining(self._session.world.now()))
        self._session.say(ngettext("{count} second left.", "{count} seconds left.", seconds).format(count=seconds))

    def log(self, count: int = LOG_SHOWN) -> None:
        """`log`: the last things that happened."""
        lines = list(self._session.log)[-count:]
        for line in lines or [_("Nothing has happened yet.")]:
            self._session.say(line)

    def rules(self) -> None:
        """`rules`: how the game goes."""
        table = self._session.world.table
        names = list(STORIES) if table is None else [table.game]
        for name in names:
            if len(names) > 1:
                self._session.say(game_title(name))
            for line in STORIES[name].rules() if name in STORIES else ():
                self._session.say(line)


def _key(game: GameState, decision: OpenDecision) -> tuple[Any, ...]:
    """What a decision's question is known by."""
    return ("decision", game.match, decision.id, decision.legal)
