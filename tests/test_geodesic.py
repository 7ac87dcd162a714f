"""Geodesic distances by hand, by brute force, and against the truth under noise."""

import copy

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from urerf import URerF
from urerf.datasets import add_noise, make_helix, make_linear, make_sphere
from urerf.datasets.shapes import make_torus
from urerf.geodesic import (
    bridge_components,
    edge_graph,
    edge_lengths,
    lengths_from_new,
    nearest_edges,
    path_lengths,
    straighten_all,
    straightened,
)
from urerf.graph import nearest_first
from urerf.points import Points


def all_rows(n, of=None):
    """Return all other rows as candidates of n rows, or all rows for ``of`` new rows."""
    rows = np.tile(np.arange(n), (of or n, 1))
    if of:
        return rows
    return rows[rows != np.arange(n)[:, None]].reshape(n, n - 1)


def by_brute_force(points, neighbors, k):
    """Return shortest paths over edges to the k nearest candidates (Floyd-Warshall)."""
    n = len(points)
    D = np.full((n, n), np.inf)
    np.fill_diagonal(D, 0.0)
    for i in range(n):
        length = {int(j): float(np.linalg.norm(points[i] - points[j])) for j in neighbors[i]}
        for j in sorted(length, key=length.get)[:k]:
            D[i, j] = D[j, i] = min(D[i, j], length[j])
    for via in range(n):
        for i in range(n):
            for j in range(n):
                D[i, j] = min(D[i, j], D[i, via] + D[via, j])
    return D


def candidates(model, k):
    """The forest proposes them, whatever ranks neighbors."""
    by_depth = copy.copy(model).set_params(similarity="depth")
    n = model.n_samples_fit_
    return by_depth.kneighbors(n_neighbors=min(3 * k, n - 1))[1]


def circle(n, radius=1.0):
    angle = np.random.default_rng(0).permutation(2 * np.pi * np.arange(n) / n)
    return angle, radius * np.column_stack([np.cos(angle), np.sin(angle)])


def two_blobs(n=40, gap=30.0):
    rng = np.random.default_rng(3)
    blob = rng.permutation(np.repeat([0, 1], n))
    return blob, rng.normal(size=(2 * n, 3)) + gap * blob[:, None]


@pytest.fixture(scope="module")
def X():
    return make_helix(60).X + np.random.default_rng(0).normal(scale=0.05, size=(60, 3))


@pytest.fixture(scope="module")
def model(X):
    return URerF(40, random_state=0).fit(X)


def of_numbers(values):
    """Return points without categories and without missing values."""
    n_rows, n_columns = values.shape
    return Points(values, np.zeros(n_columns), np.ones(n_rows, dtype=bool))


# -- Functions ------------------------------------------------------------------------------------


def test_edge_lengths_by_hand():
    fitted = of_numbers(np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 2.0]]))
    new = of_numbers(np.array([[0.0, 0.0], [3.0, 0.0]]))
    found = edge_lengths(new, fitted, np.array([[1, 2, 0], [0, 1, 2]]))
    np.testing.assert_allclose(found, [[5.0, 2.0, 0.0], [3.0, 4.0, np.sqrt(13.0)]], rtol=1e-15)


@pytest.mark.parametrize("power", [-1000, -500, 0, 500, 1000])
def test_edge_lengths_at_any_scale(power):
    points = np.random.default_rng(0).normal(size=(20, 3))
    plain = of_numbers(points)
    lengths = edge_lengths(plain, plain, all_rows(20))
    scaled = of_numbers(np.ldexp(points, power))
    np.testing.assert_array_equal(
        edge_lengths(scaled, scaled, all_rows(20)), np.ldexp(lengths, power)
    )
    np.testing.assert_allclose(
        lengths, np.take_along_axis(cdist(points, points), all_rows(20), 1), rtol=1e-14
    )


def test_nearest_edges_are_the_shortest_and_ties_go_to_the_better_neighbor():
    fitted = of_numbers(np.array([[1.0], [-1.0], [3.0], [2.0]]))
    zero = of_numbers(np.zeros((1, 1)))
    lengths, ends = nearest_edges(zero, fitted, np.array([[2, 1, 0, 3]]), 3)
    assert lengths.tolist() == [[1.0, 1.0, 2.0]]
    assert ends.tolist() == [[1, 0, 3]]


