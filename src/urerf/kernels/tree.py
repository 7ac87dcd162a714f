"""Grow one tree to flat arrays (Algorithm "BuildTree").

Nodes are stored in preorder, so the left child of node i is i + 1. ``child[i]`` is the right child,
or -1 - l for the l-th leaf counted from the left. Rows are kept in leaf order, so every node owns
one run of them. ``direction[i]`` is the projection that node i cuts, -1 for a leaf; its non-zeros
are the run begin[direction]:begin[direction + 1] of ``columns`` and ``coefficients``.

Sparse candidates are drawn anew in every node, as in the paper, so every inner node has a direction
of its own. Random directions (DIRECTION, ours) combine many columns, so every look at a value would
take as many steps. A tree therefore draws `POOL` of them once, projects its rows on all, and grows
on these as if they were columns.

**Peeling.** On a Gaussian column the best cut separates a few extreme points, so a node that sees
only noise stays nearly whole until a column with structure is drawn. That makes the paper's forest
robust, and its trees deep. A cut with less than ``PEEL_SHARE`` of the rows on one side is a peeling
cut. A node is not peeled again after ``peel_chain`` peeling cuts in a row, and no node is after the
tree has looked at ``peel_work`` values for peeling cuts in total. It becomes a leaf or, with
``random_flat_nodes``, is cut at random, unless that would peel too: otherwise, in a tree of very
many rows, whole clusters and the middle of columns with long tails would stay in one leaf.
"""

from typing import NamedTuple

import numpy as np

from .._typing import Array
from ._jit import inlined, inner, leaf
from .apply import project_block
from .node import RANDOM_CUT, NodeSpace, choose_split, cut_flat_node, make_node_space
from .projection import (
    Projections,
    empty_projections,
    enlarged,
    fill_projections,
    project,
    sample_projections,
)
from .rng import derive
from .settings import AXIS, DIRECTION, FAST_BIC

# See "Peeling" above. A larger share would count cuts that separate small clusters as peeling. A
# cut counts for at least PEEL_LEAST values, so that a tree of many small clusters does not peel
# each of them. No benchmark compares other values; `urerf.forest` has the evidence for its bounds.
PEEL_SHARE = 0.02
PEEL_LEAST = 20_000
# Directions per tree. More take more time to project on; with fewer, trees resemble each other.
POOL = 32
# Branches of a stream of random numbers: the children of a node, and the directions of a tree.
_LEFT = 0
_RIGHT = 1
_POOL = 5


class Tree(NamedTuple):
    """One tree; see the top of this file."""

    child: Array
    cut: Array
    size: Array
    """How many of the rows that the tree was grown on a node holds."""
    direction: Array
    begin: Array
    columns: Array
    coefficients: Array

    @classmethod
    def empty(cls) -> "Tree":
        """Return a tree without nodes and directions, with arrays of the right types."""
        types = ("int32", "float32", "int32", "int32", "int64", "int32", "float32")
        arrays = [np.empty(0, dtype) for dtype in types]
        return cls(*arrays)


class Nodes(NamedTuple):
    """The nodes of a tree that grows: node i has the projection begin[i]:begin[i + 1]."""

    child: Array
    cut: Array
    size: Array
    begin: Array
    columns: Array
    coefficients: Array


class Growing(NamedTuple):
    """How far a tree has grown."""

    n_nodes: int
    n_leaves: int
    waiting: int
    """Number of nodes on the stack; 0 for a complete tree."""
    peel_work: int
    """Values that may still be looked at for peeling cuts."""


# A node that waits to be grown.
WAITING = np.dtype(
    [
        ("first", np.int64),  # it owns the rows first:last
        ("last", np.int64),
        ("depth", np.int64),
        ("parent", np.int64),  # the node whose right child it is, -1 for left children and the root
        ("peels", np.int64),  # how many cuts above it were peeling cuts, in a row
        ("key", np.uint64),  # its stream of random numbers
    ]
)


