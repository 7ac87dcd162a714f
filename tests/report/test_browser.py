"""The page in a real browser: mouse, keys, light and dark, wide and narrow."""

import io
import os
import shutil

import numpy as np
import pytest

from urerf import URerF
from urerf.datasets import add_noise, make_gaussian_mixture
from urerf.files import FileData
from urerf.report import find, write
from urerf.schema import CATEGORY, Column, Frame, Schema

playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed (urerf[test])"
)
PROGRAM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))),
    None,
)
pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="no Chromium on the PATH and none named by $CHROMIUM"
)
SWITCHES = (
    "--no-sandbox --disable-gpu --use-angle=swiftshader --enable-unsafe-swiftshader "
    "--disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
N = 200
K = 6


@pytest.fixture(scope="module")
def findings():
    shape = make_gaussian_mixture(N, random_state=0)
    coin = np.random.default_rng(0).integers(2, size=N)
    X = np.column_stack([add_noise(shape.X, 19, random_state=0), coin])
    names = ["a", "b", "c", *(f"noise{i}" for i in range(19))]
    columns = [*map(Column, names), Column("coin", CATEGORY, ("heads", "tails"))]
    frame = Frame(X, Schema(tuple(columns)))
    labels = [f"type {label}" for label in shape.labels]
    ids = [f"s{i}" for i in range(N)]
    data = FileData(frame, np.arange(N), ids, labels, "mixture.csv")
    model = URerF(n_estimators=50, random_state=0).fit(frame)
    return find(data, model, K, step=lambda text: None)


@pytest.fixture(scope="module")
def address(findings, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    write(findings, path, "urerf report mixture.csv")
    return path.as_uri()


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=PROGRAM, args=SWITCHES.split())
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, address):
    """Open the page; afterwards, check that it had no error and sent no request."""
    contexts = []
    wrong = []

    def open_it(width=1600, height=1000, scheme="light"):
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        contexts.append(context)
        page = context.new_page()
        page.on(
            "console",
            lambda message: wrong.append(message.text) if message.type == "error" else None,
        )
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "request",
            lambda request: None if request.url.startswith("file:") else wrong.append(request.url),
        )
        page.goto(address)
        page.wait_for_selector("#panel h3")
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert wrong == []


def places(page):
    """Return the position of every point on the screen."""
    return page.evaluate(
        """() => { const box = document.getElementById("plot").getBoundingClientRect();
        return Array.from({length: explorer.data.meta.n}, (_, i) => {
          const [x, y] = explorer.scatter.screen(i); return [x + box.left, y + box.top]; }); }"""
    )


def lonely(page):
    """Return a point with no other close to it on the screen, and its position."""
    at = np.array(places(page))
    gaps = ((at[:, None] - at) ** 2).sum(axis=2)
    np.fill_diagonal(gaps, np.inf)
    i = int(gaps.min(axis=1).argmax())
    return i, *at[i]


def pixels(page):
    """Return the map as an array (height, width, 3), without the edge, where focus is marked."""
    image = pytest.importorskip("PIL.Image")
    return np.asarray(
        image.open(io.BytesIO(page.locator("#plot").screenshot())).convert("RGB")
    ).astype(int)[10:-10, 10:-10]


def count(picture, color):
    """Count the pixels that have about this color."""
    return int((np.abs(picture - color).max(axis=2) < 30).sum())


def listed(page, which):
    """Return the names in one of the lists of neighbors."""
    return (
        page.locator(".lists > div")
        .nth(which)
        .locator("li button span:first-child")
        .all_text_contents()
    )


def test_click_shows_neighbors_and_euclidean_neighbors(open_page, findings):
    page = open_page()
    i, x, y = lonely(page)
    page.mouse.click(x, y)
    assert page.locator("#panel h3").text_content() == f"Row s{i}"
    assert listed(page, 0) == [f"s{j}" for j in findings.neighbors[i]]
    assert listed(page, 1) == [f"s{j}" for j in findings.euclidean[i]]
    assert page.locator("#status").text_content() == f"Row s{i} selected. {K} neighbors are listed."
    names = page.locator(".agree .name").all_text_contents()
    assert set(names[:3]) == {"a", "b", "c"}
    assert names[3:] == ["20 other columns"]


def test_agreement_is_one_for_equal_values_and_zero_for_chance(open_page):
    page = open_page()
    ask = "([values, row, others]) => agreement(Float32Array.from(values), row, others)"
    values = [0.0, 0.0, 1.0, 2.0, 3.0]
    assert page.evaluate(ask, [values, 0, [1]]) == 1
    assert page.evaluate(ask, [values, 0, [0, 1, 2, 3, 4]]) == 0
    assert page.evaluate(ask, [values, 0, [4]]) == pytest.approx(1 - 3 / 1.2)


def test_hover_names_the_row(open_page):
    page = open_page()
    i, x, y = lonely(page)
    page.mouse.move(x + 3, y)
    assert page.locator("#tip").text_content().startswith(f"Row s{i}\nlabel type ")
    page.mouse.move(0, 0)
    assert page.locator("#tip").is_hidden()


