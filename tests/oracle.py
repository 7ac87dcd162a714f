"""A slow, obvious version of every kernel, written from the formulas, to compare with.

Nothing here is optimized: sums are computed anew for every cut, random numbers are Python integers,
trees are recursive. Sorting is compared with NumPy's.
"""

import itertools
import math
from functools import cache, partial
from itertools import count, pairwise
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from urerf.kernels.mixture import Mixture
from urerf.kernels.settings import AXIS, DIRECTION, FAST_BIC, GAIN, OBLIQUE, TWO_MEANS
from urerf.kernels.tree import PEEL_LEAST, PEEL_SHARE, POOL

# -- Random numbers

WORD = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(x):
    """The finalizer of SplitMix64."""
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


def sample_rows(key, n, m, bootstrap):
    """Draw m of n rows, ascending: m independent draws, or Knuth's algorithm S."""
    if bootstrap:
        return sorted(random_below(key, i, n) for i in range(m))
    rows = []
    for row in range(n):
        if random_unit(key, row) < (m - len(rows)) / (n - row):
            rows.append(row)
    return rows


# -- Projections


def is_skipped(key, counter, feature_weight):
    """A drawn column is kept with its weight as a chance; weight 1 costs no random number."""
    return feature_weight < 1 and random_unit(key, counter()) >= feature_weight


def sample_axis(key, d, feature_weights):
    """Return d distinct columns: the top of a shuffled deck, some skipped while enough are left."""
    p = len(feature_weights)
    deck = list(range(p))
    drawn = []
    for j in range(p):
        other = j + random_below(key, j, p - j)
        deck[j], deck[other] = deck[other], deck[j]
        missing = d - len(drawn)
        if missing == 0:
            break
        weight = feature_weights[deck[j]]
        if missing == p - j or not is_skipped(key, lambda j=j: p + j, weight):
            drawn.append(deck[j])
    return [([column], [1.0]) for column in drawn]


def coefficient(key, counter, projection):
    """Return +1 or -1; for a direction a Gaussian number, by Box and Muller."""
    if projection == OBLIQUE:
        return 1.0 if random_bits(key, counter) % 2 else -1.0
    radius = math.sqrt(-2 * math.log(1 - random_unit(key, counter)))
    angle = 2 * math.pi * random_unit(derive(key, 4), counter)
    return float(np.float32(radius * math.cos(angle)))


def sample_sparse(key, projection, d, density, feature_weights):
    """Return d candidates: walk down the p entries of each, jumping over empty ones.

    The jumps are geometric. At the end of an empty candidate, columns are drawn anywhere until one
    is not skipped.
    """
    p = len(feature_weights)
    counter = count().__next__
    candidates = []
    for _ in range(d):
        columns = []
        coefficients = []
        entry = 0
        while True:
            unit = random_unit(key, counter())
            if density < 1.0:
                entry += min(p, int(math.log(1.0 - unit) / math.log1p(-density)))
            at_end = entry >= p
            if at_end and columns:
                break
            column = random_below(key, counter(), p) if at_end else entry
            entry += 1
            if is_skipped(key, counter, feature_weights[column]):
                continue
            columns.append(column)
            coefficients.append(coefficient(key, counter(), projection))
            if at_end:
                break
        candidates.append((columns, coefficients))
    return candidates


def sample_projections(key, projection, d, density, feature_weights):
    """Return d candidates as (columns, coefficients)."""
    if projection == AXIS:
        return sample_axis(key, d, feature_weights)
    return sample_sparse(key, projection, d, density, feature_weights)


def project(matrix, rows, columns, coefficients):
    """Sum coefficient times column, one after the other, in float32."""
    values = np.zeros(len(rows), np.float32)
    for column, factor in zip(columns, coefficients, strict=True):
        values = values + np.float32(factor) * matrix[column, rows]
    return values


# -- One-dimensional cuts


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
    """Return the smaller BIC of the two variance models for the cut after the s-th value."""
    n = len(z)
    n1 = s
    n2 = n - s
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


