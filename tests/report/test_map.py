"""The map in a real browser: mouse, keys, colors, light and dark, wide and narrow."""

from dataclasses import replace

import numpy as np
import pytest

from urerf import URerF
from urerf.datasets import make_gaussian_mixture
from urerf.files import FileData
from urerf.report import find, write
from urerf.schema import Frame, Schema

from .browser import count, listed, lonely, opened, picture, pixels, places, title
from .conftest import K

pytestmark = pytest.mark.xdist_group("browser")

BLUE_ORANGE_GREEN = ((0, 114, 178), (230, 159, 0), (0, 158, 115))
RED = (208, 0, 0)


def test_click_shows_neighbors_and_euclidean_neighbors(open_page, findings):
    page = open_page()
    i, x, y = lonely(page)
    name = findings.data.ids[i]
    page.mouse.click(x, y)
    assert title(page) == f"Row {name}"
    assert listed(page) == [findings.data.ids[j] for j in findings.neighbors[i]]
    said = page.locator("#status").text_content()
    assert said == f"Row {name} selected. {K} neighbors are listed."
    page.click("#list-euclidean")
    assert listed(page) == [findings.data.ids[j] for j in findings.euclidean[i]]


def test_values_stand_side_by_side_and_columns_that_agree_come_first(open_page, findings):
    page = open_page()
    names = page.locator(".neighbors th.value .name").all_text_contents()
    assert set(names[:3]) == {"a", "b", "c"}
    kinds = page.locator(".neighbors th.agrees .name").all_text_contents()
    assert kinds == names[: len(kinds)]
    assert 2 <= len(kinds) < 10
    column = findings.data.names.index(names[0])
    own = page.locator(".neighbors thead td.value").first.text_content()
    assert float(own) == pytest.approx(findings.data.frame.values[0, column], rel=1e-3)
    cells = page.locator(".neighbors tbody tr td.value:nth-of-type(3)").all_text_contents()
    theirs = findings.data.frame.values[findings.neighbors[0], column]
    np.testing.assert_allclose([float(cell) for cell in cells], theirs, rtol=1e-3)


def test_how_many_neighbors_share_the_label(open_page, findings):
    page = open_page()
    labels = np.array(findings.data.labels)
    ours = int((labels[findings.neighbors[0]] == labels[0]).sum())
    theirs = int((labels[findings.euclidean[0]] == labels[0]).sum())
    chance = ((labels == labels[0]).sum() - 1) / (len(labels) - 1) * K
    text = f"{ours} of {K} neighbors share kind “{labels[0]}” (Euclidean {theirs}, chance "
    assert page.locator(".sharing").text_content() == f"{text}{chance:.1f})."


def test_neighbors_without_a_label_do_not_share_it_by_chance_either(browser, tmp_path, findings):
    labels = [label if i % 2 == 0 else "" for i, label in enumerate(findings.data.labels)]
    data = replace(findings.data, labels=labels)
    model = URerF(n_estimators=20, random_state=0).fit(data.frame)
    path = tmp_path / "labels.html"
    write(find(data, model, K, step=lambda text: None), path, "")
    wrong = []
    page = opened(browser, path.as_uri(), wrong)
    chance = (labels.count(labels[0]) - 1) / (len(labels) - 1) * K
    assert f"chance {chance:.1f})" in page.locator(".sharing").text_content()
    page.context.close()
    assert wrong == []


def test_labels_that_are_all_different_are_not_shared(browser, tmp_path, findings):
    labels = [f"name {i}" for i in range(len(findings.data.labels))]
    data = replace(findings.data, labels=labels)
    model = URerF(n_estimators=20, random_state=0).fit(data.frame)
    path = tmp_path / "names.html"
    write(find(data, model, K, step=lambda text: None), path, "")
    wrong = []
    page = opened(browser, path.as_uri(), wrong)
    assert page.locator(".neighbors tbody tr").count() == K
    assert page.locator(".sharing").count() == 0
    assert "neighbors share" not in page.locator("body").inner_text()
    page.context.close()
    assert wrong == []


