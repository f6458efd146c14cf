"""Run the campaign: ``python -m tools.fuzz --seconds 600``.

Each attack runs in a process of its own, so that a crash or a hang ends only that process; it is
counted as a fault, and the attack goes on with the next seed. The same seeds give the same inputs.
"""

import argparse
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

__all__ = ["ATTACKS", "Tally", "campaign"]

ATTACKS = {
    "damaged models": ("models", "attack"),
    "tables in memory": ("tables", "attack_memory"),
    "tables in files": ("tables", "attack_files"),
    "damaged files": ("damage", "attack"),
    "growth": ("growth", "attack"),
    "kills": ("kills", "attack"),
    "full disks": ("kills", "attack_full_disk"),
    "cells": ("cells", "attack"),
    "views": ("databases", "attack_views"),
    "names in SQL": ("databases", "attack_names"),
    "names in pages": ("pages", "attack"),
    "libraries": ("agreement", "attack_libraries"),
    "identifiers": ("agreement", "attack_exact"),
    "optima": ("agreement", "attack_optimum"),
}
"""Names of the attacks, and the module and function of each."""

LONGEST = 120
"""Seconds after which an attack counts as hanging."""


class Tally:
    """Outcomes of an attack, and its faults."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.faults: dict[str, list[int]] = {}
        self.n_inputs = 0


def main() -> int:
    """Run the campaign, or, with --worker, one attack whose seeds come on standard input."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="time of the whole campaign")
    parser.add_argument("--seed", type=int, default=0, help="first seed of every attack")
    parser.add_argument("--only", choices=list(ATTACKS), help="one attack instead of all")
    parser.add_argument("--worker", choices=list(ATTACKS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return work(options.worker)
    names = [options.only] if options.only else list(ATTACKS)
    failed = False
    print(f"{'attack':<18}{'inputs':>9}{'results':>9}{'refused':>9}{'faults':>8}", flush=True)
    for name in names:
        tally = campaign(name, options.seed, options.seconds / len(names))
        results = sum(n for word, n in tally.outcomes.items() if word != "refused")
        print(
            f"{name:<18}{tally.n_inputs:>9,}{results:>9,}{tally.outcomes['refused']:>9,}"
            f"{sum(map(len, tally.faults.values())):>8,}",
            flush=True,
        )
        for fault, seeds in tally.faults.items():
            others = f" and {len(seeds) - 1:,} more" if len(seeds) > 1 else ""
            print(f"    seed {seeds[0]}{others}: {fault}", flush=True)
        failed |= bool(tally.faults)
    return int(failed)


def campaign(name: str, seed: int, seconds: float) -> Tally:
    """Attack with one seed after the other, at least one, until the time is over."""
    tally, end = Tally(), time.monotonic() + seconds
    worker = _Worker(name)
    try:
        while not tally.n_inputs or time.monotonic() < end:
            outcome = worker.attack(seed)
            tally.n_inputs += 1
            if outcome.startswith("fault"):
                tally.faults.setdefault(outcome.removeprefix("fault "), []).append(seed)
            else:
                tally.outcomes[outcome] += 1
            if not worker.is_alive:
                worker = _Worker(name)
            seed += 1
    finally:
        worker.stop()
    return tally


class _Worker:
    """A process that attacks with one seed at a time."""

    def __init__(self, name: str) -> None:
        self.is_alive = True
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tools.fuzz", "--worker", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.answers: SimpleQueue[str] = SimpleQueue()
        self.listener = Thread(target=self._listen, daemon=True)
        self.listener.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.answers.put(line.strip())
        self.answers.put("")

    def attack(self, seed: int) -> str:
        """Return the outcome of an attack; a crash or a hang is a fault and ends the process."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{seed}\n")
        try:
            answer = self.answers.get(timeout=LONGEST)
        except Empty:
            self.stop()
            return f"fault no answer after {LONGEST} s"
        if not answer:
            self.stop()
            return f"fault the process ended with {self.process.returncode}"
        return answer

    def stop(self) -> None:
        """End the process."""
        self.is_alive = False
        self.process.kill()
        self.process.wait()
        self.listener.join()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()


def work(name: str) -> int:
    """Attack with the seeds that arrive on standard input, and print the outcome of each."""
    module, function = ATTACKS[name]
    attack: Callable[[int, Path], str] = getattr(import_module(f"tools.fuzz.{module}"), function)
    for line in sys.stdin:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            print(_outcome(attack, int(line), Path(folder)), flush=True)
    return 0


def _outcome(attack: Callable[[int, Path], str], seed: int, folder: Path) -> str:
    try:
        return attack(seed, folder)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        where = next((f for f in reversed(frames) if "modlearn" in f.filename), frames[-1])
        text = " ".join(str(error).split())[:300]
        return f"fault {type(error).__name__} in {Path(where.filename).name}:{where.name}: {text}"


if __name__ == "__main__":
    sys.exit(main())
