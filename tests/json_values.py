"""Arbitrary JSON values, for tests that put them into a file."""

from hypothesis import strategies as st

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
)


def containers(children):
    """Return lists and objects of a few values."""
    lists = st.lists(children, max_size=3)
    return lists | st.dictionaries(st.text(max_size=5), children, max_size=3)


JSON = st.recursive(LEAVES, containers, max_leaves=5)
