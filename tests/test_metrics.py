from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from urerf import metrics
from urerf.datasets import (
    Manifold,
    load_connectome,
    make_gaussian_mixture,
    make_helix,
    make_linear,
    make_sphere,
)
from urerf.metrics import geodesic_precision, geodesic_recall, precision_recall_curve


def nearest(D, k):
    D = D.copy()
    np.fill_diagonal(D, np.inf)
    return np.argsort(D, axis=1, kind="stable")[:, :k]


def random_neighbors(rng, n, k):
    return np.array([rng.permutation(np.delete(np.arange(n), i))[:k] for i in range(n)])


def brute_force(indices, truth, k):
    """Follow the definitions point by point, with sets."""
    precision = []
    recall = []
    for i, row in enumerate(indices):
        retrieved = set(row[:k].tolist())
        others = [j for j in range(len(indices)) if j != i]
        if truth.ndim == 1:
            relevant = {j for j in others if truth[j] == truth[i]}
            n_relevant = len(relevant)
        else:
            kth = sorted(truth[i, j] for j in others)[k - 1]
            relevant = {j for j in others if truth[i, j] <= kth * (1 + 1e-9)}
            n_relevant = k
        precision.append(len(relevant & retrieved) / k)
        if n_relevant:
            recall.append(len(relevant & retrieved) / n_relevant)
    return np.mean(precision), np.mean(recall)


class TestByHand:
    # Five points on a line at 0, 1, 3, 6, 10.
    x = np.array([0.0, 1.0, 3.0, 6.0, 10.0])
    D = abs(x[:, None] - x)

    @pytest.mark.parametrize(("of_second", "share"), [([0, 2], 1.0), ([0, 4], 0.9)])
    def test_all_right_or_one_wrong_of_ten(self, of_second, share):
        indices = [[1, 2], of_second, [1, 0], [2, 4], [3, 2]]
        assert geodesic_precision(indices, self.D) == pytest.approx(share)
        assert geodesic_recall(indices, self.D) == pytest.approx(share)

    def test_order_within_the_query_does_not_matter(self):
        assert geodesic_precision([[2, 1], [2, 0], [0, 1], [4, 2], [2, 3]], self.D) == 1

    def test_at_k_1_only_the_first_counts(self):
        indices = [[2, 1], [0, 2], [1, 0], [2, 4], [3, 2]]
        curve = precision_recall_curve(indices, self.D, [1, 2])
        np.testing.assert_allclose(curve.precision, [0.8, 1])
        np.testing.assert_allclose(curve.recall, [0.8, 1])

    def test_labels(self):
        indices = np.array([[1, 3], [3, 4], [1, 0], [4, 0], [3, 2]])
        labels = np.array([0, 0, 0, 1, 1])
        assert geodesic_precision(indices, labels) == pytest.approx((1 + 0 + 2 + 1 + 1) / 10)
        assert geodesic_recall(indices, labels) == pytest.approx((1 / 2 + 0 + 1 + 1 + 1) / 5)

    def test_alone_in_its_class(self):
        # Point 4 has nothing to find: precision 0, and no part in the mean recall.
        indices = np.array([[1, 2], [0, 2], [0, 3], [0, 1], [0, 1]])
        labels = np.array(["a", "a", "b", "b", "c"])
        assert geodesic_precision(indices, labels) == pytest.approx((1 + 1 + 1 + 0 + 0) / 10)
        assert geodesic_recall(indices, labels) == pytest.approx((1 + 1 + 1 + 0) / 4)

    def test_ties_at_the_kth_distance_all_count(self):
        # On a ring of four, both neighbors are nearest; whichever is retrieved is right.
        D = np.array([[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]])
        assert geodesic_precision([[1], [2], [3], [0]], D) == 1
        assert geodesic_recall([[3], [0], [1], [2]], D) == 1
        assert geodesic_precision([[2], [0], [1], [2]], D) == 0.75

    def test_rounding_does_not_break_ties(self):
        D = np.array([[0, 0.3, 0.1 + 0.2], [0.3, 0, 9], [0.1 + 0.2, 9, 0]])
        assert 0.1 + 0.2 > 0.3
        assert geodesic_precision([[2], [0], [0]], D) == 1

    def test_more_than_rounding_breaks_ties(self):
        D = np.array([[0, 1, 1 + 1e-6], [1, 0, 9], [1 + 1e-6, 9, 0]])
        assert geodesic_precision([[2], [0], [0]], D) == pytest.approx(2 / 3)

    def test_duplicates_of_a_point_are_its_nearest(self):
        x = np.array([0.0, 0.0, 1.0])
        assert geodesic_precision([[1], [0], [1]], abs(x[:, None] - x)) == 1
        assert geodesic_precision([[2], [0], [1]], abs(x[:, None] - x)) == pytest.approx(2 / 3)

    @pytest.mark.parametrize("value", [np.inf, 0.0, 7.0])
    def test_the_diagonal_does_not_matter(self, value):
        D = self.D.copy()
        np.fill_diagonal(D, value)
        assert geodesic_precision([[1, 2], [0, 2], [1, 0], [2, 4], [3, 2]], D) == 1


