"""A slow, obvious twin of every kernel, written from the formulas, to compare with.

Nothing here is tuned: sums are taken anew for every cut, random numbers are Python integers, trees
are recursive.
"""

import math
from functools import cache
from itertools import count, pairwise
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from urerf.kernels.settings import AXIS, DIRECTION, FAST_BIC, GAIN, OBLIQUE, TWO_MEANS
from urerf.kernels.tree import PEEL_LEAST, PEEL_SHARE, POOL

# Random numbers
# -------------------------------------------------------------------------------------------------------

WORD = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(x):
    """SplitMix64's finaliser."""
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & WORD
    return x ^ (x >> 31)


def random_bits(key, counter):
    return mix((key + (counter + 1) * GOLDEN) & WORD)


def random_below(key, counter, n):
    return (random_bits(key, counter) >> 32) * n >> 32


def random_unit(key, counter):
    return (random_bits(key, counter) >> 11) / 2**53


def derive(key, branch):
    return mix((mix(key) + (branch + 1) * GOLDEN) & WORD)


def sample_rows(key, n, m, replace):
    """Draw m of n rows, ascending: m independent draws, or Knuth's algorithm S."""
    if replace:
        return sorted(random_below(key, i, n) for i in range(m))
    rows = []
    for row in range(n):
        if random_unit(key, row) < (m - len(rows)) / (n - row):
            rows.append(row)
    return rows


# Projections
# ----------------------------------------------------------------------------------------------------------


def passed_over(key, counter, feature_weights):
    """A column that is drawn is kept with its feature_weights; one that is certain costs no random number."""
    return feature_weights < 1 and random_unit(key, counter()) >= feature_weights


def sample_axis(key, d, feature_weights):
    """Return d distinct columns of weight one: the top of a shuffled deck, passing over some while enough are left."""
    p = len(feature_weights)
    deck = list(range(p))
    drawn = []
    for j in range(p):
        other = j + random_below(key, j, p - j)
        deck[j], deck[other] = deck[other], deck[j]
        missing = d - len(drawn)
        left = p - j
        if missing and (
            missing == left or not passed_over(key, lambda j=j: p + j, feature_weights[deck[j]])
        ):
            drawn.append(deck[j])
    return [([column], [1.0]) for column in drawn]


def random_weight(key, counter, kind):
    """Return +1 or -1; for a direction a Gaussian number, by Box and Muller."""
    if kind == OBLIQUE:
        return 1.0 if random_bits(key, counter) % 2 else -1.0
    radius = math.sqrt(-2 * math.log(1 - random_unit(key, counter)))
    return float(np.float32(radius * math.cos(2 * math.pi * random_unit(derive(key, 4), counter))))


def sample_sparse(key, kind, d, density, feature_weights):
    """Return d candidates: walk down the p cells of each, jumping over a geometric number of empty ones.

    At the end of an empty one, columns are drawn anywhere until one is not passed over.
    """
    p = len(feature_weights)
    counter = count().__next__
    candidates = []
    for _ in range(d):
        columns = []
        coefficients = []
        cell = 0
        while True:
            unit = random_unit(key, counter())
            cell += (
                0 if density == 1.0 else min(p, int(math.log(1.0 - unit) / math.log1p(-density)))
            )
            at_end = cell >= p
            if at_end and columns:
                break
            column = random_below(key, counter(), p) if at_end else cell
            cell += 1
            if passed_over(key, counter, feature_weights[column]):
                continue
            columns.append(column)
            coefficients.append(random_weight(key, counter(), kind))
            if at_end:
                break
        candidates.append((columns, coefficients))
    return candidates


def sample_projections(key, kind, d, density, feature_weights):
    return (
        sample_axis(key, d, feature_weights)
        if kind == AXIS
        else sample_sparse(key, kind, d, density, feature_weights)
    )


def project(table, rows, columns, coefficients):
    """Sum weight times column, one after the other, in float32."""
    values = np.zeros(len(rows), np.float32)
    for column, weight in zip(columns, coefficients, strict=True):
        values = values + np.float32(weight) * table[column, rows]
    return values


# One-dimensional cuts
# -------------------------------------------------------------------------------------------------


class Cut(NamedTuple):
    """A cut, how good it is (small is good), and how many values lie below it."""

    score: float
    value: np.float32
    below: int


def within(z):
    """SS of the values around their mean."""
    z = np.asarray(z, np.float64)
    mean = math.fsum(z) / len(z)
    return math.fsum((z - mean) ** 2)


def two_means(z, s):
    return within(z[:s]) + within(z[s:])


