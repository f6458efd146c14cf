"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["refuse_lost_folder", "write_whole"]


def refuse_lost_folder(path: Path) -> None:
    """Raise where a file could not be written for want of its folder."""
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"There is no folder {str(path.parent)!r} to write {path.name!r} to: create it first."
        )


def write_whole(path: Path, text: str) -> None:
    """Write a text to a file beside, which then takes the place of the old one."""
    refuse_lost_folder(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        _give_usual_rights(Path(name))
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _give_usual_rights(path: Path) -> None:
    """Rights of a file that is opened the usual way; temporary ones are readable by one user."""
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(0o666 & ~mask)
