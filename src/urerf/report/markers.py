"""What marks a cluster: the columns in which its rows differ most from all other rows.

Columns are ranked as `rank_genes_groups` of scanpy does with the Wilcoxon test. The effect is the
probability that a row of the cluster has the larger value than another row, minus the probability
of the opposite; for a level of a category or a code, it is the difference of its shares, which is
the same for a column of 0 and 1. Rows without a value count: they have neither the larger value nor
the level, so that a column that few rows of a cluster have a value in does not mark it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

from urerf.columns import dense
from urerf.schema import BOOLEAN, CATEGORY, Column, Frame

from .._typing import Array
from .structure import ranked_features
from .values import percent, value_text

if TYPE_CHECKING:
    from urerf import URerF

# Effects below this do not name a cluster: its rows and the others then overlap by half.
SMALLEST_EFFECT = 0.5
# A low value comes after a high one of an effect that is at most this much smaller: "high CD3" says
# more about cells than "low CD19".
LOW_PENALTY = 0.1
# Numbers with at most this many different values are codes, as years of two surveys are: a cluster
# is then named by the value that nearly all of its rows have. Only the first rows are looked at.
MOST_CODES = 6
NEARLY_ALL = 0.9
SAMPLED = 10_000
# Columns in the name of a cluster, and in the table.
IN_NAME = 2
# Columns that are compared to name a cluster: the strongest.
MOST_MARKING = 200
MOST_MARKERS = 5


class Marker(NamedTuple):
    """A column that marks a cluster."""

    text: str
    """In a few words, such as "high body_mass_g" or "island Biscoe"."""
    detail: str
    """Inside and outside, such as "5,050 (others 3,700)"."""
    effect: float


class Cluster(NamedTuple):
    """A cluster, its size, and what marks it."""

    name: str
    n_rows: int
    markers: list[Marker]


def describe(values: Any, columns: list[Column], cluster: Array) -> list[Cluster]:
    """Return the clusters with their markers; ``values`` is (rows, columns), NaN for missing.

    >>> values = np.array([[1.0, 5.0], [2.0, 5.0], [8.0, 5.0], [9.0, 5.0]])
    >>> found = describe(values, [Column("a"), Column("b")], np.array([0, 0, 1, 1]))
    >>> [one.name for one in found], found[1].markers[0].detail
    (['low a', 'high a'], '8.5 (others 1.5)')
    """
    n_clusters = int(cluster.max(initial=-1)) + 1
    markers: list[list[Marker]] = [[] for _ in range(n_clusters)]
    sizes = np.bincount(cluster + 1, minlength=n_clusters + 1)  # of rows in none first
    for i, column in enumerate(columns):
        cells = values[:, i]
        present = ~np.isnan(cells)
        mark = _mark_category if column.kind == CATEGORY else _mark_numbers
        marked = mark(cells[present], column, cluster[present], sizes)
        for number, marker in marked:
            if marker.effect >= SMALLEST_EFFECT:
                markers[number].append(marker)
    for of_cluster in markers:
        of_cluster.sort(key=_rank)
    return [
        Cluster(name, n_rows, of_cluster[:MOST_MARKERS])
        for name, n_rows, of_cluster in zip(_names(markers), sizes[1:].tolist(), markers)
    ]


def describe_clusters(frame: Frame, model: URerF, cluster: Array) -> list[Cluster]:
    """Return the clusters of the rows of a model, marked by the columns that its trees use."""
    ranked = ranked_features(model, frame.schema)
    used = ranked[model.feature_weights_[ranked] > 0][:MOST_MARKING]
    columns = [frame.schema.columns[i] for i in used]
    return describe(dense(frame.values[:, used]), columns, cluster)


def _rank(marker: Marker) -> float:
    """Return the key by which markers are sorted: high values tell more than low ones."""
    if marker.text.startswith("low "):
        return LOW_PENALTY - marker.effect
    return -marker.effect


def _names(markers: list[list[Marker]]) -> list[str]:
    """Return names of clusters; those that would be equal have more columns."""
    names = [_name(of_cluster, IN_NAME) for of_cluster in markers]
    for number, of_cluster in enumerate(markers):
        if names.count(names[number]) > 1:
            names[number] = _name(of_cluster, MOST_MARKERS)
    for number, name in enumerate(names):
        if not name:
            names[number] = f"cluster {number}"
    return names


def _name(markers: list[Marker], most: int) -> str:
    return ", ".join(marker.text for marker in markers[:most])


def _mark_numbers(
    numbers: Array,
    column: Column,
    cluster: Array,
    sizes: Array,
) -> Iterator[tuple[int, Marker]]:
    """Yield clusters, unless they have all of the rows, and how a column of numbers marks them.

    ``numbers`` and ``cluster`` are those of the rows with a value; ``sizes`` counts all rows.
    """
    ranks = rankdata(numbers)
    n_rows = sizes.sum()
    n_distinct = len(np.unique(numbers[:SAMPLED]))
    is_code = column.kind == BOOLEAN or n_distinct <= MOST_CODES
    for number in np.unique(cluster[cluster >= 0]):
        is_member = cluster == number
        inside = numbers[is_member]
        outside = numbers[~is_member]
        if not len(outside):
            continue
        n_inside = sizes[number + 1]
        n_outside = n_rows - n_inside
        share_of_pairs = len(inside) * len(outside) / (n_inside * n_outside)
        effect = share_of_pairs * _rank_effect(ranks[is_member], len(outside))
        median = float(np.median(inside))
        middle = value_text(median, column)
        share_in = float((inside == median).sum() / n_inside)
        if is_code and share_in >= NEARLY_ALL:
            share_out = float((outside == median).sum() / n_outside)
            effect = share_in - share_out
            text = f"{column.name} {middle}"
            middle = percent(share_in)
            others = percent(share_out)
        else:
            side = "high" if effect > 0 else "low"
            text = f"{side} {column.name}"
            others = value_text(float(np.median(outside)), column)
        detail = f"{middle} (others {others})"
        yield number, Marker(text, detail, abs(effect))


def _rank_effect(ranks: Array, n_outside: int) -> float:
    """Return how much more often a row inside has the larger value, given the ranks inside."""
    n_inside = len(ranks)
    wins = ranks.sum() - n_inside * (n_inside + 1) / 2
    return float(2 * wins / (n_inside * n_outside) - 1)


def _mark_category(
    codes: Array,
    column: Column,
    cluster: Array,
    sizes: Array,
) -> Iterator[tuple[int, Marker]]:
    """Yield what `_mark_numbers` does, for the codes of levels."""
    shape = cluster.max(initial=-1) + 2, len(column.levels)
    counts = np.zeros(shape, dtype=int)
    levels = codes.astype(int)
    np.add.at(counts, (cluster, levels), 1)  # rows without a cluster, -1, come last
    total = counts.sum(axis=0)
    for number, inside in enumerate(counts[:-1]):
        outside = total - inside
        if not inside.any() or not outside.any():
            continue
        n_inside = sizes[number + 1]
        share_in = inside / n_inside
        share_out = outside / (sizes.sum() - n_inside)
        difference = share_in - share_out
        best = int(np.argmax(difference))
        level = column.levels[best]
        quoted = f'"{level}"' if "," in level else level  # commas separate the columns of a name
        text = f"{column.name} {quoted}"
        inside_text = percent(share_in[best])
        outside_text = percent(share_out[best])
        detail = f"{inside_text} (others {outside_text})"
        yield number, Marker(text, detail, float(difference[best]))
