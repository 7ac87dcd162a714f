"""The contract of `urerf.graph`, point by point, and proximities against counting by hand."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.neighbors import KNeighborsTransformer, sort_graph_by_row_values

from urerf import URerF
from urerf.graph import self_first, symmetrize, to_csr, with_self

N = 120
EXACT = {"rtol": 0, "atol": 0}
K = 7
PAPER = URerF.paper(n_estimators=25, n_neighbors=K, min_samples_split=10, random_state=0)
SETTINGS = {
    "defaults": URerF(n_estimators=25, n_neighbors=K, random_state=0),
    "paper": PAPER,
    "axis": clone(PAPER).set_params(projection="axis", split_score="gain"),
    "without replacement": clone(PAPER).set_params(bootstrap=False, max_samples=0.5, n_jobs=2),
    "depth": clone(PAPER).set_params(similarity="depth"),
    "blend": clone(PAPER).set_params(similarity="blend"),
    "geodesic": URerF(n_estimators=25, n_neighbors=K, similarity="geodesic", random_state=0),
    "one tree": clone(PAPER).set_params(n_estimators=1),
}


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(N, 4)) * [1, 2, 3, 4]


@pytest.fixture(scope="module")
def new():
    return np.random.default_rng(1).normal(size=(35, 4)) * [1, 2, 3, 4]


@pytest.fixture(scope="module", params=SETTINGS.values(), ids=SETTINGS.keys())
def model(request, X):
    return clone(request.param).fit(X)


@pytest.fixture(scope="module")
def leafy(X):
    """A forest whose similarity is the share of trees in which two rows are in the same leaf."""
    return URerF.paper(n_estimators=40, n_neighbors=K, min_samples_split=10, random_state=3).fit(X)


def check_contract(graph, n_rows: int, entries: int) -> None:
    assert type(graph) is sp.csr_matrix
    assert graph.shape == (n_rows, N)
    assert graph.dtype == np.float64
    assert graph.indices.dtype == graph.indptr.dtype == np.int32
    assert (np.diff(graph.indptr) == entries).all()
    assert graph.nnz == len(graph.data) == n_rows * entries  # zeros are stored
    data = graph.data.reshape(n_rows, entries)
    ids = graph.indices.reshape(n_rows, entries)
    assert ((data >= 0) & (data <= 1)).all()
    assert (np.diff(data, axis=1) >= 0).all()
    assert all(len(set(row)) == entries for row in ids)
    assert ((ids >= 0) & (ids < N)).all()
    sort_graph_by_row_values(
        graph, copy=True, warn_when_not_sorted=True
    )  # scikit-learn agrees, or warns: an error


# -- The contract


def test_training_graph(model):
    graph = model.kneighbors_graph()
    check_contract(graph, N, K + 1)
    assert (graph.indices[:: K + 1] == np.arange(N)).all()
    assert (graph.data[:: K + 1] == 0).all()
    distances, ids = model.kneighbors()
    np.testing.assert_array_equal(graph.data.reshape(N, -1)[:, 1:], distances)
    np.testing.assert_array_equal(graph.indices.reshape(N, -1)[:, 1:], ids)
    assert not (ids == np.arange(N)[:, None]).any()


def test_graph_of_new_rows(model, new):
    graph = model.kneighbors_graph(new)
    check_contract(graph, len(new), K)
    distances, ids = model.kneighbors(new)
    np.testing.assert_array_equal(graph.data.reshape(-1, K), distances)
    np.testing.assert_array_equal(graph.indices.reshape(-1, K), ids)


@pytest.mark.parametrize("k", [1, 2, 50, N - 1])
def test_any_number_of_neighbors(model, X, new, k):
    check_contract(model.kneighbors_graph(n_neighbors=k), N, k + 1)
    check_contract(model.kneighbors_graph(new, n_neighbors=k), len(new), k)
    check_contract(model.kneighbors_graph(X, n_neighbors=k + 1), N, k + 1)


def test_fewer_neighbors_are_the_first_of_more(model, new):
    if model.similarity == "blend":
        pytest.skip("more neighbors have more candidates")
    for rows in (None, new):
        distances, ids = model.kneighbors(rows, n_neighbors=30)
        fewer_distances, fewer_ids = model.kneighbors(rows, n_neighbors=12)
        np.testing.assert_array_equal(distances[:, :12], fewer_distances)
        np.testing.assert_array_equal(ids[:, :12], fewer_ids)


def test_connectivity(model, new):
    for rows in (None, new):
        ones = model.kneighbors_graph(rows, mode="connectivity")
        distances = model.kneighbors_graph(rows)
        assert (ones.data == 1).all()
        assert ones.dtype == np.float64
        np.testing.assert_array_equal(ones.indices, distances.indices)
        np.testing.assert_array_equal(ones.indptr, distances.indptr)


def test_transform_is_fit_transform_for_the_training_rows(model, X, new):
    graph = model.transform(X)
    fitted = clone(model).fit_transform(X)
    check_contract(graph, N, K + 1)
    np.testing.assert_array_equal(graph.data, fitted.data)
    np.testing.assert_array_equal(graph.indices, fitted.indices)
    check_contract(model.transform(new), len(new), K + 1)


def test_as_many_entries_as_scikit_learns_transformer(model, X, new):
    theirs = KNeighborsTransformer(n_neighbors=K).fit(X)
    for rows in (X, new):
        np.testing.assert_array_equal(
            np.diff(theirs.transform(rows).indptr), np.diff(model.transform(rows).indptr)
        )


def test_rows_that_are_not_stored_are_not_closer(model, new):
    if model.similarity == "blend":
        pytest.skip("only the rows that the forest proposes are ranked")
    for rows in (None, new):
        similarity = model.proximity(rows)
        distances, ids = model.kneighbors(rows)
        rest = similarity.copy()
        np.put_along_axis(rest, ids, -1, axis=1)
        if rows is None:
            np.fill_diagonal(rest, -1)
        assert (1 - rest.max(axis=1) >= distances[:, -1]).all()


# -- Ties


def test_neighbors_do_not_depend_on_the_other_rows_of_a_query(model, X, new):
    mixed = np.vstack([new, X])
    distances, ids = model.kneighbors(mixed)
    order = np.random.default_rng(0).permutation(len(mixed))
    for batch in (order, order[:40], order[:1], order[-3:]):
        some_distances, some_ids = model.kneighbors(mixed[batch])
        np.testing.assert_array_equal(some_ids, ids[batch])
        np.testing.assert_array_equal(some_distances, distances[batch])


def test_rows_with_the_same_leaves_have_the_same_neighbors(X):
    model = URerF.paper(
        n_estimators=2, max_depth=2, min_samples_split=2, n_neighbors=20, random_state=0
    ).fit(X)
    new = np.random.default_rng(5).normal(size=(300, 4)) * [1, 2, 3, 4]
    _, kind = np.unique(model.apply(new), axis=0, return_inverse=True)
    assert kind.max() < 100  # few kinds, so there is something to compare
    ids = model.kneighbors(new, return_distance=False)
    for one in range(kind.max() + 1):
        assert len(np.unique(ids[kind == one], axis=0)) == 1


def test_ties_do_not_follow_the_row_order():
    """One tree, one cut: half of the rows tie. The five neighbors may be any of them."""
    rng = np.random.default_rng(0)
    blob = rng.permutation(np.repeat([0, 1], 100))
    X = rng.normal(size=(200, 2)) + 50 * blob[:, None]
    places = []
    sets = set()
    for seed in range(60):
        model = URerF.paper(
            n_estimators=1, max_depth=1, min_samples_split=2, projection="axis", random_state=seed
        )
        ids = model.fit(X).kneighbors(X[:1] + 0.01, n_neighbors=5)[1][0]
        mates = np.flatnonzero(blob == blob[0])
        assert np.isin(ids, mates).all()
        places.append(np.searchsorted(mates, ids).mean())
        sets.add(tuple(ids))
    assert len(sets) == 60
    # The mean of 300 draws of 0..99 has a standard deviation of 1.7.
    assert abs(np.mean(places) - 49.5) < 7


def test_rows_without_any_similarity_are_drawn_at_random(X):
    model = URerF.paper(n_estimators=3, min_samples_split=6, n_neighbors=60, random_state=0).fit(X)
    similarity = model.proximity()
    np.fill_diagonal(similarity, 0)
    distances, ids = model.kneighbors()
    near = (similarity > 0).sum(axis=1)
    assert (near < 60).all()
    filled = np.zeros(N)
    for i in range(N):
        assert set(ids[i, : near[i]]) == set(np.flatnonzero(similarity[i] > 0))
        assert (distances[i, : near[i]] < 1).all()
        assert (distances[i, near[i] :] == 1).all()
        assert len({i, *ids[i]}) == 61
        filled[ids[i, near[i] :]] += 1
    # Every row is drawn about equally often, whatever its position.
    assert filled.min() > 0.3 * filled.mean()
    assert filled.max() < 2 * filled.mean()


# -- Rows that were fitted


def test_a_fitted_row_finds_itself_first(model, X):
    distances, ids = model.kneighbors(X)
    assert (ids[:, 0] == np.arange(N)).all()
    assert (distances[:, 0] == 0).all()
    assert all(len(set(row)) == K for row in ids)
    np.testing.assert_array_equal(ids[:, 1:], model.kneighbors(n_neighbors=K - 1)[1])
    backwards = model.kneighbors(X[::-1])[1]
    assert (backwards[:, 0] == np.arange(N)[::-1]).all()


@pytest.mark.parametrize("n_neighbors", [1, 3, 10, N - 1])
def test_duplicates_find_themselves_first(X, n_neighbors):
    """Ten copies of each row: more ties at distance 0 than some lists have entries."""
    X = np.repeat(X[:12], 10, axis=0)[np.random.default_rng(0).permutation(120)]
    model = URerF.paper(
        n_estimators=20, min_samples_split=30, n_neighbors=n_neighbors, random_state=0
    ).fit(X)
    distances, ids = model.kneighbors(X)
    assert (ids[:, 0] == np.arange(N)).all()
    assert (distances[:, : min(10, n_neighbors)] == 0).all()
    assert all(len(set(row)) == n_neighbors for row in ids)
    check_contract(model.transform(X), N, n_neighbors + 1)
    np.testing.assert_array_equal(model.transform(X).indices, model.kneighbors_graph().indices)
    # Queried alone, a row with copies finds the first of them, an equal row at distance 0.
    alone, alone_ids = model.kneighbors(X[77:78])
    np.testing.assert_array_equal(X[alone_ids[0, 0]], X[77])
    assert alone[0, 0] == 0


def test_minus_zero_is_zero():
    X = np.array([[0.0, 1.0], [5.0, 5.0], [9.0, 2.0], [7.0, 3.0]])
    model = URerF.paper(n_estimators=3, n_neighbors=2, random_state=0).fit(X)
    assert model.kneighbors(np.array([[-0.0, 1.0]]))[1][0, 0] == 0


def test_self_first():
    ids = np.array([[4, 2, 7], [4, 2, 7], [4, 2, 7], [4, 2, 7]])
    distances = np.array([[0.1, 0.2, 0.3]] * 4)
    got_distances, got_ids = self_first(distances, ids, np.array([7, 9, -1, 4]))
    assert got_ids.tolist() == [[7, 4, 2], [9, 4, 2], [4, 2, 7], [4, 2, 7]]
    assert got_distances.tolist() == [[0, 0.1, 0.2], [0, 0.1, 0.2], [0.1, 0.2, 0.3], [0, 0.2, 0.3]]


def test_with_self_and_to_csr():
    distances, ids = with_self(np.array([[0.0, 0.5], [0.0, 1.0]]), np.array([[1, 3], [3, 0]]))
    graph = to_csr(distances, ids, 4)
    assert graph.shape == (2, 4)
    assert graph.indices.tolist() == [0, 1, 3, 1, 3, 0]
    assert graph.data.tolist() == [0, 0, 0.5, 0, 0, 1]


# -- Symmetrize


def entries(graph) -> dict[tuple[int, int], float]:
    graph = graph.tocoo()
    return dict(zip(zip(graph.row.tolist(), graph.col.tolist()), graph.data.tolist()))


def check_symmetrized(graph) -> None:
    given = entries(graph)
    got = symmetrize(graph)
    assert type(got) is sp.csr_matrix
    assert got.indices.dtype == np.int32
    expected = {
        (i, j): max(given.get((i, j), -1), given.get((j, i), -1))
        for a in given
        for i, j in (a, a[::-1])
    }
    assert entries(got) == expected
    assert got.nnz == len(expected)
    for i in range(got.shape[0]):
        assert (np.diff(got.data[got.indptr[i] : got.indptr[i + 1]]) >= 0).all()


@given(
    st.dictionaries(
        st.tuples(st.integers(0, 5), st.integers(0, 5)),
        st.sampled_from([0.0, 0.25, 0.5, 1.0]),
        max_size=20,
    )
)
def test_symmetrize_is_the_union(stored):
    rows = [i for i, _ in stored]
    columns = [j for _, j in stored]
    check_symmetrized(sp.csr_matrix((list(stored.values()), (rows, columns)), shape=(6, 6)))


def test_symmetrize_a_training_graph(model):
    graph = model.kneighbors_graph()
    check_symmetrized(graph)
    got = symmetrize(graph)
    first = got.indptr[:-1]
    assert (got.indices[first] == np.arange(N)).all()
    assert (got.data[first] == 0).all()
    assert (got != got.T).nnz == 0
    sort_graph_by_row_values(got, copy=True, warn_when_not_sorted=True)


def test_symmetrize_keeps_its_argument(model):
    graph = model.kneighbors_graph()
    before = graph.copy()
    symmetrize(graph)
    np.testing.assert_array_equal(before.data, graph.data)
    np.testing.assert_array_equal(before.indices, graph.indices)


# -- Proximity


def count_by_hand(leaves, other, counts, counts_other) -> np.ndarray:
    """L_ij / T_ij, pair by pair; all arguments are rows x trees."""
    S = np.zeros((len(leaves), len(other)))
    for i in range(len(leaves)):
        for j in range(len(other)):
            both = counts[i] & counts_other[j]
            shared = both & (leaves[i] == other[j])
            S[i, j] = shared.sum() / both.sum() if both.any() else 0.0
    return S


@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize("samples", ["all", "in_bag", "out_of_bag"])
def test_proximity_is_the_count_by_hand(X, samples, bootstrap):
    share = None if bootstrap else 0.3
    model = URerF.paper(
        n_estimators=12,
        min_samples_split=10,
        bootstrap=bootstrap,
        max_samples=share,
        random_state=0,
    )
    model.fit(X)
    leaves = model.apply(X)
    bag = model.forest_.in_bag().T
    counts = {"all": np.ones_like(bag), "in_bag": bag, "out_of_bag": ~bag}[samples]
    expected = count_by_hand(leaves, leaves, counts, counts)
    np.fill_diagonal(expected, 1)
    np.testing.assert_array_equal(model.proximity(samples=samples), expected)
    assert (expected < 1).sum() > N  # not the trivial case


@pytest.mark.parametrize("samples", ["all", "out_of_bag"])
def test_proximity_of_new_rows_is_the_count_by_hand(leafy, X, new, samples):
    bag = leafy.forest_.in_bag().T
    counts = ~bag if samples == "out_of_bag" else np.ones_like(bag)
    everywhere = np.ones((len(new), bag.shape[1]), dtype=bool)
    expected = count_by_hand(leafy.apply(new), leafy.apply(X), everywhere, counts)
    np.testing.assert_array_equal(leafy.proximity(new, samples=samples), expected)


@pytest.mark.parametrize("samples", ["all", "in_bag", "out_of_bag"])
def test_proximity_is_a_similarity(model, samples):
    if model.similarity == "geodesic" and samples != "all":
        with pytest.raises(ValueError, match="samples: must be 'all' with similarity='geodesic'"):
            model.proximity(samples=samples)
        return
    S = model.proximity(samples=samples)
    assert S.shape == (N, N)
    assert np.isfinite(S).all()
    assert (np.diag(S) == 1).all()
    assert ((S >= 0) & (S <= 1)).all()
    np.testing.assert_array_equal(S, S.T)


@pytest.mark.parametrize("samples", ["in_bag", "out_of_bag"])
def test_a_pair_that_no_tree_counts_is_not_nan(X, samples):
    model = URerF.paper(n_estimators=1, min_samples_split=10, max_samples=0.5, random_state=0).fit(
        X
    )
    bag = model.forest_.in_bag()[0] == (samples == "in_bag")
    S = model.proximity(samples=samples)
    np.fill_diagonal(S, 0)
    assert (S[~bag] == 0).all()
    assert (S[:, ~bag] == 0).all()
    assert S.max() == 1


def test_the_bag_is_what_the_trees_were_grown_on(leafy):
    bag = leafy.forest_.in_bag()
    assert bag.shape == (40, N)
    for t in range(40):
        rows = leafy.forest_.rows(t)
        assert len(rows) == N
        assert set(rows) == set(np.flatnonzero(bag[t]))
        assert leafy.forest_.tree(t).size[0] == N
    assert 0.55 < bag.mean() < 0.72  # 1 - 1/e


def test_kneighbors_agrees_with_proximity(model, new):
    """The k-th distance is one minus the k-th largest similarity, and belongs to its neighbor."""
    for rows in (None, new):
        S = model.proximity(rows)
        distances, ids = model.kneighbors(rows)
        close = {"rtol": 0, "atol": 1e-15} if model.similarity_ in ("blend", "geodesic") else {}
        similarities = np.take_along_axis(S, ids, axis=1)
        np.testing.assert_allclose(1 - similarities, distances, **(close or EXACT))
        if rows is None:
            np.fill_diagonal(S, -1)
        largest = -np.sort(-S, axis=1)[:, :K]
        if model.similarity == "blend":  # only the rows that the forest proposes are ranked
            assert (distances >= 1 - largest - 1e-15).all()
            assert (np.abs(1 - largest - distances) < 1e-15).mean() > 0.9
        else:
            np.testing.assert_allclose(1 - largest, distances, **(close or EXACT))


def test_apply_of_the_fitted_rows(leafy, X):
    leaves = leafy.apply(X)
    assert leaves.shape == (N, 40)
    assert leaves.dtype.kind == "i"
    for t in range(40):
        child = leafy.forest_.tree(t).child
        assert set(leaves[:, t]) <= set(range((child < 0).sum()))


def test_symmetrize_distances_of_any_size():
    """Distances beyond the integers gave a warning that a cast is invalid."""
    content = ([1e300, 1e-300], ([0, 2], [1, 1]))
    check_symmetrized(sp.csr_matrix(content, shape=(3, 3)))
