"""A short campaign, and what it must notice; `make fuzz` runs a long one."""

import random
import signal
import sys

import pytest
from tools.fuzz import __main__ as campaign
from tools.fuzz import command, damage, growth, kills, models, tables
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
    ],
)
def test_an_internal_error_is_a_fault(code, text):
    with pytest.raises(FaultError, match=r"internal error|characters|exit code"):
        command.refuse_odd_error(code, text)


def test_slow_growth_is_a_fault(monkeypatch, tmp_path):
    clock = iter([0.0, 1.0, 1.0, 5.0])  # 1 s, then 4 s
    monkeypatch.setattr(growth, "run", lambda *_: True)
    monkeypatch.setattr(growth.time, "process_time", lambda: next(clock))
    with pytest.raises(FaultError, match=r"2,000 took 1\.00 s and 4,000 took 4\.00 s"):
        growth.attack(0, tmp_path)


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
