"""The studies, one module each, with a `STUDY`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Sections of the page of ``urerf reproduce``, in order.
PAPER = (
    "datasets",
    "criteria",
    "parameters",
    "noise",
    "rescaled",
    "supplement",
    "connectome",
    "depth",
    "geodesics",
    "runtime",
    "neighbors",
    "latent_noise",
)
# Commands of ``urerf bench``, and what they measure.
BENCH = {
    "arena": "URerF and every method that a person might use instead, on tables with noise "
    "columns. Methods: urerf, euclidean, isomap, pca, umap, forests, and selectors of columns.",
    "accuracy": "Four simulations with all kinds, numbers and scales of noise columns. "
    "Methods: urerf, urerf_paper, euclidean, screen, isomap, umap.",
    "other": "Other manifolds and kinds of noise, real tables, the connectome, and pure noise.",
    "categories": "Real tables with categories, levels without an order, and diamonds. "
    "Methods: urerf, gower, one_hot.",
    "ablation": "What each departure from the paper contributes.",
    "ranking": "How many trees, and what ranks neighbors: the forest, straight distance, or both.",
    "paired": "Whether the defaults are anywhere worse than 300 trees by depth, with intervals.",
    "cells": "Blood cells with noise genes: scanpy's clusters and the labels of neighbors.",
    "outliers": "Outliers of 18 public tables, with and without noise columns.",
    "clusters": "Clusters of public tables, with and without noise columns.",
    "stability": "Whether neighbor_stability follows the true precision of neighbors.",
    "floor": "Floors under the variance of a cluster.",
    "shortcuts": "What screening, binned cuts and the bound on peeling cuts change.",
}


def load(name: str) -> Any:
    """Import a study by its name."""
    return import_module(f"{__name__}.{name}").STUDY
