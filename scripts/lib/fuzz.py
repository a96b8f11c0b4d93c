"""Coverage-guided fuzzing of the targets in tests/fuzz. Each runs in a process of its own, as the fuzzer ends it."""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # the targets are in `tests`, which is not installed
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
KEPT = 20
"""Inputs kept for each target: enough that each part of a decoder is reached, few and short enough for a repository."""
LONGEST = 4_096
LONGEST_KEPT = 1_024


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/fuzz")
    parser.add_argument("target", nargs="*")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--keep", action="store_true", help="put the inputs that reach most into the kept corpus")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.one:
        return _one(given.target[0], Path(given.target[1]), given.seconds)

    from tests.fuzz.targets import TARGETS

    if given.list:
        print("\n".join(TARGETS))
        return 0
    unknown = sorted(set(given.target) - set(TARGETS))
    if unknown:
        print(f"There is no target {', '.join(unknown)}. See scripts/fuzz --list.", file=sys.stderr)
        return 2
    failed = [target for target in given.target or TARGETS if not _fuzz(target, given.seconds, given.keep)]
    print(f"FAILED: {', '.join(failed)}" if failed else "All OK")
    return 1 if failed else 0


def _fuzz(target: str, seconds: int, keep: bool) -> bool:
    from tests.fuzz.seeds import seeds

    kept = CORPUS / target
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for number, data in enumerate(seeds(target)):
            (work / f"seed-{number:03}").write_bytes(data)
        for path in kept.glob("*"):
            (work / path.name).write_bytes(path.read_bytes())
        command = [sys.executable, "-P", __file__, "--one", "--seconds", str(seconds), target, folder]
        done = subprocess.run(command, cwd=ROOT, check=False)
        if done.returncode == 0 and keep:
            # The fuzzer names what it found by its hash; the newest reach what nothing before them did.
            found = [path for path in work.glob("*") if len(path.name) == 40 and path.stat().st_size <= LONGEST_KEPT]
            found.sort(key=lambda path: -path.stat().st_mtime)
            kept.mkdir(parents=True, exist_ok=True)
            for path in found[: max(0, KEPT - len(list(kept.glob("*"))))]:
                (kept / path.name).write_bytes(path.read_bytes())
    print(f"{target}: {'OK' if done.returncode == 0 else 'FAILED; the input is in ./crash-…'}", flush=True)
    return done.returncode == 0


def _one(target: str, folder: Path, seconds: int) -> int:
    import atheris

    with atheris.instrument_imports(include=["robby_protocol", "robby_rules", "robby_server", "robby_client"]):
        from tests.fuzz.targets import TARGETS

    atheris.Setup(
        [sys.argv[0], f"-max_total_time={seconds}", f"-max_len={LONGEST}", "-print_final_stats=1", str(folder)],
        TARGETS[target],
    )
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