def fast_bic(z, s, floor):
    """Return the smaller BIC of the two variance models, of the cut after the s-th value."""
    n = len(z)
    n1 = s
    n2 = len(z) - s
    w1 = n1 / n
    w2 = n2 / n
    least = floor * within(z) / n
    v1 = max(within(z[:s]) / n1, least)
    v2 = max(within(z[s:]) / n2, least)
    v = w1 * v1 + w2 * v2
    h = -2 * (n1 * math.log(w1) + n2 * math.log(w2)) + n * (1 + math.log(2 * math.pi))
    unequal = h + n1 * math.log(v1) + n2 * math.log(v2) + 5 * math.log(n)
    equal = h + n * math.log(v) + 4 * math.log(n)
    return min(unequal, equal)


def bic_one(z):
    n = len(z)
    return n * math.log(within(z) / n) + n * (1 + math.log(2 * math.pi)) + 2 * math.log(n)


def allowed(z, min_leaf):
    """Return every s with min_leaf values on both sides and no equal values across."""
    return [s for s in range(min_leaf, len(z) - min_leaf + 1) if z[s - 1] < z[s]]


def midpoint(low, high):
    """Return the float32 nearest to the midpoint, but above low."""
    middle = np.float32((float(low) + float(high)) / 2)
    return middle if middle > low else np.float32(high)


def all_cuts(z, criterion, score, min_leaf, floor):
    """Return every cut that the criterion looks at; the best of them is its choice."""
    if not allowed(z, min_leaf):
        return []
    if criterion == TWO_MEANS:
        base = within(z)
        found = [Cut(two_means(z, s), midpoint(z[s - 1], z[s]), s) for s in allowed(z, min_leaf)]
        return [Cut(c.score / base, c.value, c.below) for c in found] if score == GAIN else found
    base = bic_one(z) if score == GAIN else 0.0
    if criterion == FAST_BIC:
        return [
            Cut(fast_bic(z, s, floor) - base, midpoint(z[s - 1], z[s]), s)
            for s in allowed(z, min_leaf)
        ]
    return [Cut(c.score - base, c.value, c.below) for c in mixture_cuts(z, min_leaf, floor)]


def choose_cut(z, criterion, score, min_leaf, floor):
    """Return the best cut, the lowest of equals; None where there is none."""
    return min(
        all_cuts(z, criterion, score, min_leaf, floor),
        key=lambda c: (c.score, c.value),
        default=None,
    )


