import pandas as pd
import pytest

from urerf.lab import claims


@pytest.mark.parametrize(("ours", "holds"), [(0.75, True), (0.08, False)])
def test_claims_are_judged(noise_table, ours, holds):
    table = noise_table(urerf_paper=ours, urerf_scripts=ours, isomap=0.10)
    assert [claim.holds for claim in claims.check({"noise": table})] == [holds] * 3


def test_a_claim_that_the_run_cannot_decide_stays_open(noise_table):
    found = claims.check({"noise": noise_table(isomap=0.10)})
    assert {claim.holds for claim in found} == {None}


def curve(method, recall, precision):
    ks = (50, 100, 150)
    return pd.DataFrame({"method": method, "k": ks, "recall": recall, "precision": precision})


@pytest.mark.parametrize(("shift", "holds"), [(0.0, True), (0.02, False)])
def test_connectome_claim_compares_at_equal_recall(shift, holds):
    ours = curve("urerf_paper", [0.6, 0.8, 1], [0.8, 0.6, 0.4])
    theirs = curve("isomap", [0.5, 0.7, 0.9], [0.9, 0.69, 0.49])
    theirs["precision"] += shift
    table = pd.concat([ours, theirs])
    assert claims.best_on_connectome(table, "urerf_paper").holds is holds
