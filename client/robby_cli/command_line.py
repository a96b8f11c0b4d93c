"""Parse the command line, run the command, and turn whatever goes wrong into a sentence and an exit code.

Nothing heavy is imported here: `robby --help` must be quick, and the server must not load any screen.
"""

import os
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from robby_cli.commands import build
from robby_cli.exits import CommandError
from robby_cli.terminal import abandon, prepare_streams
from robby_client import exit_codes
from robby_protocol import distribution
from robby_protocol.i18n import _, use_language


def main(arguments: Sequence[str]) -> int:
    """Run the command of this process. Returns its exit code; nothing that is still buffered can fail afterwards."""
    prepare_streams()
    use_language()
    code = run(arguments)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = code or exit_codes.BROKEN_PIPE
        abandon(sys.stdout)
    except OSError as problem:
        code = code or exit_codes.BUG
        abandon(sys.stdout)
        _complain(_("The output could not be written: {cause}.").format(cause=problem.strerror))
    try:
        sys.stderr.flush()
    except OSError:
        abandon(sys.stderr)  # the terminal has gone; Python's own attempt at the end would change the exit code
    return code


def run(arguments: Sequence[str]) -> int:
    """Run one command line. Returns its exit code; what went wrong has been said on standard error."""
    try:
        result = build().main(list(arguments), prog_name="robby", standalone_mode=False)
    except BaseException as problem:  # noqa: BLE001 - the last stop: nobody is to see a traceback
        return _conclude(problem)
    return result if isinstance(result, int) else exit_codes.WELL


def _conclude(problem: BaseException) -> int:
    """Say what went wrong in one sentence. Returns the exit code."""
    causes = list(_leaves(problem))
    # Of several that ended together the plainest: a person's own wish first, then a sentence, then a fault of ours.
    for cause in causes:
        if isinstance(cause, SystemExit):
            return cause.code if isinstance(cause.code, int) else exit_codes.BUG
        if isinstance(cause, (KeyboardInterrupt, click.exceptions.Abort)):
            return exit_codes.INTERRUPTED
        if isinstance(cause, BrokenPipeError):
            abandon(sys.stdout)
            return exit_codes.BROKEN_PIPE
        if isinstance(cause, click.exceptions.Exit):
            return cause.exit_code
    for cause in causes:
        if isinstance(cause, CommandError):
            _complain(cause.text)
            return cause.code
        if isinstance(cause, click.UsageError):
            command = "robby" if cause.ctx is None else cause.ctx.command_path
            _complain(
                _("{problem} See {command} --help.").format(problem=_sentence(cause.format_message()), command=command)
            )
            return exit_codes.USAGE
        if isinstance(cause, click.ClickException):
            _complain(_sentence(cause.format_message()))
            return exit_codes.USAGE
    place = _write_down(problem)
    if place is None:
        _complain(
            _("Robby made a mistake and had to stop: {kind}. Please report it.").format(kind=type(causes[0]).__name__)
        )
    else:
        _complain(
            _("Robby made a mistake and had to stop. The details are in {path}; please report it.").format(path=place)
        )
    return exit_codes.BUG


def _leaves(problem: BaseException) -> Iterator[BaseException]:
    """The exceptions themselves, out of their groups."""
    if isinstance(problem, BaseExceptionGroup):
        for one in problem.exceptions:
            yield from _leaves(one)
    else:
        yield problem


def _sentence(text: str) -> str:
    """click's messages end without a full stop where they name a value."""
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?", ".)")) else text + "."


def _complain(text: str) -> None:
    try:
        print(text, file=sys.stderr)
    except OSError:
        return  # standard error is gone as well: nobody is left to tell


def _write_down(problem: BaseException) -> Path | None:
    """Keep a traceback where a person can find it. Returns the place; None if there is none to write to."""
    name = f"robby-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    text = "".join(traceback.format_exception(problem))
    for folder in (_log_folder(), Path(tempfile.gettempdir())):
        if folder is None:
            continue
        try:
            folder.mkdir(parents=True, exist_ok=True)
            place = folder / name
            place.write_text(text, encoding="utf-8", errors="backslashreplace")
        except OSError:
            continue
        return place
    return None


def _log_folder() -> Path | None:
    own = os.environ.get("ROBBY_HOME")
    if own:
        return Path(own)
    try:
        import platformdirs

        return platformdirs.user_log_path(distribution.NAME)
    except (ImportError, RuntimeError, OSError):
        return None
