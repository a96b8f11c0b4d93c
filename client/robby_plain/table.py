"""The own table between matches in lines: who sits there, getting ready, starting, bots, the host's rights."""

from functools import partial
from typing import Any

from robby_client.client import NotConnected, Refused
from robby_client.files import NotWritable
from robby_client.stories.registry import STORIES, game_title, option_lines, option_summary
from robby_client.tale.table import news_sentence
from robby_plain.lobby import bots_offered
from robby_plain.options import OptionError, read_plan
from robby_plain.session import Session
from robby_protocol.i18n import N_, _, ngettext
from robby_protocol.messages import (
    TableAddBot,
    TableClose,
    TableHandOver,
    TableInfo,
    TableKick,
    TableLeave,
    TableMute,
    TableReady,
    TableStart,
    TableState,
)

_STATES = {
    "away": N_("away"),
    "stand_in": N_("away, a bot plays"),
    "left": N_("left, a bot plays"),
}
_OWN_SILENT = frozenset(("joined", "bot_added"))
"""News about oneself that the answer to one's own command has said already."""


class TablePart:
    """Shown while this person has a seat, or watches, and no match runs."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._sat_down: str | None = None
        self._said: str | None = None
        self._phase: str | None = None
        """The table's phase as of the news told; the world may be ahead, but what happened is told first."""
        self.found_match: str | None = None
        """The match that was there already when this person came to the table."""

    def leave(self) -> None:
        """The seat was given up."""
        self._sat_down = None
        self._said = None
        self._phase = None
        self.found_match = None

    def news(self, message: TableState) -> None:
        """Tell what happened at the table."""
        session = self._session
        self._phase = message.table.phase
        if message.table.table != self._sat_down:
            self._sat_down = message.table.table
            self.found_match = message.table.match
        me = "" if session.world.welcome is None else session.world.welcome.name
        for news in message.news:
            if news.name == me and news.code in _OWN_SILENT:
                continue
            sentence = news_sentence(news)
            if sentence is not None:
                session.tell(sentence)

    def refresh(self) -> None:
        """The world may have changed: say what can be done now, where that is new."""
        session = self._session
        table = session.world.table
        if table is None or session.in_dialog:
            return
        if table.phase == "playing" or table.phase != self._phase:
            return
        if table.table != self._said:
            self._said = table.table
            self.view()
        choices = self._choices(table)
        key = ("table", table.table, table.phase, tuple(label for _value, label in choices))
        if session.numbers.key != key:
            session.ask(key, self._question(table), choices)

    def _question(self, table: TableInfo) -> str:
        if self._session.world.watching:
            return _("You watch this table; no game is played now. What now?")
        if table.phase == "finished":
            return _("The table stays for a rematch. What now?")
        return _("The table waits. What now?")

    def _choices(self, table: TableInfo) -> list[tuple[Any, str]]:
        session = self._session
        me = session.world.seat
        choices: list[tuple[Any, str]] = []
        if session.world.watching:
            if len(table.seats) < table.capacity:
                choices.append((self.sit_down, _("sit down")))
            choices.append((self.unwatch, _("watch no longer")))
            return choices
        if me is not None and table.host == me:
            choices.append((self.start, _("start the game")))
            if len(table.seats) < table.capacity:
                choices += [
                    (partial(self.add_bot, bot), _("seat the bot {bot}").format(bot=bot))
                    for bot in bots_offered(session, table.game)
                ]
        elif me is not None and me < len(table.seats):
            if table.seats[me].ready:
                choices.append((partial(self.ready, False), _("I am not ready after all")))
            else:
                choices.append((partial(self.ready, True), _("I am ready")))
        if table.phase == "finished" and table.match is not None:
            choices.append((self.record, _("save the record of the game")))
        choices.append((self.give_up, _("leave the table")))
        return choices

    def again(self) -> None:
        """`view`: the table as it is, and the open question again."""
        self.view()
        table = self._session.world.table
        if table is not None and self._session.numbers.open:
            self._session.repeat(self._question(table))

    def view(self) -> None:
        """Say the table as it is."""
        session = self._session
        table = session.world.table
        if table is None:
            return
        name = table.table
        if table.title and table.title != table.table:
            name = _("{title}, id {table}").format(title=table.title, table=table.table)
        session.say(
            _("Table {table}, {taken} of {seats} seats:").format(
                table=name, taken=len(table.seats), seats=table.capacity
            )
        )
        for number, seat in enumerate(table.seats):
            parts = [seat.name]
            if number == session.world.seat:
                parts.append(_("you"))
            if seat.kind == "bot":
                parts.append(_("the bot {bot}").format(bot=seat.bot))
            if number == table.host:
                parts.append(_("host"))
            elif seat.kind == "person" and table.phase != "playing":
                parts.append(_("ready") if seat.ready else _("not ready"))
            if seat.state in _STATES:
                parts.append(_(_STATES[seat.state]))
            session.say("  " + ", ".join(parts))
        lines = option_lines(table) or [option_summary(table)]
        session.say("; ".join([game_title(table.game), *lines]))
        for line in self._access_lines(table):
            session.say(line)

    def _access_lines(self, table: TableInfo) -> list[str]:
        """Who may come and watch, and what else should be known of the table."""
        lines = []
        if table.private and self._session.world.invite:
            lines.append(_("The table is private. Its invite code is {code}.").format(code=self._session.world.invite))
        elif table.private:
            lines.append(_("The table is private."))
        if not table.spectators:
            lines.append(_("Nobody may watch."))
        elif table.delay_s:
            lines.append(
                ngettext(
                    "Watchers see everything {count} second later.",
                    "Watchers see everything {count} seconds later.",
                    table.delay_s,
                ).format(count=table.delay_s)
            )
        if table.watchers:
            lines.append(
                ngettext("{count} person watches.", "{count} people watch.", table.watchers).format(
                    count=table.watchers
                )
            )
        if not table.kept:
            lines.append(_("The server cannot write to its disk now: this table would not survive a crash."))
        if table.aborted:
            lines.append(_("Starts broken off because somebody did not open: {count}.").format(count=table.aborted))
        return lines

    async def ready(self, ready: bool) -> None:
        await self._session.change(TableReady, ready=ready)

    async def start(self) -> None:
        await self._session.change(TableStart)

    async def add_bot(self, bot: str) -> None:
        await self._session.change(TableAddBot, bot=bot)

    async def sit_down(self) -> None:
        """A watcher takes a seat."""
        session = self._session
        table = session.world.table
        if table is not None:
            await session.changed(session.client.join(table.table), _("You have a seat."))

    async def unwatch(self) -> None:
        """A watcher goes."""
        session = self._session
        if await session.attempt(session.client.unwatch()) is not None:
            session.world.leave_table()
            session.say(_("You watch no longer."))

    async def close(self) -> None:
        """The host closes the table; the server's word of it follows."""
        await self._session.call(TableClose)

    async def silence(self, name: str, on: bool) -> None:
        """The host lets nobody at the table hear somebody, who may sit here or watch."""
        await self._session.change(TableMute, name=name, on=on)

    async def record(self) -> None:
        """`record`: save the record of the game just finished."""
        session = self._session
        table, game = session.world.table, session.world.game
        match = game.match if game is not None else None if table is None else table.match
        if match is None:
            session.say(_("No game has been played here yet."))
            return
        try:
            path = await session.client.save_record(match)
        except (Refused, NotConnected) as problem:
            session.say(problem.text)
        except NotWritable as problem:
            session.say(_("The record could not be written: {reason}.").format(reason=problem.reason))
        else:
            session.say(_("The record is saved as {path}.").format(path=path))

    async def give_up(self) -> None:
        """Leave the table, in a running game too."""
        session = self._session
        if session.world.watching:
            await self.unwatch()
            return
        playing = session.world.table is not None and session.world.table.phase == "playing"
        if await session.call(TableLeave) is None:
            return
        session.world.leave_table()
        if playing:
            session.say(_("You left. A bot plays on for you; join the table again to return."))
        else:
            session.say(_("You left the table."))

    async def kick(self, name: str) -> None:
        seat = self._seat_of(name)
        if seat is not None:
            await self._session.change(TableKick, seat=seat[0], name=seat[1])

    async def hand_over(self, name: str) -> None:
        seat = self._seat_of(name)
        if seat is not None:
            await self._session.change(TableHandOver, seat=seat[0], name=seat[1])

    def _seat_of(self, name: str) -> tuple[int, str] | None:
        table = self._session.world.table
        for number, seat in enumerate(() if table is None else table.seats):
            if seat.name.casefold() == name.casefold():
                return number, seat.name
        self._session.say(_("Nobody called {name} sits here.").format(name=name))
        return None

    async def configure(self, words: list[str]) -> None:
        """`options name=value …`: the options given, all others as usual; without words they are said."""
        session = self._session
        table = session.world.table
        if table is None:
            return
        story = STORIES.get(table.game)
        if not words or story is None:
            self.view()
            return
        try:
            plan = read_plan(story, words)
        except OptionError as problem:
            session.say(str(problem))
            return
        fields = dict(plan.access)
        if plan.options:
            fields["options"] = {**table.options, **plan.options}
        if plan.capacity is not None:
            fields["capacity"] = plan.capacity
        if plan.title:
            fields["title"] = plan.title
        await session.changed(session.client.configure(password=plan.password, **fields))
