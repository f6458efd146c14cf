"""Files that appear whole or not at all, and temporary folders that do not outlive their process.

The process that uses a temporary folder holds a lock on it. The system lifts the lock when the
process ends, however it ends: a folder of ours whose lock is free belongs to nobody anymore, and a
later run removes it.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from weakref import finalize

from modlearn.errors import FileError, ModelError

try:
    import fcntl
except ImportError:  # Windows has no such locks: leftovers stay there
    fcntl = None  # type: ignore[assignment]

__all__ = [
    "MODEL_FORMAT",
    "MODEL_MARK",
    "TemporaryFolder",
    "full_disk",
    "refuse_lost_folder",
    "remove_abandoned",
    "whole_file",
    "write_whole",
]

MODEL_FORMAT = "modlearn model"
MODEL_MARK = b'"format": "modlearn'
"""What the first bytes of a model file contain, also of one that is cut off."""

STREAMS = ("/dev/fd/", "/dev/stdout", "/dev/stderr", "/proc/")
"""Paths that name something already open: a file there must not be replaced."""

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""A full disk, a full quota, and a file that is larger than files may be."""


def refuse_lost_folder(path: Path) -> None:
    """Raise where a file cannot be written because its folder does not exist."""
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"There is no folder {str(path.parent)!r} to write {path.name!r} to: create it first."
        )


def write_whole(path: Path, text: str) -> None:
    """Write a text to a temporary file, which then replaces the old one."""
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        part = text[max(0, error.start - 20) : error.end + 20]
        raise ModelError(
            f"The text {part!r} cannot be written to a file, as half a surrogate pair is not a "
            "character: correct it in the table."
        ) from None
    with whole_file(path) as temporary:
        temporary.write_bytes(content)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield an empty temporary file; once it is written, it replaces the file at the path.

    If anything fails the old file stays. A process that is killed leaves a hidden folder behind,
    which the next process that writes there removes.
    What a link points to is replaced, not the link. A pipe or a device cannot be replaced: it is
    given all bytes in the end.
    """
    refuse_lost_folder(path)
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder: give the name of a file in it.")
    try:
        with _poured_into(path) if _is_stream(path) else _replacing(path.resolve()) as temporary:
            yield temporary
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise full_disk(str(path)) from None


def full_disk(shown: str) -> FileError:
    """Return the error for a file that its disk cannot hold."""
    return FileError(
        f"{shown!r} cannot be written: no space is left on its disk, or its size is limited. Free "
        "some space, or write to another disk."
    )


def _is_stream(path: Path) -> bool:
    """Whether a path exists and is not a file that another one could replace."""
    return path.exists() and (not path.is_file() or str(path.absolute()).startswith(STREAMS))


@contextmanager
def _poured_into(path: Path) -> Iterator[Path]:
    """Yield an empty file whose bytes are written to a pipe or a device at the end."""
    with TemporaryFolder(Path(tempfile.gettempdir()), hidden=False) as folder:
        temporary = folder / "written"
        temporary.touch()
        yield temporary
        # not "wb": standard output may be a file with something in it
        with temporary.open("rb") as source, path.open("ab") as target:
            shutil.copyfileobj(source, target, 1 << 20)


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Yield an empty file that replaces another one and keeps its permissions."""
    refuse_lost_folder(path)
    rights = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    # A folder in which nobody else can read, and that holds also what a database writes next to it.
    with TemporaryFolder(path.parent) as folder:
        temporary = folder / "written"
        temporary.touch()
        yield temporary
        _make_durable(temporary)
        if rights is not None:
            temporary.chmod(rights)
        temporary.replace(path)


def _make_durable(path: Path) -> None:
    """Wait until a file is on disk: otherwise a power cut could leave an empty one."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


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