def allowed(z, min_samples_leaf):
    """Return every s with min_samples_leaf values on both sides and no equal values across."""
    return [s for s in range(min_samples_leaf, len(z) - min_samples_leaf + 1) if z[s - 1] < z[s]]


def midpoint(low, high):
    """Return the float32 nearest to the midpoint, but above low."""
    middle = np.float32((float(low) + float(high)) / 2)
    return middle if middle > low else np.float32(high)


def all_cuts(z, criterion, split_score, min_samples_leaf, floor):
    """Return every cut that the criterion looks at; the best of them is its choice."""
    places = allowed(z, min_samples_leaf)
    if not places:
        return []
    if criterion == TWO_MEANS:
        base = within(z) if split_score == GAIN else 1.0
        return [Cut(two_means(z, s) / base, midpoint(z[s - 1], z[s]), s) for s in places]
    base = bic_one(z) if split_score == GAIN else 0.0
    if criterion == FAST_BIC:
        return [Cut(fast_bic(z, s, floor) - base, midpoint(z[s - 1], z[s]), s) for s in places]
    return [c._replace(score=c.score - base) for c in mixture_cuts(z, min_samples_leaf, floor)]


def choose_cut(z, criterion, split_score, min_samples_leaf, floor):
    """Return the best cut, the lowest of equals; None if there is none."""
    cuts = all_cuts(z, criterion, split_score, min_samples_leaf, floor)
    return min(cuts, key=lambda c: (c.score, c.value), default=None)


