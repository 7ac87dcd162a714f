"""Missing values are filled from similar rows, or refused on request."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from urerf import URerF
from urerf.datasets import add_noise, make_helix, make_sphere
from urerf.metrics import geodesic_precision
from urerf.relevance import column_relevance

FEW = {"n_estimators": 60, "random_state": 0}


def with_gaps(X, share, seed=0):
    X = X.copy()
    X[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    return X


def precision(X, manifold, **settings):
    model = URerF(**{**FEW, **settings}).fit(X)
    return geodesic_precision(model.kneighbors(n_neighbors=50)[1], manifold)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_ten_percent_missing_costs_little_precision(seed):
    helix = make_helix(1000, random_state=seed)
    X = add_noise(helix.X, 100, random_state=seed)
    complete = precision(X, helix, similarity="blend")  # as rows with gaps are ranked
    assert precision(with_gaps(X, 0.1, seed), helix) >= 0.9 * complete


def test_precision_falls_slowly_as_more_values_are_missing():
    sphere = make_sphere(600, random_state=0)
    X = add_noise(sphere.X, 30, random_state=0)
    found = [precision(with_gaps(X, share), sphere) for share in (0.0, 0.1, 0.3)]
    assert found[0] > found[1] > found[2] > 3 * 50 / 600


def test_relevant_columns_are_found_despite_missing_values():
    X = with_gaps(add_noise(make_helix(1000).X, 200, random_state=0), 0.2)
    assert np.flatnonzero(column_relevance(X).strength).tolist() == [0, 1, 2]


def test_missing_values_in_noise_do_not_look_like_structure():
    rng = np.random.default_rng(0)
    tables = [with_gaps(rng.normal(size=(300, 20)), 0.3, seed) for seed in range(40)]
    verdicts = [column_relevance(X).verdict for X in tables]
    assert verdicts.count("structure") <= 2


def test_a_fitted_row_with_missing_values_finds_itself_first():
    X = with_gaps(make_helix(300).X, 0.2)
    model = URerF(**FEW).fit(X)
    distances, rows = model.kneighbors(X, n_neighbors=3)
    not_empty = ~np.isnan(X).all(axis=1)
    assert (rows[not_empty, 0] == np.flatnonzero(not_empty)).all()
    assert (distances[:, 0] == 0).all()
    assert np.isfinite(model.geodesic_distances([0], bridge=True)).all()


def test_the_same_bits_after_saving_and_for_any_n_jobs(tmp_path):
    X = with_gaps(add_noise(make_helix(300).X, 20, random_state=0), 0.1)
    one = URerF(**FEW, n_jobs=1).fit(X)
    two = URerF(**FEW, n_jobs=2).fit(X)
    one.save(tmp_path / "m.urerf")
    for other in (two, URerF.load(tmp_path / "m.urerf")):
        for a, b in zip(one.kneighbors(X[:50]), other.kneighbors(X[:50])):
            np.testing.assert_array_equal(a, b)


def test_only_new_rows_may_have_missing_values():
    X = make_helix(300).X
    model = URerF(**FEW).fit(X)
    new = X[:40].copy()
    new[:, 1] = np.nan  # the other two still give the position on the helix
    near = model.kneighbors(new, n_neighbors=10)[1]
    true = model.kneighbors(X[:40], n_neighbors=10)[1]
    assert np.mean([len(set(a) & set(b)) / 10 for a, b in zip(near, true)]) > 0.5


@pytest.mark.parametrize("empty", [np.s_[:, 2], np.s_[:3]], ids=["a column", "some rows"])
def test_columns_and_rows_may_be_empty(empty):
    X = make_helix(200).X.copy()
    X[empty] = np.nan
    assert URerF(**FEW).fit(X).kneighbors(n_neighbors=5)[1].shape == (200, 5)


def test_missing_values_in_data_frames_and_sparse_tables():
    X = with_gaps(make_helix(200).X, 0.1)
    rows = URerF(**FEW).fit(X).kneighbors()[1]
    np.testing.assert_array_equal(URerF(**FEW).fit(pd.DataFrame(X)).kneighbors()[1], rows)
    np.testing.assert_array_equal(URerF(**FEW).fit(sp.csr_matrix(X)).kneighbors()[1], rows)


def test_missing_values_are_refused_on_request():
    X = with_gaps(make_helix(100).X, 0.1)
    for model in (URerF(missing="error"), URerF.paper()):
        with pytest.raises(ValueError, match=r"X: column .* contains NaN"):
            model.fit(X)
    model = URerF(missing="error", **FEW).fit(make_helix(100).X)
    with pytest.raises(ValueError, match=r"X: column .* contains NaN"):
        model.kneighbors(X)


def test_infinite_values_are_refused():
    X = make_helix(100).X.copy()
    X[3, 1] = np.inf
    with pytest.raises(ValueError, match="X"):
        URerF().fit(X)
