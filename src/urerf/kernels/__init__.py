"""Numba kernels: the hot loops. Each has a slow twin in ``tests/oracle.py``."""