@given(st.integers(3, 12), st.data())
def test_continuous_against_brute_force(n, data):
    k = data.draw(st.integers(1, n - 1))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    n_values = data.draw(st.integers(1, 30))  # few values: many ties
    D = rng.integers(0, n_values, (n, n)) * 0.1  # not symmetric
    check_curve(random_neighbors(rng, n, k), D)


@given(st.integers(3, 12), st.data())
def test_discrete_against_brute_force(n, data):
    k = data.draw(st.integers(1, n - 1))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    labels = np.append(rng.integers(0, 4, n - 1), 0)
    labels[0] = 0  # at least one class of two
    check_curve(random_neighbors(rng, n, k), labels)


def check_curve(indices, truth):
    ks = np.arange(indices.shape[1], 0, -1)
    curve = precision_recall_curve(indices, truth, ks)
    np.testing.assert_array_equal(curve.ks, ks)
    for k, precision, recall in zip(*curve):
        np.testing.assert_allclose((precision, recall), brute_force(indices, truth, k))
        assert geodesic_precision(indices[:, :k], truth) == precision
        assert geodesic_recall(indices[:, :k], truth) == recall


@given(st.integers(0, 2**32))
def test_renumbering_the_points_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    n = 15
    D = abs(np.subtract.outer(x := rng.normal(size=n), x))
    indices = random_neighbors(rng, n, 4)
    order = rng.permutation(n)
    place = np.argsort(order)
    moved = geodesic_precision(place[indices[order]], D[np.ix_(order, order)])
    assert moved == pytest.approx(geodesic_precision(indices, D))


MANIFOLDS = [
    make_linear(60),
    make_helix(60),
    make_sphere(60),
    make_gaussian_mixture(60, variant="scripts"),
]


@pytest.mark.parametrize("manifold", MANIFOLDS, ids=lambda m: m.name)
class TestContinuousManifold:
    def test_truth_scores_one_and_the_farthest_zero(self, manifold):
        D = manifold.distances()
        assert geodesic_precision(nearest(D, 7), manifold) == 1
        assert geodesic_recall(nearest(D, 7), manifold) == 1
        assert geodesic_precision(nearest(1 / (1 + D), 7), manifold) == 0

    def test_equals_its_matrix(self, manifold):
        indices = random_neighbors(np.random.default_rng(0), 60, 20)
        for by_manifold, by_matrix in zip(
            precision_recall_curve(indices, manifold, [1, 5, 20]),
            precision_recall_curve(indices, manifold.distances(), [1, 5, 20]),
        ):
            np.testing.assert_array_equal(by_manifold, by_matrix)

    @pytest.mark.parametrize("block", [1, 7, 59, 60])
    def test_reads_blocks_once_and_the_result_does_not_depend_on_them(self, manifold, block):
        indices = random_neighbors(np.random.default_rng(1), 60, 20)
        whole = precision_recall_curve(indices, manifold, [3, 20])
        shapes = []

        def recording(a, b):
            shapes.append((len(a), len(b)))
            return manifold.geodesic(a, b)

        with patch.object(metrics, "_BLOCK_ELEMENTS", block * 60):
            blocked = precision_recall_curve(
                indices, replace(manifold, geodesic=recording), [3, 20]
            )
        np.testing.assert_array_equal(blocked.precision, whole.precision)
        assert max(shapes) <= (block, 60)
        assert sum(rows for rows, _ in shapes) == 60


def test_any_choice_among_tied_points_of_the_sphere_is_right():
    D = make_sphere(200).distances()
    rng = np.random.default_rng(0)
    for _ in range(3):
        order = rng.permutation(200)  # ties of equal rounded distance fall in this order
        shuffled = nearest(D[np.ix_(order, order)].round(9), 10)
        assert geodesic_precision(shuffled, D[np.ix_(order, order)]) == 1


def test_a_random_answer_scores_chance():
    indices = random_neighbors(np.random.default_rng(0), 1000, 50)
    assert geodesic_precision(indices, make_helix(1000)) == pytest.approx(50 / 999, abs=0.005)


class TestDiscreteManifold:
    def test_labels_manifold_and_matrix_agree(self):
        m = make_gaussian_mixture(80)
        indices = random_neighbors(np.random.default_rng(0), 80, 30)
        by_labels = precision_recall_curve(indices, m.labels, [5, 30])
        for truth in (m, m.distances()):
            curve = precision_recall_curve(indices, truth, [5, 30])
            np.testing.assert_array_equal(curve.precision, by_labels.precision)
            np.testing.assert_array_equal(curve.recall, by_labels.recall)

    def test_never_builds_distances(self):
        def refuse(a, b):
            raise AssertionError("distances of a discrete manifold are not needed")

        m = replace(make_gaussian_mixture(30), geodesic=refuse)
        geodesic_precision(random_neighbors(np.random.default_rng(0), 30, 5), m)

    def test_oracle_on_the_connectome(self):
        # 50 of the same type for as many as there are: 21 input and 29 output neurons cannot fill a
        # query of 50.
        m = load_connectome()
        curve = precision_recall_curve(nearest(m.distances(), 50), m, [50])
        sizes = np.array([100, 63, 21, 29])
        assert curve.precision[0] == pytest.approx(
            (sizes * np.minimum(sizes - 1, 50) / 50).sum() / 213
        )
        assert curve.recall[0] == pytest.approx(
            (sizes * np.minimum(50 / (sizes - 1), 1)).sum() / 213
        )

    def test_bool_and_text_labels(self):
        indices = [[1], [0], [0], [2]]
        assert geodesic_precision(indices, [True, True, False, False]) == 0.75
        assert geodesic_precision(indices, np.array(["x", "x", "y", "y"], dtype=object)) == 0.75


