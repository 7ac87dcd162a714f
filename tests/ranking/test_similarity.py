"""Depth similarity by hand, and by following every pair of rows down every tree."""

import numpy as np
import pytest

from urerf import URerF
from urerf.ranking.index import DEEP_ENOUGH, node_weights


def path(tree, row):
    """Return the nodes that a row visits, root first."""
    nodes = [0]
    node = 0
    while tree.child[node] >= 0:
        value = np.float32(0.0)
        for c in range(tree.begin[tree.direction[node]], tree.begin[tree.direction[node] + 1]):
            value += tree.coefficients[c] * row[tree.columns[c]]
        node = node + 1 if value < tree.cut[node] else int(tree.child[node])
        nodes.append(node)
    return nodes


def by_brute_force(model, new=None, samples="all"):
    """Return the similarities with the fitted rows, pair by pair and tree by tree."""
    forest = model.forest_
    n = model.n_samples_fit_
    matrix = model._fitted.matrix if new is None else model._fitted.columns.measure(new)
    sums = np.zeros((matrix.shape[1], n))
    trees = np.zeros((matrix.shape[1], n))
    unit = min(4096, (2**24 - 1) // forest.n_trees)
    for t in range(forest.n_trees):
        tree = forest.tree(t)
        fitted = [path(tree, model._fitted.matrix[:, j]) for j in range(n)]
        paths = fitted if new is None else [path(tree, row) for row in matrix.T]
        assert [-1 - tree.child[nodes[-1]] for nodes in fitted] == model._fitted.leaves[t].tolist()
        bag = set(forest.rows(t).tolist())
        for i, mine in enumerate(paths):
            for j, theirs in enumerate(fitted):
                inside = (j in bag, new is None and i in bag)
                if samples == "in_bag" and not all(inside):
                    continue
                if samples == "out_of_bag" and any(inside):
                    continue
                shared = [a for a, b in zip(mine, theirs) if a == b]
                same_leaf = tree.child[shared[-1]] < 0
                by_depth = np.floor(unit * (1 - 0.9 ** (len(shared) - 1))) / unit
                sums[i, j] += 1.0 if same_leaf else by_depth
                trees[i, j] += 1
    S = sums / np.maximum(trees, 1)
    if new is None:
        np.fill_diagonal(S, 1.0)
    return S


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    t = rng.uniform(0, 5, size=45)
    X = np.column_stack([np.cos(t), np.sin(t), t])
    X[[10, 20]] = X[30]  # three equal rows
    return X


def fit(X, **settings):
    defaults = {"n_estimators": 12, "min_samples_split": 5, "random_state": 0}
    defaults["similarity"] = "depth"
    return URerF(**{**defaults, **settings}).fit(X)


@pytest.fixture(scope="module")
def model(X):
    return fit(X)


# -- Node weights ----------------------------------------------------------------------------------


def chain(n):
    """Return (child, parent, rows) of a tree that splits off one of n rows at every cut."""
    cuts = np.arange(n - 1)
    child = np.empty(2 * n - 1, int)
    parent = np.empty(2 * n - 1, int)
    rows = np.empty(2 * n - 1, int)
    # Left children are leaves.
    child[2 * cuts] = 2 * cuts + 2
    child[2 * cuts + 1] = -1 - cuts
    child[-1] = -n
    parent[0] = -1
    parent[2 * cuts + 1] = 2 * cuts
    parent[2 * cuts + 2] = 2 * cuts
    rows[2 * cuts] = n - cuts
    rows[2 * cuts + 1] = 1
    rows[-1] = 1
    return child, parent, rows


def test_node_weights_by_hand():
    #           0: 500 rows, 1: 400, 2: leaf, 3: 32, 4: leaf, 5: leaf of one, 6: leaf of 100
    child = np.array([6, 3, -1, 5, -2, -3, -4])
    parent = np.array([-1, 0, 1, 1, 3, 3, 0])
    rows = np.array([500, 400, 368, 32, 31, 1, 100])
    weight, perfect = node_weights(child, parent, rows, 500, 1, "depth")
    assert weight.tolist() == [0, 409, 4096, 778, 4096, 4096, 4096]  # 4096 * (0, 1 - .9, 1 - .81)
    assert weight.dtype == np.int32
    assert perfect == 4096
    weight, perfect = node_weights(child, parent, rows, 500, 7, "leaf")
    assert weight.tolist() == [0, 0, 1, 0, 1, 1, 1]
    assert perfect == 7


def test_weights_by_depth_by_hand():
    """Weights are 0.1 and 0.19 after one and two splits of a node of 1024 rows, 1 in a leaf."""
    child = np.array([2, -1, 4, -2, 8, 7, -3, -4, -5])
    parent = np.array([-1, 0, 0, 2, 2, 4, 5, 5, 4])
    rows = np.array([2000, 976, 1024, 8, 1016, 16, 8, 8, 1000])
    weight, perfect = node_weights(child, parent, rows, 2000, 10, "depth")
    assert perfect == 10 * 4096
    assert weight.tolist() == [0, 4096, 0, 4096, 409, 778, 4096, 4096, 4096]
    many, perfect = node_weights(child, parent, rows, 2000, 10**5, "depth")
    assert perfect == 10**5 * many[1] < 2**24  # a key of the ranking has room for that


def test_large_nodes_have_no_weight():
    assert DEEP_ENOUGH == 1024
    child, parent, rows = chain(2000)
    weight, _ = node_weights(child, parent, rows, 2000, 1, "depth")
    inner = weight[child >= 0]  # nodes of 2000, 1999, ... rows
    assert not inner[:977].any()  # the last one has 1024 rows
    assert inner[977:980].tolist() == [409, 778, 1110]
    assert (np.diff(inner) >= 0).all()
    assert (weight[child < 0] == 4096).all()


@pytest.mark.parametrize(
    ("n", "deep"), [(100, 1024), (4096, 1024), (8192, 512), (16_384, 256), (10**6, 64)]
)
def test_only_smaller_nodes_count_if_there_are_many_rows(n, deep):
    """Every row meets a bounded number of others, so that time grows with n, not with n squared."""
    child, parent, rows = chain(2000)
    weight, _ = node_weights(child, parent, rows, n, 1, "depth")
    inner = child >= 0
    assert ((weight > 0) == (rows < deep))[inner].all()


@pytest.mark.parametrize("n_trees", [1, 300, 4096, 10_000, 1_000_000])
def test_sums_fit_in_24_bits(n_trees):
    child, parent, rows = chain(4)
    weight, perfect = node_weights(child, parent, rows, 4, n_trees, "depth")
    assert perfect < 2**24
    assert weight[1] * n_trees == perfect
    assert weight[2] / weight[1] == pytest.approx(0.1, abs=1 / weight[1])


# -- Similarities ----------------------------------------------------------------------------------


@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize("samples", ["all", "in_bag", "out_of_bag"])
def test_proximity_by_brute_force(X, samples, bootstrap):
    model = fit(X, bootstrap=bootstrap, max_samples=None if bootstrap else 0.5)
    found = model.proximity(samples=samples)
    np.testing.assert_allclose(found, by_brute_force(model, samples=samples), rtol=0, atol=1e-12)
    assert (np.diag(found) == 1.0).all()
    np.testing.assert_array_equal(found, found.T)
    assert 0 <= found.min() < 0.6
    assert ((found > 0.1) & (found < 0.9)).mean() > 0.1  # not just 0 and 1


@pytest.mark.parametrize("samples", ["all", "out_of_bag"])
def test_new_rows_by_brute_force(model, X, samples):
    new = X[:7] + np.random.default_rng(1).normal(scale=0.1, size=(7, 3))
    expected = by_brute_force(model, new=new, samples=samples)
    np.testing.assert_allclose(model.proximity(new, samples=samples), expected, rtol=0, atol=1e-12)


def test_in_bag_and_out_of_bag_proximities_use_different_trees(X):
    model = fit(X, max_samples=0.5)
    matrices = [model.proximity(samples=samples) for samples in ("all", "in_bag", "out_of_bag")]
    assert not np.array_equal(matrices[0], matrices[1])
    assert not np.array_equal(matrices[1], matrices[2])


def test_duplicates_are_at_distance_zero(model, X):
    S = model.proximity()
    distances, ids = model.kneighbors(n_neighbors=44)
    for row in (10, 20, 30):
        assert (S[row, [10, 20, 30]] == 1.0).all()
        assert {10, 20, 30} - {row} <= set(ids[row][distances[row] == 0.0].tolist())
    graph = model.kneighbors_graph(n_neighbors=2)
    assert not graph[10].data.any()
    assert graph[10].nnz == 3
    assert not model.kneighbors(X[[30]], n_neighbors=3)[0].any()


@pytest.mark.parametrize("k", [1, 10, 44])
def test_neighbors_are_the_most_similar(model, k):
    S = model.proximity()
    distances, ids = model.kneighbors(n_neighbors=k)
    np.testing.assert_array_equal(distances, 1.0 - np.take_along_axis(S, ids, 1))
    np.fill_diagonal(S, -1.0)
    np.testing.assert_array_equal(distances, 1.0 + np.sort(-S, axis=1)[:, :k])
    assert all(len(set(row)) == k for row in ids.tolist())
    assert (ids != np.arange(45)[:, None]).all()


def test_neighbors_of_new_rows_are_the_most_similar(model, X):
    new = X[:9] + 0.05
    S = model.proximity(new)
    distances, ids = model.kneighbors(new, n_neighbors=12)
    np.testing.assert_array_equal(distances, 1.0 - np.take_along_axis(S, ids, 1))
    np.testing.assert_array_equal(distances, 1.0 + np.sort(-S, axis=1)[:, :12])


def test_leaf_similarity_is_a_lower_bound(X):
    """Rows in the same leaf have similarity 1 in both, other pairs are at least as similar."""
    depth, leaf = (fit(X, similarity=x) for x in ("depth", "leaf"))
    np.testing.assert_array_equal(depth.apply(X), leaf.apply(X))  # the same forest
    S = depth.proximity()
    L = leaf.proximity()
    assert (S >= L).all()
    assert (S > L).mean() > 0.5
    same = (leaf.apply(X)[:, None, :] == leaf.apply(X)).mean(axis=2)
    np.testing.assert_allclose(L, same, atol=1e-12)


def test_all_rows_are_equal_if_no_tree_is_split(X):
    for similarity in ("depth", "leaf"):
        model = fit(X, min_samples_split=1000, similarity=similarity)
        assert (model.proximity() == 1).all()


def test_rows_split_at_a_large_root_have_similarity_zero():
    """Nodes of more than 1024 rows do not count."""
    noise = np.random.default_rng(0).normal(scale=0.01, size=(1400, 1))
    X = np.repeat([[0.0], [1.0]], 700, axis=0) + noise
    S = URerF(10, similarity="depth", random_state=0).fit(X).proximity()
    assert (S[:700, 700:] == 0).all()
    assert (S[:700, :700] > 0).all()


def test_closer_rows_are_more_similar():
    x = np.linspace(0, 1, 200)[:, None]
    S = URerF(200, similarity="depth", random_state=0).fit(x).proximity()
    mean = [np.diag(S, k).mean() for k in (1, 5, 20, 60, 150)]
    assert (np.diff(mean) < -0.02).all()


@pytest.mark.parametrize("similarity", ["Depth", "twig", ""])
def test_an_unknown_similarity_is_refused(similarity):
    child, parent, rows = chain(4)
    with pytest.raises(ValueError, match=r"similarity: must be one of 'blend', 'depth', .*, got"):
        node_weights(child, parent, rows, 4, 1, similarity)


@pytest.mark.parametrize("similarity", ["leaf", "depth", "blend"])
def test_a_row_is_like_itself_even_if_no_tree_can_tell(similarity):
    """With two trees, most rows are in the sample of one of them; an empty row is in no leaf."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    X[5] = np.nan
    model = URerF(2, similarity=similarity, bootstrap=True, random_state=0).fit(X)
    for samples in ("all", "in_bag", "out_of_bag"):
        assert (model.proximity(samples=samples).diagonal() == 1).all()
