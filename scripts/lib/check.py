"""What scripts/test runs inside `.venv`: every check in turn, even after one has failed, and a verdict at the end.

Arguments go to pytest; then the tests alone run, without judging coverage.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
CODE = ["protocol", "server", "client", "tests", "scripts/lib"]

THRESHOLDS: tuple[tuple[str, tuple[str, ...], float], ...] = (
    ("rules and protocol", ("server/robby_rules/", "protocol/robby_protocol/", "protocol/robby_games/"), 95.0),
    ("the whole project", ("protocol/", "server/", "client/"), 85.0),
)
"""What is measured together, the folders that belong to it, and the least percentage of lines and of branches."""


def main(arguments: list[str]) -> int:
    started = time.monotonic()
    failed: list[str] = []
    if not arguments:
        checks: list[tuple[str, list[str]]] = [
            ("style", [str(BIN / "ruff"), "check", "--quiet", *CODE]),
            ("format", [str(BIN / "ruff"), "format", "--check", "--quiet", *CODE]),
            (
                "types",
                [str(BIN / "mypy"), "--no-error-summary", "protocol", "server", "client", "tests", "scripts/lib"],
            ),
            ("walls", [str(BIN / "lint-imports"), "--no-logo"]),
            ("texts", [sys.executable, "-P", "scripts/lib/extract_texts.py", "--check"]),
        ]
        for name, command in checks:
            if not run(name, command):
                failed.append(name)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "tests.xml"
        command = [sys.executable, "-m", "pytest", f"--junitxml={report}", *(arguments or full_run(Path(folder)))]
        if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
            failed.append("tests")
        ran, skipped = count(report)
        if not arguments and not coverage_is_enough(Path(folder) / "coverage.json"):
            failed.append("coverage")
    print(f"\nTests run: {ran}; skipped: {skipped}. {time.monotonic() - started:.0f} s in all.")
    if failed:
        print("FAILED: " + ", ".join(failed))
        return 1
    print("All checks passed.")
    return 0


WORKERS = max(3, os.cpu_count() or 1)
"""Processes that run tests: more than a small machine has cores, since many tests wait for programs and terminals."""


def full_run(folder: Path) -> list[str]:
    """pytest's arguments for the whole suite: every core at work, coverage measured."""
    coverage = f"--cov-report=json:{folder / 'coverage.json'}"
    return ["-q", "-n", str(WORKERS), "--dist", "worksteal", "--durations=12", "--cov", coverage]


def run(name: str, command: list[str]) -> bool:
    started = time.monotonic()
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False
    )
    passed = done.returncode == 0
    print(f"{name}: {'ok' if passed else 'FAILED'} ({time.monotonic() - started:.0f} s)", flush=True)
    if not passed:
        print(done.stdout, flush=True)
    return passed


def count(report: Path) -> tuple[int, int]:
    """How many tests ran and how many were skipped, by pytest's own report."""
    try:
        suites = ElementTree.parse(report).getroot().iter("testsuite")
    except (OSError, ElementTree.ParseError):
        return 0, 0
    total = skipped = 0
    for suite in suites:
        total += int(suite.get("tests", 0))
        skipped += int(suite.get("skipped", 0))
    return total - skipped, skipped


def coverage_is_enough(report: Path) -> bool:
    """Judge lines and branches apart: a file of straight lines must not hide another's untested branches."""
    try:
        files = json.loads(report.read_text())["files"]
    except (OSError, ValueError, KeyError):
        print("Coverage was not measured.")
        return False
    enough = True
    for name, folders, least in THRESHOLDS:
        lines = lines_hit = branches = branches_hit = 0
        for path, measured in files.items():
            if path.startswith(folders):
                summary = measured["summary"]
                lines += summary["num_statements"]
                lines_hit += summary["covered_lines"]
                branches += summary["num_branches"]
                branches_hit += summary["covered_branches"]
        for what, hit, of in (("lines", lines_hit, lines), ("branches", branches_hit, branches)):
            percent = 100.0 if of == 0 else 100.0 * hit / of
            verdict = "ok" if percent >= least else "TOO LOW"
            print(f"Coverage of {name}, {what}: {percent:.1f} % of {of} (at least {least:.0f} %): {verdict}")
            enough = enough and percent >= least
    for path, measured in sorted(files.items(), key=lambda item: item[1]["summary"]["percent_covered"])[:8]:
        print(f"  least covered: {measured['summary']['percent_covered']:5.1f} %  {path}")
    return enough


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
