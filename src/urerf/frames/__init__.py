"""From what a user passes to `URerF` to numbers: data frames, arrays and sparse matrices.

`tables` validates and dispatches. `dataframe` and `series` read data frames, `arrays` reads arrays
with declared kinds, and `matching` finds the columns of a model among those of new rows.
"""
