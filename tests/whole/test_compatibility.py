"""Models that released versions saved can be loaded and give the answers that they gave then."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from urerf import URerF

pd = pytest.importorskip("pandas", reason="pandas is not installed (urerf[test])")

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "tests" / "data" / "models"
STORED = sorted(MODELS.glob("*.urerf"))
RELEASE = re.compile(r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$", re.MULTILINE)


def test_every_release_has_a_stored_model():
    releases = set(RELEASE.findall((ROOT / "CHANGELOG.md").read_text("utf-8")))
    assert releases
    assert releases == {path.stem for path in STORED}


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_a_stored_model_gives_the_answers_of_its_version(path):
    then = json.loads(path.with_suffix(".json").read_text("utf-8"))
    model = URerF.load(path)
    k = len(then["indices"][0])
    distances, indices = model.kneighbors(n_neighbors=k)
    np.testing.assert_array_equal(indices, then["indices"])
    np.testing.assert_allclose(distances, then["distances"], rtol=1e-6)
    rows = pd.DataFrame(then["rows"])
    distances, indices = model.kneighbors(rows, n_neighbors=k)
    np.testing.assert_array_equal(indices, then["new_indices"])
    np.testing.assert_allclose(distances, then["new_distances"], rtol=1e-6)
    np.testing.assert_allclose(model.feature_relevance_, then["relevance"], rtol=1e-6)
