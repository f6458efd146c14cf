"""Temporary folders: removed in the end, or by the next process after a kill."""

import os
import signal
import subprocess
import sys

import pytest

from modlearn._files import TemporaryFolder, remove_abandoned

HOLD = """
import sys, time
from pathlib import Path
from modlearn._files import TemporaryFolder
with TemporaryFolder(Path(sys.argv[1])) as folder:
    (folder / "half").write_text("written")
    print(folder, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    """A process that has a temporary folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_folder_is_removed_with_what_is_in_it(tmp_path):
    with TemporaryFolder(tmp_path) as folder:
        (folder / "a").mkdir()
        (folder / "a" / "b").write_text("c")
        assert folder.stat().st_mode & 0o077 == 0
    assert list(tmp_path.iterdir()) == []


def test_the_folder_of_a_killed_process_is_removed_by_the_next_one(tmp_path, holder):
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert len(list(tmp_path.iterdir())) == 1
    with TemporaryFolder(tmp_path) as folder:
        assert list(tmp_path.iterdir()) == [folder]


def test_the_folder_of_a_process_at_work_stays(tmp_path, holder):
    before = list(tmp_path.iterdir())
    remove_abandoned(tmp_path)
    assert list(tmp_path.iterdir()) == before


def test_the_folder_of_another_thread_stays(tmp_path):
    with TemporaryFolder(tmp_path) as first, TemporaryFolder(tmp_path) as second:
        assert first.exists()
        assert second.exists()


@pytest.mark.parametrize("name", [".modlearn-1.tmp", "modlearn-0123456789abcdef", "data.tmp"])
def test_a_folder_with_another_name_stays(tmp_path, name):
    (tmp_path / name).mkdir()
    remove_abandoned(tmp_path)
    assert (tmp_path / name).exists()


def test_a_link_with_our_name_stays_with_what_it_points_to(tmp_path):
    (tmp_path / "data").mkdir()
    link = tmp_path / ".modlearn-0123456789abcdef.tmp"
    link.symlink_to("data")
    remove_abandoned(tmp_path)
    assert link.is_symlink()
    assert (tmp_path / "data").exists()


def test_the_folder_of_another_user_stays(tmp_path, monkeypatch):
    left = tmp_path / ".modlearn-0123456789abcdef.tmp"
    left.mkdir()
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    remove_abandoned(tmp_path)
    assert left.exists()
    monkeypatch.undo()
    remove_abandoned(tmp_path)
    assert not left.exists()


def test_a_folder_that_cannot_be_listed_is_no_error(tmp_path):
    remove_abandoned(tmp_path / "none")
