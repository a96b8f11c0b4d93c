"""The tables of docs/configuration.md, made from the code: `scripts/config-page` writes them, a test compares."""

import sys
from pathlib import Path

from robby_server.config_page import page_tables

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"
BEGIN = "<!-- The tables from here to the next mark are written by scripts/config-page. -->\n"
END = "<!-- End of the tables. -->\n"


def brought_up_to_date(page: str) -> str:
    """The page with today's tables between its marks."""
    before, _begin, rest = page.partition(BEGIN)
    _old, _end, after = rest.partition(END)
    return f"{before}{BEGIN}\n{page_tables()}\n{END}{after}"


def main(arguments: list[str]) -> int:
    """Write the page; with --check only say whether it is up to date. Returns the exit code."""
    old = PAGE.read_text(encoding="utf-8")
    new = brought_up_to_date(old)
    if "--check" not in arguments:
        PAGE.write_text(new, encoding="utf-8")
        return 0
    return int(old != new)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
