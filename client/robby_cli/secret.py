"""Reading a password from a file, never from the command line, where every user of the machine could see it."""

from pathlib import Path

from robby_cli.exits import CommandError
from robby_client import exit_codes
from robby_protocol.i18n import _

LONGEST_PASSWORD = 200
"""Characters; as long as the protocol's other texts of this kind."""


def read_password(path: Path | None) -> str | None:
    """The first line of the file; None without a file. Raises CommandError."""
    if path is None:
        return None
    try:
        with path.open(encoding="utf-8") as file:
            password = file.readline(LONGEST_PASSWORD + 2).rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as problem:
        cause = problem.strerror if isinstance(problem, OSError) else _("it is not UTF-8")
        raise CommandError(
            _("The password file {path} cannot be read: {cause}.").format(path=path, cause=cause), exit_codes.USAGE
        ) from problem
    if not password or len(password) > LONGEST_PASSWORD:
        raise CommandError(
            _("The first line of {path} is no password: it must have 1 to {most} characters.").format(
                path=path, most=LONGEST_PASSWORD
            ),
            exit_codes.USAGE,
        )
    return password
