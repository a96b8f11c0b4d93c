"""The lobby in lines: which tables there are, sitting down, making one by questions or in one line."""

from functools import partial
from typing import Any

from robby_client.client import NotConnected, Refused
from robby_client.options import OptionField, fields_of
from robby_client.stories.base import Story
from robby_client.stories.registry import STORIES, UnknownGameError, game_named, game_title, option_summary
from robby_plain.numbers import Choice
from robby_plain.options import OptionError, TablePlan, read_plan, read_value, text_of
from robby_plain.registry import TEXTS
from robby_plain.session import Cancelled, Session
from robby_protocol.errors import ACCESS_DENIED, TABLE_PRIVATE
from robby_protocol.i18n import N_, _, ngettext
from robby_protocol.messages import LobbyTables, LobbyWatch, TableInfo

MOST_NUMBERED = 40
"""Tables that get a number in one list; the others can be joined by id or title."""
GAME_WORD = "game="
MOST_BOTS = 5
WATCH_DELAY = 30
"""Seconds offered as a delay for watchers: long enough that nobody can be told what others just did."""

_PHASES = {"waiting": N_("waiting"), "playing": N_("playing"), "finished": N_("between games")}


class LobbyPart:
    """Shown as long as this person has no seat."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._shown: dict[str, str] | None = None
        """Tables told, id to title; None: the list has not been said since coming here."""
        self._stale: LobbyTables | None = None
        """A list from before; it is not said any more."""

    def leave(self) -> None:
        """The person sits down: the next time, the list is said anew."""
        self._shown = None
        self._stale = self._session.world.lobby

    async def watch(self, on: bool) -> None:
        """Ask to be told of the tables, or not any more."""
        await self._session.call(LobbyWatch, on=on)

    def refresh(self) -> None:
        """The world may have changed: say what is new."""
        session = self._session
        lobby = session.world.lobby
        if lobby is None or lobby is self._stale or session.in_dialog:
            return
        if self._shown is None:
            self.show()
            return
        now = {table.table: table for table in lobby.tables}
        for gone in [table for table in self._shown if table not in now]:
            session.say(_("Table closed: {title}").format(title=self._shown.pop(gone)))
        for table in lobby.tables:
            if table.table not in self._shown:
                self._shown[table.table] = table.title
                if session.numbers.key == "lobby" and len(session.numbers.open) <= MOST_NUMBERED:
                    deed, label = self._choice(table)
                    number = session.numbers.add(Choice(deed, label))
                    session.say(_("New table: {number}: {table}").format(number=number, table=label))
                else:
                    session.say(_("New table: {table}").format(table=_summary(table)))

    def show(self) -> None:
        """Say all tables, each with a number to sit down there."""
        session = self._session
        lobby = session.world.lobby
        if lobby is None:
            session.say(_("The list of tables has not come yet."))
            return
        self._shown = {table.table: table.title for table in lobby.tables}
        people = ngettext("{count} person is here.", "{count} people are here.", lobby.people).format(
            count=lobby.people
        )
        if lobby.tables:
            question = _("Tables. Choose one to sit down, or create your own. {people}").format(people=people)
        else:
            question = _("There is no table yet. Create one. {people}").format(people=people)
        choices: list[tuple[Any, str]] = [(self.create_by_questions, _("create a table"))]
        choices += [self._choice(table, with_id=True) for table in lobby.tables[:MOST_NUMBERED]]
        session.ask("lobby", question, choices)
        for table in lobby.tables[MOST_NUMBERED:]:
            session.say(f"  {_summary(table, with_id=True)}")

    def _choice(self, table: TableInfo, *, with_id: bool = False) -> tuple[Any, str]:
        """What a table's number does: sit down where there is a seat, else watch where one may."""
        summary = _summary(table, with_id=with_id)
        welcome = self._session.world.welcome
        mine = welcome is not None and any(seat.name == welcome.name for seat in table.seats)
        free = table.phase != "playing" and len(table.seats) < table.capacity
        if free or mine or not table.spectators:
            return partial(self.join, table.table), summary
        return partial(self.watch_table, table.table), _("watch {table}").format(table=summary)

    async def join(self, table: str, *, invite: str = "", password: str | None = None) -> None:
        """Sit down at a table, by id or title."""
        await self._enter(table, invite, password, watch=False)

    async def watch_table(self, table: str, *, invite: str = "", password: str | None = None) -> None:
        """Watch a table, by id or title."""
        await self._enter(table, invite, password, watch=True)

    async def enter_by_words(self, words: list[str], *, watch: bool) -> None:
        """`join TABLE`, `watch TABLE`; for a private one with invite=CODE or password=WORDS behind."""
        given = {"invite": "", "password": ""}
        while len(words) > 1:
            name, sign, value = words[-1].partition("=")
            if not sign or name.casefold() not in given:
                break
            given[name.casefold()] = value
            words = words[:-1]
        await self._enter(" ".join(words), given["invite"], given["password"] or None, watch=watch)

    async def _enter(self, table: str, invite: str, password: str | None, *, watch: bool) -> None:
        session = self._session
        table = self._id_of(table)
        seen = session.to_be_seen()
        enter = session.client.watch if watch else session.client.join
        try:
            while True:
                try:
                    await enter(table, invite=invite, password=password)
                    break
                except Refused as refused:
                    if refused.code not in (TABLE_PRIVATE, ACCESS_DENIED) or session.script:
                        raise
                    session.say(refused.text)
                    invite, password = await self._ask_access()
        except Cancelled:
            session.say(_("Cancelled."))
            self._shown = None
            self.refresh()
        except (Refused, NotConnected) as problem:
            if not session.leaving:
                session.say(problem.text)
        else:
            await session.see(seen, _("You watch the table.") if watch else _("You have a seat."))

    def _id_of(self, table: str) -> str:
        lobby = self._session.world.lobby
        if lobby is not None and all(one.table != table for one in lobby.tables):
            wanted = table.casefold()
            return next((one.table for one in lobby.tables if one.title.casefold() == wanted), table)
        return table

    async def _ask_access(self) -> tuple[str, str | None]:
        """An invite code or a password for a private table. Raises Cancelled or EndOfInput."""
        session = self._session
        session.in_dialog = True
        try:
            kind = await session.choose(
                _("How do you come in?"),
                [
                    ("invite", _("by an invite code")),
                    ("password", _("by the table's password")),
                    ("no", _("not at all")),
                ],
            )
            if kind == "no":
                raise Cancelled
            if kind == "invite":
                return await session.ask_text(_("Type the invite code, or cancel.")), None
            return "", await session.ask_secret(_("Type the password, or cancel."))
        finally:
            session.in_dialog = False

    async def create(self, words: list[str]) -> None:
        """`create game=NAME name=value …`, the first game where none is named; without words by questions."""
        session = self._session
        if not words:
            await self.create_by_questions()
            return
        games = self._games()
        game = games[0]
        try:
            for word in [word for word in words if word.casefold().startswith(GAME_WORD)]:
                game = game_named(word[len(GAME_WORD) :], games)
                words = [other for other in words if other != word]
            plan = read_plan(STORIES[game], words)
        except (OptionError, UnknownGameError) as problem:
            session.say(str(problem))
            return
        await self._create(game, plan)

    async def create_by_questions(self) -> None:
        session = self._session
        session.in_dialog = True
        try:
            await self._questions()
        except Cancelled:
            session.say(_("Cancelled; no table was made."))
            self._shown = None
        finally:
            session.in_dialog = False
        if session.world.table is None:
            self.refresh()

    async def _questions(self) -> None:
        session = self._session
        session.say(_("A new table. Type cancel to stop."))
        games = self._games()
        game = games[0]
        if len(games) > 1:
            game = await session.choose(_("Which game?"), [(name, STORIES[name].introduced()) for name in games])
        story = STORIES[game]
        types = story.types
        title = await session.ask_text(_("A title for the table, or an empty line."))
        seats = await session.choose(
            _("How many seats?"), [(count, str(count)) for count in range(types.seats[0], types.seats[1] + 1)]
        )
        plan = TablePlan(title=title, capacity=seats, options={}, bots=[])
        options, bots = plan.options, plan.bots
        await self._access_questions(plan)
        fields = fields_of(types.options)
        for field in fields:
            if field.kind != "number":
                await self._one_option(story, field, options)
        if await session.choose(
            _("Change limits and numbers, too?"), [(False, _("no, as usual")), (True, _("yes, one by one"))]
        ):
            for field in fields:
                if field.kind == "number":
                    await self._number_option(story, field, options)
        kinds = self._bots(game)
        while kinds and len(bots) < min(seats - 1, MOST_BOTS):
            question = _("Seat a bot?") if not bots else _("Seat another bot?")
            bot = await session.choose(question, [("", _("no")), *((kind, kind) for kind in kinds)])
            if not bot:
                break
            bots.append(bot)
        await self._create(game, plan)

    async def _access_questions(self, plan: TablePlan) -> None:
        session = self._session
        come = await session.choose(
            _("Who may come?"),
            [
                ("all", _("anybody, as usual")),
                ("invite", _("whoever has the invite code")),
                ("password", _("whoever has the invite code or knows a password")),
            ],
        )
        if come != "all":
            plan.access["private"] = True
        if come == "password":
            plan.password = await session.ask_secret(_("The table's password?"))
        watch = await session.choose(
            _("Who may watch?"),
            [
                (0, _("anybody, at once, as usual")),
                (WATCH_DELAY, _("anybody, {seconds} seconds later").format(seconds=WATCH_DELAY)),
                (None, _("nobody")),
            ],
        )
        if watch is None:
            plan.access["spectators"] = False
        elif watch:
            plan.access["delay_s"] = watch

    async def _one_option(self, story: Story, field: OptionField, options: dict[str, Any]) -> None:
        if field.kind == "yes_no":
            choices: list[tuple[Any, str]] = [(False, _("no")), (True, _("yes"))]
        else:
            choices = [(value, story.choice(field, value)) for value in field.values]
        choices = [
            (value, _("{choice}, as usual").format(choice=label) if value == field.default else label)
            for value, label in choices
        ]
        options[field.name] = await self._session.choose(f"{text_of(story, field)}?", choices)

    async def _number_option(self, story: Story, field: OptionField, options: dict[str, Any]) -> None:
        session = self._session
        while True:
            default = str(field.default)
            if field.default is None:
                default = _("as the time limits say") if field.is_limit else _("as usual")
            label = text_of(story, field)
            text = await session.ask_text(
                _("{option}? A number, or an empty line for: {default}.").format(option=label, default=default)
            )
            if not text:
                return
            try:
                value = read_value(field, text, label)
            except OptionError as problem:
                session.say(str(problem))
                continue
            options[field.name] = value
            return

    async def _create(self, game: str, plan: TablePlan) -> None:
        session = self._session
        access = {name: value for name, value in plan.access.items() if name != "new_invite"}
        answer = session.client.create(
            password=plan.password,
            game=game,
            title=plan.title,
            capacity=plan.capacity,
            options=plan.options,
            bots=plan.bots,
            **access,
        )
        await session.changed(answer, _("Your table is made. Its id is {table}."))

    def _games(self) -> list[str]:
        """The games that both the server and this client know; at least one, so that the server may refuse it."""
        greeting = self._session.world.greeting
        offered = [] if greeting is None else [game.name for game in greeting.games]
        return [name for name in offered if name in TEXTS] or [next(iter(TEXTS))]

    def _bots(self, game: str) -> list[str]:
        return bots_offered(self._session, game)


def bots_offered(session: Session, game: str) -> list[str]:
    """The bots that the server can seat."""
    greeting = session.world.greeting
    if greeting is None:
        return []
    return next((list(offer.bots) for offer in greeting.games if offer.name == game), [])


def _summary(table: TableInfo, *, with_id: bool = False) -> str:
    """A table in one line."""
    names = ", ".join(seat.name for seat in table.seats)
    phase = _(_PHASES[table.phase]) if table.phase in _PHASES else table.phase
    if table.private:
        phase = _("{phase}, private").format(phase=phase)
    if table.watchers:
        watch = ngettext("{count} watches", "{count} watch", table.watchers).format(count=table.watchers)
        phase = f"{phase}, {watch}"
    summary = _("{title}, {game}, {options}, {taken} of {seats} seats: {names}; {phase}").format(
        title=table.title or table.table,
        game=game_title(table.game),
        options=option_summary(table),
        taken=len(table.seats),
        seats=table.capacity,
        names=names,
        phase=phase,
    )
    if not with_id or table.title in ("", table.table):
        return summary
    return _("{summary}; id {table}").format(summary=summary, table=table.table)
