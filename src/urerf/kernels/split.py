"""Where to cut sorted values in two: two-means, Fast-BIC and Mclust-BIC (section "Splitting Criteria").

For sorted values z of the n points of a node, cut after the s-th: n1 = s, n2 = n - s, SS_j the
within-cluster sum of squares, v_j = SS_j / n_j, v = (SS_1 + SS_2) / n, w_j = n_j / n.

- two-means: SS_1 + SS_2.
- Fast-BIC: the smaller of the two variance models, with H = -2 (n1 log w1 + n2 log w2) + n (1 + log
  2 pi): H + n1 log v1 + n2 log v2 + 5 log n (unequal) and H + n log v + 4 log n (equal).
- one component: n log(SS / n) + n (1 + log 2 pi) + 2 log n.

**The floor.** A cluster of one point or of equal values has v_j = 0 and would win by log(0). Here
v_j is never taken below ``floor`` times the node's own variance SS / n (nor v below what that makes
of it), so the rule moves with the data's scale, and what a tiny cluster can win is bounded by n_j
log(1 / floor). The values are chosen by evidence: see ``FLOORS`` in `urerf.kernels.settings`.

A cut never falls between equal values and leaves at least ``min_samples_leaf`` points on each side. Every
function returns (score, s): the smaller the score the better; s = 0 and score = inf where no cut is
allowed.
"""

import math

import numpy as np

from ._jit import inlined, jit
from .fast_bic import block_sums, cut_fast_bic
from .settings import FAST_BIC, GAIN, TWO_MEANS

_LOG_2PI_E = 1.0 + math.log(2.0 * math.pi)


