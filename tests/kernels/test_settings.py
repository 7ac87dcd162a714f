import subprocess
import sys

from urerf.kernels.settings import CRITERIA, FLOORS, PROJECTIONS, SPLIT_SCORES


def test_codes_differ():
    for registry in (CRITERIA, SPLIT_SCORES, PROJECTIONS):
        assert len(set(registry.values())) == len(registry)


def test_every_split_score_has_a_floor():
    assert FLOORS.keys() == SPLIT_SCORES.keys()


def test_names_are_known_without_numba():
    """The command line reads them for its help, before anything slow is imported."""
    code = (
        "import sys, urerf.kernels.settings, urerf.ranking.similarity; "
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
