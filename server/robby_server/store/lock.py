"""One server at a time in a data folder: a file that is locked while the process lives, and the folder itself.

The system lets go of the locks when the process ends, however it ends; the file stays and means nothing by itself. So
somebody may well delete it while a server runs; then the folder's own lock still keeps a second one out.
"""

import os
import sys
from pathlib import Path
from typing import TextIO

from robby_protocol.i18n import _
from robby_server.store.errors import STORE_IN_USE, STORE_UNWRITABLE, StoreError

LOCK_FILE = "store.lock"


class FolderLock:
    """Holds the folder until `release`. Raises StoreError: `store_in_use`, `store_unwritable`."""

    def __init__(self, folder: Path) -> None:
        path = folder / LOCK_FILE
        try:
            self._file: TextIO = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="ascii")
        except OSError as problem:
            raise StoreError(
                STORE_UNWRITABLE,
                _("The folder {folder} cannot be written: {cause}. Choose another folder, or allow it.").format(
                    folder=folder, cause=problem.strerror
                ),
            ) from problem
        try:
            _lock(self._file)
        except (BlockingIOError, PermissionError) as problem:
            pid = self._file.read(32).strip()
            self._file.close()
            raise StoreError(STORE_IN_USE, _in_use(folder, pid or "?")) from problem
        except OSError as problem:
            self._file.close()
            raise StoreError(
                STORE_UNWRITABLE,
                _(
                    "The folder {folder} cannot be locked: {cause}. Choose another folder, on a disk of this machine."
                ).format(folder=folder, cause=problem.strerror),
            ) from problem
        try:
            self._folder = _lock_folder(folder)
        except BlockingIOError as problem:
            self._file.close()
            raise StoreError(STORE_IN_USE, _in_use(folder, "?")) from problem
        try:
            self._file.truncate()
            self._file.write(f"{os.getpid()}\n")
            self._file.flush()
        except OSError:
            return  # a full disk must not keep a server from starting; the number is only for people

    def release(self) -> None:
        """Let others have the folder."""
        if self._folder is not None:
            os.close(self._folder)
            self._folder = None
        try:
            self._file.close()
        except OSError:
            return  # what was not written is the number alone


def _in_use(folder: Path, pid: str) -> str:
    text = _("Another server uses the data in {folder} (process {pid}). Stop it first, or choose another folder.")
    return text.format(folder=folder, pid=pid)


if sys.platform == "win32":
    import msvcrt

    def _lock(file: TextIO) -> None:
        file.seek(1024)  # a locked place cannot be read by others, and the number should be
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        finally:
            file.seek(0)

    def _lock_folder(folder: Path) -> int | None:
        return None  # an open file cannot be deleted here

else:
    import fcntl

    def _lock(file: TextIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _lock_folder(folder: Path) -> int | None:
        """The folder's descriptor, locked; None where the file system locks no folders. Raises BlockingIOError."""
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise
        except OSError:
            os.close(descriptor)
            return None
        return descriptor
