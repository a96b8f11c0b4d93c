"""The client on Textual: screens for the terminal. Knows the client's core; never the server, never the rules."""

from robby_tui.main import run
from robby_tui.terminal import check_terminal

__all__ = ["check_terminal", "run"]