class Space(NamedTuple):
    """What growing writes to, allocated once per tree."""

    node: NodeSpace
    spare: Array
    """Rows on the right of a cut: int32, one for each row drawn."""
    stack: Array
    """The nodes that wait to be grown, as `WAITING`."""


def _make_space(p, m, settings):
    """Allocate the space for a tree of m rows and p columns."""
    return Space(
        node=make_node_space(p, m, settings),
        spare=np.empty(m, np.int32),
        stack=np.empty(m + 1, WAITING),
    )


@inlined
def _push(stack, waiting, first, last, depth, parent, peels, key):
    """Put a node on the stack; return how many are waiting."""
    node = stack[waiting]
    node.first = first
    node.last = last
    node.depth = depth
    node.parent = parent
    node.peels = peels
    node.key = key
    return waiting + 1


@inlined
def _partition(rows, values, cut, spare):
    """Move rows with value < cut to the front, both sides in order; return how many there are."""
    left = np.uint64(0)
    right = np.uint64(0)
    # Invariant: rows[:left] and spare[:right] are the two sides of rows[:i].
    for i in range(rows.size):
        row = rows[i]
        low = np.uint64(values[i] < cut)
        rows[left] = row  # one of the two is overwritten: no branch to mispredict
        spare[right] = row
        left += low
        right += np.uint64(1) - low
    for i in range(right):
        rows[left + i] = spare[i]
    return np.int64(left)


@inlined
def _append(projections, j, nodes, node):
    """Store projection j as that of the node."""
    columns = nodes.columns
    coefficients = nodes.coefficients
    used = nodes.begin[node]
    low = projections.begin[j]
    more = projections.begin[j + 1] - low
    for i in range(more):
        columns[used + i] = projections.columns[low + i]
        coefficients[used + i] = projections.coefficients[low + i]
    nodes.begin[node + 1] = used + more


@inner
def _split_rows(matrix, rows, winner, cut, in_place, projections, space):
    """Order the rows of a node by its cut; return how many are on the left."""
    values = space.node.values
    if not in_place:
        low = projections.begin[winner]
        high = projections.begin[winner + 1]
        columns = projections.columns[low:high]
        coefficients = projections.coefficients[low:high]
        project(matrix, rows, columns, coefficients, values[: rows.size])
    return _partition(rows, values, cut, space.spare)


@inlined
def _try_split(matrix, rows, key, settings, other, projections, space):
    """Split the rows by the best candidate; return (winner or -1, cut, n_left, work)."""
    cut, winner, in_place, work = choose_split(
        matrix, rows, key, projections, settings, other, space.node
    )
    n_left = 0
    if winner >= 0:
        n_left = _split_rows(matrix, rows, winner, cut, in_place, projections, space)
    return winner, cut, n_left, work


@inlined
def _split_at_random(matrix, rows, key, settings, projections, space):
    """Split the rows at random; return (winner or -1, cut, n_left), -1 if that would peel too."""
    cut, winner = cut_flat_node(
        matrix,
        rows,
        derive(key, np.int64(RANDOM_CUT)),
        projections,
        np.int64(0),
        projections.begin.size - 1,
        settings.min_samples_leaf,
        space.node.values[: rows.size],
        np.bool_(False),
        space.node.scratch,
    )
    n_left = 0
    if winner >= 0:
        n_left = _split_rows(matrix, rows, winner, cut, np.bool_(False), projections, space)
        if _is_peeling(n_left, rows.size):
            winner = -1
    return winner, cut, n_left


@inlined
def _is_peeling(n_left, n):
    """Whether a cut of n rows peels off a few of them."""
    return min(n_left, n - n_left) < PEEL_SHARE * n


