"""Select the best few of very many scores in one scan."""

from libc.stdint cimport int32_t, int64_t

ctypedef fused real:
    float
    double

cdef enum:
    CHUNK = 64
    SHORT = 32  # lists no longer than this are scanned, longer ones are heaps


cdef inline real replace_root(
    real* best, int32_t* rows, int64_t c, real score, int32_t row
) noexcept nogil:
    """Replace the lowest score of a heap; returns the new lowest score.

    The lowest score is the root; equal scores, as at the start, are a heap too.
    """
    cdef int64_t i = 0, child = 1
    # Entry i is free, and the score is larger than all entries above it. It fits there if no child
    # is less; else the smaller child moves up.
    while child < c:
        # The smaller of the two children is the one that may move up.
        if child + 1 < c and best[child + 1] < best[child]:
            child += 1
        if score <= best[child]:
            break
        best[i], rows[i] = best[child], rows[child]
        i, child = child, 2 * child + 1
    best[i], rows[i] = score, row
    return best[0]


cdef inline real replace_worst(
    real* best, int32_t* rows, int64_t c, real score, int32_t row
) noexcept nogil:
    """Replace the lowest of c scores; returns the new lowest score."""
    cdef int64_t i, worst = 0
    cdef real least
    # A long list is a heap: replacing its root takes log c steps instead of c.
    if c > SHORT:
        return replace_root(best, rows, c, score, row)
    # `worst` is the least of the scores before i.
    for i in range(1, c):
        if best[i] < best[worst]:
            worst = i
    best[worst], rows[worst] = score, row
    # The new score may still be the lowest of all: the least is looked for again.
    least = best[0]
    for i in range(1, c):
        least = best[i] if best[i] < least else least
    return least


def keep_best(
    const real[:, ::1] scores, int64_t first_row, real[:, ::1] best, int32_t[:, ::1] rows,
    real[::1] least,
):
    """Update the c best scores of each query with more scores.

    Parameters
    ----------
    scores : ndarray of shape (m, n)
        How near each query is to rows first_row, first_row + 1, ...; more is nearer.
    best, rows : ndarray of shape (m, c)
        The best scores so far and their rows, in any order; written to.
    least : ndarray of shape (m,)
        The lowest of the best scores; written to.
    """
    cdef int64_t m = scores.shape[0], n = scores.shape[1], c = best.shape[1], i, j, end, k
    cdef real threshold
    cdef bint better
    cdef const real* line
    with nogil:
        for i in range(m):
            line = &scores[i, 0]
            threshold = least[i]
            j = 0
            # `best` holds the best c scores before j, and `threshold` is the least of these.
            while j < n:
                end = min(j + CHUNK, n)
                # Nearly all chunks hold nothing better: a loop without a branch checks that fast.
                better = False
                for k in range(j, end):
                    better |= line[k] > threshold
                if better:
                    for k in range(j, end):
                        if line[k] > threshold:
                            threshold = replace_worst(
                                &best[i, 0], &rows[i, 0], c, line[k], <int32_t> (first_row + k)
                            )
                j = end
            least[i] = threshold


def keep_best_pairs(
    const real[:, ::1] scores, int64_t first, int64_t other, real[:, ::1] best,
    int32_t[:, ::1] rows, real[::1] least,
):
    """Update the best scores of rows among themselves: a score counts for both of its rows.

    ``scores`` (m, n) are those of rows first, first + 1, ... with rows other, other + 1, ...; if
    both begin at the same row, a pair counts once, and a row does not count for itself.
    """
    cdef int64_t m = scores.shape[0], n = scores.shape[1], c = best.shape[1], i, j, end, k
    cdef real threshold
    cdef bint better
    cdef const real* line
    cdef const real* thresholds = &least[other]
    with nogil:
        for i in range(m):
            line = &scores[i, 0]
            j = i + 1 if first == other else 0
            # Scores before j have been offered to both of their rows. A chunk is skipped if none of
            # its scores is better than the least one kept by either row.
            while j < n:
                end = min(j + CHUNK, n)
                threshold = least[first + i]
                better = False
                for k in range(j, end):
                    better |= (line[k] > threshold) | (line[k] > thresholds[k])
                if better:
                    for k in range(j, end):
                        if line[k] > least[first + i]:
                            least[first + i] = replace_worst(
                                &best[first + i, 0], &rows[first + i, 0], c, line[k],
                                <int32_t> (other + k),
                            )
                        if line[k] > thresholds[k]:
                            least[other + k] = replace_worst(
                                &best[other + k, 0], &rows[other + k, 0], c, line[k],
                                <int32_t> (first + i),
                            )
                j = end
