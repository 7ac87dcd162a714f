import sys
from dataclasses import replace

import numpy as np
import pytest
from relevance_tables import correlated, noise, signal

from urerf.relevance import column_relevance, examine_rows
from urerf.relevance.record import Why
from urerf.schema import Column, Schema


@pytest.fixture(scope="module")
def found():
    """Relevance of a table with a column of every sort."""
    rng = np.random.default_rng(0)
    helix = signal("helix", 400, rng)
    sparse = rng.normal(size=(400, 2))
    sparse[rng.random(sparse.shape) < 0.6] = np.nan
    sparse[10:, 1] = np.nan
    other = np.column_stack([np.full(400, 3.0), np.full(400, np.nan), np.arange(400)])
    X = np.hstack(
        [helix, sparse, other, correlated(1, 5, 0.7, 400, rng), noise("gaussian", 400, 9, rng)]
    )
    names = ["x", "y", "t", "gappy", "few", "fixed", "empty", "id"]
    columns = [Column(name) for name in names[:-1]]
    columns.append(Column("id", "id", reason="counts rows: 1, 2, 3, ..."))
    columns += [Column(f"c{i}") for i in range(5)] + [Column(f"n{i}") for i in range(9)]
    return column_relevance(X, Schema(tuple(columns)))


def test_every_column_has_a_plain_reason(found):
    reason = dict(zip(found.schema.names, found.reason))
    assert reason["x"] in ("follows y", "follows t")
    assert reason["gappy"].startswith("no relation to any other column; 6")
    assert reason["gappy"].endswith("% missing")
    assert reason["few"].startswith("too few rows to tell: ")
    assert reason["fixed"] == "the same value in all rows examined"
    assert reason["empty"] == "every cell is empty"
    assert reason["id"] == "counts rows: 1, 2, 3, ..."
    assert reason["c0"].startswith("follows c")
    assert reason["c0"].endswith("set aside")
    assert reason["n0"] == "no relation to any other column"
    assert np.flatnonzero(found.used).tolist() == [0, 1, 2]


def test_reasons_name_the_partner():
    t = np.random.default_rng(0).random(100)
    found = column_relevance(np.column_stack([t, np.exp(t)]))
    assert found.reason == ["follows column 1", "follows column 0"]


def test_rounding_does_not_decide_which_column_of_a_pair_comes_first(found):
    strength = found.strength.copy()
    p_value = found.p_value.copy()
    strength[:3] = 0.5
    p_value[:3] = 1e-50
    for larger in range(3):
        nearly = replace(found, strength=strength.copy(), p_value=p_value.copy())
        nearly.strength[larger] += 1e-15
        nearly.p_value[larger] *= 1 - 1e-12
        assert list(nearly.ranking[:3]) == [0, 1, 2]
    clear = replace(found, strength=strength.copy(), p_value=p_value)
    clear.strength[2] += 1e-6
    assert list(clear.ranking[:3]) == [2, 0, 1]


def test_reasons_keep_their_numbers():
    """Model files contain the numbers, so that they have the same meaning for ever."""
    names = "FOLLOWS CROWD GROUPS OWN HINT SET_ASIDE UNRELATED TOO_FEW EMPTY CONSTANT"
    names += " NOT_A_FEATURE UNTESTED NOT_COMPARED RARE_LEVELS"
    assert {why.name: why.value for why in Why} == {
        name: number for number, name in enumerate(names.split())
    }


def test_groups_are_listed(found):
    assert [group.tolist() for group in found.groups] == [[8, 9, 10, 11, 12], [0, 1, 2]]
    assert found.group.tolist() == [0] * 3 + [-1] * 5 + [1] * 5 + [-1] * 9


def test_frame(found):
    frame = found.to_frame()
    assert list(frame.columns) == [
        "column",
        "kind",
        "used",
        "test",
        "strength",
        "p_value",
        "partner",
        "reason",
    ]
    assert set(frame.column[:3]) == {"x", "y", "t"}
    assert frame.used.tolist() == [True] * 3 + [False] * (len(frame) - 3)
    assert frame.strength.round(6).is_monotonic_decreasing
    assert (frame.p_value[frame.used] < 0.01).all()


def test_a_frame_needs_pandas(found, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="to_frame: needs pandas; install it"):
        found.to_frame()


def test_printed(found):
    text = repr(found)
    assert text.startswith("3 columns depend on each other. 5 columns are correlated, but not")
    assert "400 rows were examined." in text
    assert "and 2 more columns" in text
    html = found._repr_html_()
    assert html.count("<tr>") == 21


def test_groups_that_are_set_aside_can_be_kept():
    rng = np.random.default_rng(0)
    X = np.hstack([signal("helix", 400, rng), correlated(1, 5, 0.7, 400, rng)])
    assert column_relevance(X).used.sum() == examine_rows(X).used.sum() == 3
    assert column_relevance(X, keep_groups=True).used.all()


