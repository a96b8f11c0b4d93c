"""docs/reliability.md names tests that exist, and what it says of the code as a whole is so."""

import ast
import re
from pathlib import Path

import pytest

from tests.e2e.trials.breaks import BREAKS
from tests.e2e.trials.registry import TRIALS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))


def _functions(path: Path) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_the_page_names_tests() -> None:
    assert len(NAMED) > 50


@pytest.mark.parametrize("file", sorted({file for file, _ in NAMED}))
def test_every_named_test_exists(file: str) -> None:
    functions = _functions(ROOT / file)
    assert not [name for named, name in NAMED if named == file and name not in functions]


def test_every_trial_has_its_row() -> None:
    rows = set(re.findall(r"^\| (PR-\d\d) \|", PAGE, re.MULTILINE))
    assert {trial.row for trial in TRIALS} <= rows


@pytest.mark.parametrize("name", BREAKS)
def test_each_break_fits_the_product(name: str) -> None:
    """Else the trial of the suite itself would no longer try anything."""
    fault = BREAKS[name]
    assert (ROOT / fault.file).read_text(encoding="utf-8").count(fault.before) == 1
    for test in fault.tests:
        assert (ROOT / test).exists()


def test_no_part_reads_the_wall_clock() -> None:
    """But the one module that counts days for what is kept."""
    wall = re.compile(r"\btime\.time\(|\bdatetime\.(?:now|utcnow|today)\(|\bfrom time import time\b")
    found = [
        str(path.relative_to(ROOT))
        for part in ("protocol", "server", "client")
        for path in (ROOT / part).rglob("*.py")
        if wall.search(path.read_text(encoding="utf-8"))
    ]
    assert found == ["server/robby_server/wall.py"]


def test_no_fake_clock_beside_real_sockets_or_threads() -> None:
    """A clock that jumps does not wait for a kernel or a worker thread: such a test fails at random."""
    real = re.compile(r"open_tcp|open_listeners|to_thread|\bServed\b|Terminal\(")
    found = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if "autojump_clock" not in text:
            continue
        for name, function in _functions(path).items():
            arguments = {argument.arg for argument in function.args.args}
            if "autojump_clock" in arguments and (
                "served" in arguments or real.search(ast.get_source_segment(text, function) or "")
            ):
                found.append(f"{path.relative_to(ROOT)}::{name}")
    assert not found
