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
# Commands of ``urerf bench``.
BENCH = ("accuracy", "other", "categories", "ablation", "ranking", "cells", "floor", "shortcuts")


def load(name: str) -> Any:
    """Import a study by its name."""
    return import_module(f"{__name__}.{name}").STUDY