def test_paths_along_a_line_by_hand():
    at = np.array([0.0, 1.0, 3.0, 6.0, 10.0])
    points = of_numbers(at[:, None])
    graph = edge_graph(points, points, all_rows(5), 1)
    assert graph.toarray().tolist() == [
        [0, 1, 0, 0, 0],
        [1, 0, 0, 0, 0],
        [0, 2, 0, 0, 0],
        [0, 0, 3, 0, 0],
        [0, 0, 0, 4, 0],
    ]
    np.testing.assert_allclose(path_lengths(graph, None), np.abs(at[:, None] - at), rtol=1e-15)
    np.testing.assert_allclose(
        path_lengths(graph, np.array([3, 0])), np.abs(at[[3, 0], None] - at), rtol=1e-15
    )


def test_paths_around_a_circle_by_hand():
    n = 24
    angle, points = circle(n)
    steps = np.rint(np.abs(angle[:, None] - angle) / (2 * np.pi / n))
    chord = 2 * np.sin(np.pi / n)
    points = of_numbers(points)
    found = path_lengths(edge_graph(points, points, all_rows(n), 2), None)
    np.testing.assert_allclose(found, np.minimum(steps, n - steps) * chord, atol=1e-12)


def test_paths_that_zigzag_are_as_long_as_the_straight_line():
    fitted = of_numbers(np.array([[0.0], [1.0], [2.0], [3.0]]))
    one = fitted.take([0])
    ids = np.array([[1, 2, 3]])
    # To 1 straight, to 2 by a long way round, to 3 by a zigzag.
    lengths = np.array([[1.0, 3.3, 3.4]])
    nearest, order = nearest_first(straightened(lengths, ids, one, fitted), ids, 2)
    assert order.tolist() == [[1, 2]]
    np.testing.assert_allclose(nearest, [[1.0, 3.3 / 1.15]])
    longer = np.array([[1.0, 4.0, 3.4]])
    nearest, order = nearest_first(straightened(longer, ids, one, fitted), ids, 2)
    assert order.tolist() == [[1, 3]]
    np.testing.assert_allclose(nearest, [[1.0, 3.0]])
    both_ways = np.array([[0.0, 1.0, 3.3, np.inf]])
    straighten_all(both_ways, one, fitted)
    np.testing.assert_allclose(both_ways, [[0.0, 1.0, 3.3 / 1.15, np.inf]])


def test_bridges_between_components_are_the_shortest():
    """Of three components on a line, two bridges join neighbors at their nearest points."""
    rng = np.random.default_rng(0)
    component = np.repeat([0, 1, 2], 10)
    points = rng.uniform(size=(30, 2)) + np.array([[0.0, 0.0], [10.0, 0.0], [25.0, 0.0]])[component]
    same = component[:, None] == component
    np.fill_diagonal(same, False)
    neighbors = np.array([np.flatnonzero(row) for row in same])
    straight = cdist(points, points)
    points = of_numbers(points)
    graph = edge_graph(points, points, neighbors, 9)
    bridged = bridge_components(graph, points)
    new = (bridged - graph).tocoo()
    joined = {frozenset((int(i), int(j))) for i, j in zip(new.row, new.col)}
    expected = set()
    for a, b in ((0, 1), (1, 2)):
        rows = np.flatnonzero(component == a)
        columns = np.flatnonzero(component == b)
        i, j = np.unravel_index(straight[np.ix_(rows, columns)].argmin(), (10, 10))
        expected.add(frozenset((int(rows[i]), int(columns[j]))))
    assert joined == expected
    for i, j in joined:
        assert max(bridged[i, j], bridged[j, i]) == pytest.approx(straight[i, j], rel=1e-14)
    assert np.isinf(path_lengths(graph, None)).sum() == 3 * 10 * 20
    assert np.isfinite(path_lengths(bridged, None)).all()


