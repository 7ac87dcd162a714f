"""Figures of a fitted model; they need matplotlib.

Every function draws into the axes it is given, or into a new figure, and returns the axes.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ._checks import check_int
from ._messages import count
from ._typing import Array
from .embedding import embed
from .kinds.convert import Plain, as_levels, naming, plain
from .lab.palette import (
    BLACK,
    BLUE,
    BROWN,
    CORAL,
    DARK_GRAY,
    GREEN,
    LIGHT_GRAY,
    OLIVE,
    ORANGE,
    RED,
    ROSE,
    SKY,
)
from .parameters import check_model
from .report.structure import (
    n_structured,
    ranked_features,
    structure_summary,
    too_little,
    was_tested,
)
from .report.values import shortened
from .schema import DATETIME, NUMBER

if TYPE_CHECKING:
    from .estimator import URerF

COLORS = (BLUE, ORANGE, GREEN, ROSE, SKY, BROWN, BLACK, OLIVE, CORAL)
MARKERS = ("o", "^", "s")
# Every category has another color or, when these are used up, another marker.
LOOKS = tuple(product(MARKERS, COLORS))
# Letters of a name, or of a category, that fit beside a figure.
LONGEST = 30


def map(
    model: URerF,
    color: Any = None,
    *,
    method: str = "layout",
    points: Any = None,
    ax: Any = None,
    size: float | None = None,
) -> Any:
    """Draw every fitted row as a point; rows that are neighbors are close to each other.

    Parameters
    ----------
    model : URerF
        A fitted model.
    color : array-like of shape (rows,), optional
        A value for every fitted row, such as ``X["species"]``: numbers and dates are shown on a
        color scale, anything else as categories with a legend.
    method : str, default="layout"
        How rows are placed; see `urerf.embed`.
    points : array-like of shape (rows, 2), optional
        What `urerf.embed` returned, to draw several maps of the same rows.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None for a new figure.
    size : float, optional
        Area of a point; None for one that depends on the number of rows.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import urerf
    >>> from urerf.datasets import make_gaussian_mixture
    >>> mixture = make_gaussian_mixture(100, random_state=0)
    >>> model = urerf.URerF(n_estimators=20, random_state=0).fit(mixture.X)
    >>> axes = urerf.plot.map(model, color=[f"group {label}" for label in mixture.labels])
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['group 0', 'group 1', 'group 2']
    """
    check_model(model)
    ax = _axes(ax)
    n = model.n_samples_fit_
    if points is None:
        points = embed(model, method)
    places = np.asarray(points, dtype=float)
    if places.shape != (n, 2):
        raise ValueError(
            f"points: must have shape ({n}, 2), got {places.shape}; pass what urerf.embed returned"
        )
    if size is None:
        size = float(np.clip(20_000 / n, 2, 40))
    style = {"s": size, "linewidths": 0, "alpha": 0.8}
    if color is None:
        ax.scatter(*places.T, color=BLUE, **style)
    else:
        values = _values_of(color, n)
        title = str(getattr(color, "name", None) or "")
        if values.kind in (NUMBER, DATETIME):
            _draw_numbers(ax, places, values, title, style)
        else:
            _draw_categories(ax, places, values, title, style)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_title(f"{count(n, 'row')}, placed by their neighbors")
    return ax


def relevance(model: URerF, *, top: int = 20, ax: Any = None) -> Any:
    """Draw how much structure the strongest columns carry.

    Parameters
    ----------
    model : URerF
        A fitted model.
    top : int, default=20
        Number of columns.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None for a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Bars are the strength, from 0 to 1. Columns without structure have none.
    """
    check_model(model)
    check_int("top", top, 1)
    evidence = model.relevance_
    ax = _axes(ax)
    columns = ranked_features(model, evidence.schema)[:top]
    names = [shortened(evidence.schema.columns[i].name, LONGEST) for i in columns]
    strength = evidence.strength[columns]
    positions = np.arange(len(columns))
    ax.barh(positions, strength, color=RED, height=0.7)
    ax.set_yticks(positions, names)
    for label, value in zip(ax.get_yticklabels(), strength):
        label.set_color(BLACK if value > 0 else DARK_GRAY)
    ax.invert_yaxis()
    ax.set_xlim(0, 1)
    ax.set_xlabel("strength")
    ax.xaxis.grid(color=LIGHT_GRAY, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.set_title(_finding(model))
    return ax


def _finding(model: URerF) -> str:
    """Return how many columns carry structure, in a few words."""
    if n_structured(model):
        return structure_summary(model)
    if was_tested(model):
        return "No structure found"
    return f"{too_little(model).capitalize()} to find structure"


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot  # optional
    except ImportError:
        raise ImportError(
            "plot: needs matplotlib; install it with 'pip install urerf[plot]'"
        ) from None
    _, ax = pyplot.subplots(layout="constrained")
    return ax


def _values_of(color: Any, n: int) -> Plain:
    """Return one number, one date or one level per row."""
    if isinstance(color, str):
        raise ValueError(
            f"color: must have one value per row, got {color!r}; "
            f"pass a column, such as X[{color!r}]"
        )
    values = np.asarray(color)
    if values.shape != (n,):
        raise ValueError(
            f"color: must have one value for each of {n} fitted rows, got shape {values.shape}"
        )
    with naming("color"):
        return plain(values)


def _draw_numbers(
    ax: Any,
    places: Array,
    cells: Plain,
    title: str,
    style: Any,
) -> None:
    """Color rows on a scale; rows without a value are gray."""
    from matplotlib import dates  # optional

    numbers = cells.values
    if cells.kind == DATETIME:
        numbers = numbers + dates.date2num(np.datetime64(0, "D"))  # users can set another day 0
    known = np.isfinite(numbers)
    ax.scatter(*places[~known].T, color=LIGHT_GRAY, **style)
    drawn = ax.scatter(*places[known].T, c=numbers[known], cmap="viridis", **style)
    bar = ax.figure.colorbar(drawn, ax=ax, label=title)
    if cells.kind == DATETIME:
        bar.ax.yaxis_date()


def _draw_categories(
    ax: Any,
    places: Array,
    cells: Plain,
    title: str,
    style: Any,
) -> None:
    """Give each category its color, the most frequent first; those left over are gray."""
    text = as_levels(cells)
    values = np.array([*text.levels, "missing"])[text.codes]
    names, counts = np.unique(values, return_counts=True)
    names = names[np.argsort(-counts, kind="stable")]
    shown = names[: len(LOOKS)]
    handles = {}
    for name, (marker, shade) in zip(shown, LOOKS):
        rows = values == name
        handles[str(name)] = ax.scatter(*places[rows].T, color=shade, marker=marker, **style)
    labels = sorted(handles)
    is_rest = ~np.isin(values, shown)
    if is_rest.any():
        labels.append(count(len(names) - len(shown), "more value"))
        handles[labels[-1]] = ax.scatter(*places[is_rest].T, color=LIGHT_GRAY, **style)
    ax.legend(
        [handles[label] for label in labels],
        [shortened(label, LONGEST) for label in labels],
        title=title or None,
        frameon=False,
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        ncols=1 + len(labels) // 16,
        scatterpoints=1,
        markerscale=max(1.0, 6 / np.sqrt(style["s"])),
    )