GOOD = [[1], [0], [1]]
LABELS = [0, 0, 1]
LINE = np.abs(np.subtract.outer(np.arange(3.0), np.arange(3.0)))


def with_value(i, j, value):
    D = LINE.copy()
    D[i, j] = value
    return D


@pytest.mark.parametrize("score", [geodesic_precision, geodesic_recall])
@pytest.mark.parametrize(
    ("indices", "truth", "error", "message"),
    [
        ([1, 0, 1], LABELS, ValueError, r"indices: must have shape \(n, k\)"),
        (np.empty((3, 0), int), LABELS, ValueError, "k >= 1"),
        ([[1.0], [0.0], [1.0]], LABELS, TypeError, "indices: must be integers, got dtype float64"),
        (
            [[1], [0], [2]],
            LABELS,
            ValueError,
            "indices: row 2 contains 2; a point must not be its own neighbor",
        ),
        (
            [[1], [0], [3]],
            LABELS,
            ValueError,
            r"indices: row 2 contains 3; every index must lie in 0\.\.2",
        ),
        ([[1], [-1], [0]], LABELS, ValueError, "indices: row 1 contains -1"),
        (
            [[1, 2], [0, 0], [0, 1]],
            LABELS,
            ValueError,
            "indices: row 1 contains 0; a neighbor must not be listed twice",
        ),
        (
            [[1, 2, 0], [0, 2, 1], [0, 1, 2]],
            LABELS,
            ValueError,
            "3 points have at most 2 neighbors",
        ),
        (GOOD, [0, 0, 1, 1], ValueError, "truth: has 4 points, but indices has 3 rows"),
        (GOOD, make_linear(4), ValueError, "truth: has 4 points"),
        (GOOD, make_gaussian_mixture(4), ValueError, "truth: has 4 points"),
        (GOOD, np.zeros((4, 4)), ValueError, "truth: has 4 points"),
        (GOOD, np.zeros((3, 2)), ValueError, "truth: distances must be a square matrix"),
        (
            GOOD,
            np.full((3, 3), "a"),
            ValueError,
            "truth: distances must be a square matrix of numbers",
        ),
        (GOOD, 3.0, ValueError, "truth: must be a Manifold"),
        (
            GOOD,
            with_value(1, 0, np.nan),
            ValueError,
            "truth: must not contain NaN, got one in row 1",
        ),
        (GOOD, with_value(1, 0, -1), ValueError, "must not be negative"),
        (GOOD, with_value(1, 0, np.inf), ValueError, "do not divide the points into components"),
        (GOOD, [0.0, np.nan, 0.0], ValueError, "truth: must not contain NaN, got one in row 1"),
        (
            GOOD,
            np.array(["a", None, "a"], dtype=object),
            TypeError,
            "truth: labels must be all of one type",
        ),
        (GOOD, [0.1, 0.2, 0.3], ValueError, "every point is alone"),
    ],
)
def test_refuses(score, indices, truth, error, message):
    with pytest.raises(error, match=message):
        score(indices, truth)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.nan, "must not contain NaN"),
        (-1.0, "must not be negative"),
        (np.inf, "must have labels"),
    ],
)
def test_refuses_a_manifold_with_bad_distances(value, message):
    bad = Manifold(
        X=np.zeros((3, 3)),
        latent=np.zeros((3, 1)),
        name="bad",
        geodesic=lambda a, b: np.full((len(a), len(b)), value),
    )
    with pytest.raises(ValueError, match=message):
        geodesic_precision(GOOD, bad)


@pytest.mark.parametrize(
    ("ks", "error", "message"),
    [
        ([0], ValueError, r"ks: must lie between 1 and 1"),
        ([1, 2], ValueError, r"ks: must lie between 1 and 1"),
        ([], ValueError, "ks: must be a list"),
        (1, ValueError, "ks: must be a list"),
        ([1.0], TypeError, "ks: must be integers"),
    ],
)
def test_curve_refuses_ks(ks, error, message):
    with pytest.raises(error, match=message):
        precision_recall_curve(GOOD, LABELS, ks)


def test_inputs_are_left_alone():
    D = LINE.copy()
    indices = np.array(GOOD)
    geodesic_precision(indices, D)
    np.testing.assert_array_equal(D, LINE)
    np.testing.assert_array_equal(indices, GOOD)
