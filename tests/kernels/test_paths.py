import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import oracle
from urerf.geodesic import nearest_rows, to_distances
from urerf.graph import symmetrize


def graph_of(edges, n):
    """A graph of the given edges, both ways; zeros are stored."""
    rows, columns, lengths = zip(*edges) if edges else ((), (), ())
    ends = np.array(rows, int), np.array(columns, int)
    return symmetrize(sp.csr_matrix((np.array(lengths, float), ends), shape=(n, n)))


@given(st.integers(2, 12), st.integers(0, 10_000))
def test_like_the_oracle(n, seed):
    """Few different lengths, zeros among them, so that many paths are equally long."""
    rng = np.random.default_rng(seed)
    pairs = {tuple(sorted(rng.choice(n, 2, replace=False))) for _ in range(rng.integers(1, 2 * n))}
    edges = [(int(a), int(b), float(rng.integers(0, 4))) for a, b in pairs]
    k = int(rng.integers(1, n))
    own = np.arange(n)
    stamps = rng.integers(0, 2**63, n).astype(np.uint64)
    lengths, ids = nearest_rows(
        graph_of(edges, n),
        own[:, None].astype(np.int32),
        np.zeros((n, 1)),
        k,
        selves=own,
        stamps=stamps,
        n_jobs=1,
    )
    for row in range(n):
        expected, rows = oracle.nearest_by_path(edges, [(row, 0.0)], n, k, row, int(stamps[row]))
        reached = len(rows)
        assert lengths[row, :reached].tolist() == expected
        assert ids[row, :reached].tolist() == rows
        assert np.isinf(lengths[row, reached:]).all()  # the others are random
        assert len({row, *ids[row].tolist()}) == k + 1


@given(st.integers(2, 10), st.integers(0, 10_000))
def test_new_rows_like_the_oracle(n, seed):
    """Paths begin with one of several edges, some of them missing."""
    rng = np.random.default_rng(seed)
    edges = [(i, i + 1, float(rng.integers(1, 4))) for i in range(n - 1)]
    starts = rng.integers(0, n, (3, 2)).astype(np.int32)
    long = rng.choice([0.0, 1.0, 2.5, np.inf], (3, 2))
    stamps = rng.integers(0, 2**63, 3).astype(np.uint64)
    selves = np.full(3, -1)
    options = {"selves": selves, "stamps": stamps, "n_jobs": 1}
    lengths, ids = nearest_rows(graph_of(edges, n), starts, long, n, **options)
    for q in range(3):
        begin = [(int(r), float(x)) for r, x in zip(starts[q], long[q]) if np.isfinite(x)]
        expected, rows = oracle.nearest_by_path(edges, begin, n, n, -1, int(stamps[q]))
        assert lengths[q, : len(rows)].tolist() == expected
        assert ids[q, : len(rows)].tolist() == rows
        assert sorted(ids[q].tolist()) == list(range(n))


def test_lengths_become_distances_by_hand():
    lengths = np.array([0.0, 1.0, 3.0, np.inf])
    assert to_distances(lengths, 1.0).tolist() == [0.0, 0.5, 0.75, 1.0]
    assert to_distances(lengths, 0.0).tolist() == [0.0, 1.0, 1.0, 1.0]
