"""Send rows down a tree: left is value < cut."""

import numpy as np

from ._jit import inlined, leaf

# Rows that are projected on all directions at a time: their values stay in the cache.
BLOCK_ROWS = 128
# Rows that go down a tree side by side. A step waits for memory, and the steps of different rows
# wait together.
SIDE_BY_SIDE = 8


@leaf
def project_block(matrix, first, last, begin, columns, coefficients, out):
    """Write the values of the rows first..last - 1 in all directions to out (directions x rows).

    Sums are those of `urerf.kernels.projection.project`, in the same order.
    """
    size = np.uint64(last - first)
    first = np.uint64(first)
    for j in range(begin.size - 1):
        c = begin[j]
        end = begin[j + 1]
        column = np.uint64(columns[c])
        coefficient = coefficients[c]
        for i in range(size):
            out[j, i] = coefficient * matrix[column, first + i]
        c += 1
        # Invariant: out[j] is the sum over the columns before c. Four at a time, so that sums are
        # read and written less often.
        while c + 4 <= end:
            column0 = np.uint64(columns[c])
            column1 = np.uint64(columns[c + 1])
            column2 = np.uint64(columns[c + 2])
            column3 = np.uint64(columns[c + 3])
            for i in range(size):
                row = first + i
                total = out[j, i] + coefficients[c] * matrix[column0, row]
                total += coefficients[c + 1] * matrix[column1, row]
                total += coefficients[c + 2] * matrix[column2, row]
                out[j, i] = total + coefficients[c + 3] * matrix[column3, row]
            c += 4
        while c < end:
            column = np.uint64(columns[c])
            coefficient = coefficients[c]
            for i in range(size):
                out[j, i] += coefficient * matrix[column, first + i]
            c += 1


@leaf
def _walk(matrix, tree, leaf):
    """Send rows down, reading columns node by node."""
    child = tree.child
    cut = tree.cut
    direction = tree.direction
    begin = tree.begin
    columns = tree.columns
    coefficients = tree.coefficients
    for i in range(leaf.size):
        node = 0
        while child[node] >= 0:
            j = direction[node]
            low = begin[j]
            high = begin[j + 1]
            value = np.float32(0.0)
            for c in range(low, high):
                value += coefficients[c] * matrix[columns[c], i]
            node = node + 1 if value < cut[node] else child[node]
        leaf[i] = -1 - child[node]


@inlined
def _walk_projected(projected, child, cut, direction, leaf, node):
    """Send rows down whose values in all directions are known, node.size rows side by side."""
    width = np.uint64(node.size)
    n = np.uint64(leaf.size)
    for first in range(np.uint64(0), n, width):
        rows = min(width, n - first)
        walking = child[0] >= 0
        for i in range(rows):
            node[i] = 0
        # Every turn moves each row one step down; rows in leaves stay there.
        while walking:
            walking = False
            for i in range(rows):
                at = np.uint32(node[i])
                right = child[at]
                left = np.int32(at + np.uint32(1))
                j = np.uint32(max(direction[at], 0))
                value = projected[j, first + i]
                below = left if value < cut[at] else right
                node[i] = below if right >= 0 else np.int32(at)
                walking |= right >= 0
        for i in range(rows):
            at = np.uint32(node[i])
            leaf[first + i] = -1 - child[at]


@leaf
def _project_and_walk(matrix, tree, leaf, projected, node):
    """Project rows on all directions, a block at a time, and send them down."""
    for first in range(0, leaf.size, BLOCK_ROWS):
        last = min(first + BLOCK_ROWS, leaf.size)
        project_block(matrix, first, last, tree.begin, tree.columns, tree.coefficients, projected)
        _walk_projected(projected, tree.child, tree.cut, tree.direction, leaf[first:last], node)


def apply_tree(matrix, tree, leaf):
    """Write the leaf number of every row of ``matrix`` (columns x rows) to ``leaf``.

    If nodes share directions, rows are projected on all of them first.
    """
    directions = tree.begin.size - 1
    splits = tree.child.size // 2
    if directions >= splits:
        _walk(matrix, tree, leaf)
    else:
        projected = np.empty((directions, BLOCK_ROWS), np.float32)
        node = np.empty(SIDE_BY_SIDE, np.int32)
        _project_and_walk(matrix, tree, leaf, projected, node)
