"""Noise in the signal columns instead of noise columns."""

from ._sweep import sweep

STUDY = sweep(
    "latent_noise",
    grid={"noise": (0, 10), "latent_noise": (0.0, 0.02, 0.05, 0.1, 0.2, 0.5)},
    quick={"noise": [10], "latent_noise": (0.0, 0.1, 0.5)},
    x="latent_noise",
    xlabel="noise in the signal columns",
    caption="Precision of 50 neighbors among 1000 points with Gaussian noise added to the three "
    "signal columns; its standard deviation is relative to that of the signal. There are also "
    "{noise} noise columns.",
    reported={"With a noise level of 0.1 and 10 noise columns": {"noise": 10, "latent_noise": 0.1}},
    title="What if the signal itself is noisy?",
    asks="In the paper, the signal columns are perfect, and noise only comes in columns of its "
    "own. Real measurements are not like that. Here, noise is added to each signal column; the "
    "truth is that of the clean points. The authors noted this as an open question.",
    reading="From left to right, the points scatter further around the manifold. No method can "
    "keep its precision when they scatter more widely than 50 neighbors: look at which method "
    "degrades first.",
)