def cut_at_random(z, min_leaf, unit):
    """Cut at the allowed place nearest to a uniform one between the 5 % and the 95 % quantile, the lower of equals."""
    n = len(z)
    low = float(z[n // 20])
    high = float(z[n - 1 - n // 20])
    wanted = (z < np.float32(low + unit * (high - low))).sum()
    s = min(allowed(z, min_leaf), key=lambda s: (abs(s - wanted), s))
    return midpoint(z[s - 1], z[s])


# Mixtures of two Gaussians
# --------------------------------------------------------------------------------------------


class Mixture(NamedTuple):
    w1: float
    mu1: float
    v1: float
    mu2: float
    v2: float


def log_densities(x, mixture):
    """Return log(w_j N(x; mu_j, v_j)) of both components."""
    w1, mu1, v1, mu2, v2 = mixture
    one = math.log(w1) - (x - mu1) ** 2 / (2 * v1) - math.log(2 * math.pi * v1) / 2
    two = math.log1p(-w1) - (x - mu2) ** 2 / (2 * v2) - math.log(2 * math.pi * v2) / 2
    return one, two


def log_likelihood(z, mixture):
    return math.fsum(np.logaddexp(*log_densities(np.asarray(z, np.float64), mixture)))


def maximise(z, share, equal, floor):
    """Return the mixture of greatest likelihood when component one owns ``share`` of each value; variances floored."""
    rest = 1 - share
    least = floor * within(z) / len(z)
    mu1 = (share * z).sum() / share.sum()
    mu2 = (rest * z).sum() / rest.sum()
    ss1 = (share * (z - mu1) ** 2).sum()
    ss2 = (rest * (z - mu2) ** 2).sum()
    v1, v2 = (ss1 / share.sum(), ss2 / rest.sum()) if not equal else ((ss1 + ss2) / len(z),) * 2
    return Mixture(share.mean(), mu1, max(v1, least), mu2, max(v2, least))


def fit_mixture(z, start, equal, floor):
    """EM from "the first ``start`` values against the rest"; return (log-likelihood, mixture)."""
    z = np.asarray(z, np.float64)
    mixture = maximise(z, (np.arange(len(z)) < start).astype(float), equal, floor)
    likelihood = log_likelihood(z, mixture)
    for _ in range(200):
        one, two = log_densities(z, mixture)
        mixture = maximise(z, np.exp(one - np.logaddexp(one, two)), equal, floor)
        before = likelihood
        likelihood = log_likelihood(z, mixture)
        if likelihood - before < 1e-6 * len(z):
            break
    return likelihood, mixture


def equally_likely(mixture, low, high):
    """Return where in (low, high) both components are equally likely: between the means, else nearest to their middle.

    A list: empty where there is no such point, two points where they are equally near. The
    log-ratio is a quadratic, so between the ends and its vertex it changes sign at most once. Roots
    are sought as shares of the way from low to high, so that the scale does not matter.
    """
    _, mu1, v1, mu2, v2 = mixture

    def log_ratio(share):
        one, two = log_densities(low + share * (high - low), mixture)
        return one - two

    grid = set(np.linspace(0, 1, 101))
    if v1 != v2:
        vertex = (mu1 / v1 - mu2 / v2) / (1 / v1 - 1 / v2)
        grid |= {(vertex - low) / (high - low)} if low < vertex < high else set()
    grid = sorted(grid)
    signs = [log_ratio(x) > 0 for x in grid]
    shares = [
        brentq(log_ratio, a, b) for a, b, s, t in zip(grid, grid[1:], signs, signs[1:]) if s != t
    ]
    roots = [low + share * (high - low) for share in shares]
    middle = (mu1 + mu2) / 2
    between = [x for x in roots if min(mu1, mu2) <= x <= max(mu1, mu2)]
    nearest = min((abs(x - middle) for x in between or roots), default=None)
    return [x for x in between or roots if abs(x - middle) <= nearest + 1e-6 * (high - low)]


def mixture_starts(z, floor):
    """Return where EM starts: the Fast-BIC cut, the two-means cut, the middle."""
    return {
        choose_cut(z, FAST_BIC, GAIN, 1, floor).below,
        choose_cut(z, TWO_MEANS, GAIN, 1, floor).below,
        len(z) // 2,
    }


def mixture_cuts(z, min_leaf, floor):
    """Return the cut of every start and variance model, as far as it is allowed."""
    found = []
    for start in mixture_starts(z, floor):
        for equal in (False, True):
            likelihood, mixture = fit_mixture(z, start, equal, floor)
            bic = -2 * likelihood + (4 if equal else 5) * math.log(len(z))
            for here in equally_likely(mixture, float(z[0]), float(z[-1])):
                below = int((z.astype(float) < here).sum())
                if min_leaf <= below <= len(z) - min_leaf:
                    value = np.float32(here)  # may round down to the value below: then the midpoint
                    value = value if z[below - 1] < value else midpoint(z[below - 1], z[below])
                    found.append(Cut(bic, value, below))
    return found


# Trees
# ----------------------------------------------------------------------------------------------------------------


class Choice(NamedTuple):
    """A projection of a node and its cut."""

    columns: list
    coefficients: list
    cut: Cut


def screening_rows(key, rows, m):
    """Return one row at random from each of m equal runs."""
    ends = [i * len(rows) // m for i in range(m + 1)]
    return rows[[a + random_below(key, i, b - a) for i, (a, b) in enumerate(pairwise(ends))]]


def cut_candidates(table, rows, key, candidates, settings, min_leaf):
    """Return the best cut of every candidate that has one.

    With random cuts, where no two components beat one, the last candidate that can be cut is cut at
    random.
    """
    choices = []
    cuttable = None
    for candidate in candidates:
        z = np.sort(project(table, rows, *candidate))
        cut = choose_cut(z, settings.criterion, settings.split_score, min_leaf, settings.floor)
        if cut is not None:
            choices.append(Choice(*candidate, cut))
        if allowed(z, min_leaf):
            cuttable = candidate, z
    if (
        settings.random_flat_nodes
        and cuttable
        and min((c.cut.score for c in choices), default=0.0) >= 0
    ):
        candidate, z = cuttable
        value = cut_at_random(z, min_leaf, random_unit(derive(key, 3), 0))
        return [Choice(*candidate, Cut(0.0, value, int((z < value).sum())))]
    return choices


def node_choices(table, rows, key, settings, feature_weights):
    """Return (the node's possible splits, how many values were looked at)."""
    everyone = candidates = sample_projections(
        key, settings.projection, settings.max_features, settings.density, feature_weights
    )
    work = 0
    screen = settings.screening_rows
    if len(rows) > 2 * screen > 0:
        some = screening_rows(derive(key, 2), rows, screen)
        few = max(1, settings.min_samples_leaf * screen // len(rows))
        ranked = cut_candidates(table, some, key, candidates, settings, few)
        work += screen * len(candidates)
        if ranked:
            best = min(ranked, key=lambda c: c.cut.score)
            candidates = [(best.columns, best.coefficients)]
    choices = cut_candidates(table, rows, key, candidates, settings, settings.min_samples_leaf)
    work += len(rows) * len(candidates)
    if not choices and len(candidates) < len(everyone):
        choices = cut_candidates(table, rows, key, everyone, settings, settings.min_samples_leaf)
        work += len(rows) * len(everyone)
    return choices, work


class Node(NamedTuple):
    """A node with all below it; a leaf has no choice and no children."""

    rows: np.ndarray
    choice: Choice | None = None
    left: "Node | None" = None
    right: "Node | None" = None


def draw_pool(table, rows, key, settings, feature_weights):
    """Return the random directions of a tree, and its rows' values in them as a table of their own."""
    pool = sample_projections(
        derive(key, 5),
        DIRECTION,
        max(POOL, settings.max_features),
        settings.density,
        feature_weights,
    )
    return pool, np.array([project(table, rows, *direction) for direction in pool], np.float32)


def grow(table, rows, key, settings, feature_weights=None):
    """Grow a tree; peeling cuts draw on one budget for the whole tree, from left to right, and are limited in a row."""
    budget = settings.peel_work
    feature_weights = [1.0] * len(table) if feature_weights is None else feature_weights
    if settings.projection == DIRECTION:
        pool, seen = draw_pool(table, rows, key, settings, feature_weights)
        return on_directions(
            grow(seen, np.arange(len(rows)), key, settings._replace(projection=AXIS)), pool, rows
        )

    def node(rows, key, depth, peels=0):
        nonlocal budget
        if len(rows) < settings.min_samples_split or depth >= settings.max_depth:
            return Node(rows)
        choices, work = node_choices(table, rows, key, settings, feature_weights)
        if not choices:
            return Node(rows)
        best = min(choices, key=lambda c: c.cut.score)
        below = project(table, rows, best.columns, best.coefficients) < best.cut.value
        if min(below.sum(), (~below).sum()) < PEEL_SHARE * len(rows):
            budget -= max(work, PEEL_LEAST)
            peels += 1
            if budget < 0 or peels > settings.peel_chain:
                return Node(rows)
        else:
            peels = 0
        left = node(rows[below], derive(key, 0), depth + 1, peels)
        return Node(rows, best, left, node(rows[~below], derive(key, 1), depth + 1, peels))

    return node(rows, key, 0)


def on_directions(node, pool, rows):
    """Return a tree that was grown on a pool of directions in terms of columns and rows."""
    if node.choice is None:
        return Node(rows[node.rows])
    columns, coefficients = pool[node.choice.columns[0]]
    choice = Choice(columns, coefficients, node.choice.cut)
    return Node(
        rows[node.rows],
        choice,
        on_directions(node.left, pool, rows),
        on_directions(node.right, pool, rows),
    )


def preorder(node):
    """Return the node and all below it, as the flat arrays hold them."""
    return [node] if node.choice is None else [node, *preorder(node.left), *preorder(node.right)]


def apply(tree, table):
    """Walk every row down the flat tree (child, cut, size, direction, begin, ...); return its leaf numbers."""
    child, cut, _, direction, begin, columns, coefficients = tree
    leaves = []
    for i in range(table.shape[1]):
        node = 0
        while child[node] >= 0:
            run = slice(begin[direction[node]], begin[direction[node] + 1])
            value = project(table, [i], columns[run], coefficients[run])[0]
            node = node + 1 if value < cut[node] else child[node]
        leaves.append(-1 - child[node])
    return leaves


# Neighbours
# -----------------------------------------------------------------------------------------------------------


def leaf_paths(child):
    """Return for every leaf, from left to right, the nodes from the root down to it."""

    def walk(node, above):
        path = [*above, node]
        return [path] if child[node] < 0 else walk(node + 1, path) + walk(child[node], path)

    return walk(0, [])


def levels(child, rows, deep):
    """Return for each node of a tree how many nodes of its path, itself included, stand below the last deep one."""
    level = np.zeros(len(child), int)
    for path in leaf_paths(child):
        for i, node in enumerate(path):
            large = [j for j, above in enumerate(path[: i + 1]) if j == 0 or rows[above] >= deep]
            level[node] = i - large[-1]
    return level


def similarities(trees, weights, leaves, fitted):
    """Sum over trees the weight of the lowest node that holds both rows, pair by pair.

    ``trees`` are the child arrays, ``coefficients`` an array for each, ``leaves`` and ``fitted`` (trees,
    rows).
    """
    sums = 0
    for child, weight, ours, theirs in zip(trees, weights, leaves, fitted, strict=True):
        paths = leaf_paths(child)

        @cache
        def alike(a, b, paths=paths, weight=weight):
            return weight[[x for x, y in zip(paths[a], paths[b]) if x == y][-1]]

        sums = sums + np.array([[alike(int(a), int(b)) for b in theirs] for a in ours])
    return sums


def signature(leaves, seed):
    """Hash the leaves of one row."""
    h = mix(seed)
    for leaf in leaves:
        h = mix((h + int(leaf)) & WORD)
    return h


def top_k(sums, leaves, seed, k, myself):
    """Return the rows of positive sum, most alike first, at most k, ``myself`` left out.

    Ties go to the larger hash (40 bits) of the querying row's signature and the other row's number.
    """
    stamp = signature(leaves, seed)
    tie = lambda j: mix((stamp + j) & WORD) & ((1 << 40) - 1)  # noqa: E731
    rows = [j for j in range(len(sums)) if sums[j] > 0 and j != myself]
    return sorted(rows, key=lambda j: (-sums[j], -tie(j)))[:k]


def fingerprint(row):
    """Hash the float32 values of one row; both zeros are the same."""
    h = 0
    for value in row:
        word = np.float32(0.0 if value == 0 else value).view(np.uint32)
        h = mix((h + int(word)) & WORD)
    return h


# Missing values
# -------------------------------------------------------------------------------------------------------


def fill_missing(table, donors, feature_weights, nearest=5):
    """Fill NaN with the mean over the nearest donors that have the value; 0 where there is none."""
    filled = table.copy()
    weight = np.asarray(feature_weights)[:, None] ** 2
    for i, row in enumerate(table.T.astype(float)):
        both = ~np.isnan(row)[:, None] & ~np.isnan(donors)
        squared = np.where(both, weight * (row[:, None] - donors.astype(float)) ** 2, 0).sum(axis=0)
        shared = (weight * both).sum(axis=0)
        distance = np.divide(squared, shared, out=np.full(len(shared), np.inf), where=shared > 0)
        for c in np.flatnonzero(np.isnan(row)):
            have = np.flatnonzero(~np.isnan(donors[c]) & np.isfinite(distance))
            best = have[np.argsort(distance[have], kind="stable")][:nearest]
            filled[c, i] = donors[c, best].astype(float).mean() if len(best) else 0.0
    return filled


def dip(x: np.ndarray) -> float:
    """Distance of a sample from the nearest distribution with one mode, by linear programs.

    For each position of the mode: find heights G of a distribution function at the values that are
    convex before the mode and concave after it, as close as possible to the steps of the sample.
    """
    from scipy.optimize import linprog

    x, counts = np.unique(x, return_counts=True)
    m = len(x)
    after = np.cumsum(counts) / counts.sum()
    before = after - counts / counts.sum()
    best = np.inf
    for mode in range(m):
        # Unknown: G before the mode's jump, G after it (they differ at the mode only), distance.
        low = list(range(mode + 1))
        high = [mode + 1 + k for k in range(m - mode)]
        n_unknown = m + 2
        rows, limits = [], []

        def add(coefficients, limit):
            row = np.zeros(n_unknown)
            for place, value in coefficients:
                row[place] += value
            rows.append(row)
            limits.append(limit)

        for points, values, sign in ((low, x[: mode + 1], 1), (high, x[mode:], -1)):
            for a, b, c, xa, xb, xc in zip(
                points, points[1:], points[2:], values, values[1:], values[2:]
            ):
                left, right = 1 / (xb - xa), 1 / (xc - xb)
                add([(a, -sign * left), (b, sign * (left + right)), (c, -sign * right)], 0)
            for a, b in zip(points, points[1:]):
                add([(a, 1), (b, -1)], 0)
        add([(low[-1], 1), (high[0], -1)], 0)
        for k in range(m):
            below = low[k] if k <= mode else high[k - mode]
            above = low[k] if k < mode else high[k - mode]
            add([(below, 1), (n_unknown - 1, -1)], before[k])
            add([(above, -1), (n_unknown - 1, -1)], -after[k])
        cost = np.zeros(n_unknown)
        cost[-1] = 1
        solution = linprog(cost, np.array(rows), limits, bounds=[(None, None)] * n_unknown)
        best = min(best, solution.fun)
    return best