def test_bridges_of_equal_length_join_everything():
    """Sixteen pairs of points on a grid, where all shortest bridges have the same length."""
    at = np.array([[x, y] for x in range(4) for y in range(4)], dtype=float)
    points = of_numbers(np.repeat(at, 2, axis=0))
    graph = edge_graph(points, points, all_rows(32), 1)  # each to its double, at distance 0
    assert graph.nnz == 32
    assert not graph.data.any()
    D = path_lengths(bridge_components(graph, points), None)
    straight = cdist(points.values, points.values)
    assert np.isfinite(D).all()
    assert (straight <= D + 1e-12).all()
    assert (D[straight == 0] == 0).all()
    assert (D[straight > 0] >= 1).all()


@pytest.mark.parametrize("power", [-600, 600])
def test_bridges_at_any_scale(power):
    points = np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 3.0], [6.0, 3.0]])
    neighbors = np.array([[1], [0], [3], [2]])
    scales = [of_numbers(x) for x in (points, np.ldexp(points, power))]
    graphs = [bridge_components(edge_graph(x, x, neighbors, 1), x) for x in scales]
    D = [path_lengths(graph, None) for graph in graphs]
    assert D[0][0, 3] == 7.0
    np.testing.assert_array_equal(D[1], np.ldexp(D[0], power))


def test_no_path_leads_through_a_new_row():
    """New rows between two distant components connect them only for themselves."""
    fitted = of_numbers(np.array([[0.0], [1.0], [10.0], [11.0]]))
    graph = edge_graph(fitted, fitted, np.array([[1], [0], [3], [2]]), 1)
    new = of_numbers(np.array([[5.0], [4.0], [0.0]]))
    alone = np.array([[1, 2], [1, 2], [1, 0]])
    found = lengths_from_new(graph, new, fitted, alone, 2)
    np.testing.assert_allclose(found[:2], [[5, 4, 5, 6], [4, 3, 6, 7]])
    assert found[2].tolist() == [0.0, 1.0, np.inf, np.inf]
    for i in range(3):
        np.testing.assert_array_equal(
            lengths_from_new(graph, new.take([i]), fitted, alone[[i]], 2)[0], found[i]
        )


def test_blocks_of_new_rows_follow_the_shortest_edges(monkeypatch):
    """New rows are processed in blocks; each path starts with the best of the edges of its row."""
    monkeypatch.setattr("urerf.geodesic.BLOCK_VALUES", 4 * 25)
    rng = np.random.default_rng(0)
    fitted = rng.normal(size=(25, 2))
    new = rng.normal(size=(11, 2))
    fitted[1] = fitted[0]
    onward = by_brute_force(fitted, all_rows(25), 3)
    fitted = of_numbers(fitted)
    new = of_numbers(new)
    graph = edge_graph(fitted, fitted, all_rows(25), 3)
    found = lengths_from_new(graph, new, fitted, all_rows(25, of=11), 4)
    lengths, ends = nearest_edges(new, fitted, all_rows(25, of=11), 4)
    for i in range(11):
        expected = (lengths[i][:, None] + onward[ends[i]]).min(axis=0)
        np.testing.assert_allclose(found[i], expected, rtol=1e-12)


# -- categories, and rows without any value
# ---------------------------------------------------------------------------------------------


def mixed_points(power=0):
    """A number and a category; the last row is not known."""
    values = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 70.0], [0.0, 5.0], [1.5, 9.0]])
    values[:, 0] = np.ldexp(values[:, 0], power)
    mismatch = np.array([0.0, np.ldexp(4.0, power)])
    return Points(values, mismatch, np.array([True] * 4 + [False]))


@pytest.mark.parametrize("power", [-1000, -500, 0, 500, 1000])
def test_a_step_between_levels_has_one_length(power):
    """Whatever their codes, and however small the units of the numbers are."""
    points = mixed_points(power)
    ends = np.array([[1, 2, 3]])
    lengths = edge_lengths(points.take([0]), points, ends)
    np.testing.assert_array_equal(lengths, np.ldexp([[3.0, 5.0, 4.0]], power))


