"""The paper's experiments, run again: ``urerf reproduce``.

``baselines`` holds the competing methods, ``tasks`` computes one cell of a table, ``engine`` runs
cells and remembers them, ``experiments`` says which cells make up which figure, and ``page`` writes
what came out.
"""
