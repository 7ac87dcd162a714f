"""Who is first in each case, by how much, and why we are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..methods import METHODS, OURS
from ..words import at, means_by
from ..writing import short
from .cases import Case

# Precision that does not matter to a user, and the target for the share of cases.
CLOSE = 0.01
TARGET = 0.85
# Selectors that keep the same columns differ by rounding and by how ties are broken.
TIED = 1e-4
# Why another method may be ahead; `reason` decides by the controls.
CAUSES = {
    "columns": "with the true columns alone, URerF would be close to the first",
    "units": "the columns share a unit in which distances are exact; URerF measures fewer than "
    "8 columns in units of their own widths, and distances between standardized columns lose as "
    "well",
    "ranking": "in the true columns too, distances rank rows better than the trees do",
    "method": "in the true columns too, the first is ahead of URerF and of distances",
}


class Standing(NamedTuple):
    """The result of one case.

    Parameters
    ----------
    case : Case
        The case.
    chance, ours : float
        Precision of random neighbors and of URerF.
    rival, theirs : str and float
        The best other method, the way in which it is used, and its precision; of several equal ones
        the first, and how many there are.
    error : float
        Standard error of the difference over seeds; NaN if there is one seed.
    reason : str
        Why another method is ahead, empty if none is by more than `CLOSE`.
    """

    case: Case
    chance: float
    ours: float
    rival: str
    theirs: float
    error: float
    reason: str = ""

    @property
    def lead(self) -> float:
        """Return our precision minus that of the best other method."""
        return self.ours - self.theirs

    @property
    def is_lost(self) -> bool:
        """Whether another method is ahead by more than `CLOSE`."""
        return self.lead < -CLOSE


def standings(table: Any, cases: Sequence[Case]) -> list[Standing]:
    """Return the results of the cases in which URerF and another method were run."""
    found = []
    for case in cases:
        rows = at(table, row=case.label, k=case.k)
        our_seeds = at(rows, method="urerf", only_true=False).seed
        rows = rows[rows.seed.isin(our_seeds)]
        is_rival = ~rows.method.isin(OURS) & ~rows.only_true
        if is_rival.any():
            found.append(standing(case, rows))
    return found


def standing(case: Case, rows: Any) -> Standing:
    """Compare URerF with the best other method in a case."""
    played = at(rows, only_true=False)
    ours = at(played, method="urerf").set_index("seed").precision
    rivals = means_of_uses(played[~played.method.isin(OURS)])
    best = rivals.max()
    method, use = rivals.idxmax()
    rival = name_of(method, use)
    n_more = np.sum(rivals > best - TIED) - 1
    if n_more:
        rival += f" (and {n_more} more)"
    rows_of_rival = at(played, method=method, use=use)
    theirs = rows_of_rival.set_index("seed").precision
    result = Standing(
        case=case,
        chance=float(rows.chance.mean()),
        ours=float(ours.mean()),
        rival=rival,
        theirs=float(best),
        error=float((ours - theirs).sem()),
    )
    if result.is_lost:
        return result._replace(reason=reason(result, rows))
    return result


def means_of_uses(rows: Any) -> Any:
    """Return the mean precision over seeds, by method and use."""
    return means_by(rows, ["method", "use"])


def name_of(method: str, use: str) -> str:
    """Return a method and the way in which it is used."""
    if method in ("euclidean", "isomap"):
        return use
    label = METHODS[method].label
    return f"{label}, {use}" if use else label


def reason(result: Standing, rows: Any) -> str:
    """Explain a loss by what URerF and distances can do in the true columns alone.

    Parameters
    ----------
    result : Standing
        A case that is lost.
    rows : DataFrame
        The results in this case, controls included.

    Returns
    -------
    str
        One of `CAUSES`, and the numbers.
    """
    has_noise = result.case.noise > 0
    true = at(rows, only_true=has_noise)
    alone = float(at(true, method="urerf").precision.mean())
    is_straight = true.method.isin(["euclidean", "isomap"])
    straight = means_of_uses(true[is_straight])
    if alone != alone or straight.empty:
        return "not examined, because the controls in the true columns were not run"
    where = "in the true columns alone, " if has_noise else ""
    close = result.theirs - CLOSE
    if has_noise and alone >= close:
        return f"columns; {chosen_columns(rows)}; {where}it has {short(alone)}"
    _, use = straight.idxmax()
    best = float(straight.max())
    uses = straight.index.get_level_values("use")
    is_standardized = uses.str.contains("standardized")
    standardized = float(straight[is_standardized].max())
    numbers = f"{where}URerF has {short(alone)}, {use} {short(best)}"
    if best < close:
        return f"method; {numbers}"
    if best - standardized > CLOSE:
        return f"units; {numbers}, standardized at most {short(standardized)}"
    return f"ranking; {numbers}"


def chosen_columns(rows: Any) -> str:
    """Say how many true and other columns URerF used."""
    ours = at(rows, method="urerf", only_true=False)
    n_true = ours["columns"].iloc[0]
    true_used = ours.true_columns.mean()
    others_used = ours.other_columns.mean()
    return f"URerF used {true_used:.1f} of the {n_true} true columns and {others_used:.1f} others"


def share_close(results: Sequence[Standing]) -> float:
    """Return the share of cases in which URerF is first or within `CLOSE` of the first."""
    return sum(not result.is_lost for result in results) / len(results)