def test_points_are_drawn_in_the_colors_of_the_labels(open_page):
    page = open_page()
    page.keyboard.press("Escape")
    page.locator("#plot").press("Escape")
    page.wait_for_timeout(200)
    picture = pixels(page)
    for blue_orange_green in ((0, 114, 178), (230, 159, 0), (0, 158, 115)):
        assert count(picture, blue_orange_green) > 200
    assert count(picture, (208, 0, 0)) == 0  # red is for neighbors
    page.select_option("#color", "none")
    page.wait_for_timeout(200)
    assert count(pixels(page), (0, 114, 178)) == 0


def test_neighbors_are_red_and_euclidean_ones_are_squares(open_page):
    page = open_page()
    page.select_option("#color", "none")
    page.wait_for_timeout(200)
    picture = pixels(page)
    assert count(picture, (208, 0, 0)) > 100
    assert count(picture, (27, 29, 33)) > 100


def test_without_webgl_points_are_drawn_as_well(open_page, browser, address):
    context = browser.new_context(viewport={"width": 1000, "height": 800})
    context.add_init_script(
        """const get = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
          return kind.startsWith("webgl") ? null : get.call(this, kind, ...rest); };"""
    )
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("#panel h3")
    page.wait_for_timeout(200)
    assert count(pixels(page), (0, 114, 178)) > 200
    context.close()


def test_a_category_is_shown_by_its_levels(open_page, findings):
    page = open_page()
    column = page.locator("#color option", has_text="coin").get_attribute("value")
    page.select_option("#color", column)
    assert page.locator("#legend span").all_text_contents() == ["heads", "tails"]
    i, x, y = lonely(page)
    page.mouse.move(x + 3, y)
    level = ["heads", "tails"][int(findings.data.frame.values[i, -1])]
    assert page.locator("#tip").text_content().endswith(f"\ncoin {level}")


def test_keys_go_from_row_to_row(open_page):
    page = open_page()
    plot = page.locator("#plot")
    plot.focus()
    plot.press("ArrowRight")
    said = page.locator("#status").text_content()
    assert said.startswith("Row s")
    plot.press("Enter")
    assert page.locator("#panel h3").text_content() == said.split(",")[0]
    plot.press("Escape")
    assert "No row is selected" in page.locator("#panel").text_content()


def test_everything_can_be_reached_by_tab(open_page):
    page = open_page()
    seen = []
    for _ in range(9):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.id || document.activeElement.className"))
    assert seen[:8] == ["skip", "theme", "color", "row", "zoom-in", "zoom-out", "reset", "plot"]


def test_zoom_move_and_reset(open_page):
    page = open_page()
    before = np.array(places(page))
    i, x, y = lonely(page)
    page.mouse.move(x, y)
    page.mouse.wheel(0, -500)
    page.wait_for_timeout(100)
    zoomed = np.array(places(page))
    assert np.ptp(zoomed[:, 0]) > 1.5 * np.ptp(before[:, 0])
    np.testing.assert_allclose(zoomed[i], [x, y], atol=2)  # the point under the mouse stays
    page.mouse.down()
    page.mouse.move(x + 50, y + 20, steps=4)
    page.mouse.up()
    np.testing.assert_allclose(np.array(places(page))[i], [x + 50, y + 20], atol=2)
    page.click("#reset")
    np.testing.assert_allclose(places(page), before, atol=2)


def test_a_row_is_found_by_name(open_page):
    page = open_page()
    page.fill("#row", "s17")
    page.locator("#row").press("Enter")
    assert page.locator("#panel h3").text_content() == "Row s17"
    page.fill("#row", "nobody")
    page.locator("#row").press("Enter")
    assert page.locator("#row").get_attribute("aria-invalid") == "true"
    assert page.locator("#status").text_content() == "There is no row nobody."


def test_a_neighbor_in_the_list_can_be_selected(open_page, findings):
    page = open_page()
    page.locator(".lists li button").first.click()
    assert page.locator("#panel h3").text_content() == f"Row s{findings.neighbors[0, 0]}"


@pytest.mark.parametrize(
    ("scheme", "paper"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 22, 26)")]
)
@pytest.mark.parametrize("width", [400, 1600])
def test_light_and_dark_wide_and_narrow(open_page, scheme, paper, width):
    page = open_page(width=width, scheme=scheme)
    background = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(background) == paper
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.click("#theme")
    assert page.evaluate(background) != paper
    page.reload()
    page.wait_for_selector("#panel h3")
    assert page.evaluate(background) != paper  # the choice is kept


@pytest.mark.slow
def test_fifty_thousand_points(browser, tmp_path):
    shape = make_gaussian_mixture(50_000, random_state=0)
    frame = Frame(shape.X, Schema.of_numbers(["a", "b", "c"]))
    labels = [str(label) for label in shape.labels]
    data = FileData(frame, np.arange(50_000), None, labels, "large")
    model = URerF(n_estimators=5, random_state=0).fit(frame)
    findings = find(data, model, K, step=lambda text: None)
    write(findings, tmp_path / "large.html", "urerf report large")
    wrong: list[str] = []
    page = browser.new_page(viewport={"width": 1600, "height": 1000})
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((tmp_path / "large.html").as_uri())
    page.wait_for_selector("#panel h3")
    i = 43_210
    page.fill("#row", str(i))
    page.locator("#row").press("Enter")
    assert listed(page, 0) == [str(j) for j in findings.neighbors[i]]
    page.wait_for_timeout(500)
    assert count(pixels(page), (0, 114, 178)) > 2000
    page.close()
    assert wrong == []
