"""Files appear whole or not at all; temporary folders are removed, also after a kill."""

import errno
import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from modlearn import _files as files
from modlearn._files import TemporaryFolder, remove_abandoned, whole_file, write_whole
from modlearn.errors import FileError, ModelError

HOLD = """
import sys, time
from pathlib import Path
from modlearn._files import TemporaryFolder
with TemporaryFolder(Path(sys.argv[1])) as folder:
    (folder / "half").write_text("written")
    print(folder, flush=True)
    time.sleep(60)
"""


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("rights", [0o600, 0o640, 0o664, 0o400])
def test_a_file_keeps_its_rights(tmp_path, rights):
    path = tmp_path / "x"
    path.write_text("old")
    path.chmod(rights)
    with whole_file(path) as temporary:
        assert mode(temporary.parent) == 0o700  # nobody may read it meanwhile either
        temporary.write_text("new")
    assert (path.read_text(), mode(path)) == ("new", rights)


def test_a_new_file_has_the_usual_rights(tmp_path):
    write_whole(tmp_path / "x", "new")
    (tmp_path / "y").touch()
    assert mode(tmp_path / "x") == mode(tmp_path / "y")


def test_the_mask_of_the_process_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(files.os, "umask", lambda mask: pytest.fail("other threads see it"))
    write_whole(tmp_path / "x", "new")


@pytest.mark.parametrize("is_there", [True, False])
def test_what_a_link_points_to_is_written(tmp_path, is_there):
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "x", tmp_path / "link"
    if is_there:
        target.write_text("old")
    link.symlink_to("far/x")
    write_whole(link, "new")
    assert (link.is_symlink(), target.read_text()) == (True, "new")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_is_named_with_the_file(tmp_path, monkeypatch, number):
    def fail(path):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(files, "_make_durable", fail)
    with pytest.raises(FileError, match=r"x' cannot be written: no space is left on its disk, or"):
        write_whole(tmp_path / "x", "new")
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_is_given_what_is_written(tmp_path):
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    write_whole(pipe, "new")
    reader.join()
    assert (got, stat.S_ISFIFO(pipe.stat().st_mode)) == (["new"], True)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.parametrize("is_file", [True, False])
def test_standard_output_is_given_what_is_written(tmp_path, is_file):
    code = (
        "from pathlib import Path; from modlearn._files import write_whole\n"
        "write_whole(Path('/dev/stdout'), 'new'); write_whole(Path('/dev/null'), 'new')"
    )
    path = tmp_path / "out"
    path.write_text("old ")
    with path.open("a") as file:
        out = file if is_file else subprocess.PIPE
        result = subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert (path.read_text() if is_file else result.stdout.decode()) == "old " * is_file + "new"


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="there is no memory with a name")
def test_a_file_in_memory_is_replaced():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = Path(folder) / "x"
        write_whole(path, "old")
        write_whole(path, "new")
        assert path.read_text() == "new"


def test_a_folder_is_reported(tmp_path):
    with pytest.raises(IsADirectoryError, match=r"is a folder: give the name of a file in it\.$"):
        write_whole(tmp_path, "new")
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        write_whole(tmp_path / "no" / "x", "new")


def test_a_failure_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / ("é" * 100)
    path.write_text("old")
    with pytest.raises(ModelError, match=r"'ne\\ud800' cannot be written.*correct it in the table"):
        write_whole(path, "ne\ud800")
    assert ([path], path.read_text()) == ([*tmp_path.iterdir()], "old")


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


def test_a_folder_that_cannot_be_listed_is_not_an_error(tmp_path):
    remove_abandoned(tmp_path / "none")
