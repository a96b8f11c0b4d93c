"""Gathers the texts that people read, for translators, and checks that they can be translated.

Writes protocol/robby_protocol/locale/robby.pot: no dates, sorted, so that the same texts give the same file. The file
is made when translators need it. The repository does not keep it: every changed sentence would have to change it too.
"""

import argparse
import ast
import string
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import write_po

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = ROOT / "protocol" / "robby_protocol" / "locale" / "robby.pot"
SOURCES = ("protocol", "server", "client")
KEYWORDS: dict[str, tuple[int, ...] | None] = {"_": None, "N_": None, "ngettext": (1, 2)}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args(arguments)
    problems = list(source_problems())
    catalogue, more = gather()
    problems += more
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        return 1
    if not options.check:
        TEMPLATE.parent.mkdir(parents=True, exist_ok=True)
        with TEMPLATE.open("wb") as file:
            write_po(file, catalogue, width=110, sort_output=True, omit_header=True)
    print(f"{len(catalogue)} texts")
    return 0


def gather() -> tuple[Catalog, list[str]]:
    """All texts, and what is wrong with their placeholders."""
    catalogue = Catalog(project="Robby", charset="utf-8")
    problems = []
    for source in SOURCES:
        found = extract_from_dir(
            str(ROOT / source), [("**.py", "python")], keywords=KEYWORDS, comment_tags=("TRANSLATORS:",)
        )
        for path, line, message, comments, _context in found:
            place = f"{source}/{path}:{line}"
            texts = message if isinstance(message, tuple) else (message,)
            names = []
            for text in texts:
                try:
                    names.append(placeholders(text))
                except ValueError as problem:
                    problems.append(f"{place}: {problem}: {text!r}")
            if len(names) == 2 and not names[0] <= names[1]:
                problems.append(f"{place}: the singular names a placeholder that the plural lacks: {texts[0]!r}")
            catalogue.add(message, auto_comments=comments)
    return catalogue, problems


def placeholders(text: str) -> set[str]:
    """The names in braces. Raises ValueError for one without a name, which a translator could not move."""
    names = set()
    for _literal, field, _format, _conversion in string.Formatter().parse(text):
        if field is None:
            continue
        if not field.isidentifier():
            raise ValueError("a placeholder needs a plain name")
        names.add(field)
    return names


def source_problems() -> Iterator[str]:
    """Texts that no extractor can see: put together by an f-string, `+`, `%` or `.format` inside the call."""
    for source in SOURCES:
        for path in sorted((ROOT / source).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KEYWORDS):
                    continue
                texts = node.args[:2] if node.func.id == "ngettext" else node.args[:1]
                if any(_is_put_together(text) for text in texts):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}: the text must be one literal; fill it in afterwards"


def _is_put_together(text: ast.expr) -> bool:
    """Whether a text is made inside the call. Looking one up that is marked elsewhere is not making one."""
    if isinstance(text, ast.Call):
        return isinstance(text.func, ast.Attribute) and text.func.attr in ("format", "join", "replace")
    return isinstance(text, (ast.JoinedStr, ast.BinOp))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
