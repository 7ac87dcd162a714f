"""Data frames with cells of any kind: fitted and queried, or refused."""

from __future__ import annotations

import datetime as dt
import warnings
from decimal import Decimal
from random import Random
from typing import Any

import numpy as np
import pandas as pd

from urerf import URerF

from .seeded import Seeded

EXPECTED = (ValueError, TypeError)
CELLS: list[Any] = [
    None, True, 0, -1, 10**25, 1.5, float("nan"), float("inf"), "", "a", "1.5", "NA", "2021-01-01",
    b"x", Decimal("1.1"), dt.date(2020, 1, 1), dt.datetime(1, 1, 1), dt.timedelta(1), 1 + 2j, (1,),
    [], {}, np.float32(2), np.datetime64("NaT"), pd.NA, pd.NaT, "\ud800", "x" * 3000, object,
]  # fmt: skip
NAMES: list[Any] = ["a", "b", "c", "d", "e"]
ODD_NAMES: list[Any] = [0, "b", "b", None, ("x", 1)]


def attempt(rng: Random) -> None:
    """Fit a random frame."""
    model = URerF(n_estimators=2, n_neighbors=1, random_state=0, max_samples=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = make_frame(rng)
        try:
            model.fit(frame)
            model.kneighbors()
            other = frame.sample(frac=1.0, random_state=0)
            if rng.random() < 0.5 and frame.shape[1] > 1:
                other = other.iloc[:, ::-1]
            model.kneighbors(other)
        except EXPECTED as error:
            assert str(error), repr(error)


def make_frame(rng: Random) -> pd.DataFrame:
    """Return a frame of up to five columns."""
    n = rng.choice([0, 1, 2, 4, 9, 30])
    n_columns = rng.choice([0, 1, 2, 3, 5])
    columns = [_column(rng, n) for _ in range(n_columns)]
    frame = pd.DataFrame(dict(enumerate(columns)), index=range(n))
    names = NAMES if rng.random() < 0.9 else ODD_NAMES
    frame.columns = names[:n_columns]
    if rng.random() < 0.1 and n:
        frame.index = pd.Index(rng.choices(["r", "s", 1], k=n))
    return frame


def _column(rng: Random, n: int) -> Any:
    generator = np.random.default_rng(rng.getrandbits(32))
    match rng.randrange(8):
        case 0:
            cells = rng.choices(CELLS, k=n)
            return pd.Series(cells, dtype=object)
        case 1:
            few = rng.sample(CELLS, 2)
            return pd.Series(rng.choices(few, k=n), dtype=object)
        case 2:
            levels = rng.choices("xyz", k=n)
            return pd.Series(pd.Categorical(levels, ordered=True))
        case 3:
            zone = rng.choice([None, "UTC"])
            return pd.Series(pd.date_range("2020-01-01", periods=n, tz=zone))
        case 4:
            dtype = rng.choice(["Int64", "int8", "bool"])
            return pd.Series(generator.integers(0, 5, n)).astype(dtype)
        case 5:
            return pd.Series([f"id{i}" for i in range(n)])
    unit = rng.choice([1, 1e300, 1e-300])
    return pd.Series(generator.normal(size=n) * unit)


FRAME = Seeded("frame", attempt, n_to_compile=30)