@jit
def sums_of_squares(z, left, right):
    """Fill left[s], right[s] with SS_1, SS_2 of the cut after the s-th value; return SS of all values.

    Sums run over z minus its middle value, in double precision, so that a shift of z does not eat
    the digits.
    """
    n = z.size
    middle = np.float64(z[n // 2])
    total = 0.0
    total_sq = 0.0
    for i in range(n):
        d = z[i] - middle
        total += d
        total_sq += d * d
        left[i] = total
        right[i] = total_sq
    for i in range(n - 1):
        below = left[i]
        below_sq = right[i]
        left[i] = max(below_sq - below * below / (i + 1), 0.0)
        above = total - below
        right[i] = max(total_sq - below_sq - above * above / (n - 1 - i), 0.0)
    return max(total_sq - total * total / n, 0.0)


@inlined
def cut_two_means(z, min_samples_leaf, left, right):
    """Return the smallest SS_1 + SS_2 and where."""
    n = z.size
    best = np.inf
    at = 0
    for s in range(min_samples_leaf, n - min_samples_leaf + 1):
        if z[s - 1] < z[s]:
            score = left[s - 1] + right[s - 1]
            if score < best:
                best = score
                at = s
    return best, at


@inlined
def bic_one(spread, n):
    """BIC of one Gaussian component for n values whose SS is ``spread``."""
    return n * math.log(spread / n) + n * _LOG_2PI_E + 2.0 * math.log(n)


@inlined
def between(low, high):
    """Return the float32 midpoint, moved so that low < cut <= high."""
    cut = np.float32(0.5 * low + 0.5 * high)
    return cut if low < cut else high


@jit
def log_likelihood(z, w1, mu1, v1, mu2, v2):
    """Log-likelihood of z under a mixture of two Gaussians with weights w1 and 1 - w1."""
    total = 0.0
    c1 = math.log(w1) - 0.5 * math.log(2.0 * math.pi * v1)
    c2 = math.log1p(-w1) - 0.5 * math.log(2.0 * math.pi * v2)
    for i in range(z.size):
        a = c1 - 0.5 * (z[i] - mu1) ** 2 / v1
        b = c2 - 0.5 * (z[i] - mu2) ** 2 / v2
        total += max(a, b) + math.log1p(math.exp(-abs(a - b)))
    return total


@jit
def _em_step(z, w1, mu1, v1, mu2, v2, shift, least, equal):
    """One round of expectation and maximisation; sums run over z - shift."""
    n = z.size
    odds = math.log(w1) - 0.5 * math.log(v1) - math.log1p(-w1) + 0.5 * math.log(v2)
    r = 0.0
    rz = 0.0
    rzz = 0.0
    all_z = 0.0
    all_zz = 0.0
    for i in range(n):
        a = odds - 0.5 * (z[i] - mu1) ** 2 / v1 + 0.5 * (z[i] - mu2) ** 2 / v2
        p = 1.0 / (1.0 + math.exp(-a)) if a > -700.0 else 0.0
        d = z[i] - shift
        r += p
        rz += p * d
        rzz += p * d * d
        all_z += d
        all_zz += d * d
    r = min(max(r, 1e-9 * n), n * (1.0 - 1e-9))
    q = n - r
    qz = all_z - rz
    qzz = all_zz - rzz
    ss1 = max(rzz - rz * rz / r, 0.0)
    ss2 = max(qzz - qz * qz / q, 0.0)
    if equal:
        v1 = v2 = max((ss1 + ss2) / n, least)
    else:
        v1 = max(ss1 / r, least)
        v2 = max(ss2 / q, least)
    return r / n, shift + rz / r, v1, shift + qz / q, v2


@jit
def fit_mixture(z, start, spread, equal, left, right, floor):
    """EM for two Gaussians from the hard assignment "first ``start`` values against the rest".

    Returns (log-likelihood, w1, mu1, v1, mu2, v2). Stops when a round gains less than 1e-6 a value,
    or after 200.
    """
    n = z.size
    shift = np.float64(z[n // 2])
    least = floor * spread / n
    mu1 = 0.0
    mu2 = 0.0
    for i in range(start):
        mu1 += (z[i] - shift) / start
    for i in range(start, n):
        mu2 += (z[i] - shift) / (n - start)
    w1 = start / n
    mu1 = shift + mu1
    mu2 = shift + mu2
    v1 = max(left[start - 1] / start, least)
    v2 = max(right[start - 1] / (n - start), least)
    if equal:
        v1 = v2 = max((left[start - 1] + right[start - 1]) / n, least)
    likelihood = log_likelihood(z, w1, mu1, v1, mu2, v2)
    for _ in range(200):
        w1, mu1, v1, mu2, v2 = _em_step(z, w1, mu1, v1, mu2, v2, shift, least, equal)
        before = likelihood
        likelihood = log_likelihood(z, w1, mu1, v1, mu2, v2)
        if likelihood - before < 1e-6 * n:
            break
    return likelihood, w1, mu1, v1, mu2, v2


@jit
def equally_likely(w1, mu1, v1, mu2, v2, low, high):
    """Return the point in (low, high) where both weighted densities are equal; NaN where there is none.

    The root nearest to the middle of the means; if it is outside, the other one.
    """
    middle = 0.5 * (mu1 + mu2)
    # a x^2 + b x + c = 0 for x measured from the middle of the means.
    m1 = mu1 - middle
    m2 = mu2 - middle
    a = 0.5 / v2 - 0.5 / v1
    b = m1 / v1 - m2 / v2
    c = 0.5 * m2 * m2 / v2 - 0.5 * m1 * m1 / v1
    c += math.log(w1) - 0.5 * math.log(v1) - math.log1p(-w1) + 0.5 * math.log(v2)
    if v1 == v2:
        root1 = root2 = -c / b if b != 0.0 else np.nan
    else:
        root = b * b - 4.0 * a * c
        if root < 0.0:
            return np.nan
        q = -0.5 * (b + math.copysign(math.sqrt(root), b))
        root1 = q / a
        root2 = c / q if q != 0.0 else root1
    if abs(root2) < abs(root1):
        root1, root2 = root2, root1
    if low < middle + root1 < high:
        return middle + root1
    return middle + root2 if low < middle + root2 < high else np.nan


@inlined
def count_below(z, value):
    """Return how many of the sorted values are below ``value``, by bisection."""
    low = 0
    high = z.size
    while low < high:
        middle = (low + high) // 2
        if z[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def cut_mclust_bic(z, min_samples_leaf, left, right, nlogn, floor):
    """Return the BIC of the best EM mixture, and (s, cut) where its components are equally likely.

    Both variance models, each started from the Fast-BIC cut, the two-means cut and the middle.
    """
    n = z.size
    best = np.inf
    s = 0
    cut = np.nan
    fast = cut_fast_bic(
        z, np.int64(1), block_sums(z, left, right), left, right, nlogn, floor, np.inf
    )[1]
    spread = sums_of_squares(z, left, right)
    starts = (fast, cut_two_means(z, np.int64(1), left, right)[1], n // 2)
    for equal in (False, True):
        for k in range(3):
            if starts[k] == 0 or (k > 0 and starts[k] == starts[k - 1]):
                continue
            likelihood, w1, mu1, v1, mu2, v2 = fit_mixture(
                z, starts[k], spread, equal, left, right, floor
            )
            score = -2.0 * likelihood + (4.0 if equal else 5.0) * math.log(n)
            if score < best:
                here = equally_likely(w1, mu1, v1, mu2, v2, np.float64(z[0]), np.float64(z[n - 1]))
                at = 0 if math.isnan(here) else count_below(z, here)
                if min_samples_leaf <= at <= n - min_samples_leaf:
                    best = score
                    s = at
                    cut = here
    return best, s, cut


@jit
def choose_fast_bic_cut(z, score, min_samples_leaf, left, right, nlogn, floor, beat):
    """Cut sorted float32 values by Fast-BIC: return (score, cut); inf where no cut is allowed or none is below beat."""
    n = z.size
    spread = block_sums(z, left, right)
    if (
        n < 2 * min_samples_leaf or not spread > 0.0
    ):  # values so close together that their squares vanish
        return np.inf, np.float32(0.0)
    one = bic_one(spread, n) if score == GAIN else 0.0
    value, s = cut_fast_bic(z, min_samples_leaf, spread, left, right, nlogn, floor, beat + one)
    if s == 0:
        return np.inf, np.float32(0.0)
    return value - one, between(z[s - 1], z[s])


@jit
def choose_cut(z, criterion, score, min_samples_leaf, left, right, nlogn, floor, beat):
    """Cut sorted float32 values by any criterion: return (score, cut); the score is inf where no cut is allowed.

    ``score=GAIN`` measures two components against one, which does not move with the scale of z:
    BIC(2) - BIC(1), and for two-means the share of SS that is left. Fast-BIC may say inf as well
    where no cut scores below ``beat``.
    """
    if criterion == FAST_BIC:
        return choose_fast_bic_cut(z, score, min_samples_leaf, left, right, nlogn, floor, beat)
    n = z.size
    spread = sums_of_squares(z, left, right)
    if n < 2 * min_samples_leaf or not spread > 0.0:
        return np.inf, np.float32(0.0)
    if criterion == TWO_MEANS:
        value, s = cut_two_means(z, min_samples_leaf, left, right)
        value = value / spread if score == GAIN else value
        cut = between(z[s - 1], z[s])
    else:
        value, s, here = cut_mclust_bic(z, min_samples_leaf, left, right, nlogn, floor)
        value = value - bic_one(spread, n) if score == GAIN else value
        cut = np.float32(here)
        cut = cut if z[s - 1] < cut <= z[s] else between(z[s - 1], z[s])
    return (value, cut) if s > 0 else (np.inf, np.float32(0.0))


@jit
def cut_at_random(z, min_samples_leaf, unit):
    """Cut sorted values at a uniform place between their 5 % and 95 % quantiles; ``unit`` is the random number.

    The cut moves to the nearest place that is allowed: between different values, ``min_samples_leaf`` on
    each side. Returns (cut, whether there is such a place).
    """
    n = z.size
    low = np.float64(z[n // 20])
    high = np.float64(z[n - 1 - n // 20])
    wanted = count_below(z, np.float32(low + unit * (high - low)))
    for away in range(n):
        for s in (wanted - away, wanted + away):
            if min_samples_leaf <= s <= n - min_samples_leaf and z[s - 1] < z[s]:
                return between(z[s - 1], z[s]), True
    return np.float32(0.0), False
