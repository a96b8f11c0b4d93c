"""The product broken on purpose, in a copy: the suite must notice (PR-37)."""

import os
import random
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.trials.measured import Measured

ROOT = Path(__file__).resolve().parents[3]
PARTS = ("protocol", "server", "client", "tests", "docs", "pyproject.toml")


@dataclass(frozen=True)
class Break:
    """file: in the tree. before, after: what stands there, what is put in its place. tests: those that must notice."""

    file: str
    before: str
    after: str
    tests: tuple[str, ...]


BREAKS: dict[str, Break] = {
    "a handler raises": Break(
        "server/robby_server/table_commands.py",
        '    """Do a command. at: when it was received, on trio\'s clock."""\n',
        '    if isinstance(command, TableReady):\n        raise RuntimeError("broken on purpose")\n',
        ("tests/server/test_whole_games.py",),
    ),
    "the reveal is never sent": Break(
        "server/robby_server/table.py",
        "        only = None if change is None else change.only\n",
        '        if change is not None and any(type(event).__name__ == "Revealed" for event in change.public):\n'
        "            return\n"
        "        only = None if change is None else change.only\n",
        ("tests/server/test_whole_games.py", "tests/e2e/test_trials_secrecy.py"),
    ),
    "the deadline is ignored": Break(
        "server/robby_server/play.py",
        "        deadline = self.match.deadline()\n",
        "        deadline = None\n",
        ("tests/e2e/test_trials_absence.py", "tests/e2e/test_trials_answers.py"),
    ),
    "a late answer is taken": Break(
        "server/robby_rules/match.py",
        "        if timer is not None and stamp.at >= timer.ends_at:\n",
        "        if False and timer is not None and stamp.at >= timer.ends_at:\n",
        ("tests/rules/test_match.py", "tests/rules/test_trials.py"),
    ),
    "a seat is leaked": Break(
        "server/robby_server/table.py",
        "        self.returning.discard(seat)\n        seat.session = None\n        if seat.owner.table == self.id:\n",
        "        self.returning.discard(seat)\n        seat.session = None\n        if False:\n",
        ("tests/e2e/test_trials_social.py", "tests/e2e/test_trials_answers.py"),
    ),
    "a table is leaked": Break(
        "server/robby_server/directory.py",
        "        if self._tables.pop(table.id, None) is not None:\n",
        "        if table.id in self._tables:\n",
        ("tests/e2e/test_trials_social.py",),
    ),
    "a secret in a public frame": Break(
        "server/robby_server/play.py",
        "            view = codec.plain(self.match.view(None)[0])\n",
        "            view = codec.plain(self.match.view(None)[0])\n"
        '            view["cards"] = list(self.match.state.cards)\n',
        ("tests/e2e/test_trials_secrecy.py",),
    ),
    "a secret in a public event": Break(
        "server/robby_server/play.py",
        "            events = [codec.plain(event) for event in self.match.events[first:]]\n",
        "            events = [codec.plain(event) for event in self.match.events[first:]]\n"
        "            for event in events:\n"
        '                if event["type"] == "laid":\n'
        '                    event["bank"] = self.match.state.cards[event["seat"]]\n',
        ("tests/e2e/test_trials_secrecy.py",),
    ),
    "accepted but not kept": Break(
        "server/robby_server/play.py",
        "        await self._store.append(self.id, change.entry)\n        self.match.adopt(change)\n",
        "        self.match.adopt(change)\n",
        ("tests/server/test_whole_games.py",),
    ),
    "an answer twice": Break(
        "server/robby_server/session.py",
        "        self.send(Ok(re=to.id, result=result or {}))\n",
        "        self.send(Ok(re=to.id, result=result or {}))\n        self.send(Ok(re=to.id, result=result or {}))\n",
        ("tests/server/test_whole_games.py", "tests/e2e/test_trials_answers.py"),
    ),
    "a silent peer stays": Break(
        "server/robby_server/session.py",
        "            elif now - self._heard >= settings.silence_seconds:\n",
        "            elif False:\n",
        ("tests/e2e/test_trials_absence.py",),
    ),
}


def turns_red(name: str) -> Measured:
    """Break a copy of the product and run the tests that must notice: at least one fails."""
    fault = BREAKS[name]
    with tempfile.TemporaryDirectory() as folder:
        copy = _copy(Path(folder))
        target = copy / fault.file
        text = target.read_text()
        assert text.count(fault.before) == 1, f"{fault.file} has changed: this break no longer fits"
        target.write_text(text.replace(fault.before, fault.after))
        done = _run(copy, *fault.tests)
    failed = [line.split(" - ")[0] for line in done.stdout.splitlines() if line.startswith("FAILED")]
    assert done.returncode == 1, f"exit {done.returncode}: not noticed\n{done.stdout[-2000:]}{done.stderr[-500:]}"
    assert failed, done.stdout[-2000:]
    return Measured(1, f"{len(failed)} red, first {failed[0].removeprefix('FAILED ')}")


def stays_green(times: int) -> Measured:
    """The same tests on an unbroken copy, in another order each time: all green, or the reds above mean nothing."""
    tests = sorted({test for fault in BREAKS.values() for test in fault.tests})
    with tempfile.TemporaryDirectory() as folder:
        copy = _copy(Path(folder))
        for number in range(times):
            random.Random(number).shuffle(tests)
            done = _run(copy, *tests)
            assert done.returncode == 0, done.stdout[-3000:]
    return Measured(times, f"{times} of {times} green")


def _copy(folder: Path) -> Path:
    copy = folder / "robby"
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, copy / part, ignore=shutil.ignore_patterns("__pycache__", ".*_cache"))
        else:
            shutil.copy(source, copy / part)
    return copy


def _run(copy: Path, *tests: str) -> subprocess.CompletedProcess[str]:
    """Run tests of the copy, against the copy: its folders come before what is installed."""
    paths = os.pathsep.join(str(copy / part) for part in ("protocol", "server", "client", "."))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "--tb=line",
        "--timeout=60",
        *tests,
    ]
    env = {**os.environ, "PYTHONPATH": paths}
    check = "import robby_server, robby_rules; print(robby_server.__file__, robby_rules.__file__)"
    used = subprocess.run([sys.executable, "-c", check], cwd=copy, env=env, capture_output=True, text=True, check=True)
    assert all(path.startswith(str(copy)) for path in used.stdout.split()), used.stdout
    return subprocess.run(command, cwd=copy, env=env, capture_output=True, text=True, timeout=300, check=False)
