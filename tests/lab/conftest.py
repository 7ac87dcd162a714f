import pandas as pd
import pytest


@pytest.fixture
def noise_table():
    """Return a maker of results of the noise study: a precision per method."""

    def make(**precision):
        rows = [
            {
                "dataset": "linear",
                "variant": variant,
                "method": method,
                "noise": noise,
                "k": 50,
                "precision": value,
            }
            for variant in ("text", "scripts")
            for method, value in precision.items()
            for noise in (10, 10_000)
        ]
        return pd.DataFrame(rows).assign(kind="gaussian", chance=0.05, recall=0.0)

    return make
