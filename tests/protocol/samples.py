"""One small and one full instance of every message, and one of every code: what golden bytes are made of.

Names are kept for ever: a sample may be added, and is removed only with a new major.
"""

from typing import Any

import msgpack  # type: ignore[import-untyped]

from robby_games import robby_solo
from robby_protocol import errors
from robby_protocol.codec import plain
from robby_protocol.messages import (
    Act,
    Bye,
    ChatSaid,
    ChatSend,
    Clock,
    DealCommitted,
    DealOpen,
    DealOpened,
    DealRevealed,
    Decision,
    Error,
    GameHistory,
    GameOffer,
    GameUpdate,
    Goodbye,
    Greeting,
    Hello,
    LobbyList,
    LobbyTables,
    LobbyWatch,
    Login,
    Message,
    Notice,
    Ok,
    Ping,
    Pong,
    PublicPart,
    RecordGet,
    Refused,
    ScoreLine,
    SeatInfo,
    TableAddBot,
    TableClose,
    TableClosed,
    TableConfigure,
    TableCreate,
    TableHandOver,
    TableInfo,
    TableJoin,
    TableKick,
    TableLeave,
    TableMute,
    TableNews,
    TableReady,
    TableStart,
    TableState,
    TableUnwatch,
    TableWatch,
    Welcome,
)
from robby_protocol.messages.base import MAX_INTEGER


def wire(value: object) -> dict[str, Any]:
    """A game's Struct as a receiver finds it in a message."""
    found: dict[str, Any] = msgpack.unpackb(msgpack.packb(plain(value)))
    return found


A32 = bytes(range(32))
B32 = bytes(range(32, 64))
A64 = bytes(range(64))

WAITING = TableInfo(
    table="t1", title="", game="robby-solo", options={}, phase="waiting", host=None, capacity=6, seats=[]
)
FINISHED = TableInfo(
    table="t2",
    title="Freitag, 20 Uhr – ♛",
    game="robby-solo",
    options=wire(robby_solo.Options(time="blitz", junior=True)),
    phase="finished",
    host=0,
    capacity=3,
    seats=[
        SeatInfo(name="Ana", kind="person", ready=True),
        SeatInfo(name="Ben", kind="person", state="stand_in"),
        SeatInfo(name="greedy 1", kind="bot", bot="greedy", ready=True),
    ],
    match="m1",
    result=[
        ScoreLine(name="Ana", seat=0, score=31_000, winner=True),
        ScoreLine(name="Robby Junior", seat=None, score=-1, winner=False),
    ],
)
VIEW = robby_solo.PublicView(
    round=3,
    phase="revision",
    gentleman=1,
    deck=52,
    banks=((2_000, 3), (9_000,), (), (1_000,)),
    participants=(
        robby_solo.ParticipantView(card="laid_again", revealed=None, stack=2, top=4_000),
        robby_solo.ParticipantView(card="laid", revealed=None, stack=0, top=None),
        robby_solo.ParticipantView(card="confirmed", revealed=None, stack=1, top=7),
    ),
    junior=False,
    declaration=robby_solo.Declaration(robs=False, bank=1),
    reveal_open=True,
)
PUBLIC = PublicPart(view=wire(VIEW), first=17, events=[wire(robby_solo.Confirmed(seat=2))])

