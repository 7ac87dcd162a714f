"""Values that break careless arithmetic, as Hypothesis strategies."""

import numpy as np
from hypothesis import strategies as st

AWKWARD = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.0000001,
    1e-30,
    -1e-30,
    1e30,
    -1e30,
    3e38,
    -3e38,
    1e-45,
    16777216.0,
    16777217.0,
]

keys = st.integers(0, 2**64 - 1)


def numbers():
    """Few different integers (ties), awkward floats, or any finite float32."""
    return st.one_of(
        st.integers(-3, 3).map(float),
        st.sampled_from(AWKWARD),
        st.floats(width=32, allow_nan=False, allow_infinity=False),
        st.floats(-10, 10, width=32),
    )


def arrays(min_size=2, max_size=40):
    """Unsorted float32 values of one kind or of all kinds mixed."""
    kinds = [
        st.integers(-3, 3).map(float),
        st.sampled_from(AWKWARD),
        st.floats(-10, 10, width=32),
        st.sampled_from([1e30, 1.0000001e30, -1e30, 2e30]),
        st.sampled_from([1e-30, 1.0000001e-30, -1e-30, 2e-30]),
        numbers(),
    ]
    lists = st.one_of([st.lists(kind, min_size=min_size, max_size=max_size) for kind in kinds])
    return lists.map(lambda values: np.array(values, np.float32))


def matrices(max_columns=4, min_rows=2, max_rows=30, elements=None):
    """Columns x rows, float32, contiguous."""
    elements = numbers() if elements is None else elements
    shapes = st.tuples(st.integers(1, max_columns), st.integers(min_rows, max_rows))
    return shapes.flatmap(
        lambda shape: st.lists(
            elements, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]
        ).map(lambda values: np.array(values, np.float32).reshape(shape))
    )