def test_rows_without_any_value_have_no_edges():
    """Wherever they are put, a path through them would be a shortcut."""
    points = mixed_points()
    graph = edge_graph(points, points, all_rows(5), 4)
    assert np.diff(graph.indptr).tolist() == [3, 3, 3, 3, 0]
    assert 4 not in graph.indices
    new = lengths_from_new(graph, points.take([4, 0]), points, all_rows(5, of=2), 5)
    assert np.isinf(new[0]).all()
    assert new[1].tolist() == [0.0, 3.0, 5.0, 4.0, np.inf]
    bridged = path_lengths(bridge_components(graph, points), None)
    assert np.isfinite(bridged).all()
    np.testing.assert_array_equal(bridged[:4, :4], path_lengths(graph, None)[:4, :4])


def test_a_few_candidates_without_any_value_do_not_take_the_place_of_others():
    points = mixed_points()
    graph = edge_graph(points, points, all_rows(5), 2)
    assert np.diff(graph.indptr).tolist() == [2, 2, 2, 2, 0]


# -- the model's distances
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 3, 12, 100])
def test_like_brute_force(model, X, k):
    points = model._fitted.columns.points(model._fitted.reading, raw_units=True)
    expected = by_brute_force(points.values, candidates(model, k), k)
    np.testing.assert_allclose(model.geodesic_distances(n_neighbors=k), expected, rtol=1e-10)
    if k == 1:
        assert np.isinf(expected).any()


def test_distances_are_in_the_units_of_the_data():
    """Along a straight line, they are Euclidean distances for any scale and offset."""
    line = make_linear(80)
    for factor, offset in ((1.0, 0.0), (1e-3, 5.0), (1e200, 0.0), (1e-200, 0.0)):
        D = URerF(40, random_state=0).fit(line.X * factor + offset).geodesic_distances(bridge=True)
        np.testing.assert_allclose(D / factor, line.distances(), atol=1e-4)


def test_distances_around_a_circle_are_arcs():
    angle, points = circle(120, radius=7.0)
    D = URerF(50, random_state=0).fit(points).geodesic_distances()
    between = np.abs(angle[:, None] - angle)
    arc = 7.0 * np.minimum(between, 2 * np.pi - between)
    far = arc > 3.0
    assert np.abs(D[far] / arc[far] - 1).max() < 0.05
    assert (arc * (1 + 1e-6) >= D).all()  # chords are never longer than the arc


def test_distances_are_a_metric(model, X):
    D = model.geodesic_distances(bridge=True)
    assert D.shape == (60, 60)
    assert D.dtype == np.float64
    assert (np.diag(D) == 0).all()
    np.testing.assert_allclose(D, D.T, rtol=1e-12)
    assert (D[:, :, None] <= D[:, None, :] + D.T[None, :, :] + 1e-9).all()
    assert (cdist(X, X) * (1 - 1e-5) - 1e-9 <= D).all()  # no path is shorter than a straight line


def test_one_row_is_given_by_its_position(model):
    np.testing.assert_array_equal(model.geodesic_distances(3), model.geodesic_distances([3]))


@pytest.mark.parametrize(
    "rows", [[5], [3, 0, 59, 3], np.array([7, 8], dtype=np.uint8), 4, range(10), []]
)
@pytest.mark.parametrize("bridge", [False, True])
def test_chosen_rows_are_rows_of_the_whole_matrix(model, rows, bridge):
    whole = model.geodesic_distances(bridge=bridge)
    some = model.geodesic_distances(rows, bridge=bridge)
    expected = whole[np.atleast_1d(np.asarray(rows, dtype=int))]
    assert some.shape == expected.shape
    np.testing.assert_array_equal(some, expected)


def test_distances_between_components_are_infinite_unless_bridged():
    blob, X = two_blobs()
    model = URerF(40, random_state=0).fit(X)
    apart = blob[:, None] != blob
    D = model.geodesic_distances()
    np.testing.assert_array_equal(np.isinf(D), apart)
    joined = model.geodesic_distances(bridge=True)
    assert np.isfinite(joined).all()
    np.testing.assert_array_equal(joined[~apart], D[~apart])
    np.testing.assert_allclose(joined, joined.T, rtol=1e-12)
    # Every path from one blob to the other uses the one shortest bridge.
    straight = np.where(apart, cdist(X, X), np.inf)
    a, b = np.unravel_index(straight.argmin(), straight.shape)
    assert joined[a, b] == pytest.approx(straight[a, b], rel=1e-5)
    from_a = np.flatnonzero(blob == blob[a])
    from_b = np.flatnonzero(blob == blob[b])
    expected = D[from_a, a][:, None] + straight[a, b] + D[b, from_b]
    np.testing.assert_allclose(joined[np.ix_(from_a, from_b)], expected, rtol=1e-5)


