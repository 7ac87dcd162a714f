"""The drawings of the guide: what a tree, a leaf, a neighbour and a relevant column are. `python -m examples.pictures`.

All are drawn from fitted models. The helix is seen from above, two columns of it, so that cuts are
lines on paper.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from scipy.stats import rankdata

from examples import BLACK, BLUE, GREY, RED, new_figure
from urerf import URerF
from urerf.datasets import add_noise, make_helix
from urerf.plot import save

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
PASTEL = ListedColormap(
    ["#cfe3f2", "#fde3c8", "#d5ecd4", "#f7d5e5", "#e6e0f0", "#fdf6c4", "#dcdcdc", "#d0efec"]
)


def spiral() -> np.ndarray:
    """Return 600 points of the helix from above."""
    return make_helix(600).X[:, :2]


def grid(X: np.ndarray, n: int = 400) -> tuple[np.ndarray, list[float]]:
    """Return the points of a fine grid around X, and its corners as `imshow` takes them."""
    reach = 1.08 * np.abs(X).max()
    ticks = np.linspace(-reach, reach, n)
    return np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2), [
        -reach,
        reach,
        -reach,
        reach,
    ]


def show(axes: Axes, X: np.ndarray, title: str, **dots: Any) -> Any:
    """Draw the points, without ticks."""
    axes.set(xticks=[], yticks=[], title=title)
    axes.set_aspect("equal")
    return axes.scatter(*X.T, **{"s": 3, "color": BLACK, "linewidth": 0, **dots})


def star(axes: Axes, point: np.ndarray) -> None:
    """Mark the point whose neighbours are looked for."""
    axes.scatter(*point, s=170, marker="*", color="#f0e442", edgecolor=BLACK, zorder=3)


def tree_picture() -> Figure:
    """Draw one tree, cut by cut: the regions of its nodes at some depths."""
    X = spiral()
    points, corners = grid(X)
    depths = (1, 2, 4, None)
    figure, places = new_figure(len(depths))
    for axes, depth in zip(places, depths):
        tree = URerF(n_estimators=1, max_depth=depth, random_state=3).fit(X)
        leaf = tree.apply(points)[:, 0]
        # Neighbouring leaves have neighbouring numbers: a step of 3 keeps their colours apart.
        axes.imshow(
            (3 * leaf % 8).reshape(400, 400),
            extent=corners,
            origin="lower",
            cmap=PASTEL,
            vmin=0,
            vmax=7,
        )
        cuts = (
            "all cuts"
            if depth is None
            else f"{depth} cut"
            if depth == 1
            else f"{depth} levels of cuts"
        )
        show(axes, X, f"{cuts}, {len(np.unique(tree.apply(X)))} leaves")
    return figure


def neighbour_picture() -> Figure:
    """Draw the leaf of one point in three trees, and how alike the others are to it over 10 and over 300 trees."""
    X = spiral()
    model = URerF(n_estimators=300, random_state=3).fit(X)
    points, corners = grid(X)
    query = int(np.argsort(np.linalg.norm(X, axis=1))[330])
    regions = model.apply(points)
    mine = model.apply(X[[query]])[0]
    figure, places = new_figure(5, width=15, height=3.6)
    for tree, axes in enumerate(places[:3]):
        inside = regions[:, tree] == mine[tree]
        axes.imshow(
            inside.reshape(400, 400),
            extent=corners,
            origin="lower",
            cmap=ListedColormap(["white", "#fbc9c9"]),
        )
        show(axes, X, f"its leaf in tree {tree + 1}")
        star(axes, X[query])
    for n_trees, axes in zip((10, 300), places[3:]):
        forest = URerF(n_estimators=n_trees, random_state=3).fit(X)
        alike = forest.proximity(X[[query]])[0]
        order = np.argsort(alike)
        dots = show(
            axes,
            X[order],
            f"alike over {n_trees} trees",
            s=9,
            color=None,
            c=alike[order],
            cmap="Reds",
            vmin=0,
        )
        axes.set(xlim=corners[:2], ylim=corners[2:])
        star(axes, X[query])
    figure.colorbar(dots, ax=places, label="similarity", shrink=0.8, pad=0.01)
    return figure


def column_picture() -> Figure:
    """Draw pairs of columns by rank, and the dependence of every column on its best partner."""
    helix = make_helix(1000)
    X = add_noise(helix.X, 1000, random_state=0)
    found = URerF(random_state=0).fit(X).relevance_
    figure, places = new_figure(4, width=14)
    pairs = {"two signal columns": (0, 1), "signal and noise": (0, 3), "two noise columns": (3, 4)}
    for axes, (title, (i, j)) in zip(places, pairs.items()):
        show(axes, np.column_stack([rankdata(X[:, i]), rankdata(X[:, j])]), title)
        axes.set(xlabel=f"rank in column {i}", ylabel=f"rank in column {j}")
    relevant = found.structured
    columns = np.arange(len(relevant))
    evidence = -np.log10(np.maximum(found.p_value, 1e-300))
    places[3].scatter(
        columns[~relevant], evidence[~relevant], s=4, color=GREY, label="called noise"
    )
    places[3].scatter(
        columns[relevant], evidence[relevant], s=30, color=RED, label="called relevant"
    )
    places[3].set(xlabel="column", title="evidence for a partner: -log10 of the p-value")
    places[3].legend(frameon=False, loc="center right")
    return figure


def geodesic_picture() -> Figure:
    """Draw the straight way between two points and the way along the forest's graph."""
    X = spiral()
    radius = np.linalg.norm(X, axis=1)
    here = int(np.argsort(radius)[150])
    there = int(np.argsort(radius)[420])
    from_here, from_there = URerF(random_state=0).fit(X).geodesic_distances(rows=[here, there])
    on_way = np.flatnonzero(np.isclose(from_here + from_there, from_here[there]))
    way = on_way[np.argsort(from_here[on_way])]
    figure, (axes,) = new_figure(1, width=4.6, height=4.2)
    show(axes, X, "", color=GREY, s=6)
    straight = np.linalg.norm(X[here] - X[there])
    axes.plot(*X[[here, there]].T, "--", color=BLUE, label=f"straight: {straight:.0f}")
    axes.plot(
        *X[way].T, color=RED, linewidth=2, label=f"geodesic_distances: {from_here[there]:.0f}"
    )
    axes.scatter(*X[[here, there]].T, s=40, color=BLACK, zorder=3)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


DRAWINGS = {
    "tree": tree_picture,
    "neighbors": neighbour_picture,
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
