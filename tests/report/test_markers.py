"""The columns that mark a cluster, against definitions that are slow and obvious."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from urerf.report.markers import _mark_numbers, describe
from urerf.schema import BOOLEAN, CATEGORY, DATETIME, Column


def effect_by_hand(values, inside):
    """Return P(larger) - P(smaller) over all pairs of a row inside and a row outside.

    Pairs that cannot be compared, since a value is missing, count as equal.
    """
    difference = np.sign(np.subtract.outer(values[inside], values[~inside], dtype=float))
    return abs(np.nan_to_num(difference).mean())


@given(
    arrays(float, 12, elements=st.integers(0, 4)),
    arrays(bool, 12),
    arrays(bool, 12),
)
def test_effect_is_that_over_all_pairs(values, inside, missing):
    cluster = np.where(inside, 0, -1)
    present = ~missing
    if not (inside & present).any() or not (~inside & present).any():
        return
    values = np.where(missing, np.nan, values)
    sizes = np.array([(~inside).sum(), inside.sum()])
    ((_, marker),) = _mark_numbers(values[present], Column("a"), cluster[present], sizes)
    if not marker.text.startswith(("high", "low")):  # named by a value that nearly all rows have
        values = values == np.median(values[inside & present])
    assert marker.effect == pytest.approx(effect_by_hand(values, inside))


def test_a_column_that_few_rows_of_a_cluster_have_a_value_in_does_not_mark_it():
    cluster = np.repeat([0, 1], 20)
    early = np.where(cluster == 0, 1.0, 9.0)
    gaps = early.copy()
    gaps[2:20] = np.nan
    level = np.where(cluster == 0, 0.0, 1.0)
    level[5:20] = np.nan
    columns = [Column("early"), Column("gaps"), Column("level", CATEGORY, ("a", "b"))]
    first, second = describe(np.column_stack([early, gaps, level]), columns, cluster)
    assert [marker.text for marker in first.markers] == ["early 1"]
    details = {marker.text: marker.detail for marker in second.markers}
    assert details["gaps 9"] == "100% (others 0%)"
    assert details["level b"] == "100% (others 0%)"


def test_clusters_are_named_by_what_marks_them():
    rng = np.random.default_rng(0)
    cluster = np.repeat([0, 1, -1], 50)
    values = np.column_stack(
        [
            np.where(cluster == 0, 10.0, 0.0) + rng.normal(size=150),
            rng.normal(size=150),
            np.where(cluster == 1, 2.0, rng.integers(2, size=150)),
            cluster == 1,
            np.where(cluster == 1, 365.0, 0.0),
        ]
    )
    columns = [
        Column("mass"),
        Column("noise"),
        Column("color", CATEGORY, ("red", "green", "blue")),
        Column("adult", BOOLEAN),
        Column("day", DATETIME),
    ]
    heavy, blue = describe(values, columns, cluster)
    assert heavy.name.startswith("high mass")
    assert heavy.n_rows == 50
    assert {marker.text for marker in blue.markers} >= {
        "color blue",
        "adult true",
        "day 1971-01-01",
    }
    details = {marker.text: marker.detail for marker in blue.markers}
    assert details["color blue"] == "100% (others 0%)"
    assert details["day 1971-01-01"] == "100% (others 0%)"
    assert details["adult true"] == "100% (others 0%)"
    [mass] = [marker for marker in heavy.markers if marker.text == "high mass"]
    assert "%" not in mass.detail
    assert not any("noise" in marker.text for marker in [*heavy.markers, *blue.markers])


def test_names_are_different_and_missing_values_do_not_count():
    values = np.array([[1.0], [1.0], [np.nan], [1.0], [1.0], [5.0]])
    names = [one.name for one in describe(values, [Column("a")], np.array([0, 0, 0, 1, 1, -1]))]
    assert len(set(names)) == 2
    nothing = describe(values, [Column("a")], np.full(6, -1))
    assert nothing == []


def test_a_level_with_a_comma_is_quoted():
    codes = np.array([[0.0], [0.0], [1.0], [1.0]])
    columns = [Column("outcome", CATEGORY, ("Ball", "In play, out"))]
    found = describe(codes, columns, np.array([0, 0, 1, 1]))
    assert [one.name for one in found] == ["outcome Ball", 'outcome "In play, out"']


def test_a_code_between_others_marks_its_cluster():
    cluster = np.repeat([0, 1, 2], 4)
    found = describe(1.0 + cluster[:, None], [Column("period")], cluster)
    assert [one.name for one in found] == ["period 1", "period 2", "period 3"]
    assert [one.markers[0].detail for one in found] == ["100% (others 0%)"] * 3