@leaf
def _grow_nodes(matrix, rows, feature_weights, settings, other, space, nodes, growing):
    """Grow a tree, filling ``nodes``; return how far it has grown, as `Growing`.

    It stops before a node for which the projections of ``space`` or ``nodes`` may lack room; the
    caller enlarges these and calls again. ``other`` is None if the criterion is Fast-BIC: the code
    of the other criteria takes long to compile and is then left out. See `grow_tree` for the rest.
    """
    stack = space.stack
    projections = space.node.projections
    n_nodes = growing.n_nodes
    n_leaves = growing.n_leaves
    waiting = growing.waiting
    peel_work = growing.peel_work
    # Invariant: the first n_nodes nodes are complete, except for the right children of those whose
    # right child waits on the stack. All rows left of the top of the stack are in leaf order.
    while waiting > 0:
        top = stack[waiting - 1]
        first = top.first
        last = top.last
        depth = top.depth
        parent = top.parent
        peels = top.peels
        node_key = top.key
        node = n_nodes
        n = last - first
        is_large = n >= settings.min_samples_split and depth < settings.max_depth
        if is_large:
            is_drawn = fill_projections(
                node_key,
                settings.projection,
                settings.density,
                feature_weights,
                space.node.deck,
                projections,
            )
            if not is_drawn:
                break
            if nodes.begin[node] + projections.begin[-1] > nodes.columns.size:
                break
        waiting -= 1
        n_nodes += 1
        if parent >= 0:
            nodes.child[parent] = node
        nodes.size[node] = n
        winner = -1
        if is_large:
            winner, cut, n_left, work = _try_split(
                matrix, rows[first:last], node_key, settings, other, projections, space
            )
        if winner >= 0:
            is_peeled = _is_peeling(n_left, n)
            peels = peels + 1 if is_peeled else 0
            peel_work -= max(work, PEEL_LEAST) if is_peeled else 0
            if is_peeled and (peel_work < 0 or peels > settings.peel_chain):
                winner = -1
                if settings.random_flat_nodes:
                    winner, cut, n_left = _split_at_random(
                        matrix, rows[first:last], node_key, settings, projections, space
                    )
                    peels = 0
        if winner < 0:
            nodes.child[node] = -1 - n_leaves
            nodes.cut[node] = np.float32(0.0)
            nodes.begin[node + 1] = nodes.begin[node]
            n_leaves += 1
            continue
        nodes.cut[node] = cut
        _append(projections, winner, nodes, node)
        # The right child first, so that the left one is grown next and follows its parent.
        middle = first + n_left
        right = derive(node_key, np.int64(_RIGHT))
        left = derive(node_key, np.int64(_LEFT))
        waiting = _push(stack, waiting, middle, last, depth + 1, node, peels, right)
        waiting = _push(stack, waiting, first, middle, depth + 1, -1, peels, left)
    return Growing(n_nodes, n_leaves, waiting, peel_work)


def _grow(matrix, rows, key, feature_weights, settings):
    """Grow a tree whose candidates are drawn in every node; return its nodes.

    Node i has the projection number i, which is empty for a leaf.
    """
    m = rows.size
    space = _make_space(len(matrix), m, settings)
    space.stack[0] = 0, m, 0, -1, 0, key
    most = 2 * m  # a tree of m leaves has 2 m - 1 nodes
    room = m + settings.max_features  # enough for one column per inner node
    nodes = Nodes(
        child=np.empty(most, np.int32),
        cut=np.empty(most, np.float32),
        size=np.empty(most, np.int32),
        begin=np.zeros(most + 1, np.int64),
        columns=np.empty(room, np.int32),
        coefficients=np.empty(room, np.float32),
    )
    rows = rows.copy()
    other = None if settings.criterion == FAST_BIC else True
    growing = Growing(n_nodes=0, n_leaves=0, waiting=1, peel_work=settings.peel_work)
    while True:
        growing = _grow_nodes(matrix, rows, feature_weights, settings, other, space, nodes, growing)
        if growing.waiting == 0:
            break
        space = _with_more_candidates(space)
        nodes = _with_more_room(nodes)
    n_nodes = growing.n_nodes
    used = nodes.begin[n_nodes]
    return Nodes(
        child=nodes.child[:n_nodes].copy(),
        cut=nodes.cut[:n_nodes].copy(),
        size=nodes.size[:n_nodes].copy(),
        begin=nodes.begin[: n_nodes + 1].copy(),
        columns=nodes.columns[:used].copy(),
        coefficients=nodes.coefficients[:used].copy(),
    )


