"""The first and coarsest reduction: neighbouring blocks that tell nothing apart become tiles.

Most blocks of a long column hold one or two rows, far too few for a part of their own. A tile
takes in the next blocks as long as none of them is remarkable, and is kept only where it costs
less than its blocks would as parts. Bounds that fall inside a tile are found again by the
refinement at full resolution.
"""

from libc.stdint cimport int32_t, int64_t

import numpy as np

from modlearn._optimize.blocks cimport Blocks
from modlearn.criteria.combinatorics cimport log_factorial
from modlearn.criteria.discretization cimport telescoped_part_cost

from modlearn._optimize.blocks import Blocks as BlocksType


cdef struct Tiles:
    int64_t n
    int64_t n_entries
    int32_t* start
    int32_t* pointer
    int32_t* classes
    int64_t* counts


cdef inline double block_cost(Blocks blocks, int64_t b) noexcept nogil:
    """Cost of a block as a part of its own."""
    cdef int32_t e
    cdef int64_t rows = 0
    cdef double sum_logs = 0.0
    for e in range(blocks.pointer[b], blocks.pointer[b + 1]):
        rows += blocks.counts[e]
        sum_logs += log_factorial(blocks.counts[e])
    return telescoped_part_cost(rows, blocks.n_classes, sum_logs)


cdef inline double shared_cost(Blocks blocks, int64_t b, const double* row_cost) noexcept nogil:
    """Cost of the rows of a block under the class distribution of the whole column."""
    cdef int32_t e
    cdef double cost = 0.0
    for e in range(blocks.pointer[b], blocks.pointer[b + 1]):
        cost += blocks.counts[e] * row_cost[blocks.classes[e]]
    return cost


cdef void append_blocks(
    Blocks blocks, int64_t first, int64_t last, Tiles* tiles
) noexcept nogil:
    """Each block a tile of its own."""
    cdef int64_t b
    cdef int32_t e
    for b in range(first, last):
        tiles.start[tiles.n] = <int32_t> b
        for e in range(blocks.pointer[b], blocks.pointer[b + 1]):
            tiles.classes[tiles.n_entries] = blocks.classes[e]
            tiles.counts[tiles.n_entries] = blocks.counts[e]
            tiles.n_entries += 1
        tiles.n += 1
        tiles.pointer[tiles.n] = <int32_t> tiles.n_entries


cdef void append_tile(
    Blocks blocks, int64_t first, int64_t last, double separate_cost, int64_t* totals,
    Tiles* tiles,
) noexcept nogil:
    """One tile of several blocks, unless they cost less one by one."""
    cdef int32_t e
    cdef int64_t label, rows = 0
    cdef double sum_logs = 0.0
    cdef bint cheaper
    for e in range(blocks.pointer[first], blocks.pointer[last]):
        totals[blocks.classes[e]] += blocks.counts[e]
        rows += blocks.counts[e]
    for label in range(blocks.n_classes):
        sum_logs += log_factorial(totals[label])
    cheaper = telescoped_part_cost(rows, blocks.n_classes, sum_logs) <= separate_cost
    if not cheaper:
        append_blocks(blocks, first, last, tiles)
    else:
        tiles.start[tiles.n] = <int32_t> first
    for label in range(blocks.n_classes):
        if totals[label]:
            if cheaper:
                tiles.classes[tiles.n_entries] = <int32_t> label
                tiles.counts[tiles.n_entries] = totals[label]
                tiles.n_entries += 1
            totals[label] = 0
    if cheaper:
        tiles.n += 1
        tiles.pointer[tiles.n] = <int32_t> tiles.n_entries


def merge_into_tiles(
    Blocks blocks, int64_t first, int64_t last, int64_t width, double prior_step,
    const double[::1] row_cost, double remarkable,
):
    """Tiles of at most `width` of the blocks from `first` to before `last`.

    A block that gains `remarkable` nats alone stays alone; `row_cost[j]` is -log of the share of
    class j. Starts of the result count given blocks.
    """
    cdef int64_t n = last - first, b, n_entries = blocks.pointer[last] - blocks.pointer[first]
    start, pointer = np.empty(n + 1, dtype=np.int32), np.empty(n + 1, dtype=np.int32)
    classes, counts = np.empty(n_entries, dtype=np.int32), np.empty(n_entries, dtype=np.int64)
    cdef int32_t[::1] starts = start, pointers = pointer, tile_classes = classes
    cdef int64_t[::1] tile_counts = counts, totals = np.zeros(blocks.n_classes, dtype=np.int64)
    cdef Tiles tiles = Tiles(
        0, 0, &starts[0], &pointers[0], &tile_classes[0], &tile_counts[0]
    )
    cdef double alone, separate = 0.0
    with nogil:
        tiles.pointer[0] = 0
        for b in range(first, last):
            alone = block_cost(blocks, b)
            if shared_cost(blocks, b, &row_cost[0]) - alone > remarkable:
                if b > first:
                    append_tile(blocks, first, b, separate - prior_step, &totals[0], &tiles)
                append_blocks(blocks, b, b + 1, &tiles)
                first, separate = b + 1, 0.0
                continue
            separate += alone + prior_step
            if b + 1 - first == width:
                append_tile(blocks, first, b + 1, separate - prior_step, &totals[0], &tiles)
                first, separate = b + 1, 0.0
        if last > first:
            append_tile(blocks, first, last, separate - prior_step, &totals[0], &tiles)
    start[tiles.n] = last
    return BlocksType(
        start[: tiles.n + 1], pointer[: tiles.n + 1],
        classes[: tiles.n_entries], counts[: tiles.n_entries], blocks.n_classes,
    )
