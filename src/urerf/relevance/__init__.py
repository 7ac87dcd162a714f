"""Find the columns of a table that carry structure: those that depend on other columns.

Columns that share a latent manifold depend on each other; noise columns are independent. Each test
is a module with one function that returns its evidence, and `verdict` draws the conclusion:

`basis`
    Expands each column in orthonormal functions of its ranks or categories, so that neither its
    scale nor its distribution matters.
`search`
    Compares all pairs of columns quickly, for the best partners of each.
`pairs`
    Tests all pairs of columns for dependence.
`waves`
    Tests all pairs for one column being a wavy function of the other.
`spectral`
    Tests for weak dependence among many columns.
`marginals`
    Tests the values of single columns for groups.
`shape`
    Tells pairs on a curve, on a surface or in clusters from pairs that are only correlated.
`coordinates`
    Looks for columns that are coordinates of their own.
`combine`
    Combines the tests of dependence; `evidence` is what they have in common.
`verdict`
    Turns the evidence into a verdict on the table and on each column.
`record`
    What was found, for people and for the forest.
`rows`
    Chooses the rows, and notices signs that they are not independent.
`blocks`
    Compares columns whose rows are in order by blocks of rows.
`examine`
    Runs the tests.

Three kinds of structure cannot be found. Structure that no pair of columns shows, such as the
parity of three columns, is missed. A latent coordinate that is a column of its own, such as the
height of a Swiss roll, is missed unless its distribution stands out. A copy of a noise column
cannot be told from a column on a one-dimensional manifold, such as (4t, 6t, 9t).
"""

from .examine import check_order, column_relevance, examine_rows, group_numbers
from .record import Relevance
from .rows import rows_examined

__all__ = [
    "Relevance",
    "check_order",
    "column_relevance",
    "examine_rows",
    "group_numbers",
    "rows_examined",
]