def cut_at_random(z, min_samples_leaf, unit):
    """Cut at the allowed place nearest to a uniform one between the 5 % and 95 % quantiles."""
    n = len(z)
    low = float(z[n // 20])
    high = float(z[n - 1 - n // 20])
    wanted = (z < np.float32(low + unit * (high - low))).sum()
    s = min(allowed(z, min_samples_leaf), key=lambda s: (abs(s - wanted), s))
    return midpoint(z[s - 1], z[s])


# -- Mixtures of two Gaussians


def log_densities(x, mixture):
    """Return log(w_j N(x; mu_j, v_j)) of both components."""
    w1, mu1, v1, mu2, v2 = mixture
    one = math.log(w1) - (x - mu1) ** 2 / (2 * v1) - math.log(2 * math.pi * v1) / 2
    two = math.log1p(-w1) - (x - mu2) ** 2 / (2 * v2) - math.log(2 * math.pi * v2) / 2
    return one, two


def log_likelihood(z, mixture):
    return math.fsum(np.logaddexp(*log_densities(np.asarray(z, np.float64), mixture)))


def maximize(z, share, equal, floor):
    """Return the most likely mixture if component one owns ``share`` of each value."""
    rest = 1 - share
    least = floor * within(z) / len(z)
    mu1 = (share * z).sum() / share.sum()
    mu2 = (rest * z).sum() / rest.sum()
    ss1 = (share * (z - mu1) ** 2).sum()
    ss2 = (rest * (z - mu2) ** 2).sum()
    v1 = ss1 / share.sum()
    v2 = ss2 / rest.sum()
    if equal:
        v1 = v2 = (ss1 + ss2) / len(z)
    return Mixture(share.mean(), mu1, max(v1, least), mu2, max(v2, least))


def fit_mixture(z, start, equal, floor):
    """EM from "the first ``start`` values against the rest"; return (log-likelihood, mixture)."""
    z = np.asarray(z, np.float64)
    mixture = maximize(z, (np.arange(len(z)) < start).astype(float), equal, floor)
    likelihood = log_likelihood(z, mixture)
    for _ in range(200):
        one, two = log_densities(z, mixture)
        mixture = maximize(z, np.exp(one - np.logaddexp(one, two)), equal, floor)
        before = likelihood
        likelihood = log_likelihood(z, mixture)
        if likelihood - before < 1e-6 * len(z):
            break
    return likelihood, mixture


def equally_likely(mixture, low, high):
    """Return where in (low, high) both components are equally likely.

    Between the means, else nearest to their middle. A list: empty if there is no such point, two
    points if they are equally near. The log ratio is a quadratic, so between the ends and its
    vertex it changes sign at most once. Roots are sought as shares of the way from low to high, so
    that the scale does not matter.
    """
    _, mu1, v1, mu2, v2 = mixture

    def log_ratio(share):
        one, two = log_densities(low + share * (high - low), mixture)
        return one - two

    grid = set(np.linspace(0, 1, 101))
    if v1 != v2:
        vertex = (mu1 / v1 - mu2 / v2) / (1 / v1 - 1 / v2)
        if low < vertex < high:
            grid.add((vertex - low) / (high - low))
    steps = pairwise(sorted(grid))
    shares = [brentq(log_ratio, a, b) for a, b in steps if (log_ratio(a) > 0) != (log_ratio(b) > 0)]
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


def mixture_cuts(z, min_samples_leaf, floor):
    """Return the cut of every start and variance model, as far as it is allowed."""
    found = []
    for start in mixture_starts(z, floor):
        for equal in (False, True):
            likelihood, mixture = fit_mixture(z, start, equal, floor)
            bic = -2 * likelihood + (4 if equal else 5) * math.log(len(z))
            for here in equally_likely(mixture, float(z[0]), float(z[-1])):
                below = int((z.astype(float) < here).sum())
                if min_samples_leaf <= below <= len(z) - min_samples_leaf:
                    value = np.float32(here)  # may round down to the value below: then the midpoint
                    value = value if z[below - 1] < value else midpoint(z[below - 1], z[below])
                    found.append(Cut(bic, value, below))
    return found


# -- Trees


class Choice(NamedTuple):
    """A projection of a node and its cut."""

    columns: list
    coefficients: list
    cut: Cut


def screening_rows(key, rows, m):
    """Return one row at random from each of m equal runs."""
    ends = [i * len(rows) // m for i in range(m + 1)]
    return rows[[a + random_below(key, i, b - a) for i, (a, b) in enumerate(pairwise(ends))]]


def cut_candidates(matrix, rows, key, candidates, settings, min_samples_leaf):
    """Return the best cut of every candidate that has one.

    With random flat nodes, if no two components beat one, the last candidate that can be cut is cut
    at random.
    """
    choices = []
    for candidate in candidates:
        z = np.sort(project(matrix, rows, *candidate))
        cut = choose_cut(
            z, settings.criterion, settings.split_score, min_samples_leaf, settings.floor
        )
        if cut is not None:
            choices.append(Choice(*candidate, cut))
    best = min((c.cut.score for c in choices), default=0.0)
    if settings.random_flat_nodes and best >= 0:
        return cut_flat_node(matrix, rows, key, candidates, min_samples_leaf) or choices
    return choices


def cut_flat_node(matrix, rows, key, candidates, min_samples_leaf):
    """Return the random cut of the last candidate that can be cut, as a list; empty without one."""
    for candidate in reversed(candidates):
        z = np.sort(project(matrix, rows, *candidate))
        if allowed(z, min_samples_leaf):
            value = cut_at_random(z, min_samples_leaf, random_unit(derive(key, 3), 0))
            return [Choice(*candidate, Cut(0.0, value, int((z < value).sum())))]
    return []


def is_peeling(below):
    """Whether few rows are on one side of a cut."""
    return min(below.sum(), (~below).sum()) < PEEL_SHARE * len(below)


def node_choices(matrix, rows, key, settings, feature_weights):
    """Return (the possible splits of a node, how many values were looked at)."""
    everyone = sample_projections(
        key, settings.projection, settings.max_features, settings.density, feature_weights
    )
    candidates = everyone
    screen = settings.screening_rows
    min_samples_leaf = settings.min_samples_leaf
    work = 0
    if len(rows) > 2 * screen > 0:
        sample = screening_rows(derive(key, 2), rows, screen)
        fewer = max(1, min_samples_leaf * screen // len(rows))
        ranked = cut_candidates(matrix, sample, key, candidates, settings, fewer)
        work += screen * len(candidates)
        if ranked:
            best = min(ranked, key=lambda c: c.cut.score)
            candidates = [(best.columns, best.coefficients)]
    choices = cut_candidates(matrix, rows, key, candidates, settings, min_samples_leaf)
    work += len(rows) * len(candidates)
    if not choices and len(candidates) < len(everyone):
        choices = cut_candidates(matrix, rows, key, everyone, settings, min_samples_leaf)
        work += len(rows) * len(everyone)
    return choices, work


class Node(NamedTuple):
    """A node with all below it; a leaf has no choice and no children."""

    rows: np.ndarray
    choice: Choice | None = None
    left: "Node | None" = None
    right: "Node | None" = None


def draw_pool(matrix, rows, key, settings, feature_weights):
    """Return the random directions of a tree, and its rows' values in them as a matrix."""
    count = max(POOL, settings.max_features)
    pool = sample_projections(derive(key, 5), DIRECTION, count, settings.density, feature_weights)
    return pool, np.array([project(matrix, rows, *direction) for direction in pool], np.float32)


def grow(matrix, rows, key, settings, feature_weights=None):
    """Grow a tree.

    Peeling cuts share one budget for the whole tree, from left to right, and are limited in a row.
    """
    budget = settings.peel_work
    if feature_weights is None:
        feature_weights = [1.0] * len(matrix)
    if settings.projection == DIRECTION:
        pool, projected = draw_pool(matrix, rows, key, settings, feature_weights)
        on_axes = settings._replace(projection=AXIS)
        tree = grow(projected, np.arange(len(rows)), key, on_axes)
        return on_directions(tree, pool, rows)

    def is_below(rows, choice):
        return project(matrix, rows, choice.columns, choice.coefficients) < choice.cut.value

    def instead_of_peeling(rows, key):
        """Return a random split; None without random flat nodes, or if it would peel as well."""
        if not settings.random_flat_nodes:
            return None
        candidates = sample_projections(
            key, settings.projection, settings.max_features, settings.density, feature_weights
        )
        choices = cut_flat_node(matrix, rows, key, candidates, settings.min_samples_leaf)
        if not choices or is_peeling(is_below(rows, choices[0])):
            return None
        return choices[0]

    def node(rows, key, depth, peels=0):
        nonlocal budget
        if len(rows) < settings.min_samples_split or depth >= settings.max_depth:
            return Node(rows)
        choices, work = node_choices(matrix, rows, key, settings, feature_weights)
        if not choices:
            return Node(rows)
        best = min(choices, key=lambda c: c.cut.score)
        below = is_below(rows, best)
        if is_peeling(below):
            budget -= max(work, PEEL_LEAST)
            peels += 1
            if budget < 0 or peels > settings.peel_chain:
                rows = np.concatenate([rows[below], rows[~below]])  # they were divided already
                best = instead_of_peeling(rows, key)
                if best is None:
                    return Node(rows)
                below = is_below(rows, best)
                peels = 0
        else:
            peels = 0
        left = node(rows[below], derive(key, 0), depth + 1, peels)
        right = node(rows[~below], derive(key, 1), depth + 1, peels)
        return Node(rows, best, left, right)

    return node(rows, key, 0)


def on_directions(node, pool, rows):
    """Return a tree that was grown on a pool of directions in terms of columns and rows."""
    if node.choice is None:
        return Node(rows[node.rows])
    columns, coefficients = pool[node.choice.columns[0]]
    choice = Choice(columns, coefficients, node.choice.cut)
    left = on_directions(node.left, pool, rows)
    right = on_directions(node.right, pool, rows)
    return Node(rows[node.rows], choice, left, right)


def preorder(node):
    """Return the node and all below it, as the flat arrays hold them."""
    return [node] if node.choice is None else [node, *preorder(node.left), *preorder(node.right)]


def apply(tree, matrix):
    """Walk every row down the flat tree; return its leaf numbers."""
    leaves = []
    for i in range(matrix.shape[1]):
        node = 0
        while tree.child[node] >= 0:
            direction = tree.direction[node]
            run = slice(tree.begin[direction], tree.begin[direction + 1])
            value = project(matrix, [i], tree.columns[run], tree.coefficients[run])[0]
            node = node + 1 if value < tree.cut[node] else tree.child[node]
        leaves.append(-1 - tree.child[node])
    return leaves


# -- Neighbors


def leaf_paths(child):
    """Return for every leaf, from left to right, the nodes from the root down to it."""

    def walk(node, above):
        path = [*above, node]
        return [path] if child[node] < 0 else walk(node + 1, path) + walk(child[node], path)

    return walk(0, [])


def levels(child, rows, deep):
    """Return for each node how many nodes of its path, with itself, are below the last deep one.

    Deep nodes hold ``deep`` rows or more; the root counts as one.
    """
    level = np.zeros(len(child), int)
    for path in leaf_paths(child):
        for i, node in enumerate(path):
            large = [j for j, above in enumerate(path[: i + 1]) if j == 0 or rows[above] >= deep]
            level[node] = i - large[-1]
    return level


def similarities(trees, node_weights, leaves, fitted):
    """Sum over trees the weight of the lowest node that holds both rows, pair by pair.

    ``trees`` are the child arrays, ``node_weights`` an array for each; ``leaves`` and ``fitted``
    are (trees, rows). A row in no leaf (-1) shares no node with any other.
    """
    sums = 0
    for child, weight, ours, theirs in zip(trees, node_weights, leaves, fitted, strict=True):
        paths = leaf_paths(child)

        @cache
        def similar(a, b, paths=paths, weight=weight):
            if a < 0 or b < 0:
                return 0
            common = [x for x, y in zip(paths[a], paths[b]) if x == y]
            return weight[common[-1]]

        sums = sums + np.array([[similar(int(a), int(b)) for b in theirs] for a in ours])
    return sums


def signature(leaves, seed):
    """Hash the leaves of one row."""
    h = mix(seed)
    for leaf in leaves:
        h = mix((h + int(leaf)) & WORD)
    return h


def top_k(sums, leaves, seed, k, itself):
    """Return the k most similar rows, best first, without ``itself``.

    Ties go to the larger hash (40 bits) of the querying row's signature and the other row's number.
    If fewer than k rows have a positive sum, rows are drawn until k different ones are there.
    """
    stamp = signature(leaves, seed)

    def rank(j):
        tie = mix((stamp + j) & WORD) & ((1 << 40) - 1)
        return -sums[j], -tie

    rows = [j for j in range(len(sums)) if sums[j] > 0 and j != itself]
    best = sorted(rows, key=rank)[:k]
    counter = 0
    while len(best) < k:
        row = (mix((mix(stamp) + counter) & WORD) >> 32) * len(sums) >> 32
        counter += 1
        if sums[row] == 0 and row != itself and row not in best:
            best.append(row)
    return best


def needed_part(leaf, child, weight, members):
    """Return what rows in the leaves ``leaf`` need of the index of a tree.

    (nodes of positive weight on the paths to these leaves, rows that these nodes hold), where
    ``members`` are the rows of each leaf. Rows in no leaf (-1) need nothing.
    """
    paths = leaf_paths(child)
    nodes = {node for x in leaf if x >= 0 for node in paths[x] if weight[node] > 0}
    held = [set(members[x]) for x, path in enumerate(paths) if nodes & set(path)]
    return sorted(nodes), set().union(*held)


def fingerprint(row):
    """Hash the float32 values of one row; both zeros are the same, and so are all NaN."""
    h = 0
    for value in row:
        if value == 0:
            value = 0.0
        if math.isnan(value):
            value = math.nan
        word = np.float32(value).view(np.uint32)
        h = mix((h + int(word)) & WORD)
    return h


# -- What a tree reads


def donor_distances(row, donors, feature_weights, level_width):
    """Return the mean squared difference to each donor, over the columns that both have.

    Two different levels of a category differ by its width times the square root of 1 / 6. Without a
    common column the distance is inf.
    """
    distances = []
    for donor in donors.T.astype(float):
        total = 0.0
        shared = 0.0
        for c in range(len(row)):
            if math.isnan(row[c]) or math.isnan(donor[c]):
                continue
            square = (float(row[c]) - donor[c]) ** 2
            if level_width[c]:
                square = float(row[c] != donor[c]) / 6 * (level_width[c] * level_width[c])
            total += feature_weights[c] ** 2 * square
            shared += feature_weights[c] ** 2
        distances.append(total / shared if shared else math.inf)
    return distances


def donor_values(row, donors, feature_weights, level_width, nearest=5):
    """Return {column: values} for the missing cells of a row, those of the nearest donor first."""
    distances = donor_distances(row, donors, feature_weights, level_width)
    found = {}
    for c in np.flatnonzero(np.isnan(row)):
        able = [j for j, d in enumerate(distances) if d < math.inf and not math.isnan(donors[c, j])]
        best = sorted(able, key=lambda j: distances[j])[:nearest]
        found[int(c)] = [float(donors[c, j]) for j in best]
    return found


def level_number(key, column, code, width):
    """Return the number that stands for a level of a column."""
    return np.float32(width * random_unit(derive(key, column), int(code)))


def read_row(row, values, fingerprint, n_levels, level_width, level_key, gap_key):
    """Return a row as a tree reads it; ``values`` are the `donor_values` of its missing cells.

    One number of the row's own stream, scaled to the number of values, chooses for every cell.
    """
    stream = derive(gap_key, fingerprint >> 1)
    read = []
    for c, value in enumerate(row):
        if math.isnan(value):
            without = n_levels[c]  # 0 for numbers, a level of its own for categories
            options = values[c] or [without]
            value = options[random_below(stream, 0, len(options))]
        if n_levels[c]:
            value = level_number(level_key, c, value, level_width[c])
        read.append(np.float32(value))
    return read


# -- Layouts


def relax(points, neighbors, epochs, pushes, key):
    """Return the points after attracting the ends of edges and repelling random points."""
    points = points.copy()
    draw = 0
    for epoch in range(epochs):
        rate = 1 - epoch / epochs
        for i, others in enumerate(neighbors):
            for other in others:
                gap = points[i] - points[other]
                step = np.clip(rate * gap / (1 + gap @ gap), -4, 4)
                points[i] -= step
                points[other] += step
                for _ in range(pushes):
                    gap = points[i] - points[random_below(key, draw, len(points))]
                    draw += 1
                    square = gap @ gap
                    force = 2 * rate / ((0.01 + square) * (1 + square))
                    points[i] += np.clip(force * gap, -4, 4)
    return points


def _add_constraint(rows, limits, n_unknown, coefficients, limit):
    """Add the constraint that a sum of unknowns is at most the limit."""
    row = np.zeros(n_unknown)
    for place, value in coefficients:
        row[place] += value
    rows.append(row)
    limits.append(limit)


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
        rows = []
        limits = []
        add = partial(_add_constraint, rows, limits, n_unknown)
        for points, values, sign in ((low, x[: mode + 1], 1), (high, x[mode:], -1)):
            for a, b, c, xa, xb, xc in zip(
                points, points[1:], points[2:], values, values[1:], values[2:]
            ):
                left = 1 / (xb - xa)
                right = 1 / (xc - xb)
                add([(a, -sign * left), (b, sign * (left + right)), (c, -sign * right)], 0)
            for a, b in pairwise(points):
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


def straight_length(point, other, step):
    """The straight distance: squared among numbers, a sum of steps if there are categories."""
    total = 0.0
    for a, b, mismatch in zip(point.tolist(), other.tolist(), step.tolist(), strict=True):
        if mismatch > 0:
            total += mismatch if a != b else 0.0
        elif step.any():
            total += abs(a - b)
        else:
            total += (a - b) * (a - b)
    return total


def blended(forest, near, n_trees):
    """The blended distance of two rows, from those of the forest and the straight one in [0, 1]."""
    if forest == 1:
        return 1.0
    half_a_tree = 1 / (2 * n_trees)
    coarse = (forest + half_a_tree) / (1 + half_a_tree)
    return math.sqrt(coarse * near)


def nearest_by_path(edges, starts, n, k, itself, stamp):
    """The k rows with the shortest paths, by relaxing all edges until nothing changes.

    ``edges`` are (row, row, length), ``starts`` are (row, length). Returns (lengths, rows); rows
    that no path reaches are left out.
    """
    length = {}
    for row, long in starts:
        length[row] = min(long, length.get(row, math.inf))
    changed = True
    while changed:
        changed = False
        for a, b, long in edges:
            for here, there in ((a, b), (b, a)):
                if length.get(here, math.inf) + long < length.get(there, math.inf):
                    length[there] = length[here] + long
                    changed = True
    found = [row for row in range(n) if row in length and row != itself]
    found.sort(key=lambda row: (length[row], -mix((stamp + row) % 2**64)))
    return [length[row] for row in found[:k]], found[:k]


# -- functions of columns and their comparison ---------------------------------------------------


def polynomials(values, degree, largest_fourth):
    """Return the orthonormal polynomials of the mid-ranks, (functions, rows)."""
    n = len(values)
    below = (values[:, None] > values).sum(axis=1)
    equal = (values[:, None] == values).sum(axis=1)
    u = (2 * below + equal) / n - 1
    n_levels = len(np.unique(values))
    powers = np.vander(u, min(degree, n_levels - 1) + 1, increasing=True)
    q, r = np.linalg.qr(powers)
    functions = (q * np.sign(np.diagonal(r)) * np.sqrt(n)).T[1:]
    kept = 1
    while kept < len(functions) and (functions[kept] ** 4).mean() <= largest_fourth:
        kept += 1
    return functions[:kept]


def levels_of_codes(codes, n_first, rare):
    """Return the level of each row: frequent categories first, rare ones in one level."""
    names, counts = np.unique(codes, return_counts=True)
    by_frequency = sorted(range(len(names)), key=lambda i: (-counts[i], names[i]))
    order = by_frequency[:n_first] + sorted(by_frequency[n_first:])
    frequent = [names[i] for i in order if counts[i] >= rare]
    n_rare = counts[counts < rare].sum()
    level_of_rare = len(frequent)
    if 0 < n_rare < rare and frequent:
        level_of_rare -= 1
    return np.array([frequent.index(c) if c in frequent else level_of_rare for c in codes])


def moments_of(functions):
    """Return the number of functions, |E fff|^2, |E f |f|^2|^2, E |f|^4 and E |f|^6."""
    n = functions.shape[1]
    third = np.einsum("ai,bi,ci->abc", functions, functions, functions) / n
    trace = np.einsum("abb->a", third)
    square = (functions**2).sum(axis=0)
    fourth = (square**2).mean()
    sixth = (square**3).mean()
    return np.array([len(functions), (third**2).sum(), (trace**2).sum(), fourth, sixth])


def best_partners(score, k):
    """Return the k best partners of each column, worst first; of equal ones the first is best."""
    p = len(score)
    partners = np.empty((p, k), dtype=int)
    for i in range(p):
        others = [j for j in range(p) if j != i]
        others.sort(key=lambda j: (score[i, j], -j))
        partners[i] = others[-k:]
    return partners


def covariance_over_matchings(first, second):
    """Return the covariance of sum(f_a[block] g_b[matched block]) over all matchings of blocks."""
    n_blocks = first.shape[1]
    sums = []
    for order in itertools.permutations(range(n_blocks)):
        sums.append(np.tensordot(first, second[:, list(order)], axes=([1, 2], [1, 2])).ravel())
    return np.cov(np.array(sums).T, bias=True)