AGREE = """([values, row, others, isCategory]) => {
  const {share, score} = agreement(Float32Array.from(values), row, others, isCategory);
  return [share, score]; }"""


def test_agreement_is_one_for_the_closest_rows_and_zero_for_chance(open_page):
    page = open_page()
    values = [0.0, 0.0, 1.0, 2.0, 3.0]
    share, score = page.evaluate(AGREE, [values, 0, [1], False])
    assert share == 1
    assert score > 1
    share, score = page.evaluate(AGREE, [values, 0, [1, 2, 3, 4], False])
    assert share == pytest.approx(0)
    assert score == pytest.approx(0)
    assert page.evaluate(AGREE, [values, 0, [4], False])[0] < 0
    # a column that is nearly always empty says nothing
    empty = [0.0] * 99 + [5.0]
    spread = list(map(float, range(100)))
    assert page.evaluate(AGREE, [empty, 0, [1, 2, 3], False])[1] < 0.5
    assert page.evaluate(AGREE, [spread, 0, [1, 2, 3], False])[1] > 2.5
    assert page.evaluate(AGREE, [[7.0] * 100, 0, [1, 2, 3], False]) == [0, 0]
    # levels of a category agree or not, whatever their codes are
    codes = [0.0, 1.0, 9.0] * 30
    near = page.evaluate(AGREE, [codes, 0, [1, 4, 7], True])
    far = page.evaluate(AGREE, [codes, 0, [2, 5, 8], True])
    assert near == far
    assert page.evaluate(AGREE, [codes, 0, [3, 6, 9], True])[0] == 1


def test_few_of_the_columns_said_to_agree_do_so_by_chance(open_page):
    page = open_page()
    for score, tail in ((0, 0.5), (1.96, 0.025), (-1.96, 0.975), (4, 3.17e-5)):
        assert page.evaluate("upperTail", score) == pytest.approx(tail, rel=2e-3)
    assert page.evaluate("moreThanChance", [2.0]) == 1
    assert page.evaluate("moreThanChance", [2.0] + [0.0] * 99) == 0
    assert page.evaluate("moreThanChance", [9.0, 2.9, 2.4] + [0.0] * 27) == 2
    chance = np.sort(np.random.default_rng(0).normal(size=(200, 100)), axis=1)[:, ::-1]
    n_false = [page.evaluate("moreThanChance", scores.tolist()) for scores in chance]
    assert np.mean(np.array(n_false) > 0) < 0.1


def test_hover_names_the_row(open_page, findings):
    page = open_page()
    i, x, y = lonely(page)
    page.mouse.move(x + 3, y)
    tip = page.locator("#tip").text_content()
    assert tip.startswith(f"Row {findings.data.ids[i]}\nkind: type ")
    page.mouse.move(0, 0)
    assert page.locator("#tip").is_hidden()


def test_points_are_drawn_in_the_colors_of_the_labels(open_page):
    page = open_page()
    page.locator("#plot").press("Escape")
    image = pixels(page)
    for color in BLUE_ORANGE_GREEN:
        assert count(image, color) > 200
    assert count(image, RED) == 0  # red is for neighbors
    page.select_option("#color", "none")
    assert count(pixels(page), BLUE_ORANGE_GREEN[0]) == 0


def test_neighbors_keep_their_colors_in_red_rings_and_euclidean_ones_are_in_squares(
    open_page, findings
):
    page = open_page()
    page.evaluate("explorer.showNames(false)")
    page.click("#zoom-in", click_count=3)
    page.evaluate("explorer.goTo(0)")
    image = pixels(page)
    assert count(image, RED) > 100
    assert count(image, (27, 29, 33)) > 100
    page.evaluate("byId('points').style.visibility = 'hidden'")  # only the marks are left
    levels = sorted(set(findings.data.labels), key=findings.data.labels.count, reverse=True)
    own = BLUE_ORANGE_GREEN[levels.index(findings.data.labels[findings.neighbors[0][0]])]
    assert count(pixels(page), own) > 100


