"""Geodesic learning by unsupervised randomer forests."""
