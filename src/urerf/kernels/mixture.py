"""Mclust-BIC: a mixture of two Gaussians fitted by EM, cut where both are equally likely."""

import math
from typing import NamedTuple

import numpy as np

from ._jit import inlined, jit
from .fast_bic import cut_fast_bic
from .settings import Rule
from .sort import count_below
from .two_means import cut_two_means, prefix_sums, within

# EM stops when a round gains less log-likelihood per value: far less than a parameter costs.
ENOUGH = 1e-6
# EM converges slowly where components overlap, and such a mixture rarely wins: rounds are bounded.
ROUNDS = 200
# The smallest share of the values that a component may own, to keep logarithms finite.
SMALLEST = 1e-9
# exp overflows above 709; a probability of exp(-700) is zero.
LOG_ZERO = -700.0


class Mixture(NamedTuple):
    """Two Gaussians with weights w1 and 1 - w1, means and variances."""

    w1: float
    mu1: float
    v1: float
    mu2: float
    v2: float


@inlined
def _log_odds(m):
    """Return the log ratio of the weighted densities, each at the mean of its component."""
    log_density1 = math.log(m.w1) - 0.5 * math.log(m.v1)
    return log_density1 - math.log1p(-m.w1) + 0.5 * math.log(m.v2)


@inlined
def _half_square(x, mean, variance):
    """Return the exponent of a Gaussian density, without its sign."""
    return 0.5 * (x - mean) ** 2 / variance


@jit
def log_likelihood(z, m):
    """Return the log-likelihood of z under the mixture m."""
    total = 0.0
    two_pi = 2.0 * math.pi
    top1 = math.log(m.w1) - 0.5 * math.log(two_pi * m.v1)
    top2 = math.log1p(-m.w1) - 0.5 * math.log(two_pi * m.v2)
    for i in range(z.size):
        a = top1 - _half_square(z[i], m.mu1, m.v1)
        b = top2 - _half_square(z[i], m.mu2, m.v2)
        gap = abs(a - b)
        total += max(a, b) + math.log1p(math.exp(-gap))  # log(exp(a) + exp(b))
    return total


@jit
def _em_step(z, m, shift, least, equal):
    """Do one round of expectation and maximization; sums run over z - shift."""
    n = z.size
    log_odds = _log_odds(m)
    # Weight, sum and sum of squares of the first component, and of all values.
    r = 0.0
    rz = 0.0
    rzz = 0.0
    all_z = 0.0
    all_zz = 0.0
    for i in range(n):
        a = log_odds
        a -= _half_square(z[i], m.mu1, m.v1)
        a += _half_square(z[i], m.mu2, m.v2)
        p = 1.0 / (1.0 + math.exp(-a)) if a > LOG_ZERO else 0.0
        d = z[i] - shift
        r += p
        rz += p * d
        rzz += p * d * d
        all_z += d
        all_zz += d * d
    r = max(r, SMALLEST * n)
    r = min(r, n * (1.0 - SMALLEST))
    q = n - r
    qz = all_z - rz
    qzz = all_zz - rzz
    ss1 = max(rzz - rz * rz / r, 0.0)
    ss2 = max(qzz - qz * qz / q, 0.0)
    v1, v2 = _variances(ss1, ss2, r, n, least, equal)
    mu1 = shift + rz / r
    mu2 = shift + qz / q
    return Mixture(r / n, mu1, v1, mu2, v2)


@inlined
def _variances(ss1, ss2, n1, n, least, equal):
    """Return both variances, at least ``least``; the same for both if they are to be equal."""
    if equal:
        v1 = max((ss1 + ss2) / n, least)
        v2 = v1
    else:
        v1 = max(ss1 / n1, least)
        v2 = max(ss2 / (n - n1), least)
    return v1, v2


@jit
def fit_mixture(z, start, spread, equal, floor, sums, squares):
    """Fit a mixture by EM, from the assignment "the first ``start`` values against the rest".

    Comes after `prefix_sums`, which returned ``spread``. Returns (log-likelihood, mixture).
    """
    n = z.size
    shift = np.float64(z[n // 2])
    least = floor * spread / n
    mean1 = 0.0
    mean2 = 0.0
    for i in range(start):
        mean1 += (z[i] - shift) / start
    for i in range(start, n):
        mean2 += (z[i] - shift) / (n - start)
    ss1, ss2 = within(start, n, sums, squares)
    v1, v2 = _variances(ss1, ss2, start, n, least, equal)
    mixture = Mixture(start / n, shift + mean1, v1, shift + mean2, v2)
    likelihood = log_likelihood(z, mixture)
    for _ in range(ROUNDS):
        mixture = _em_step(z, mixture, shift, least, equal)
        before = likelihood
        likelihood = log_likelihood(z, mixture)
        if likelihood - before < ENOUGH * n:
            break
    return likelihood, mixture


@jit
def equally_likely(m, low, high):
    """Return where in (low, high) both weighted densities are equal, NaN if nowhere.

    There may be two: the one closer to the middle of the means, if it lies in (low, high).
    """
    # The log ratio of the densities is a x^2 + b x + c, x measured from the middle of the means.
    middle = 0.5 * (m.mu1 + m.mu2)
    m1 = m.mu1 - middle
    m2 = m.mu2 - middle
    a = 0.5 / m.v2 - 0.5 / m.v1
    b = m1 / m.v1 - m2 / m.v2
    c = 0.5 * m2 * m2 / m.v2 - 0.5 * m1 * m1 / m.v1
    c += _log_odds(m)
    if m.v1 == m.v2:
        root1 = -c / b if b != 0.0 else np.nan
        root2 = root1
    else:
        discriminant = b * b - 4.0 * a * c
        if discriminant < 0.0:
            return np.nan
        q = -0.5 * (b + math.copysign(math.sqrt(discriminant), b))  # no cancellation
        root1 = q / a
        root2 = c / q if q != 0.0 else root1
    if abs(root2) < abs(root1):
        root1, root2 = root2, root1
    if low < middle + root1 < high:
        return middle + root1
    return middle + root2 if low < middle + root2 < high else np.nan


@jit
def cut_mclust_bic(z, rule, scratch):
    """Return the BIC of the best mixture, and (s, cut) where its components are equally likely.

    Both variance models are fitted, each from the Fast-BIC cut, the two-means cut and the middle.
    """
    n = z.size
    sums = scratch.sums
    squares = scratch.squares
    lowest = np.float64(z[0])
    highest = np.float64(z[n - 1])
    any_cut = Rule(rule.criterion, rule.split_score, rule.floor, min_samples_leaf=1)
    score, cut = cut_fast_bic(z, np.bool_(True), any_cut, np.inf, scratch)
    fast = count_below(z, cut) if score < np.inf else 0
    spread = prefix_sums(z, sums, squares)
    _, means = cut_two_means(z, 1, sums, squares)
    starts = (fast, means, n // 2)
    best = np.inf
    best_s = 0
    best_cut = np.nan
    for equal in (False, True):
        for k in range(3):
            start = starts[k]
            if start == 0 or (k > 0 and start == starts[k - 1]):
                continue
            likelihood, mixture = fit_mixture(z, start, spread, equal, rule.floor, sums, squares)
            parameters = 4.0 if equal else 5.0
            score = -2.0 * likelihood + parameters * math.log(n)
            if score < best:
                cut = equally_likely(mixture, lowest, highest)
                s = 0 if math.isnan(cut) else count_below(z, cut)
                if rule.min_samples_leaf <= s <= n - rule.min_samples_leaf:
                    best = score
                    best_s = s
                    best_cut = cut
    return best, best_s, best_cut