def test_duplicates_are_at_distance_zero():
    points = np.random.default_rng(0).normal(size=(30, 2))
    twin = np.random.default_rng(1).permutation(np.repeat(np.arange(30), 3))
    model = URerF(40, feature_weighting="uniform", random_state=0).fit(points[twin])
    D = model.geodesic_distances(n_neighbors=15, bridge=True)
    same = twin[:, None] == twin
    assert (D[same] == 0).all()
    assert (D[~same] > 1e-4).all()
    assert np.isfinite(D).all()
    for copies in (twin == 0, twin == 17):  # the same distances from every copy
        np.testing.assert_allclose(D[copies], D[copies][:1].repeat(3, axis=0), rtol=1e-12)
    new = model.geodesic_distances(X=points, n_neighbors=15, bridge=True)
    assert (new[np.arange(30)[:, None] == twin] == 0).all()


def test_a_table_of_equal_rows_has_only_distances_of_zero():
    with pytest.warns(UserWarning, match="all columns are constant"):
        model = URerF(5, random_state=0).fit(np.ones((20, 2)))
    assert (model.geodesic_distances(bridge=True) == 0).all()
    assert (model.geodesic_distances(X=np.ones((3, 2)), bridge=True) == 0).all()


@pytest.mark.parametrize(("k", "bridge"), [(12, False), (3, True), (1, False)])
def test_a_fitted_row_passed_as_new_keeps_its_distances(model, X, k, bridge):
    rows = np.array([50, 3, 3, 20])
    new = model.geodesic_distances(X=X[rows], n_neighbors=k, bridge=bridge)
    own = model.geodesic_distances(rows, n_neighbors=k, bridge=bridge)
    assert new.shape == (4, 60)
    finite = np.isfinite(own)
    np.testing.assert_array_equal(np.isfinite(new), finite)
    shortest = np.where(own > 0, own, np.inf).min(axis=1)
    apart = np.where(finite, new, 0.0) - np.where(finite, own, 0.0)
    assert (np.abs(apart) <= shortest[:, None]).all()
    assert (new[np.arange(4), rows] == 0).all()


def curve(s):
    return np.column_stack([np.cos(2 * s), np.sin(2 * s), s])


@pytest.mark.parametrize("shape", ["curve", "surface"])
def test_proximity_is_one_minus_the_distance_to_neighbors(X, shape):
    X = X if shape == "curve" else make_torus(150).X
    model = URerF(10, similarity="geodesic", n_neighbors=5, random_state=0).fit(X)
    proximity = model.proximity()
    np.testing.assert_array_equal(proximity, proximity.T)
    assert (proximity.diagonal() == 1).all()
    new = X[:20] + 0.01
    for rows, similarity in ((None, proximity), (new, model.proximity(new))):
        distances, ids = model.kneighbors(rows)
        np.testing.assert_allclose(
            np.take_along_axis(similarity, ids, axis=1), 1 - distances, atol=1e-6
        )
        assert similarity.shape[1] == len(X)


def test_new_rows_lie_between_their_neighbors():
    t = np.random.default_rng(0).uniform(0, 3, size=300)
    speed = np.sqrt(5.0)
    model = URerF(50, random_state=0).fit(curve(t))
    s = np.array([0.1, 1.0, 1.77, 2.9])
    D = model.geodesic_distances(X=curve(s))
    assert D.shape == (4, 300)
    np.testing.assert_allclose(D, speed * np.abs(s[:, None] - t), atol=0.1)
    for i in range(4):  # independent of the other rows passed
        np.testing.assert_array_equal(model.geodesic_distances(X=curve(s[[i]]))[0], D[i])


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_distances_do_not_depend_on_the_number_of_threads(model, X, n_jobs):
    other = URerF(40, random_state=0, n_jobs=n_jobs).fit(X)
    np.testing.assert_array_equal(other.geodesic_distances(), model.geodesic_distances())
    np.testing.assert_array_equal(
        other.geodesic_distances(X=X[:9] + 0.1), model.geodesic_distances(X=X[:9] + 0.1)
    )


