import pytest

from urerf import URerF

from . import NAMES, X


@pytest.fixture
def data(tmp_path):
    """A file with row names, labels and numbers."""
    path = tmp_path / "data.csv"
    lines = ["name,kind," + ",".join(NAMES)]
    for i, row in enumerate(X):
        lines.append(f"r{i},{'ab'[i % 2]}," + ",".join(map(str, row)))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def roles():
    return ["--id", "name", "--label", "kind"]


@pytest.fixture(scope="session")
def expected():
    """The model that the commands fit."""
    return URerF(n_estimators=10, random_state=0).fit(X)
