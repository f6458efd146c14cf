"""A short campaign, and what it must notice; `make fuzz` runs a long one."""

import importlib
import random
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from tools.fuzz import __main__ as campaign
from tools.fuzz import (
    agreement,
    cells,
    command,
    damage,
    databases,
    formats,
    growth,
    kills,
    models,
    pages,
    tables,
)
from tools.fuzz.command import FaultError


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_a_damaged_model_is_refused_or_works(first, tmp_path):
    outcomes = {models.attack(seed, tmp_path) for seed in range(first, first + 50)}
    assert outcomes == {"refused", "result"}


def test_a_generated_table_in_memory_gives_a_result_or_a_sentence(tmp_path):
    outcomes = {tables.attack_memory(seed, tmp_path) for seed in range(60)}
    assert outcomes == {"refused", "result"}


@pytest.mark.parametrize("seed", range(8))
def test_a_generated_file_gives_a_result_or_a_sentence(seed, tmp_path):
    assert tables.attack_files(seed, tmp_path) in ("refused", "result")


@pytest.mark.parametrize("first", range(0, 80, 20))
def test_a_damaged_file_gives_a_result_or_a_sentence(first, tmp_path):
    outcomes = {damage.attack(seed, _empty(tmp_path)) for seed in range(first, first + 20)}
    assert outcomes <= {"refused", "result"}


def _empty(folder):
    """The folder, without what an earlier attack left in it."""
    shutil.rmtree(folder)
    folder.mkdir()
    return folder


@pytest.mark.parametrize("suffix", formats.WRITERS)
def test_a_file_of_every_format_is_read_before_it_is_damaged(suffix, tmp_path):
    path, rng = tmp_path / f"table{suffix}", random.Random(0)
    frame = pd.DataFrame({"x": [i / 60 for i in range(60)], "y": ["no"] * 30 + ["yes"] * 30})
    formats.WRITERS[suffix](frame, path)
    rng.choice = lambda options: options[0]
    assert tables.fit_and_predict(path, "y", rng, tmp_path) == "result"


ATTACKS = {
    "cells": (cells.attack, 25),
    "views": (databases.attack_views, 14),
    "names in SQL": (databases.attack_names, 8),
    "libraries": (agreement.attack_libraries, 12),
    "identifiers": (agreement.attack_exact, 12),
    "optima": (agreement.attack_optimum, 60),
    "full disks": (kills.attack_full_disk, 2),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_a_few_attacks_of_each_kind_find_nothing(name, tmp_path):
    attack, n_seeds = ATTACKS[name]
    outcomes = {attack(seed, _empty(tmp_path)) for seed in range(n_seeds)}
    assert outcomes <= {"refused", "result"}


ATTACK_PAGES = """
import sys
from pathlib import Path
from tools.fuzz import pages

for seed in range(3):
    folder = Path(sys.argv[1]) / str(seed)
    folder.mkdir()
    assert pages.attack(seed, folder) in ("refused", "result")
"""


def test_names_in_pages_stay_text(tmp_path):
    # A process has one browser at most, and that of the tests of the page may be open here.
    subprocess.run(
        [sys.executable, "-c", ATTACK_PAGES, str(tmp_path)],
        cwd=Path(__file__).parents[1],
        check=True,
    )


def test_every_attack_of_the_campaign_exists():
    for module, function in campaign.ATTACKS.values():
        assert callable(getattr(importlib.import_module(f"tools.fuzz.{module}"), function))


def test_a_kill_leaves_whole_files_and_nothing_else(tmp_path):
    assert kills.attack(3, tmp_path) in ("killed", "finished")


def test_the_same_seed_makes_the_same_input():
    assert models.mutant(random.Random(7)) == models.mutant(random.Random(7))
    assert damage.damaged(b"abc" * 50, random.Random(3)) == damage.damaged(
        b"abc" * 50, random.Random(3)
    )


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (1, "Error: KeyError: 'x'. Run again with --debug for details."),
        (1, "Traceback (most recent call last):"),
        (1, "Error: " + "x" * 5_000),
        (1, " "),
        (139, "Error: something."),
        (1, "Error: Out of buffer."),
    ],
)
def test_an_internal_error_is_a_fault(code, text):
    with pytest.raises(FaultError, match=r"internal error|characters|exit code|names neither"):
        command.refuse_odd_error(code, text)


