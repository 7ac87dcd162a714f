"""The tables of the studies.

`made` has simulations by name and their noise columns, `labeled` public tables of numbers whose
rows have classes, `categorical` public tables with categories, `independent` tables without
structure, and `speed` the data on which speed is measured.
"""
