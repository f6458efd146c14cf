"""Temporary folders that a later run removes if the process that made them was killed.

The process that uses a folder holds a lock on it. The system lifts the lock when the process ends,
however it ends: a folder of ours whose lock is free belongs to nobody anymore.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from contextlib import suppress
from pathlib import Path
from weakref import finalize

try:
    import fcntl
except ImportError:  # Windows has no such locks: leftovers stay there
    fcntl = None  # type: ignore[assignment]

__all__ = ["TemporaryFolder", "remove_abandoned"]

OURS = re.compile(r"\.?modlearn-[0-9a-f]{16}\.tmp")
"""Names of the folders."""


class TemporaryFolder:
    """A new folder that only this user can read; `cleanup` removes it with all that is in it.

    Folders in the same parent that a killed process left behind are removed first.

    Parameters
    ----------
    parent : Path
        Where the folder is made.
    hidden : bool
        Whether its name begins with a dot.
    """

    def __init__(self, parent: Path, hidden: bool = True) -> None:
        remove_abandoned(parent)
        self.path, lock = _new_folder(parent, "." * hidden)
        self.cleanup = finalize(self, _remove, self.path, lock)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *error: object) -> None:
        self.cleanup()


def _remove(folder: Path, lock: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)


def _new_folder(parent: Path, prefix: str) -> tuple[Path, int]:
    """Return a new folder and the descriptor that holds its lock."""
    while True:
        folder = parent / f"{prefix}modlearn-{secrets.token_hex(8)}.tmp"
        folder.mkdir(0o700)
        with suppress(FileNotFoundError):  # removed by another process before it was locked
            lock = os.open(folder, os.O_RDONLY)
            if fcntl is None or _is_locked(folder, lock):
                return folder, lock
            os.close(lock)


def _is_locked(folder: Path, lock: int) -> bool:
    """Lock a folder unless another process has it; whether it is locked and still there."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(lock), folder.stat())
    except BlockingIOError:
        return False


def remove_abandoned(parent: Path) -> None:
    """Remove the temporary folders of this user whose process is gone."""
    if fcntl is None:
        return
    with suppress(OSError):
        for entry in os.scandir(parent):
            if OURS.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                _remove_if_abandoned(Path(entry.path))


def _remove_if_abandoned(folder: Path) -> None:
    with suppress(OSError):
        lock = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            if os.fstat(lock).st_uid == os.geteuid() and _is_locked(folder, lock):
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(lock)