MESSAGES: dict[str, Message] = {
    "hello.small": Hello(versions=[(1, 0)]),
    "hello.full": Hello(versions=[(1, 3), (2, 0)], client="robby 0.1.0", nonce=A32, extensions={"x": [1, None]}),
    "greeting.small": Greeting(
        version=(1, 0), server_id=A32, server_name="", software="", challenge=B32, methods=["guest"], games=[]
    ),
    "greeting.full": Greeting(
        version=(1, 0),
        server_id=A32,
        server_name="Küche",
        software="robby 0.1.0",
        challenge=B32,
        proof=A64,
        password_required=True,
        methods=["guest", "key"],
        games=[GameOffer(name="robby-solo", version=1, bots=["greedy", "random"])],
        extensions={"motd": "hi"},
    ),
    "login.guest": Login(method="guest", name="Ana"),
    "login.full": Login(
        method="key",
        name="Bjørn",
        key=A32,
        proof=A64,
        resume=b"token",
        password_proof=B32,
        extensions={"language": "de"},
    ),
    "welcome.small": Welcome(identity="g1", name="Ana", ping_ms=5_000, silence_ms=25_000),
    "welcome.full": Welcome(
        identity="k1",
        name="Ana",
        resume=B32,
        table="t1",
        ping_ms=5_000,
        silence_ms=25_000,
        extensions={"a": {"b": True}},
    ),
    "refused.small": Refused(code=errors.SERVER_FULL, text=""),
    "refused.full": Refused(code=errors.CLIENT_TOO_OLD, text="Update.", accepts={"versions": [[2, 0], [3, 1]]}),
    "ping.small": Ping(n=0),
    "ping.largest": Ping(n=MAX_INTEGER),
    "pong.small": Pong(n=300),
    "bye.small": Bye(),
    "ok.small": Ok(re=1),
    "ok.full": Ok(re=2**31 - 1, result={"table": "t1", "seat": 0}),
    "error.small": Error(code=errors.INVALID_MESSAGE, text=""),
    "error.full": Error(re=7, code=errors.BAD_OPTIONS, text="Change it.", details={"field": "items"}),
    "goodbye.small": Goodbye(code=errors.SERVER_STOPPING, text="", reconnect=True),
    "lobby.list.small": LobbyList(id=1),
    "lobby.watch.small": LobbyWatch(id=2, on=True),
    "lobby.tables.small": LobbyTables(tables=[], people=0),
    "lobby.tables.full": LobbyTables(tables=[WAITING, FINISHED], people=3),
    "table.create.small": TableCreate(id=3, game="robby-solo"),
    "table.create.full": TableCreate(
        id=4, game="robby-solo", title="Freitag", capacity=5, options={"junior": True}, bots=["greedy", "random"]
    ),
    "table.join.small": TableJoin(id=5, table="t1"),
    "table.leave.small": TableLeave(id=6),
    "table.ready.small": TableReady(id=7, ready=False),
    "table.ready.full": TableReady(id=8, ready=True, commitment=A32),
    "table.start.small": TableStart(id=9),
    "table.configure.small": TableConfigure(id=10),
    "table.configure.full": TableConfigure(id=11, options={"time": "relaxed"}, capacity=4, title="x"),
    "table.add_bot.small": TableAddBot(id=12, bot="random"),
    "table.kick.small": TableKick(id=13, seat=2, name="Cleo"),
    "table.hand_over.small": TableHandOver(id=14, seat=1, name="Ben"),
    "table.state.small": TableState(table=WAITING, you=None),
    "table.state.full": TableState(
        table=FINISHED, you=0, news=[TableNews(code="finished"), TableNews(code="away", seat=1, name="Ben")]
    ),
    "table.closed.small": TableClosed(table="t1", code=errors.KICKED, text=""),
    "game.update.small": GameUpdate(table="t1", match="m1", seq=0, public=PublicPart(view={}, first=0, events=[])),
    "game.update.full": GameUpdate(
        table="t1",
        match="m1",
        seq=70_000,
        public=PUBLIC,
        own=wire(robby_solo.OwnView(seat=0, card=3, stack=(4_000, 6))),
        own_events=[wire(robby_solo.YouLaid(bank=3))],
        decision=Decision(id=12, legal=[wire(robby_solo.TakeBack()), wire(robby_solo.Confirm())]),
        clock=Clock(remaining_ms=12_345, total_ms=30_000, opens_ms=250),
    ),
    "game.history.small": GameHistory(table="t1", match="m1", first=0, events=[]),
    "game.history.full": GameHistory(table="t1", match="m1", first=16, events=[wire(robby_solo.Laid(seat=0))]),
    "game.act.small": Act(id=15, table="t1", decision=12, action={"type": "confirm"}),
    "game.act.full": Act(
        id=16, table="t1", match="m1", decision=13, action=wire(robby_solo.Declare(robs=True, bank=0))
    ),
    "notice.small": Notice(code="operator", text="Back in five minutes"),
    "chat.send.lobby": ChatSend(id=1, text="Hallo [b]alle[/b]"),
    "chat.send.table": ChatSend(id=2, table="t1", text="♛"),
    "chat.said.small": ChatSaid(name="Ana", text="hi"),
    "chat.said.full": ChatSaid(table="t1", name="Ana", kind="spectator", seat=0, text="hi", past=True),
    "deal.committed.small": DealCommitted(table="t1", match="m1", server=A32, seats=[B32, b""], remaining_ms=10_000),
    "deal.open.small": DealOpen(id=3, match="m1", nonce=A32),
    "deal.opened.small": DealOpened(table="t1", match="m1", nonces=[A32, b""]),
    "deal.revealed.small": DealRevealed(table="t1", match="m1", secret=B32),
    "record.get.small": RecordGet(id=4, match="m1"),
    "table.close.small": TableClose(id=5),
    "table.mute.small": TableMute(id=6, name="Ben", on=True),
    "table.watch.small": TableWatch(id=7, table="t1"),
    "table.watch.full": TableWatch(id=8, table="t1", invite="ABCD-EFGH", password_proof=A32),
    "table.unwatch.small": TableUnwatch(id=9),
    "table.create.private": TableCreate(
        id=10, game="robby-solo", private=True, password_key=A32, spectators=False, delay_s=30
    ),
    "table.join.private": TableJoin(id=11, table="t1", invite="ABCD-EFGH", password_proof=A32),
    "table.configure.access": TableConfigure(
        id=12, private=True, password_key=A32, spectators=True, delay_s=0, new_invite=True
    ),
    "table.start.committed": TableStart(id=13, commitment=A32),
    "table.state.deal": TableState(table=WAITING, you=0, invite="ABCD-EFGH", next_match="m2", commitment=B32),
    "table.state.spectator": TableState(
        table=TableInfo(
            table="t1",
            title="",
            game="robby-solo",
            options={},
            phase="playing",
            host=0,
            capacity=3,
            seats=[],
            private=True,
            spectators=False,
            delay_s=30,
            watchers=2,
            kept=False,
            aborted=1,
        ),
        you=None,
    ),
    "game.update.paused": GameUpdate(
        table="t1", match="m1", seq=0, public=PUBLIC, clock=Clock(remaining_ms=1, total_ms=2, paused=True)
    ),
}
"""By name: the message's type and what is special about it."""

CODES: dict[str, Message] = {f"code.{code}": Error(re=1, code=code, text="") for code in sorted(errors.CODES)}

ALL: dict[str, Message] = {**MESSAGES, **CODES}