def test_a_hint_steers_the_trees_and_is_not_a_finding():
    rng = np.random.default_rng(0)
    hints = 0
    for _ in range(200):
        X = rng.normal(size=(40, 10))
        X[:, 1] += 0.6 * X[:, 0]
        found = column_relevance(X)
        if found.verdict != "hint":
            continue
        hints += 1
        assert not found.strength.any()
        assert found.p_value.min() >= 0.01
        hinted = found.weight == 1
        assert 2 <= hinted.sum() <= 5
        np.testing.assert_allclose(found.weight[~hinted].sum(), 0.1 * hinted.sum())
        assert "Weak evidence" in found.message
        assert all("weak evidence" in found.reason[i] for i in np.flatnonzero(hinted))
    assert hints > 30


def test_a_relation_that_may_be_chance_is_not_denied(found):
    column = found.schema.names.index("n0")
    p_value = found.p_value.copy()
    for p, reason in (
        (0.05, "no clear relation"),
        (0.3, "no relation"),
    ):
        p_value[column] = p
        partner = np.where(np.arange(len(p_value)) == column, 0, found.partner)
        changed = replace(found, p_value=p_value, partner=partner)
        assert changed.reason[column].startswith(reason)
        assert ("the one to x may be chance" in changed.reason[column]) == (p == 0.05)
        own = replace(changed, why=np.full(len(p_value), Why.OWN))
        assert own.reason[column].startswith(reason)
        assert own.reason[column].endswith(", but may matter on its own: lower weight")


def test_one_feature_is_not_tested_whatever_else_the_table_has():
    """With row numbers beside it, its ties were called copies of rows, and it was tested."""
    numbers = np.repeat(np.arange(40.0), 5)[:, None]
    beside = np.column_stack([numbers[:, 0], np.full(200, np.nan)])
    alone = column_relevance(numbers, Schema((Column("x"),)))
    schema = Schema((Column("x"), Column("n", "id", reason="counts rows: 1, 2, 3, ...")))
    found = column_relevance(beside, schema)
    assert not alone.tested
    assert not found.tested
    assert found.message == alone.message
    assert found.notices == alone.notices == []
    assert found.reason[0] == alone.reason[0]


def test_columns_without_rows_in_common_are_not_said_to_be_unrelated():
    rng = np.random.default_rng(31010)
    X = rng.normal(size=(60, 2))
    X[:25, 0] = np.nan
    X[40:, 1] = np.nan
    apart = column_relevance(X)
    assert not apart.tested
    assert apart.message.startswith("Too few rows or columns to compare")
    assert apart.reason == ["too few rows in common with any other column to tell"] * 2
    assert apart.figures_shown(0) == ("-", "-")
    t = rng.normal(size=60)
    beside = column_relevance(np.column_stack([X[:, 0], t, t + 0.1 * rng.normal(size=60)]))
    assert beside.reason[0].startswith("no relation to any other column; 4")
    assert beside.verdict == "structure"
    sparse = np.random.default_rng(31011).normal(size=(40, 4))
    sparse[5:, 3] = np.nan
    reasons = column_relevance(sparse).reason
    assert reasons[:3] == ["no relation to any other column"] * 3
    assert reasons[3] == "too few rows to tell: 5 complete"


def test_columns_that_were_not_tested_have_no_p_value(found):
    frame = found.to_frame().set_index("column")
    assert frame.p_value[["few", "fixed", "empty", "id"]].isna().all()
    assert frame.p_value.notna().sum() == len(frame) - 4


def test_no_p_value_is_zero_and_only_copies_have_a_strength_of_one():
    rng = np.random.default_rng(31011)
    t = rng.normal(size=2000)
    X = np.column_stack([t, np.exp(t), t + 0.01 * rng.normal(size=2000)])
    found = column_relevance(X)
    assert (found.p_value == 1e-300).all()
    assert found.to_dict()["p_value"] == [1e-300] * 3
    shown = [found.figures_shown(i) for i in range(3)]
    assert shown == [("1.00", "<1e-300"), ("1.00", "<1e-300"), (">0.99", "<1e-300")]


def test_a_column_that_was_not_compared_is_not_kept_as_a_coordinate():
    rng = np.random.default_rng(31014)
    t = rng.uniform(0, 6, size=300)
    flat = rng.uniform(size=300)
    X = np.column_stack([np.sin(t), np.cos(t), t, flat])
    assert column_relevance(X).weight[3] > 0
    X[:38, :3] = np.nan
    X[40:, 3] = np.nan
    apart = column_relevance(X)
    assert apart.weight.tolist() == [1, 1, 1, 0]
    assert apart.reason[3] == "too few rows in common with any other column to tell"


def test_a_weak_relation_is_not_said_to_follow():
    rng = np.random.default_rng(31012)
    X = rng.normal(size=(2000, 2))
    X[:, 1] += 0.15 * X[:, 0]
    found = column_relevance(X)
    assert found.verdict == "structure"
    assert found.reason == ["weakly related to column 1", "weakly related to column 0"]
    assert 0 < found.strength[0] < 0.15


@pytest.mark.parametrize("counts", [[4] * 9, [33, 3]])
def test_a_category_of_rare_levels_is_not_said_to_be_unrelated(counts):
    rng = np.random.default_rng(31013)
    levels = np.repeat(np.arange(len(counts)), counts)
    X = np.column_stack([rng.normal(size=(36, 2)), levels])
    found = column_relevance(X, ["number", "number", "category"])
    assert found.reason[2] == "levels too rare to tell: fewer than two have 5 rows"
    assert found.figures_shown(2) == ("-", "-")
    assert found.used.all()
