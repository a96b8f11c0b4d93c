"""Record today's version, or with --check see whether it is recorded as it is.

A recorded version is not written again: raise PROTOCOL_VERSIONS. `--unreleased` writes all the same; it is for the
time before the first release of a version alone.
"""

import argparse
import sys

from tests.protocol.golden import FOLDER, records


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/schema", description="Record the wire of this version.")
    parser.add_argument("--check", action="store_true", help="only compare")
    parser.add_argument("--unreleased", action="store_true", help="write over a version that nobody has yet")
    options = parser.parse_args(arguments)
    problems = records.problems()
    if options.check or not problems:
        print("\n".join(problems) or "The recorded wire is the present one.")
        return 1 if problems else 0
    try:
        folder = records.record(again=options.unreleased)
    except records.AlreadyRecordedError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Recorded in {folder.relative_to(FOLDER.parents[2])}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
