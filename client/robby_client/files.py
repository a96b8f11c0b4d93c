"""Files written whole or not at all, that only their owner may read."""

import contextlib
import os
import tempfile
from pathlib import Path


class NotWritable(Exception):  # noqa: N818 - a state of the disk, not a fault
    """The file system refused. reason: what it said, for people."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def write_private(path: Path, data: bytes, *, replace: bool = True) -> bool:
    """Write a file of mode 0600 in one step: whoever reads sees the old or the new content, never half of it.

    replace: False: a file that is there already stays, and False is returned. Raises NotWritable.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if replace:
                os.replace(temporary, path)
                return True
            try:
                os.link(temporary, path)
            except FileExistsError:
                return False
            except OSError:
                # A file system without hard links: the moment between looking and renaming has to be risked.
                if path.exists():
                    return False
                os.replace(temporary, path)
            return True
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
    except OSError as error:
        raise NotWritable(error.strerror or str(error)) from error


def put_aside(path: Path) -> Path:
    """Rename a damaged file to the first free `name.damaged-1`, `-2`, … and return that. Raises NotWritable."""
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    try:
        path.rename(aside)
    except OSError as error:
        raise NotWritable(error.strerror or str(error)) from error
    return aside
