"""Where to cut sorted values in two: two-means, Fast-BIC, Mclust-BIC ("Splitting Criteria").

For sorted values z of the n points of a node, cut after the s-th: n1 = s, n2 = n - s, SS_j the
within-cluster sum of squares, v_j = SS_j / n_j, v = (SS_1 + SS_2) / n, w_j = n_j / n.

- two-means: SS_1 + SS_2.
- Fast-BIC: the smaller of the two variance models, with
  H = -2 (n1 log w1 + n2 log w2) + n (1 + log 2 pi):
  H + n1 log v1 + n2 log v2 + 5 log n (unequal) and H + n log v + 4 log n (equal). This is the
  derivation in the paper's appendix; its Algorithm 4 has a wrong sign in the second cluster.
- Mclust-BIC: the BIC of a mixture fitted by EM, `urerf.kernels.mixture`.
- one component: n log(SS / n) + n (1 + log 2 pi) + 2 log n.

**The floor.** A cluster of one point or of equal values has v_j = 0 and would win by log(0). Here
v_j is at least ``floor`` times the variance of the node, SS / n, and v at least what follows from
that. The rule does not depend on the scale of the data, and what a tiny cluster can win is bounded
by n_j log(1 / floor). ``FLOORS`` in `urerf.kernels.settings` has the values.

A cut never falls between equal values and leaves at least ``min_samples_leaf`` points on each side.
A smaller score is better. Functions return (score, s) or (score, cut); if no cut is allowed, the
score is inf and s is 0.
"""

import numpy as np

from ._jit import inlined, jit
from .fast_bic import bic_one, cut_fast_bic
from .mixture import cut_mclust_bic
from .settings import FAST_BIC, GAIN, TWO_MEANS
from .sort import between, count_below
from .two_means import cut_two_means, prefix_sums

# Random cuts stay between the quantiles of one in so many: 5 % and 95 %. Farther out they would
# peel off a few extreme rows.
TAIL = 20


@jit
def choose_cut(z, rule, beat, scratch):
    """Cut sorted float32 values by any criterion; return (score, cut).

    The split score GAIN compares two components with one, which does not depend on the scale of z:
    BIC(2) - BIC(1), and for two-means the share of SS that is left. The score is inf if no cut is
    allowed; by Fast-BIC also if none is below ``beat``.
    """
    if rule.criterion == FAST_BIC:
        return cut_fast_bic(z, np.bool_(True), rule, beat, scratch)
    n = z.size
    sums = scratch.sums
    squares = scratch.squares
    spread = prefix_sums(z, sums, squares)
    if n < 2 * rule.min_samples_leaf or not spread > 0.0:
        return np.inf, np.float32(0.0)
    gain = rule.split_score == GAIN
    if rule.criterion == TWO_MEANS:
        score, s = cut_two_means(z, rule.min_samples_leaf, sums, squares)
        score = score / spread if gain else score
        cut = between(z[s - 1], z[s])
    else:
        score, s, at = cut_mclust_bic(z, rule, scratch)
        score = score - bic_one(spread, n) if gain else score
        cut = np.float32(at)
        if not z[s - 1] < cut <= z[s]:
            cut = between(z[s - 1], z[s])
    if s == 0:
        return np.inf, np.float32(0.0)
    return score, cut


@inlined
def cut_at_random(z, min_samples_leaf, unit):
    """Cut sorted values at a uniform place between their 5 % and 95 % quantiles.

    ``unit`` is the random number. The cut moves to the nearest place that is allowed: between
    different values, with ``min_samples_leaf`` of them on each side. Returns (cut, whether there is
    such a place).
    """
    n = z.size
    low = np.float64(z[n // TAIL])
    high = np.float64(z[n - 1 - n // TAIL])
    value = np.float32(low + unit * (high - low))
    wanted = count_below(z, value)
    for away in range(n):
        for s in (wanted - away, wanted + away):
            if min_samples_leaf <= s <= n - min_samples_leaf and z[s - 1] < z[s]:
                return between(z[s - 1], z[s]), True
    return np.float32(0.0), False
