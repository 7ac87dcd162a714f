import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from urerf.lab.methods.gower import gower, gower_distances, indicators
from urerf.schema import CATEGORY, ID, ORDINAL, Column, Frame, Schema

SCHEMA = Schema(
    (
        Column("number"),
        Column("ordinal", ORDINAL, ("S", "M", "L")),
        Column("category", CATEGORY, ("a", "b", "c")),
        Column("name", ID, reason="every value is different"),
    )
)
cells = st.one_of(st.just(np.nan), st.integers(0, 2).map(float))


def by_hand(one, other, ranges):
    """Gower's distance, term by term; ordinals as ranks, which ``ranges`` has."""
    terms = []
    for j in range(3):
        if np.isnan(one[j]) or np.isnan(other[j]):
            continue
        if j == 2:
            terms.append(float(one[j] != other[j]))
        else:
            terms.append(abs(one[j] - other[j]) / ranges[j] if ranges[j] else 0.0)
    return sum(terms) / len(terms) if terms else 1.0


@given(st.lists(st.tuples(cells, cells, cells), min_size=2, max_size=8))
def test_distances_term_by_term(rows):
    values = np.column_stack([np.array(rows), np.full(len(rows), np.nan)])
    D = gower_distances(Frame(values, SCHEMA))
    ranked = values.copy()
    known = [x for x in values[:, 1] if not np.isnan(x)]
    for i, x in enumerate(values[:, 1]):
        if not np.isnan(x):
            smaller = sum(y < x for y in known)
            ranked[i, 1] = smaller + (known.count(x) + 1) / 2
    ranges = [np.ptp(c[~np.isnan(c)]) if (~np.isnan(c)).any() else 0.0 for c in ranked[:, :2].T]
    for i, one in enumerate(ranked):
        for j, other in enumerate(ranked):
            assert D[i, j] == pytest.approx(by_hand(one, other, ranges))


def test_neighbors_are_those_of_the_distances():
    rng = np.random.default_rng(0)
    values = np.column_stack([rng.random(700), rng.integers(0, 3, (700, 2)), np.full(700, np.nan)])
    frame = Frame(values, SCHEMA)
    D = gower_distances(frame)
    np.fill_diagonal(D, np.inf)
    found = gower(frame, 5, random_state=3)
    np.testing.assert_allclose(np.take_along_axis(D, found, 1), np.sort(D, axis=1)[:, :5])


def test_ties_are_broken_by_the_seed():
    frame = Frame(np.zeros((200, 4)), SCHEMA)
    places = [gower(frame, 5, random_state=seed).mean() for seed in range(10)]
    assert len(set(places)) == 10


def test_indicators_of_levels():
    values = np.array([[1.0, 0, 0, np.nan], [3.0, 2, 2, np.nan], [np.nan, 1, np.nan, np.nan]])
    found = indicators(Frame(values, SCHEMA))
    assert found[:, 0].tolist() == [-1.0, 1.0, 0.0]
    assert found[:, 2:].tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 0]]
