"""Greedy merging of very many blocks, a stretch of them at a time, with the result of all at once.

A merge changes the gains of the two pairs beside it and no others. So two mergings of overlapping
stretches, each down to the same least gain, can be joined at a bound that both have left where
the runs on either side grew by the same merges in both. The order of the merges of two runs
follows from their gains: in both mergings the same states of the two met across the bound, and
never were the best pair. To the left of the bound nothing then depends on what is to the right,
and the merges of the left stretch to the left and of the right stretch to the right, each the best
of all when its turn comes, are those of merging the whole. What the missing neighbors did to the
ends of the stretches ends within a few runs of them, inside the overlap.

A stretch fits in the cache and a long sequence does not, which makes merging two to four times as
fast at ten million rows, and little memory is in use at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modlearn._search.blocks import Blocks, combined
from modlearn._search.greedy import merge_greedily, merge_stretch

__all__ = ["merge_by_stretches"]

Starts = NDArray[np.int64]

MOST_AT_ONCE = 65_536
"""So many blocks are merged without stretches."""

STRETCH_SIZE = 300_000
"""Counts and links of a stretch, about: what a second-level cache holds."""

OVERLAP = 1024
"""Blocks that two stretches share."""

SAMPLES = 8
SAMPLE_BLOCKS = 2048
"""Stretches from which the least gain is foreseen."""

STEEPEST = 32
"""To one in so many they are merged at most before stretches are cut anew."""

LEFT_OVER = 30_000
"""So many blocks or more should be left when stretches have been merged."""

LONGEST = 8
"""Stretches that could not be joined are merged as one, if no longer than so many."""

WORTHWHILE = 0.9
"""If more than this share of the blocks is left, stretches are given up."""


@dataclass(frozen=True)
class _Stretch:
    """Blocks from `first` to before `last` merged alone: where runs start, and their histories."""

    first: int
    last: int
    starts: Starts
    histories: NDArray[np.uint64]

    @classmethod
    def merged(cls, blocks: Blocks, first: int, last: int, least: float) -> _Stretch:
        starts, histories, _ = merge_stretch(blocks, first, last, least, 1)
        return cls(first, last, starts, histories)

    def between(self, first: int, last: int) -> Starts:
        """Return the starts from `first` to before `last`."""
        return self.starts[slice(*np.searchsorted(self.starts, (first, last)))]

    def joint(self, following: _Stretch) -> int | None:
        """Return a bound where the next stretch may be joined to this one, in the middle of all."""
        from_here = np.searchsorted(self.starts, following.first, side="right")
        to_there = np.searchsorted(following.starts, self.last)
        common, here, there = np.intersect1d(
            self.starts[from_here:-1],
            following.starts[1:to_there],
            assume_unique=True,
            return_indices=True,
        )
        here, there = here + from_here, there + 1
        alike = (self.histories[here] == following.histories[there]) & (
            self.histories[here - 1] == following.histories[there - 1]
        )
        joints = common[alike]
        return int(joints[len(joints) // 2]) if len(joints) else None


def merge_by_stretches(given: Blocks, goals: Sequence[tuple[int, float]]) -> list[Starts]:
    """Merge greedily as `merge_greedily` does."""
    blocks, starts = given, np.zeros(0, dtype=np.int64)
    while blocks.n_blocks > MOST_AT_ONCE:
        kept = _thinned(blocks, *goals[0])
        if kept is None:
            break
        starts = starts[kept] if len(starts) else kept
        # From the given blocks, so that the previous ones are freed first.
        del blocks
        blocks = combined(given, starts)
    found = merge_greedily(blocks, goals)
    return [starts[kept] for kept in found] if len(starts) else found


def _thinned(blocks: Blocks, most_blocks: int, least: float) -> Starts | None:
    """Starts of fewer blocks, on the way to a goal; None if there is no way by stretches.

    How low gains fall until few enough are left is foreseen from samples, or more carefully.
    """
    gains = _sampled_gains(blocks)
    for gain in dict.fromkeys((max(float(np.median(gains)), least), max(*gains, least))):
        kept = _merged_above(blocks, gain)
        if kept is not None and most_blocks <= len(kept) - 1 < WORTHWHILE * blocks.n_blocks:
            return kept
    return None


def _sampled_gains(blocks: Blocks) -> list[float]:
    """Least gain of a merge when enough merges have been made, in several samples."""
    n = blocks.n_blocks
    goal = int(SAMPLE_BLOCKS / min(STEEPEST, n / LEFT_OVER))
    firsts = np.linspace(0, n - SAMPLE_BLOCKS, SAMPLES).astype(int)
    return [
        merge_stretch(blocks, first, first + SAMPLE_BLOCKS, -np.inf, goal)[2] for first in firsts
    ]


def _merged_above(blocks: Blocks, least: float) -> Starts | None:
    """Starts that are left when no merge gains more than `least`; None if stretches do not join."""
    size = max(4 * OVERLAP, STRETCH_SIZE // (blocks.n_classes + 10))
    done: list[_Stretch] = []
    joints: list[int] = []
    for first in range(0, blocks.n_blocks, size):
        begin, end = max(0, first - OVERLAP // 2), min(first + size + OVERLAP // 2, blocks.n_blocks)
        stretch = _Stretch.merged(blocks, begin, end, least)
        joint = done[-1].joint(stretch) if done else 0
        while joint is None:
            joints.pop()
            begin = done.pop().first
            if end - begin > LONGEST * size:
                return None
            stretch = _Stretch.merged(blocks, begin, end, least)
            joint = done[-1].joint(stretch) if done else 0
        done.append(stretch)
        joints.append(joint)
    ends = [*joints[1:], blocks.n_blocks + 1]
    return np.concatenate([s.between(a, b) for s, a, b in zip(done, joints, ends, strict=True)])
