"""Greedy merging of very many blocks, segment by segment, with the same result as all at once.

A merge changes the gains of the two neighboring pairs and no others. So two mergings of overlapping
segments, each down to the same least gain, can be joined at a bound that both have left where
the runs on either side grew by the same merges in both. The order of the merges of two runs
follows from their gains: in both mergings the same states of the two met across the bound, and
never were the best pair. To the left of the bound nothing then depends on what is to the right,
and the merges of the left segment to the left and of the right segment to the right, each the best
of all when its turn comes, are those of merging the whole. What the missing neighbors did to the
ends of the segments ends within a few runs of them, inside the overlap.

A segment fits in the cache and a long sequence does not, which makes merging two to four times as
fast at ten million rows, and little memory is in use at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modlearn._search.blocks import Blocks, combined
from modlearn._search.greedy import merge_greedily, merge_segment
from modlearn.criteria import PartCost

__all__ = ["merge_by_segments"]

Starts = NDArray[np.int64]

MOST_AT_ONCE = 65_536
"""Up to this number, blocks are merged without segments."""

SEGMENT_SIZE = 300_000
"""Number of counts and links of a segment: about what a second-level cache holds."""

OVERLAP = 1024
"""Number of blocks that two segments share."""

SAMPLES = 8
SAMPLE_BLOCKS = 2048
"""Number and length of the samples from which the least gain is estimated."""

STEEPEST = 32
"""Blocks are reduced by at most this factor before segments are cut again."""

LEFT_OVER = 30_000
"""At least about this number of blocks should be left when segments have been merged."""

LONGEST = 8
"""Segments that could not be joined are merged as one, up to this number of them."""

WORTHWHILE = 0.9
"""If more than this share of the blocks is left, segments are given up."""


@dataclass(frozen=True, eq=False)
class _Segment:
    """Blocks from `first` to before `last` merged alone: where runs start, and their histories."""

    first: int
    last: int
    starts: Starts
    histories: NDArray[np.uint64]

    @classmethod
    def merged(
        cls, blocks: Blocks, cost: PartCost, first: int, last: int, least: float
    ) -> _Segment:
        starts, histories, _ = merge_segment(blocks, cost, first, last, least, 1)
        return cls(first, last, starts, histories)

    def between(self, first: int, last: int) -> Starts:
        """Return the starts from `first` to before `last`."""
        return self.starts[slice(*np.searchsorted(self.starts, (first, last)))]

    def joint(self, following: _Segment) -> int | None:
        """Return a bound where the next segment can be joined to this one: the middle one."""
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


def merge_by_segments(
    original: Blocks, cost: PartCost, goals: Sequence[tuple[int, float]]
) -> list[Starts]:
    """Merge greedily, with the same result as `merge_greedily`."""
    blocks, starts = original, np.zeros(0, dtype=np.int64)
    while blocks.n_blocks > MOST_AT_ONCE:
        kept = _thinned(blocks, cost, *goals[0])
        if kept is None:
            break
        starts = starts[kept] if len(starts) else kept
        # Combine the original blocks, so that the previous ones can be freed first.
        del blocks
        blocks = combined(original, starts)
    found = merge_greedily(blocks, cost, goals)
    return [starts[kept] for kept in found] if len(starts) else found


def _thinned(blocks: Blocks, cost: PartCost, most_blocks: int, least: float) -> Starts | None:
    """Return the starts of fewer blocks, on the way to a goal; None if segments do not help.

    How low gains fall until few enough blocks are left is estimated from samples: from the middle
    one, and if too few blocks would be left, from the most careful one.
    """
    gains = _sampled_gains(blocks, cost)
    for gain in dict.fromkeys((max(float(np.median(gains)), least), max(*gains, least))):
        kept = _merged_above(blocks, cost, gain)
        if kept is not None and most_blocks <= len(kept) - 1 < WORTHWHILE * blocks.n_blocks:
            return kept
    return None


def _sampled_gains(blocks: Blocks, cost: PartCost) -> list[float]:
    """Return the lowest gain of a merge, when enough merges were made, in several samples."""
    n = blocks.n_blocks
    goal = int(SAMPLE_BLOCKS / min(STEEPEST, n / LEFT_OVER))
    firsts = np.linspace(0, n - SAMPLE_BLOCKS, SAMPLES).astype(int)
    return [
        merge_segment(blocks, cost, first, first + SAMPLE_BLOCKS, -np.inf, goal)[2]
        for first in firsts
    ]


def _merged_above(blocks: Blocks, cost: PartCost, least: float) -> Starts | None:
    """Return the starts left when no merge gains more than `least`; None if they do not join."""
    size = max(4 * OVERLAP, SEGMENT_SIZE // (blocks.n_labels + 10))
    done: list[_Segment] = []
    joints: list[int] = []
    for first in range(0, blocks.n_blocks, size):
        begin, end = max(0, first - OVERLAP // 2), min(first + size + OVERLAP // 2, blocks.n_blocks)
        segment = _Segment.merged(blocks, cost, begin, end, least)
        joint = done[-1].joint(segment) if done else 0
        while joint is None:
            joints.pop()
            begin = done.pop().first
            if end - begin > LONGEST * size:
                return None
            segment = _Segment.merged(blocks, cost, begin, end, least)
            joint = done[-1].joint(segment) if done else 0
        done.append(segment)
        joints.append(joint)
    ends = [*joints[1:], blocks.n_blocks + 1]
    return np.concatenate([s.between(a, b) for s, a, b in zip(done, joints, ends, strict=True)])
