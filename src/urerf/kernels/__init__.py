"""Numba kernels: the loops that take the time. ``tests/oracle.py`` has slow, obvious versions."""