def test_there_are_at_least_20_colors_that_can_be_told_apart(open_page):
    page = open_page()
    colors = np.array(page.evaluate("CLASSES")) / 255
    assert len(colors) >= 20
    lab = oklab(colors)
    between = np.sqrt(((lab[:, None] - lab) ** 2).sum(axis=2))
    np.fill_diagonal(between, 1)
    assert between.min() > 0.1  # five times what is just noticeable
    for background in ("#f3f4f6", "#1e2127"):
        behind = [int(background[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        distance = np.sqrt(((lab - oklab(np.array([behind]))) ** 2).sum(axis=1))
        assert distance.min() > 0.15


def oklab(rgb):
    """Return colors in OKLab, in which distances are as people see them (Ottosson 2020)."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    to_cones = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    to_lab = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    return np.cbrt(linear @ np.transpose(to_cones)) @ np.transpose(to_lab)


def test_without_webgl_points_are_drawn_as_well(browser, address):
    context = browser.new_context(viewport={"width": 1000, "height": 800})
    context.add_init_script(
        """const get = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
          return kind.startsWith("webgl") ? null : get.call(this, kind, ...rest); };"""
    )
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("#panel h3")
    assert count(pixels(page), BLUE_ORANGE_GREEN[0]) > 200
    context.close()


def test_a_category_is_shown_by_its_levels(open_page, findings):
    page = open_page()
    column = page.locator("#color option", has_text="coin").get_attribute("value")
    page.select_option("#color", column)
    assert page.locator("#legend .title").text_content() == "coin"
    frequent_first = ["tails", "heads"]
    assert page.locator("#legend .entry span").all_text_contents() == frequent_first
    i, x, y = lonely(page)
    page.mouse.move(x + 3, y)
    level = ["heads", "tails"][int(findings.data.frame.values[i, -1])]
    assert page.locator("#tip").text_content().endswith(f"\ncoin: {level}")


def test_names_of_clusters_are_drawn_and_can_be_hidden(open_page, findings):
    page = open_page()
    names = page.evaluate("clusterNames(explorer, text => 7 * text.length).map(one => one.text)")
    assert len(names) == len(findings.clusters) >= 2
    assert names[0].startswith("0: ")
    assert any(mark in names[0] for mark in ("high", "low"))
    page.uncheck("#names")
    assert page.evaluate("clusterNames(explorer, text => 0)") == []


def test_a_cluster_that_is_filtered_out_has_no_name(open_page):
    page = open_page()
    page.select_option("#color", "cluster")
    page.locator("#legend .entry").first.click()
    names = page.evaluate("clusterNames(explorer, text => 7 * text.length).map(one => one.text)")
    assert names
    assert not any(name.startswith("0: ") for name in names)


def test_long_names_keep_what_tells_them_apart(open_page):
    page = open_page()
    assert page.evaluate("shortName('body_mass_g', 20)") == "body_mass_g"
    short = page.evaluate("shortName('income of the household in euros (1990)', 20)")
    assert short == "income of the…(1990)"
    two = "high flipper_length_mm, high body_mass_g"
    assert page.evaluate("fittingName", two) == "high flipper_length_mm"
    long = "type of the covered entity Healthcare Provider, associate present"
    assert page.evaluate("fittingName", long) == "type of the covered en…re Provider"


def test_small_maps_of_the_strongest_columns_color_the_large_one(open_page):
    page = open_page()
    names = page.locator("#small-maps button span").all_text_contents()
    assert sorted(names) == ["a", "b", "c"]
    page.locator("#small-maps button").nth(1).click()
    assert page.locator("#legend .title").text_content() == names[1]


def test_keys_go_from_row_to_row(open_page):
    page = open_page()
    plot = page.locator("#plot")
    plot.focus()
    plot.press("ArrowRight")
    said = page.locator("#status").text_content()
    assert said.startswith("Row s")
    plot.press("Enter")
    assert title(page) == said.split(",")[0]
    plot.press("Escape")
    assert "No row is selected" in page.locator("#panel").text_content()


def test_everything_can_be_reached_by_tab(open_page):
    page = open_page()
    seen = []
    for _ in range(26):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.id || document.activeElement.className"))
    before = ["skip", "theme", "", "color", "row", "move", "lasso", "box"]
    assert seen[:8] == before
    assert seen[8:14] == ["zoom-in", "zoom-out", "reset", "names", "", "plot"]
    assert seen[14:17] == ["entry"] * 3
    assert "list-euclidean" in seen
    assert "scroll neighbors" in seen


def test_zoom_move_and_reset(open_page):
    page = open_page()
    before = places(page)
    i, x, y = lonely(page)
    page.mouse.move(x, y)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -500)
    page.keyboard.up("Control")
    page.wait_for_timeout(100)
    zoomed = places(page)
    assert np.ptp(zoomed[:, 0]) > 1.5 * np.ptp(before[:, 0])
    np.testing.assert_allclose(zoomed[i], [x, y], atol=2)  # the point under the mouse stays
    page.mouse.down()
    page.mouse.move(x + 50, y + 20, steps=4)
    page.mouse.up()
    np.testing.assert_allclose(places(page)[i], [x + 50, y + 20], atol=2)
    page.click("#reset")
    np.testing.assert_allclose(places(page), before, atol=2)


def test_the_wheel_alone_scrolls_the_page(open_page):
    page = open_page(width=1366, height=768)
    _, x, y = lonely(page)
    before = page.evaluate("explorer.scatter.view.zoom")
    page.mouse.move(x, y)
    page.mouse.wheel(0, 200)
    page.wait_for_timeout(300)
    assert page.evaluate("scrollY") > 100
    assert page.evaluate("explorer.scatter.view.zoom") == before
    assert "Ctrl" in page.locator("#message").text_content()


def test_the_map_is_above_the_fold(open_page):
    page = open_page(width=1366, height=768)
    box = page.locator("#plot").bounding_box()
    assert box["y"] + box["height"] <= 768
    assert box["height"] >= 380
    legend = page.locator("#legend").bounding_box()
    assert legend["y"] + 26 <= 768


@pytest.mark.parametrize(
    ("scheme", "paper"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 22, 26)")]
)
def test_light_and_dark_wide_and_narrow(open_page, scheme, paper):
    page = open_page(scheme=scheme)
    background = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(background) == paper
    for width in (400, 1366, 1600):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.click("#theme")
    assert page.evaluate(background) != paper

    def is_kept():
        page.reload()
        page.wait_for_selector("#panel h3")
        return page.evaluate(background) != paper

    # A busy browser may load the page again before it has stored the choice.
    assert any(is_kept() for _ in range(5))


@pytest.mark.parametrize("width", [400, 500, 700, 1366])
def test_what_can_be_saved_is_listed_inside_of_the_page(open_page, width):
    page = open_page(width=width)
    page.click("#save summary")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.querySelector('#save div').getBoundingClientRect().left") >= 0


def small_report(path, names, labels, ids):
    shape = make_gaussian_mixture(60, random_state=0)
    frame = Frame(shape.X, Schema.of_numbers(names))
    data = FileData(frame, np.arange(60), ids, labels, names[0])
    model = URerF(n_estimators=10, random_state=0).fit(frame)
    write(find(data, model, 15, step=lambda text: None, label=names[1]), path, "urerf report")


def test_nothing_is_marked_if_nothing_was_found(browser, tmp_path):
    noise = np.random.default_rng(0).normal(size=(100, 5))
    frame = Frame(noise, Schema.of_numbers(list("abcde")))
    data = FileData(frame, np.arange(100), None, None, "noise")
    model = URerF(n_estimators=10, random_state=0).fit(frame)
    write(find(data, model, K, step=lambda text: None), tmp_path / "noise.html", "")
    wrong = []
    page = opened(browser, (tmp_path / "noise.html").as_uri(), wrong)
    assert page.locator(".nothing b").text_content() == "No structure found"
    assert "No row is selected" in page.locator("#panel").text_content()
    assert page.locator("#small-maps-section").is_hidden()
    page.mouse.click(*lonely(page)[1:])
    assert page.locator(".neighbors tbody tr").count() == K
    image = picture(page.screenshot(full_page=True))
    red, green, blue = np.moveaxis(image, 2, 0)
    assert int(((red > 150) & (red > 2 * green) & (red > 2 * blue)).sum()) == 0
    page.context.close()
    assert wrong == []


@pytest.mark.parametrize("width", [400, 1366])
def test_long_names_do_not_overflow(browser, tmp_path, width):
    long = [f"{letter}{'_a_long_name' * 12}" for letter in "abc"]
    labels = [f"{'label ' * 20}{i % 30}" for i in range(60)]
    small_report(tmp_path / "long.html", long, labels, [f"{'id' * 60}{i}" for i in range(60)])
    wrong = []
    viewport = {"width": width, "height": 768}
    page = opened(browser, (tmp_path / "long.html").as_uri(), wrong, viewport=viewport)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.fill("#row", "a_long")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#legend .entry").count() >= 24
    assert page.locator("#legend .entry span", has_text="more").text_content() == "6 more"
    page.context.close()
    assert wrong == []


def test_words_are_not_broken_on_a_phone(open_page):
    page = open_page(width=400)
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    kinds = page.locator("[aria-label='All columns'] tbody td:nth-child(2)")
    lines = kinds.evaluate_all(
        """all => all.map(one => {
            const range = document.createRange();
            range.selectNodeContents(one);
            return range.getClientRects().length;
        })"""
    )
    assert set(lines) == {1}


EVIL = "</script><script>window.evil = 1</script><img src=x onerror='window.evil = 1'>\"'"


def test_nothing_from_the_table_is_executed(browser, tmp_path):
    names = [f"{EVIL}{i}" for i in range(3)]
    small_report(tmp_path / "evil.html", names, [EVIL, "b"] * 30, [f"{EVIL}{i}" for i in range(60)])
    wrong = []
    page = opened(browser, (tmp_path / "evil.html").as_uri(), wrong)
    page.fill("#row", "script")
    page.locator("#row").press("Enter")
    page.mouse.move(*lonely(page)[1:])
    page.evaluate("asSvg(explorer)")
    page.wait_for_timeout(100)
    assert page.evaluate("window.evil") is None
    assert page.locator("img").count() == 0
    assert page.locator("h1").text_content() == names[0]
    page.context.close()
    assert wrong == []


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
    viewport = {"width": 1600, "height": 1000}
    page = opened(browser, (tmp_path / "large.html").as_uri(), wrong, viewport=viewport)
    i = 43_210
    page.fill("#row", str(i))
    page.locator("#row").press("Enter")
    assert listed(page) == [str(j) for j in findings.neighbors[i]]
    assert count(pixels(page), BLUE_ORANGE_GREEN[0]) > 2000
    page.context.close()
    assert wrong == []


@pytest.mark.parametrize(
    ("agreeing", "said"),
    [
        (0, "agree no more than chance in any of 23 columns."),
        (1, "agree more than chance in 1 of 23 columns, which comes first."),
        (2, "agree more than chance in 2 of 23 columns, which come first."),
        (23, "agree more than chance in all 23 columns."),
    ],
)
def test_the_panel_says_in_how_many_columns_neighbors_agree(open_page, agreeing, said):
    """Neighbors were said to agree in 4 of 4 columns, which come first."""
    columns = [{"agrees": i < agreeing} for i in range(23)]
    text = open_page().evaluate("columns => explorer.panel.explanation(columns, columns)", columns)
    assert text.startswith(f"The neighbors {said}")


def test_a_connected_graph_offers_no_components_as_colors(open_page):
    page = open_page()
    n_components = page.evaluate("explorer.data.meta.components")
    offered = page.locator("#color option").all_text_contents()
    assert ("connected component" in offered) == (n_components > 1)
    assert offered[-1] == "none"
