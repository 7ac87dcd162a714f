"""Tutorials on real tables: notebooks as scripts, whose cells begin with ``# %%``.

`python -m tutorials [NAME...]` (also `make notebooks`) executes them and writes a notebook and a
page for each to docs/tutorials. Jupyter opens the scripts through Jupytext, and most editors know
the format.
"""

NAMES = ("penguins", "survey", "cells", "connectome")
