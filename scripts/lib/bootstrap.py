"""Makes `.venv` and installs Robby into it, only when something has changed. Standard library alone.

Called by scripts/prepare with one argument: `play` (what is needed to run) or `dev` (what is needed to test, too).
It must not need anything but Python 3.11: whatever is missing is said in a sentence, with what to install.
"""

import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "robby-stamp"
EXTRAS = {"play": "", "dev": "[dev]"}
PIP_WITH_PYTHON_OPTION = (22, 3)
"""The first pip that can install into another environment (`--python`)."""


class PrepareError(Exception):
    """What went wrong, for a person, with what to do."""


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in EXTRAS:
        print("Usage: scripts/prepare play|dev", file=sys.stderr)
        return 2
    try:
        prepare(arguments[0])
    except PrepareError as problem:
        print(problem, file=sys.stderr)
        return 1
    except OSError as problem:
        print(f"Cannot prepare {VENV}: {problem}. Check the folder's rights and the free space.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def prepare(purpose: str) -> None:
    """Bring `.venv` up to date, one process at a time. The lock is on the folder, and so it dies with its holder."""
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another run is preparing .venv; waiting for it …", file=sys.stderr)
            fcntl.flock(folder, fcntl.LOCK_EX)
        if is_current(purpose):
            return
        print("Preparing .venv, once. This takes a minute …", file=sys.stderr)
        fresh = not works(PYTHON)
        if fresh:
            make()
        installed = install(purpose)
        if not installed and not fresh:
            # What was there may be half of an installation: once more, from nothing.
            make()
            installed = install(purpose)
        if not installed:
            raise PrepareError(
                "The packages could not be installed; pip's words are above. Check the network, then run this again."
            )
        STAMP.write_text(f"{purpose} {fingerprint()}\n")
    finally:
        os.close(folder)


def fingerprint() -> str:
    """Changes with everything that an installation depends on; the folder's place is part of an editable one."""
    digest = hashlib.sha256()
    for part in (
        (ROOT / "pyproject.toml").read_bytes(),
        (ROOT / "constraints.txt").read_bytes(),
        os.fsencode(ROOT),
    ):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def is_current(purpose: str) -> bool:
    try:
        had, mark = STAMP.read_text().split()
    except (OSError, ValueError):
        return False
    return had in (purpose, "dev") and mark == fingerprint() and works(PYTHON)


def works(python: Path) -> bool:
    """Whether this environment's interpreter is there, runs, is new enough and has pip."""
    check = "import sys, pip; sys.exit(sys.version_info < (3, 11) or sys.prefix == sys.base_prefix)"
    try:
        done = subprocess.run([python, "-I", "-c", check], capture_output=True, check=False, stdin=subprocess.DEVNULL)
    except OSError:
        return False
    return done.returncode == 0


def make() -> None:
    """A new, empty environment with pip in it."""
    if VENV.is_symlink() or VENV.is_file():
        VENV.unlink()
    elif VENV.exists():
        shutil.rmtree(VENV)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    venv_help = (
        f"Python {version} is here, but it cannot make virtual environments.\n"
        f"On Debian and Ubuntu: apt install python3-venv (or python{version}-venv). "
        "Elsewhere: install Python with `venv` and `pip`. Then run this again."
    )
    if importlib.util.find_spec("venv") is None:
        raise PrepareError(venv_help)
    with_pip = importlib.util.find_spec("ensurepip") is not None
    if not with_pip and not pip_can_help():
        raise PrepareError(venv_help)
    command = [sys.executable, "-I", "-m", "venv", *([] if with_pip else ["--without-pip"]), str(VENV)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode == 0 and not with_pip:
        command = [sys.executable, "-m", "pip", "--python", str(PYTHON), "install", "--quiet", "pip"]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, env=pip_environment()
        )
    if done.returncode != 0:
        print(done.stdout + done.stderr, file=sys.stderr)
        raise PrepareError(venv_help)


def pip_can_help() -> bool:
    """Whether the pip outside can fill an environment that has none (Debian splits the two)."""
    done = subprocess.run(
        [sys.executable, "-c", "import pip; print(pip.__version__)"], capture_output=True, text=True, check=False
    )
    try:
        version = tuple(int(part) for part in done.stdout.strip().split(".")[:2])
    except ValueError:
        return False
    return version >= PIP_WITH_PYTHON_OPTION


def install(purpose: str) -> bool:
    """Install Robby, editable, with its pinned packages. Silent unless it fails."""
    command = [str(PYTHON), "-I", "-m", "pip", "install", "--quiet", "--no-input", "-c", "constraints.txt", "-e"]
    command.append(f".{EXTRAS[purpose]}")
    done = subprocess.run(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
        stdin=subprocess.DEVNULL,
        env=pip_environment(),
    )
    if done.returncode != 0:
        print(done.stdout, file=sys.stderr)
    return done.returncode == 0


def pip_environment() -> dict[str, str]:
    """The person's settings (their index, their proxy), but nothing that would aim pip elsewhere than into `.venv`."""
    env = {key: value for key, value in os.environ.items() if key not in ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT")}
    env.update(PIP_USER="0", PIP_ROOT_USER_ACTION="ignore", PIP_DISABLE_PIP_VERSION_CHECK="1")
    return env


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