def test_distances_do_not_change_after_saving(model, X, tmp_path):
    model.save(tmp_path / "model")
    other = URerF.load(tmp_path / "model")
    np.testing.assert_array_equal(other.geodesic_distances(), model.geodesic_distances())
    np.testing.assert_array_equal(
        other.geodesic_distances(X=X[:9] + 0.1), model.geodesic_distances(X=X[:9] + 0.1)
    )


def test_new_rows_may_be_sparse(model, X):
    np.testing.assert_array_equal(
        model.geodesic_distances(X=sp.csr_matrix(X[:5])), model.geodesic_distances(X=X[:5])
    )


@pytest.mark.parametrize("n", [2, 3])
def test_two_or_three_rows_are_enough(n):
    X = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])[:n]
    D = URerF(5, random_state=0).fit(X).geodesic_distances(bridge=True)
    np.testing.assert_allclose(D, cdist(X, X), rtol=1e-6)


BAD = {
    "rows beyond the end": ({"rows": [0, 60]}, ValueError, "rows"),
    "rows below zero": ({"rows": [-1]}, ValueError, "rows"),
    "rows of floats": ({"rows": [1.0]}, TypeError, "rows"),
    "rows of bools": ({"rows": [True, False]}, TypeError, "rows"),
    "rows of text": ({"rows": ["1"]}, TypeError, "rows"),
    "rows in two dimensions": ({"rows": [[1, 2]]}, ValueError, "rows"),
    "rows and X": ({"rows": [1], "X": np.zeros((1, 3))}, ValueError, "rows"),
    "zero neighbors": ({"n_neighbors": 0}, ValueError, "n_neighbors"),
    "neighbors a float": ({"n_neighbors": 2.5}, TypeError, "n_neighbors"),
    "neighbors a bool": ({"n_neighbors": True}, TypeError, "n_neighbors"),
    "bridge a number": ({"bridge": 1}, TypeError, "bridge"),
    "bridge a word": ({"bridge": "yes"}, TypeError, "bridge"),
    "X of other columns": ({"X": np.zeros((1, 2))}, ValueError, "X"),
    "X infinite": ({"X": [[0.0, np.inf, 0.0]]}, ValueError, "X|Input X"),
    "X without rows": ({"X": np.zeros((0, 3))}, ValueError, "X"),
}


@pytest.mark.parametrize(("arguments", "error", "name"), BAD.values(), ids=BAD.keys())
def test_bad_arguments_are_named(model, arguments, error, name):
    with pytest.raises(error, match=f"^({name})"):
        model.geodesic_distances(**arguments)


def test_distances_that_do_not_fit_into_memory_are_refused(model, X, monkeypatch):
    monkeypatch.setattr("urerf._memory.available_memory", lambda: 60.0 * 59 * 8)
    with pytest.raises(ValueError, match=r"^rows: .*60 x 60 .*GiB"):
        model.geodesic_distances()
    assert model.geodesic_distances(range(59)).shape == (59, 60)
    with pytest.raises(ValueError, match=r"^X: .*60 x 60 .*GiB"):
        model.geodesic_distances(X=X)


# -- Accuracy --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["gaussian", "heavy_tailed"])
@pytest.mark.parametrize("make", [make_helix, make_linear, make_sphere])
def test_error_under_noise_is_small(make, kind):
    """Median relative error, after one common factor, with 100 noise columns."""
    manifold = make(500, random_state=1)
    X = add_noise(manifold.X, 100, kind=kind, random_state=1)
    D = URerF(50, random_state=1).fit(X).geodesic_distances()
    off = ~np.eye(500, dtype=bool)
    found = D[off]
    truth = manifold.distances()[off]
    factor = np.median(truth / found)
    assert np.median(np.abs(factor * found - truth) / truth) <= 0.10
    assert 0.8 < factor < 1.25  # in the units of the data
