import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from urerf.kernels.best import ROOM, SPARE_ROOM, empty_best, keep_best
from urerf.kernels.neighbors import Tally

LEAVES = [3, 1, 4]
SEED = 11


def kept(sums, k, itself=-1, least=0):
    """Return the k best places by the kernel; place j is row j."""
    n = len(sums)
    everyone = np.arange(n, dtype=np.int32)
    touched = np.flatnonzero(sums).astype(np.int32)
    tally = Tally(sums, touched, np.empty((0, 4), np.int32))
    room = empty_best(n, k)
    stamp = np.uint64(oracle.signature(LEAVES, SEED))
    count = keep_best(tally, np.uint64(len(touched)), least, itself, stamp, everyone, room)
    return room.places[:count].tolist()


def sorted_best(sums, k, itself=-1):
    """Return the same by sorting all keys."""
    n_met = np.count_nonzero(sums) - (itself >= 0 and sums[itself] > 0)
    return oracle.top_k(sums.tolist(), LEAVES, SEED, min(k, n_met), itself)


@given(
    n=st.integers(1, 700),
    highest=st.sampled_from([1, 2, 5, 50, 2**24 - 1]),
    k=st.integers(1, 90),
    least=st.integers(0, 60),
    seed=st.integers(0, 1000),
    with_self=st.booleans(),
)
def test_like_a_sort_of_all_rows(n, highest, k, least, seed, with_self):
    """With many ties or none, a good guess of the k-th best or none, and more rows than room."""
    sums = np.random.default_rng(seed).integers(0, highest, n, np.int32, endpoint=True)
    itself = seed % n if with_self else -1
    assert kept(sums, k, itself, least) == sorted_best(sums, k, itself)


@pytest.mark.parametrize("k", [1, 2, 40, 400])
@pytest.mark.parametrize("order", ["rising", "falling", "equal"])
def test_room_that_is_filled_again_and_again(k, order):
    """Rising sums are the worst case: each row is better than all before it."""
    n = 5 * (ROOM * k + SPARE_ROOM)
    rising = np.arange(1, n + 1, dtype=np.int32)
    sums = {"rising": rising, "falling": rising[::-1].copy(), "equal": np.ones(n, np.int32)}[order]
    assert kept(sums, k) == sorted_best(sums, k)
