"""Which bots there are, by game and name, and loading somebody's own."""

import importlib
import importlib.util
import inspect
import sys
from pathlib import Path
from types import ModuleType

from robby_bots.interface import Bot
from robby_bots.random_bot import RandomBot
from robby_bots.robby_solo import manners as solo
from robby_bots.robby_solo.greedy import GreedyBot
from robby_bots.tresor_diebe.greedy import GreedyThief
from robby_bots.wild_wild_pattern.finder import FinderBot, QuickBot, SlowBot, WildRandomBot
from robby_games.robby_solo import NAME as ROBBY_SOLO
from robby_games.tresor_diebe import NAME as TRESOR_DIEBE
from robby_games.wild_wild_pattern import NAME as WILD_WILD_PATTERN
from robby_protocol.i18n import _

BOTS: dict[str, dict[str, type[Bot]]] = {
    ROBBY_SOLO: {"greedy": GreedyBot, "random": RandomBot},
    TRESOR_DIEBE: {"greedy": GreedyThief, "random": RandomBot},
    WILD_WILD_PATTERN: {"slow": SlowBot, "greedy": FinderBot, "quick": QuickBot, "random": WildRandomBot},
}
"""By game and name; the first of each game plays where none is named: one that leaves a beginner a chance."""

UNOFFERED: dict[str, tuple[type, ...]] = {ROBBY_SOLO: solo.UNOFFERED}
"""By game: kinds of actions that no bot is offered."""

_FILE_MODULE = "robby_bot_from_file"


class BotLoadError(Exception):
    """There is no such bot, or its file cannot be used; str() is a plain sentence."""


def load_bot(spec: str, game: str | None = None) -> type[Bot]:
    """A bot by name (`greedy`), as `module:Class`, or from a file (`my_bot.py` or `my_bot.py:Class`).

    game: which game it shall play; None: a name means the first game that has such a bot. Loading runs the file or
    module. Raises BotLoadError.
    """
    known = [bots for name, bots in BOTS.items() if game in (None, name)]
    for bots in known:
        if spec in bots:
            return bots[spec]
    where, colon, wanted = spec.rpartition(":")
    if not colon:
        where, wanted = spec, ""
    if where.endswith(".py"):
        module = _from_file(Path(where))
    elif colon:
        module = _from_module(where)
    else:
        names = sorted({name for bots in known for name in bots})
        raise BotLoadError(
            _("No bot is called „{name}“. There are: {known}; or give a file like my_bot.py, or module:Class.").format(
                name=spec, known=", ".join(names)
            )
        )
    found = _class_in(module, wanted, where)
    if found.game is not None and found.game not in (BOTS if game is None else (game,)):
        raise BotLoadError(_("{name} plays another game: {game}.").format(name=found.name, game=found.game))
    return found


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise BotLoadError(_("There is no file {path}.").format(path=path))
    spec = importlib.util.spec_from_file_location(_FILE_MODULE, path)
    if spec is None or spec.loader is None:
        raise BotLoadError(_("{path} is not a Python file.").format(path=path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[_FILE_MODULE] = module  # where dataclasses and the like look for it
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        # Somebody's file may raise anything; whoever starts the bot is told what and where.
        raise BotLoadError(_broken(path.name, error, path.name)) from error
    return module


def _from_module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise BotLoadError(_broken(name, error, name.rpartition(".")[2] + ".py")) from error


def _broken(where: str, error: Exception, own: str) -> str:
    """own: the name of the bot's own file."""
    line = 0
    trace = error.__traceback__
    while trace is not None:
        # The last line of the bot's own: what failed deeper down is somebody else's, and so is where it was loaded.
        if Path(trace.tb_frame.f_code.co_filename).name == own:
            line = trace.tb_lineno
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.lineno:
        line = error.lineno
    if not line:
        return _("{where} cannot be loaded: {kind}: {error}").format(
            where=where, kind=type(error).__name__, error=error
        )
    return _("{where} cannot be loaded: {kind} at line {line}: {error}").format(
        where=where, kind=type(error).__name__, line=line, error=error
    )


def _class_in(module: ModuleType, wanted: str, where: str) -> type[Bot]:
    if wanted:
        found = getattr(module, wanted, None)
        if not (isinstance(found, type) and issubclass(found, Bot)) or inspect.isabstract(found):
            raise BotLoadError(
                _("{where} has no bot {name}: a class that derives from Bot and has `choose`.").format(
                    where=where, name=wanted
                )
            )
        return _named(found)
    own = [
        one
        for one in vars(module).values()
        if isinstance(one, type)
        and issubclass(one, Bot)
        and not inspect.isabstract(one)
        and one.__module__ == module.__name__
    ]
    if len(own) == 1:
        return _named(own[0])
    if not own:
        raise BotLoadError(_("{where} has no class that derives from Bot and has `choose`.").format(where=where))
    names = ", ".join(one.__name__ for one in own)
    raise BotLoadError(
        _("{where} has several bots: {names}. Say which: {where}:NAME.").format(where=where, names=names)
    )


def _named(found: type[Bot]) -> type[Bot]:
    if not isinstance(getattr(found, "name", None), str):
        raise BotLoadError(_('{bot} has no name: write `name = "…"` in the class.').format(bot=found.__name__))
    return found
