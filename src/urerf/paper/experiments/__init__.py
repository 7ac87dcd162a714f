"""The experiments, one module each; ``EXPERIMENTS`` lists them in the order of ``urerf reproduce all``."""

from __future__ import annotations

from importlib import import_module

from urerf.paper.experiment import Experiment

NAMES = (
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


def load(name: str) -> Experiment:
    """Import one experiment by its name."""
    experiment: Experiment = import_module(f"{__name__}.{name}").EXPERIMENT
    return experiment
