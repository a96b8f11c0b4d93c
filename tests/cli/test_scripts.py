"""The scripts that prepare and check: what a bare machine is told, and what the checks notice."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ("scripts/prepare", "scripts/play", "scripts/test", "scripts/extract-texts", ".ci/run")


def load(name: str) -> ModuleType:
    """A module of scripts/lib, which is no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / "lib" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("script", SCRIPTS)
def test_each_script_can_be_run_and_is_plain_sh(script: str) -> None:
    path = ROOT / script
    assert os.access(path, os.X_OK)
    assert path.read_text().startswith("#!/bin/sh\n")
    assert subprocess.run(["/bin/sh", "-n", path], check=False).returncode == 0


def prepare(path: Path) -> subprocess.CompletedProcess[str]:
    """scripts/prepare where only the commands in this folder are to be found."""
    for command in ("dirname", "cat"):
        found = shutil.which(command)
        assert found is not None
        (path / command).symlink_to(found)
    return subprocess.run(
        ["/bin/sh", ROOT / "scripts" / "prepare", "play"],
        env={"PATH": str(path)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_machine_without_python_is_told_what_to_install(tmp_path: Path) -> None:
    done = prepare(tmp_path)
    assert done.returncode == 1
    assert "needs Python 3.11" in done.stderr
    assert "apt install python3 python3-venv" in done.stderr


def test_a_python_that_is_too_old_is_named(tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.9.2 && exit 0\nexit 1\n')
    old.chmod(0o755)
    done = prepare(tmp_path)
    assert done.returncode == 1
    assert "Python 3.9.2" in done.stderr


def test_prepare_without_knowing_for_what(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "lib" / "bootstrap.py"), "fnord"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("Usage:")


def test_a_python_without_venv_is_told_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bootstrap = load("bootstrap")
    monkeypatch.setattr(bootstrap, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(bootstrap.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(bootstrap.PrepareError, match="apt install python3-venv"):
        bootstrap.make()


def test_a_stamp_holds_until_something_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bootstrap = load("bootstrap")
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    monkeypatch.setattr(bootstrap, "STAMP", tmp_path / "stamp")
    monkeypatch.setattr(bootstrap, "works", lambda python: True)
    (tmp_path / "pyproject.toml").write_text("one")
    (tmp_path / "constraints.txt").write_text("two")
    assert not bootstrap.is_current("play")
    (tmp_path / "stamp").write_text(f"play {bootstrap.fingerprint()}\n")
    assert bootstrap.is_current("play")
    assert not bootstrap.is_current("dev")
    (tmp_path / "stamp").write_text(f"dev {bootstrap.fingerprint()}\n")
    assert bootstrap.is_current("play")
    assert bootstrap.is_current("dev")
    (tmp_path / "constraints.txt").write_text("three")
    assert not bootstrap.is_current("play")
    (tmp_path / "stamp").write_text("nonsense")
    assert not bootstrap.is_current("play")


def test_an_interpreter_that_is_no_environment_does_not_do(tmp_path: Path) -> None:
    bootstrap = load("bootstrap")
    assert bootstrap.works(Path(sys.executable)) is (sys.prefix != sys.base_prefix)
    assert not bootstrap.works(tmp_path / "python")
    (tmp_path / "python").write_text("#!/bin/sh\nexit 0\n")
    assert not bootstrap.works(tmp_path / "python")


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ('_("plain")', None),
        ('_("with {name}").format(name=1)', None),
        ('ngettext("{count} card of {name}", "{count} cards of {name}", 2)', None),
        ("_(known)", None),
        ("_(KNOWN.get(code, code))", None),
        ('_(f"with {name}")', "one literal"),
        ('_("a" + b)', "one literal"),
        ('_("with {name}".format(name=1))', "one literal"),
        ('_("with {}")', "plain name"),
        ('_("with {0}")', "plain name"),
        ('_("with {")', "{"),
        ('ngettext("{name} has one", "{count} cards", 2)', "singular"),
    ],
)
def test_texts_that_cannot_be_translated_are_noticed(
    code: str,
    problem: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    extract = load("extract_texts")
    monkeypatch.setattr(extract, "ROOT", tmp_path)
    monkeypatch.setattr(extract, "TEMPLATE", tmp_path / "robby.pot")
    for source in extract.SOURCES:
        (tmp_path / source).mkdir()
    (tmp_path / "client" / "words.py").write_text(f"{code}\n")
    assert extract.main([]) == (0 if problem is None else 1)
    assert (tmp_path / "robby.pot").exists() is (problem is None)
    assert problem is None or problem in capsys.readouterr().err


def test_the_same_texts_give_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    extract = load("extract_texts")
    written = []
    for name in ("one.pot", "two.pot"):
        monkeypatch.setattr(extract, "TEMPLATE", tmp_path / name)
        assert extract.main([]) == 0
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]
    assert b"heist card" in written[0]


@pytest.mark.parametrize(
    ("lines", "branches", "enough"), [(100, 100, True), (95, 95, True), (94, 100, False), (100, 94, False)]
)
def test_too_little_coverage_is_noticed(lines: int, branches: int, enough: bool, tmp_path: Path) -> None:
    check = load("check")
    summary = {
        "num_statements": 100,
        "covered_lines": lines,
        "num_branches": 100,
        "covered_branches": branches,
        "percent_covered": (lines + branches) / 2,
    }
    report = tmp_path / "coverage.json"
    report.write_text(json.dumps({"files": {"server/robby_rules/match.py": {"summary": summary}}}))
    assert check.coverage_is_enough(report) is enough


def test_coverage_that_was_not_measured_is_not_enough(tmp_path: Path) -> None:
    assert not load("check").coverage_is_enough(tmp_path / "coverage.json")


def test_the_number_of_tests_is_read_from_the_report(tmp_path: Path) -> None:
    report = tmp_path / "tests.xml"
    report.write_text('<testsuites><testsuite tests="7" skipped="2"/><testsuite tests="1"/></testsuites>')
    assert load("check").count(report) == (6, 2)
    assert load("check").count(tmp_path / "none.xml") == (0, 0)