def _with_more_candidates(space):
    """Return the space with twice the room for the candidates of a node."""
    projections = enlarged(space.node.projections)
    node = space.node._replace(projections=projections)
    return space._replace(node=node)


def _with_more_room(nodes):
    """Return the nodes with twice the room for their projections."""
    room = 2 * nodes.columns.size
    columns = np.resize(nodes.columns, room)
    coefficients = np.resize(nodes.coefficients, room)
    return nodes._replace(columns=columns, coefficients=coefficients)


def _draw_pool(matrix, rows, key, feature_weights, settings):
    """Draw the random directions of a tree; return them, and its rows' values in each of them."""
    count = max(POOL, settings.max_features)
    deck = np.arange(len(matrix), dtype=np.int32)
    stream = np.uint64(derive(key, _POOL))
    room = empty_projections(count)
    begin, columns, coefficients = sample_projections(
        stream, DIRECTION, settings.density, feature_weights, deck, room
    )
    used = begin[-1]
    columns = columns[:used].copy()
    coefficients = coefficients[:used].copy()
    pool = Projections(begin, columns, coefficients)
    distinct, position = np.unique(pool.columns, return_inverse=True)
    n_rows = rows.size
    drawn = np.empty((distinct.size, n_rows), np.float32)
    for column, out in zip(distinct, drawn):  # one by one: the matrix may be on disk, and large
        np.take(matrix[column], rows, out=out, mode="clip")
    projected = np.empty((count, n_rows), np.float32)
    position = position.astype(np.int32)
    directions = pool._replace(columns=position)
    project_block(drawn, 0, n_rows, *directions, projected)
    return pool, projected


def _grow_on_pool(matrix, rows, key, feature_weights, settings):
    """Grow a tree on random directions that are drawn once; see the top of this file."""
    pool, projected = _draw_pool(matrix, rows, key, feature_weights, settings)
    count = len(projected)
    everyone = np.arange(rows.size, dtype=np.int32)
    on_axes = settings._replace(projection=AXIS)
    equal_weights = np.ones(count)
    nodes = _grow(projected, everyone, key, equal_weights, on_axes)
    inner = nodes.child >= 0
    runs = nodes.begin[:-1]
    first_entry = runs[inner]  # the only one: on axes, an inner node has one column
    direction = np.full(inner.size, -1, np.int32)
    direction[inner] = nodes.columns[first_entry]
    return Tree(nodes.child, nodes.cut, nodes.size, direction, *pool)


def grow_tree(matrix, rows, key, feature_weights, settings) -> Tree:
    """Grow a tree on the given rows of ``matrix`` (columns x rows, float32).

    ``feature_weights`` is the chance of each column to be kept when it is drawn; ``settings`` are
    `urerf.kernels.settings.Settings`.

    This is Python and not a kernel, because a kernel is compiled together with all that it calls.
    """
    if settings.projection == DIRECTION:
        return _grow_on_pool(matrix, rows, key, feature_weights, settings)
    nodes = _grow(matrix, rows, key, feature_weights, settings)
    inner = nodes.child >= 0
    number = np.cumsum(inner, dtype=np.int32) - 1
    direction = np.where(inner, number, -1).astype(np.int32)
    ends = nodes.begin[1:]
    ends_of_inner = ends[inner]
    begin = np.concatenate([[0], ends_of_inner])
    begin = begin.astype(np.int64)
    return Tree(
        nodes.child,
        nodes.cut,
        nodes.size,
        direction,
        begin,
        nodes.columns,
        nodes.coefficients,
    )
