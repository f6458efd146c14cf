"""Radix sort of a column of doubles that carries one small integer per row along.

NumPy sorts plain values, or finds a permutation that then has to be applied to the classes.
Carrying the class along takes a fraction of the time NumPy takes to sort plain values, for any
number of classes.

The rows of a long column first go to buckets that fit in the cache: ranges of the leading bits of
their keys, each of about the same number of rows. A bucket is sorted by the leading bits in which
its keys differ, about log2(n) + 8 of them, in two stable passes. Rows that agree in all of these
are few or tied; they are sorted the same way by the bits that follow.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

import numpy as np

cdef enum:
    FEW_ROWS = 48  # up to this number are sorted by insertion
    MANY_ROWS = 1 << 17  # up to this number are sorted without buckets
    BUCKET_ROWS = 1 << 14  # a bucket may have this number of rows,
    MOST_BUCKETS = 1 << 10  # or this fraction of the rows of the column
    PREFIX_BITS = 16
    N_PREFIXES = (1 << PREFIX_BITS) + 1  # the first is that of missing values
    MOST_DIGIT_BITS = 12
    MOST_DIGITS = 1 << MOST_DIGIT_BITS

ctypedef fused Carried:
    uint8_t
    uint16_t
    int32_t

cdef uint64_t SIGN = <uint64_t> 1 << 63
cdef uint64_t MISSING = 0


cdef inline uint64_t ordered_key(double value) noexcept nogil:
    """Unsigned integer in the order of the value: missing first, then -inf to +inf."""
    cdef uint64_t bits
    if value != value:
        return MISSING
    value += 0.0  # -0.0 and 0.0 are the same value
    memcpy(&bits, &value, 8)
    # A positive number gets its sign bit set, a negative one all bits inverted: then both are in
    # order as unsigned integers, negative ones first. No number has key 0.
    return bits ^ (SIGN | <uint64_t> (<int64_t> bits >> 63))


cdef inline double value_of_key(uint64_t key) noexcept nogil:
    """Inverse of `ordered_key`."""
    cdef double value
    cdef uint64_t bits = key & ~SIGN if key & SIGN else ~key
    memcpy(&value, &bits, 8)
    return value


cdef void insertion_sort(uint64_t* keys, Carried* payload, int64_t n) noexcept nogil:
    cdef int64_t i, k
    cdef uint64_t key
    cdef Carried carried
    # Rows before i are in order.
    for i in range(1, n):
        key, carried = keys[i], payload[i]
        k = i
        # Rows after k, up to i, are larger than the key and have moved up; equal ones stay.
        while k > 0 and keys[k - 1] > key:
            keys[k], payload[k] = keys[k - 1], payload[k - 1]
            k -= 1
        keys[k], payload[k] = key, carried


cdef int n_bits(uint64_t number) noexcept nogil:
    cdef int bits = 0
    # The bits counted so far have been shifted out.
    while number:
        number >>= 1
        bits += 1
    return bits


cdef void scatter(
    const uint64_t* keys, const Carried* payload, uint64_t* to_keys, Carried* to_payload,
    int64_t n, int shift, uint64_t mask, int32_t* offsets,
) noexcept nogil:
    """One stable pass: every row to the next offset of its digit; `offsets` holds the counts."""
    cdef int64_t i
    cdef int32_t count, offset = 0
    cdef uint64_t key, digit
    # Counts become offsets: `offset` rows have a digit below this one.
    for digit in range(mask + 1):
        count = offsets[digit]
        offsets[digit] = offset
        offset += count
    # offsets[d] is where the next row of digit d goes; rows before i have been written. Rows of the
    # same digit keep their order, so that an earlier pass by lower bits is not undone.
    for i in range(n):
        key = keys[i]
        digit = (key >> shift) & mask
        offset = offsets[digit]
        offsets[digit] = offset + 1
        to_keys[offset] = key
        to_payload[offset] = payload[i]


cdef int sort_by_leading_bits(
    uint64_t* keys, Carried* payload, uint64_t* spare_keys, Carried* spare_payload, int64_t n,
    uint64_t differing,
) noexcept nogil:
    """Sort by the leading bits among the `differing` ones; returns how many bits are left."""
    cdef int32_t low_offsets[MOST_DIGITS]
    cdef int32_t high_offsets[MOST_DIGITS]
    cdef int bits = min((n_bits(n) + 8 + 1) // 2, MOST_DIGIT_BITS)
    cdef int left = max(0, n_bits(differing) - 2 * bits)
    cdef uint64_t mask = (<uint64_t> 1 << bits) - 1, key
    cdef int64_t i
    memset(low_offsets, 0, (mask + 1) * sizeof(int32_t))
    memset(high_offsets, 0, (mask + 1) * sizeof(int32_t))
    # Both passes are counted at once: they move rows, but do not change their digits.
    for i in range(n):
        key = keys[i] >> left
        low_offsets[key & mask] += 1
        high_offsets[(key >> bits) & mask] += 1
    scatter(keys, payload, spare_keys, spare_payload, n, left, mask, low_offsets)
    scatter(spare_keys, spare_payload, keys, payload, n, left + bits, mask, high_offsets)
    return left


cdef void sort_keys(
    uint64_t* keys, Carried* payload, uint64_t* spare_keys, Carried* spare_payload, int64_t n,
) noexcept nogil:
    cdef int64_t i, first = 0
    cdef uint64_t differing = 0
    cdef int left
    if n <= FEW_ROWS:
        insertion_sort(keys, payload, n)
        return
    # A bit is in `differing` if any row before i has it unlike the first: bits that all rows share
    # need no pass.
    for i in range(1, n):
        differing |= keys[i] ^ keys[0]
    # All keys are equal: they are sorted, and rows keep their order.
    if differing == 0:
        return
    left = sort_by_leading_bits(keys, payload, spare_keys, spare_payload, n, differing)
    if left == 0:
        return
    # Rows are in order but for their last `left` bits. Those from `first` to before i agree in the
    # others; the run is sorted as soon as it ends.
    for i in range(1, n + 1):
        if i == n or (keys[i] >> left) != (keys[first] >> left):
            # A single row is in order; longer runs are few or short, so the recursion is cheap.
            if i - first > 1:
                sort_keys(keys + first, payload + first, spare_keys, spare_payload, i - first)
            first = i


cdef struct Prefixes:  # leading bits of the keys, counted from the lowest key
    uint64_t lowest
    int shift


cdef Prefixes find_prefixes(const double* values, int64_t n) noexcept nogil:
    """As many leading bits as there are prefixes, from the lowest key to the highest."""
    cdef uint64_t key, lowest = ~(<uint64_t> 0), highest = 0
    cdef int64_t i
    # The range of the keys before i; missing values, which have a prefix of their own, left out.
    for i in range(n):
        key = ordered_key(values[i])
        highest = max(highest, key)
        if key != MISSING:
            lowest = min(lowest, key)
    lowest = min(lowest, highest)
    return Prefixes(lowest, max(0, n_bits(highest - lowest) - PREFIX_BITS))


cdef inline int64_t prefix_of(uint64_t key, Prefixes prefixes) noexcept nogil:
    """Number of the prefix of a key; larger keys have no smaller one."""
    return 0 if key == MISSING else 1 + <int64_t> ((key - prefixes.lowest) >> prefixes.shift)


cdef int64_t gather_prefixes(
    const int32_t* counts, int64_t most_rows, uint16_t* buckets, int64_t* starts,
) noexcept nogil:
    """Neighboring prefixes share a bucket of at most `most_rows` rows, or have one alone.

    Writes the bucket of every prefix and where every bucket starts; returns how many there are.
    """
    cdef int64_t p, offset = 0, bucket = 0
    starts[0] = 0
    # `offset` rows have a prefix before p; the last bucket begins at starts[bucket]. It is closed
    # if prefix p would make it too large, unless it is empty.
    for p in range(N_PREFIXES):
        if offset > starts[bucket] and offset + counts[p] - starts[bucket] > most_rows:
            bucket += 1
            starts[bucket] = offset
        buckets[p] = <uint16_t> bucket
        offset += counts[p]
    return bucket + 1


cdef distribute(
    const double[::1] values, const Carried[::1] payload, uint64_t[::1] keys, Carried[::1] carried,
):
    """Every row to its bucket; returns where each bucket ends."""
    cdef int64_t i, offset, bucket, n_buckets, n = values.shape[0]
    cdef uint64_t key
    cdef Prefixes prefixes
    cdef int32_t[::1] counts = np.zeros(N_PREFIXES, dtype=np.int32)
    cdef uint16_t[::1] buckets = np.empty(N_PREFIXES, dtype=np.uint16)
    # Two neighboring buckets together have more rows than one may have, which limits their number.
    next_offsets = np.empty(2 * MOST_BUCKETS + 2, dtype=np.int64)
    cdef int64_t[::1] next_offset = next_offsets
    with nogil:
        prefixes = find_prefixes(&values[0], n)
        # counts[p] is the number of rows before i with prefix p.
        for i in range(n):
            counts[prefix_of(ordered_key(values[i]), prefixes)] += 1
        n_buckets = gather_prefixes(
            &counts[0], max(BUCKET_ROWS, n // MOST_BUCKETS), &buckets[0], &next_offset[0]
        )
        # next_offset[b] is where the next row of bucket b goes, and in the end where b ends.
        for i in range(n):
            key = ordered_key(values[i])
            bucket = buckets[prefix_of(key, prefixes)]
            offset = next_offset[bucket]
            next_offset[bucket] = offset + 1
            keys[offset] = key
            carried[offset] = payload[i]
    return next_offsets[:n_buckets]


def sort_with_payload(const double[::1] values, const Carried[::1] payload):
    """Values in increasing order, missing ones (NaN) first, each with its payload.

    Returns arrays of shape (n,), float64 and of the type of the payload.
    """
    cdef int64_t i, bucket, first = 0, n = values.shape[0]
    keys_array, payload_array = np.empty(n, dtype=np.uint64), np.empty_like(payload)
    if n == 0:
        return keys_array.view(np.float64), payload_array
    cdef uint64_t[::1] keys = keys_array, spare_keys
    cdef Carried[::1] carried = payload_array, spare_carried
    cdef double* decoded = <double*> &keys[0]
    if n > MANY_ROWS:
        ends_array = distribute(values, payload, keys, carried)
    else:
        ends_array = np.array([n], dtype=np.int64)
        with nogil:
            for i in range(n):
                keys[i], carried[i] = ordered_key(values[i]), payload[i]
    most_rows = np.diff(ends_array, prepend=0).max()
    spare_keys = np.empty(most_rows, dtype=np.uint64)
    spare_carried = np.empty(most_rows, dtype=payload_array.dtype)
    cdef const int64_t[::1] ends = ends_array
    with nogil:
        # Buckets before this one are sorted and decoded, in place: a double is as long as a key.
        for bucket in range(ends.shape[0]):
            sort_keys(
                &keys[first], &carried[first], &spare_keys[0], &spare_carried[0],
                ends[bucket] - first,
            )
            for i in range(first, ends[bucket]):
                decoded[i] = value_of_key(keys[i])
            first = ends[bucket]
    return keys_array.view(np.float64), payload_array
