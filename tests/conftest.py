"""Hypothesis without deadlines, and one OpenMP thread per worker."""

import os

from hypothesis import settings

# Workers share the cores, and OpenMP's threads burn time while they wait for each other: t-SNE
# takes five times longer with two. Before anything that reads it is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile("urerf", deadline=None, max_examples=100, derandomize=True)
settings.load_profile("urerf")
