from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from modlearn._statistics.profiles import count_profiles

rows_of_codes = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 3), st.integers(0, 2)),
    min_size=1,
    max_size=30,
).filter(lambda rows: any(row[2] < 3 and row[3] for row in rows))


def profiles_of(rows):
    a, b, classes, weights = (np.array(column) for column in zip(*rows, strict=True))
    codes = np.array([a, b], dtype=np.int32)
    return count_profiles(codes, classes.astype(np.int32), weights, 3)


def listed(profiles):
    lines = zip(*profiles.codes.tolist(), profiles.classes.tolist(), strict=True)
    return list(zip(lines, profiles.rows.tolist(), strict=True))


@given(rows_of_codes)
def test_rows_that_agree_are_counted_together_and_unlabeled_ones_left_out(rows):
    expected = Counter()
    for *profile, weight in rows:
        if profile[2] < 3 and weight:
            expected[tuple(profile)] += weight
    found = listed(profiles_of(rows))
    assert dict(found) == dict(expected)
    assert len(found) == len(expected)


@given(rows_of_codes, st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_repetition_changes_the_profiles(rows, random):
    repeated = [(*row[:3], 1) for row in rows for _ in range(row[3])]
    random.shuffle(repeated)
    assert listed(profiles_of(repeated)) == listed(profiles_of(rows))


def test_without_weights_every_row_counts_once():
    codes = np.zeros((1, 3), dtype=np.int32)
    profiles = count_profiles(codes, np.array([0, 1, 0], dtype=np.int32), None, 2)
    assert dict(listed(profiles)) == {(0, 0): 2.0, (0, 1): 1.0}
