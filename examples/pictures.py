"""The pictures of the guide: trees, leaves, neighbors and relevant columns.

`python -m examples.pictures` draws all of them from fitted models. The helix is seen from above, so
that cuts are lines.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap
from scipy.stats import rankdata

from urerf import URerF
from urerf.datasets import make_helix
from urerf.lab.canvas import panels, save
from urerf.lab.palette import BLACK, BLUE, LIGHT_GRAY, RED, YELLOW
from urerf.lab.trial import Trial

GRID = 400
PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
PASTEL = ListedColormap(
    [
        "#cfe3f2",
        "#fde3c8",
        "#d5ecd4",
        "#f7d5e5",
        "#e6e0f0",
        "#fdf6c4",
        "#dcdcdc",
        "#d0efec",
    ]
)
DEPTHS = {
    1: "1 cut",
    2: "2 levels of cuts",
    4: "4 levels of cuts",
    None: "all cuts",
}
PINK = ListedColormap(["white", "#fbc9c9"])


def spiral() -> np.ndarray:
    """Return 600 points of the helix from above."""
    return make_helix(600).X[:, :2]


def grid(X: np.ndarray) -> tuple[np.ndarray, list[float]]:
    """Return the points of a fine grid around X, and its extent for `imshow`."""
    reach = 1.08 * np.abs(X).max()
    ticks = np.linspace(-reach, reach, GRID)
    points = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    return points, [-reach, reach, -reach, reach]


def show(axes: Any, X: np.ndarray, title: str, **dots: Any) -> Any:
    """Draw the points, without ticks."""
    axes.set(xticks=[], yticks=[], title=title)
    axes.set_aspect("equal")
    return axes.scatter(*X.T, **{"s": 3, "color": BLACK, "linewidth": 0, **dots})


def star(axes: Any, point: np.ndarray) -> None:
    """Mark the point whose neighbors are sought."""
    axes.scatter(
        *point,
        s=170,
        marker="*",
        color=YELLOW,
        edgecolor=BLACK,
        zorder=3,
    )


def show_regions(
    axes: Any,
    values: np.ndarray,
    extent: list[float],
    colors: Any,
) -> None:
    """Color the points of the grid by small integers."""
    axes.imshow(
        values.reshape(GRID, GRID),
        extent=extent,
        origin="lower",
        cmap=colors,
        vmin=0,
        vmax=colors.N - 1,
    )


def tree_picture() -> Any:
    """Draw the regions of the nodes of one tree at several depths."""
    X = spiral()
    points, corners = grid(X)
    figure, axes = panels(1, len(DEPTHS), height=3.1)
    for one, depth in zip(axes[0], DEPTHS):
        tree = URerF(n_estimators=1, max_depth=depth, random_state=3).fit(X)
        leaf = tree.apply(points)[:, 0]
        # Adjacent leaves have consecutive numbers: a step of 3 keeps their colors apart.
        show_regions(one, 3 * leaf % 8, corners, PASTEL)
        n_leaves = len(np.unique(tree.apply(X)))
        show(one, X, f"{DEPTHS[depth]}, {n_leaves} leaves")
    return figure


def neighbor_picture() -> Any:
    """Draw the leaf of a point in three trees, and its similarity to others in 10 and 300 trees."""
    X = spiral()
    model = URerF(n_estimators=300, random_state=3).fit(X)
    points, corners = grid(X)
    from_center = np.argsort(np.linalg.norm(X, axis=1))
    query = from_center[330]
    regions = model.apply(points)
    mine = model.apply(X[[query]])[0]
    figure, axes = panels(1, 5, width=15, height=3.1)
    row = axes[0]
    for tree, one in enumerate(row[:3]):
        is_mine = regions[:, tree] == mine[tree]
        show_regions(one, is_mine, corners, PINK)
        show(one, X, f"its leaf in tree {tree + 1}")
        star(one, X[query])
    for n_trees, one in zip((10, 300), row[3:]):
        forest = URerF(n_estimators=n_trees, random_state=3).fit(X)
        similarity = forest.proximity(X[[query]])[0]
        order = np.argsort(similarity)
        dots = show(
            one,
            X[order],
            f"similarity in {n_trees} trees",
            s=9,
            color=None,
            c=similarity[order],
            cmap="Reds",
            vmin=0,
        )
        one.set(xlim=corners[:2], ylim=corners[2:])
        star(one, X[query])
    figure.colorbar(
        dots,
        ax=axes,
        label="similarity",
        shrink=0.8,
        pad=0.01,
    )
    return figure


def column_picture() -> Any:
    """Draw pairs of columns by rank, and the dependence of every column on its best partner."""
    _, X = Trial("helix", noise=1000).make()
    model = URerF(random_state=0).fit(X)
    figure, axes = panels(1, 4, width=14, height=3.1)
    *first, last = axes[0]
    pairs = {
        "two signal columns": (0, 1),
        "signal and noise": (0, 3),
        "two noise columns": (3, 4),
    }
    ranks = rankdata(X, axis=0)
    for one, (title, (a, b)) in zip(first, pairs.items()):
        show(one, ranks[:, [a, b]], title)
        one.set(xlabel=f"rank in column {a}", ylabel=f"rank in column {b}")
    evidence = -np.log10(np.maximum(model.relevance_.p_value, 1e-300))
    is_relevant = model.relevance_.structured
    groups = {
        "judged noise": (~is_relevant, 4, LIGHT_GRAY),
        "judged relevant": (is_relevant, 30, RED),
    }
    for label, (chosen, size, color) in groups.items():
        columns = np.flatnonzero(chosen)
        last.scatter(columns, evidence[columns], s=size, color=color, label=label)
    last.set(xlabel="column", ylabel="-log10 of the p-value", title="evidence for a partner")
    last.legend(frameon=False, loc="center right")
    return figure


def geodesic_picture() -> Any:
    """Draw the straight line between two points and the path along the graph of the forest."""
    X = spiral()
    order = np.argsort(np.linalg.norm(X, axis=1))
    ends = order[[150, 420]]
    model = URerF(random_state=0).fit(X)
    from_one, from_two = model.geodesic_distances(rows=ends)
    length = from_one[ends[1]]
    on_path = np.flatnonzero(np.isclose(from_one + from_two, length))
    path = on_path[np.argsort(from_one[on_path])]
    figure, ((one,),) = panels(1, 1, width=4.6, height=3.7)
    show(one, X, "", color=LIGHT_GRAY, s=6)
    straight = np.linalg.norm(X[ends[0]] - X[ends[1]])
    one.plot(*X[ends].T, "--", color=BLUE, label=f"straight: {straight:.0f}")
    one.plot(
        *X[path].T,
        color=RED,
        linewidth=2,
        label=f"geodesic_distances: {length:.0f}",
    )
    one.scatter(*X[ends].T, s=40, color=BLACK, zorder=3)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


DRAWINGS = {
    "tree": tree_picture,
    "neighbors": neighbor_picture,
    "columns": column_picture,
    "geodesic": geodesic_picture,
}


def main() -> None:
    """Draw all."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name, draw in DRAWINGS.items():
        save(draw(), PICTURES / f"{name}.png")
        print(PICTURES / f"{name}.png")


if __name__ == "__main__":
    main()