@pytest.mark.parametrize(("factor", "is_fault"), [(3.9, False), (9.5, True)])
def test_slow_growth_is_a_fault_if_it_is_measured_twice(monkeypatch, tmp_path, factor, is_fault):
    monkeypatch.setattr(
        growth, "answer", lambda name, n, folder: (factor if n > 2_000 else 1.0, "result")
    )
    if is_fault:
        with pytest.raises(FaultError, match=r"2,000 took 1\.00 s and 8,000 took 9\.50 s"):
            growth.attack(0, tmp_path)
    else:
        assert growth.attack(0, tmp_path) == "result"


def test_noise_that_is_gone_the_second_time_is_not_a_fault(monkeypatch, tmp_path):
    seconds = iter([1.0, 50.0, 1.0, 4.0])
    monkeypatch.setattr(growth, "answer", lambda *_: (next(seconds), "result"))
    assert growth.attack(0, tmp_path) == "result"


LARGE = """
import pathlib, sys
from tools.fuzz.growth import SHAPES, answer
for name in SHAPES:
    answer(name, 4_000 if name == "many columns" else 256_000, pathlib.Path(sys.argv[1]))
"""


def test_large_files_of_every_shape_are_answered(tmp_path):
    # Seconds of CPU time: a hundred times what is needed, and a hundredth of what a reader would
    # need whose time grows with the square of the size.
    subprocess.run(
        [sys.executable, "-c", LARGE, str(tmp_path)],
        cwd=Path(__file__).parents[1],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (300, 300)),
        check=True,
    )


def test_crashes_and_hangs_are_faults(monkeypatch):
    worker = {
        "crash": f"import os; input(); os.kill(os.getpid(), {int(signal.SIGSEGV)})",
        "hang": "import time; input(); time.sleep(60)",
    }
    monkeypatch.setattr(campaign, "LONGEST", 3)
    popen = campaign.subprocess.Popen
    for kind, said in (("crash", "ended with -11"), ("hang", "no answer after 3 s")):
        code = worker[kind]
        monkeypatch.setattr(
            campaign.subprocess,
            "Popen",
            lambda _, c=code, **k: popen([sys.executable, "-c", c], **k),
        )
        tally = campaign.campaign("growth", 0, 0.01)
        assert list(tally.faults) == [f"the process {said}" if kind == "crash" else said]


def test_a_view_that_gives_something_away_is_a_fault(monkeypatch, tmp_path):
    def reveal(command, *arguments):
        (tmp_path / "o.csv").write_text(f"x\n{databases.CANARY}\n")
        return 0, ""

    monkeypatch.setattr(databases, "said", reveal)
    with pytest.raises(FaultError, match="holds what another file holds"):
        databases.attack_views(1, tmp_path)


def test_a_changed_cell_is_a_fault(monkeypatch, tmp_path):
    def change(*arguments):
        text = (tmp_path / "in.csv").read_bytes().replace(b"a", b"b")
        (tmp_path / "out.csv").write_bytes(text)
        return 0, ""

    monkeypatch.setattr(cells, "said", change)
    with pytest.raises(FaultError, match=r"'say .no.' became 'sby .no.'"):
        cells.attack(11, tmp_path)


@pytest.mark.parametrize("text", ["<script>", "<img src=x>", "<a href='javascript:x'>", "<b onx>"])
def test_markup_in_a_page_is_a_fault(text):
    with pytest.raises(FaultError, match=r"script|an element|an attribute"):
        pages._parse(f"<script></script><script></script>{text}")
