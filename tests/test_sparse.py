"""Sparse matrices whose indices point elsewhere are refused: SciPy would crash."""

import contextlib

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from urerf import URerF
from urerf._sparse import checked_sparse
from urerf.graph import symmetrize
from urerf.relevance import column_relevance
from urerf.schema import Frame, Schema

FORMATS = ["csr", "csc", "bsr", "coo", "lil", "dok", "dia"]


def matrix(format="csr"):
    return sp.random(40, 6, 0.4, format="csr", random_state=0).asformat(format)


def damaged(change):
    X = matrix()
    change(X)
    return X


def set_entry(name, position, value):
    def change(X):
        getattr(X, name)[position] = value

    return change


def shorten(X):
    X.indptr = X.indptr[:-3]


DAMAGE = {
    "negative start of a row": set_entry("indptr", 3, -5),
    "rows overlap": set_entry("indptr", 5, 1),
    "row beyond the end": set_entry("indptr", -1, 10**6),
    "first row starts late": set_entry("indptr", 0, 1),
    "column too large": set_entry("indices", 0, 10**8),
    "column negative": set_entry("indices", 2, -3),
    "rows missing": shorten,
    "no stored values, and rows that have some": set_entry("indptr", -1, 0),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_malformed_matrix_is_refused_everywhere(kind):
    model = URerF.paper(n_estimators=2, n_neighbors=3).fit(matrix())
    schema = Schema.of_numbers(list("abcdef"))
    for use in (
        URerF.paper(n_estimators=2).fit,
        URerF(n_estimators=2, column_kinds={1: "ignore"}).fit,
        lambda X: URerF(n_estimators=2).fit(Frame(X, schema)),
        model.kneighbors,
        model.apply,
        column_relevance,
    ):
        with pytest.raises(ValueError, match=r"^X: is not a valid sparse matrix"):
            use(damaged(DAMAGE[kind]))


def test_a_malformed_graph_is_refused():
    graph = sp.random(20, 20, 0.2, format="csr", random_state=0)
    graph.indices[0] = 10**7
    with pytest.raises(ValueError, match=r"^graph: is not a valid sparse matrix"):
        symmetrize(graph)


def test_malformed_columns_and_coordinates_are_refused():
    columns = matrix("csc")
    columns.indices[0] = 10**6
    coordinates = matrix("coo")
    coordinates.row[0] = 10**6
    for X in (columns, coordinates, sp.csr_array(damaged(DAMAGE["column too large"]))):
        with pytest.raises(ValueError, match=r"^X: is not a valid sparse matrix"):
            URerF.paper(n_estimators=2).fit(X)


def test_one_dimension_is_refused():
    with pytest.raises(ValueError, match=r"^X: must have rows and columns"):
        checked_sparse(sp.coo_array(np.ones(5)))


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_accepted(format):
    X = matrix(format)
    before = X.toarray()
    np.testing.assert_array_equal(checked_sparse(X).toarray(), before)
    assert URerF.paper(n_estimators=2, n_neighbors=3).fit(X).n_samples_fit_ == 40


@given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 2**32 - 1), st.sampled_from(FORMATS))
def test_matrices_made_by_scipy_are_valid(n_rows, n_columns, seed, format):
    X = sp.random(n_rows, n_columns, 0.5, random_state=seed).asformat(format)
    checked_sparse(X)


@given(st.data())
def test_whatever_is_accepted_can_be_made_dense(data):
    """Any small change of the three arrays is refused, or harmless."""
    X = matrix()
    name = data.draw(st.sampled_from(["indptr", "indices"]))
    position = data.draw(st.integers(0, len(getattr(X, name)) - 1))
    getattr(X, name)[position] = data.draw(st.integers(-3, 110))
    with contextlib.suppress(ValueError):
        checked_sparse(X).check_format(full_check=True)
        assert X.toarray().shape == (40, 6)
