"""Radix sort of a column of doubles that carries one small integer per row along.

NumPy sorts plain values, or finds a permutation that then has to be applied to the classes.
Carrying the class along takes a fraction of the time NumPy takes to sort plain values, for any
number of classes.

Rows are sorted by the leading bits in which their keys differ, about log2(n) + 8 of them, in four
stable passes. Rows that agree in all of these are few or tied; they are sorted the same way by
the bits that follow.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

import numpy as np

cdef enum:
    N_PASSES = 4  # even, so that the rows end where they began
    MOST_BUCKETS = 1024
    FEW_ROWS = 48

ctypedef fused Carried:
    uint8_t
    uint16_t
    int32_t

cdef uint64_t SIGN = <uint64_t> 1 << 63


cdef inline uint64_t ordered_key(double value) noexcept nogil:
    """Unsigned integer in the order of the value: missing first, then -inf to +inf."""
    cdef uint64_t bits
    if value != value:
        return 0
    value += 0.0  # -0.0 and 0.0 are the same value
    memcpy(&bits, &value, 8)
    return ~bits if bits & SIGN else bits | SIGN


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
    for i in range(1, n):
        key, carried = keys[i], payload[i]
        k = i
        while k > 0 and keys[k - 1] > key:
            keys[k], payload[k] = keys[k - 1], payload[k - 1]
            k -= 1
        keys[k], payload[k] = key, carried


cdef int n_bits(uint64_t number) noexcept nogil:
    cdef int bits = 0
    while number:
        number >>= 1
        bits += 1
    return bits


cdef void scatter(
    const uint64_t* keys, const Carried* payload, uint64_t* to_keys, Carried* to_payload,
    int64_t n, int shift, uint64_t mask, int64_t* places,
) noexcept nogil:
    """One stable pass: every row to the next place of its bucket; `places` holds the counts."""
    cdef int64_t i, count, place = 0
    cdef uint64_t key, bucket
    for bucket in range(mask + 1):
        count = places[bucket]
        places[bucket] = place
        place += count
    for i in range(n):
        key = keys[i]
        bucket = (key >> shift) & mask
        place = places[bucket]
        places[bucket] = place + 1
        to_keys[place] = key
        to_payload[place] = payload[i]


cdef int sort_by_leading_bits(
    uint64_t* keys, Carried* payload, uint64_t* spare_keys, Carried* spare_payload, int64_t n,
    uint64_t differing,
) noexcept nogil:
    """Sort by the leading bits among the `differing` ones; returns how many bits are left."""
    cdef int64_t places[N_PASSES * MOST_BUCKETS]
    cdef int width = n_bits(differing)
    cdef int digit = min((n_bits(n) + 8 + N_PASSES - 1) // N_PASSES, 10)
    cdef int low = max(0, width - N_PASSES * digit), p
    cdef uint64_t mask = (<uint64_t> 1 << digit) - 1, key
    cdef int64_t i
    memset(places, 0, sizeof(places))
    for i in range(n):
        key = keys[i] >> low
        for p in range(N_PASSES):
            places[p * MOST_BUCKETS + ((key >> (p * digit)) & mask)] += 1
    for p in range(0, N_PASSES, 2):
        scatter(keys, payload, spare_keys, spare_payload, n, low + p * digit, mask,
                &places[p * MOST_BUCKETS])
        scatter(spare_keys, spare_payload, keys, payload, n, low + (p + 1) * digit, mask,
                &places[(p + 1) * MOST_BUCKETS])
    return low


cdef void sort_keys(
    uint64_t* keys, Carried* payload, uint64_t* spare_keys, Carried* spare_payload, int64_t n,
) noexcept nogil:
    cdef int64_t i, first = 0
    cdef uint64_t differing = 0
    cdef int left
    if n <= FEW_ROWS:
        insertion_sort(keys, payload, n)
        return
    for i in range(1, n):
        differing |= keys[i] ^ keys[0]
    if differing == 0:
        return
    left = sort_by_leading_bits(keys, payload, spare_keys, spare_payload, n, differing)
    if left == 0:
        return
    for i in range(1, n + 1):
        if i == n or (keys[i] >> left) != (keys[first] >> left):
            if i - first > 1:
                sort_keys(keys + first, payload + first, spare_keys, spare_payload, i - first)
            first = i


def sort_with_payload(const double[::1] values, const Carried[::1] payload):
    """Values in increasing order, missing ones (NaN) first, each with its payload.

    Returns arrays of shape (n,), float64 and of the type of the payload.
    """
    cdef int64_t i, n = values.shape[0]
    keys_array, payload_array = np.empty(n, dtype=np.uint64), np.array(payload)
    if n == 0:
        return keys_array.view(np.float64), payload_array
    cdef uint64_t[::1] keys = keys_array, spare_keys = np.empty(n, dtype=np.uint64)
    cdef Carried[::1] carried = payload_array, spare_carried = np.empty_like(payload_array)
    cdef double* decoded = <double*> &keys[0]
    with nogil:
        for i in range(n):
            keys[i] = ordered_key(values[i])
        sort_keys(&keys[0], &carried[0], &spare_keys[0], &spare_carried[0], n)
        for i in range(n):
            decoded[i] = value_of_key(keys[i])
    return keys_array.view(np.float64), payload_array
