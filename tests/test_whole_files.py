"""Files appear whole, or not at all."""

import errno
import os
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from modlearn import _files as files
from modlearn._files import whole_file, write_whole
from modlearn.errors import FileError, ModelError


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


def test_a_folder_is_told(tmp_path):
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
