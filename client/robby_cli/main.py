"""The entry point: so light that Ctrl-C in the first moment, while all else is imported, makes no traceback."""

import sys

INTERRUPTED = 130
"""As `robby_client.exit_codes` has it, which is not imported yet."""


def main() -> None:
    """The command `robby`."""
    try:
        from robby_cli import command_line

        code = command_line.main(sys.argv[1:])
    except KeyboardInterrupt:
        code = INTERRUPTED
    sys.exit(code)
