"""One browser and one page for all tests of the report."""

import numpy as np
import pytest

from urerf import URerF
from urerf.datasets import add_noise, make_gaussian_mixture
from urerf.files import FileData
from urerf.report import find, write
from urerf.schema import CATEGORY, Column, Frame, Schema

from . import browser as chromium

N = 200
K = 6


@pytest.fixture(scope="session")
def findings():
    """Three clusters in three of 23 columns, with a label, a category, and a name that is twice."""
    shape = make_gaussian_mixture(N, random_state=0)
    coin = np.random.default_rng(0).integers(2, size=N)
    X = np.column_stack([add_noise(shape.X, 19, random_state=0), coin])
    names = ["a", "b", "c", *(f"noise{i}" for i in range(19))]
    columns = [*map(Column, names), Column("coin", CATEGORY, ("heads", "tails"))]
    frame = Frame(X, Schema(tuple(columns)))
    labels = [f"type {label}" for label in shape.labels]
    ids = [f"s{i}" for i in range(N)]
    ids[99] = "s98"
    data = FileData(frame, np.arange(N), ids, labels, "mixture.csv")
    model = URerF(n_estimators=50, random_state=0).fit(frame)
    return find(data, model, K, step=lambda text: None, label="kind")


@pytest.fixture(scope="session")
def address(findings, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    write(findings, path, "urerf report mixture.csv")
    return path.as_uri()


@pytest.fixture(scope="session")
def browser():
    yield from chromium.started()


@pytest.fixture
def open_page(browser, address):
    """Open the page; afterwards, check that it had no error and sent no request."""
    pages = []
    wrong = []

    def open_it(width=1600, height=1000, scheme="light", hash="", **settings):
        settings = {
            "viewport": {"width": width, "height": height},
            "color_scheme": scheme,
            **settings,
        }
        page = chromium.opened(browser, address + hash, wrong, **settings)
        pages.append(page)
        return page

    yield open_it
    for page in pages:
        page.context.close()
    assert wrong == []
