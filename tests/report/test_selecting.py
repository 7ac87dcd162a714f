"""Selecting in a real browser: search, lasso, box, legend, clusters, and what can be saved."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

from urerf import URerF
from urerf.report import write_report

from .browser import count, drag, lonely, opened, picked, picture, pixels, places, title
from .conftest import K, N

pytestmark = pytest.mark.xdist_group("browser")


def search(page, text):
    page.fill("#row", text)
    page.locator("#row").press("Enter")


def test_nothing_found_is_said_visibly(open_page):
    page = open_page()
    search(page, "nobody")
    assert page.locator("#row").get_attribute("aria-invalid") == "true"
    assert page.locator("#message").is_visible()
    assert page.locator("#message").text_content() == "Nothing found for “nobody”."
    assert page.locator("#status").text_content() == "Nothing found for “nobody”."


def test_the_message_goes_when_a_row_is_found_by_name(open_page):
    page = open_page()
    search(page, "nobody")
    search(page, "s17")
    assert title(page) == "Row s17"
    assert page.locator("#message").is_hidden()


def test_the_level_that_was_typed_is_suggested_first(open_page):
    page = open_page()
    found = page.evaluate(
        """() => { explorer.data.meta.labels = ["a type 1", "type 10", "type 1"];
        return suggestions(explorer.data, "Type 1").map(one => one.text); }"""
    )
    assert found == ["kind: type 1", "kind: type 10", "kind: a type 1"]


def test_a_name_of_two_rows_selects_both_and_says_so(open_page):
    page = open_page()
    search(page, "s98")
    assert picked(page) == [98, 99]
    assert "2 rows have the name s98." in page.locator("#selection").text_content()
    assert "1 row name not unique" in page.locator(".data summary").text_content()


def test_suggestions_are_chosen_by_keys_and_by_mouse(open_page, findings):
    page = open_page()
    page.fill("#row", "tai")
    assert page.locator("#suggestions li span").all_text_contents() == ["coin: tails"]
    page.locator("#row").press("ArrowDown")
    assert page.locator("#suggestions li").get_attribute("aria-selected") == "true"
    page.locator("#row").press("Enter")
    coin = findings.data.frame.values[:, -1]
    assert picked(page) == np.flatnonzero(coin == 1).tolist()
    page.fill("#row", "type 1")
    page.locator("#suggestions li", has_text="kind: type 1").click()
    labels = np.array(findings.data.labels)
    assert picked(page) == np.flatnonzero(labels == "type 1").tolist()
    page.fill("#row", "noise3")
    page.locator("#suggestions li", has_text="Color by noise3").click()
    assert page.locator("#legend .title").text_content() == "noise3"


@pytest.mark.parametrize(("text", "test"), [("a > 0.5", np.greater), ("A<=0.5", np.less_equal)])
def test_numbers_are_found_by_comparison(open_page, findings, text, test):
    page = open_page()
    search(page, text)
    column = findings.data.frame.values[:, 0].astype(np.float32)
    assert picked(page) == np.flatnonzero(test(column, np.float32(0.5))).tolist()


def test_dates_are_found_by_day(open_page):
    page = open_page()
    page.evaluate(
        """() => { const {data} = explorer;  // every hour from 2020-01-01 on
        data.meta.columns[3] = {name: "day", kind: "datetime", levels: null, offset: 18262};
        data.values[3] = Float64Array.from({length: data.n}, (_, i) => 18262 + i / 24); }"""
    )
    assert page.evaluate("explorer.data.valueOf(25, 3)") == "2020-01-02 01:00"
    for text, rows in (
        ("day < 2020-01-02", range(24)),
        ("day = 2020-01-02", range(24, 48)),
        ("2020-01-03", range(48, 72)),
    ):
        search(page, text)
        assert picked(page) == list(rows)


def test_durations_have_no_date(open_page):
    page = open_page()
    page.evaluate(
        """() => { const {data} = explorer;  // every half hour
        data.meta.columns[3] = {name: "wait", kind: "duration", exact: true};
        data.values[3] = Float64Array.from({length: data.n}, (_, i) => i / 48); }"""
    )
    times = "[0, 0.75, 1.75, -0.25, 90 / 86400]"
    assert page.evaluate(f"{times}.map(days => explorer.data.text(days, null, 'duration'))") == [
        "00:00",
        "18:00",
        "42:00",
        "-06:00",
        "00:01:30",
    ]
    for text, rows in (
        ("wait < 01:00", [0, 1]),
        ("wait = 25:30:00", [51]),
        ("25:30", [51]),
    ):
        search(page, text)
        assert picked(page) == rows


def test_lasso_selects_what_is_inside(open_page):
    page = open_page()
    page.click("#lasso")
    at = places(page)
    middle = np.median(at, axis=0)
    angle = np.linspace(0, 2 * np.pi, 24)
    radius = np.quantile(np.hypot(*(at - middle).T), 0.5)
    outline = middle + radius * np.column_stack([np.cos(angle), np.sin(angle)])
    drag(page, outline.tolist())
    inside = np.hypot(*(at - middle).T)
    chosen = np.isin(np.arange(N), picked(page))
    assert chosen[inside < 0.97 * radius].all()
    assert not chosen[inside > 1.03 * radius].any()
    assert f"{chosen.sum()} rows selected" in page.locator("#selection h3").text_content()
    page.locator("#plot").press("Escape")
    assert picked(page) is None
    assert page.locator("#selection").is_hidden()


def box_around(page, rows):
    """Select a box around some rows; return the rows inside."""
    at = places(page)
    low = at[rows].min(axis=0) - 3
    high = at[rows].max(axis=0) + 3
    drag(page, [low.tolist(), high.tolist()])
    return np.flatnonzero(((at > low) & (at < high)).all(axis=1))


def test_box_isolates_and_saves_as_csv(open_page, findings):
    page = open_page()
    page.click("#box")
    inside = box_around(page, findings.neighbors[5][:4])
    assert picked(page) == inside.tolist()
    page.click("#isolate")
    page.wait_for_timeout(100)
    assert page.locator("#isolate").get_attribute("aria-pressed") == "true"
    visible = page.evaluate(f"Array.from({{length: {N}}}, (_, i) => explorer.scatter.isVisible(i))")
    assert np.flatnonzero(visible).tolist() == inside.tolist()
    with page.expect_download() as waiting:
        page.click("#save-csv")
    with open(waiting.value.path(), newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["row"] for row in rows] == [findings.data.ids[i] for i in inside]
    assert [row["kind"] for row in rows] == [findings.data.labels[i] for i in inside]
    values = [float(row["b"]) for row in rows]
    np.testing.assert_allclose(values, findings.data.frame.values[inside, 1], rtol=1e-5)
    assert {row["coin"] for row in rows} <= {"heads", "tails"}
    page.click("#clear")
    assert picked(page) is None
    assert page.evaluate("explorer.scatter.view.zoom") == 1


def test_shift_and_drag_selects_a_box(open_page, findings):
    page = open_page()
    page.keyboard.down("Shift")
    inside = box_around(page, [0, 1])
    page.keyboard.up("Shift")
    assert picked(page) == inside.tolist()


def test_csv_quotes_what_needs_quotes(open_page):
    page = open_page()
    text = page.evaluate(
        """() => { explorer.data.meta.ids[0] = 'a "b", c\\nd';
        return asCsv(explorer.data, [0]); }"""
    )
    assert next(csv.DictReader(io.StringIO(text, newline="")))["row"] == 'a "b", c\nd'


def test_large_whole_numbers_keep_all_digits(browser, tmp_path):
    numbers = 1_355_692_576 + 37 * np.arange(60)
    table = pd.DataFrame({"people": numbers, "double": 2 * numbers, "share": numbers / 7e8})
    table.loc[3, "people"] = np.nan
    model = URerF(n_estimators=20, random_state=0).fit(table)
    path = tmp_path / "r.html"
    write_report(model, path, table)
    wrong = []
    page = opened(browser, path.as_uri(), wrong)
    text = page.evaluate("asCsv(explorer.data, [0, 3])")
    first, fourth = csv.DictReader(io.StringIO(text, newline=""))
    assert (first["people"], first["double"]) == ("1355692576", "2711385152")
    assert fourth["people"] == ""
    assert "1,355,692,576" in page.evaluate(
        "explorer.data.meta.columns.map((_, c) => explorer.data.valueOf(0, c))"
    )
    search(page, f"people < {numbers[2]}")
    assert picked(page) == [0, 1]
    assert wrong == []
    page.context.close()


def test_the_legend_filters(open_page, findings):
    page = open_page()
    assert page.locator("#legend .title").text_content() == "kind"
    labels = np.array(findings.data.labels)
    entry = page.locator("#legend .entry").first
    level = entry.text_content()
    entry.click()
    assert entry.get_attribute("aria-pressed") == "false"
    expected = f"{(labels != level).sum()} rows shown."
    assert page.locator("#status").text_content() == expected
    page.locator("#plot").press("Escape")
    assert count(pixels(page), (0, 114, 178)) == 0
    page.locator("#legend .entry", has_text="Show all").click()
    assert count(pixels(page), (0, 114, 178)) > 200
    page.locator("#legend .entry").nth(1).dblclick()
    pressed = page.locator("#legend [aria-pressed]").evaluate_all(
        "all => all.map(one => one.ariaPressed)"
    )
    assert pressed == ["false", "true", "false"]


def test_numbers_are_filtered_by_the_ends_of_the_scale(open_page, findings):
    page = open_page()
    page.select_option("#color", label="a")
    page.locator("#legend input").first.fill("50")
    visible = page.evaluate(f"Array.from({{length: {N}}}, (_, i) => explorer.scatter.isVisible(i))")
    low = page.evaluate("explorer.state.filter.range[0]")
    column = findings.data.frame.values[:, 0]
    assert visible == (column >= low).tolist()
    assert 0 < sum(visible) < N


def test_a_cluster_is_selected_from_its_table(open_page, findings):
    page = open_page()
    page.locator("[data-cluster='1']").click()
    assert picked(page) == np.flatnonzero(findings.cluster == 1).tolist()
    marks = page.locator("#selection .marks li b").all_text_contents()
    assert set(marks) <= {"a", "b", "c"}
    assert marks


def test_a_few_rows_are_not_marked_by_chance(open_page):
    page = open_page()
    page.evaluate("explorer.pickRows([5, 60, 150], 'three rows')")
    assert page.locator("#selection h3").text_content() == "3 rows selected (2%)"
    assert page.locator("#selection .marks li").count() == 0


def test_picture_as_png_and_svg(open_page):
    page = open_page()
    page.click("#save summary")
    with page.expect_download() as waiting:
        page.click("#save-png")
    image = picture(waiting.value.path().read_bytes())
    for color in ((0, 114, 178), (230, 159, 0), (0, 158, 115), (208, 0, 0)):
        assert count(image, color) > 50
    page.click("#save summary")
    with page.expect_download() as waiting:
        page.click("#save-svg")
    text = waiting.value.path().read_text("utf-8")
    assert text.startswith("<svg xmlns=")
    assert text.count("<circle") >= N
    assert text.count("<polygon") == 1
    assert text.count("<rect") == 1 + K
    assert "type 0" in text
    page.goto("about:blank")
    page.set_content(text)
    assert page.locator("svg text", has_text="kind").count() == 1


def test_a_link_restores_the_view(open_page):
    page = open_page()
    page.select_option("#color", label="b")
    search(page, "a > 0")
    page.click("#isolate")
    search(page, "s33")
    page.click("#zoom-in")
    page.click("#save summary")
    page.click("#copy-link")
    page.wait_for_timeout(100)
    hash_of_view = page.evaluate("location.hash")
    assert hash_of_view.startswith("#view=")
    again = open_page(hash=hash_of_view)
    assert title(again) == "Row s33"
    assert picked(again) == picked(page)
    state = "[explorer.state.by, explorer.state.isolated]"
    assert again.evaluate(state) == page.evaluate(state)
    zoom = "explorer.scatter.view.zoom"
    assert again.evaluate(zoom) == pytest.approx(page.evaluate(zoom), rel=1e-5)


def test_a_link_that_makes_no_sense_is_told(open_page):
    page = open_page(hash="#view=%7Bnonsense")
    assert "does not describe a view" in page.locator("#message").text_content()
    assert title(page) == "Row s0"


def touch(page, path):
    """Move fingers along a path, a list of their places; as Chromium does for real fingers."""
    session = page.context.new_cdp_session(page)

    def send(kind, tips):
        points = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(tips)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", path[0])
    for tips in path[1:]:
        send("touchMove", tips)
    send("touchEnd", [])
    page.wait_for_timeout(300)


def phone(open_page):
    page = open_page(width=400, height=800, has_touch=True, is_mobile=True)
    page.locator("#plot").scroll_into_view_if_needed()
    page.evaluate("document.getElementById('plot').scrollIntoView({block: 'center'})")
    page.wait_for_timeout(200)
    return page


def test_two_fingers_zoom(open_page):
    page = phone(open_page)
    box = page.locator("#plot").bounding_box()
    x = box["x"] + box["width"] / 2
    y = box["y"] + box["height"] / 2
    before = page.evaluate("explorer.scatter.view.zoom")
    scroll = page.evaluate("scrollY")
    touch(page, [[(x - 30 - 10 * step, y), (x + 30 + 10 * step, y)] for step in range(7)])
    assert page.evaluate("explorer.scatter.view.zoom") == pytest.approx(3 * before, rel=0.15)
    assert page.evaluate("visualViewport.scale") == 1  # the map, not the page
    assert page.evaluate("scrollY") == scroll


def test_one_finger_scrolls_the_page(open_page):
    page = phone(open_page)
    box = page.locator("#plot").bounding_box()
    x = box["x"] + box["width"] / 2
    y = box["y"] + box["height"] - 60
    before = page.evaluate("scrollY")
    view = page.evaluate("explorer.scatter.view")
    touch(page, [[(x, y - 20 * step)] for step in range(9)])
    assert page.evaluate("scrollY") > before + 50
    assert page.evaluate("explorer.scatter.view.zoom") == view["zoom"]
    assert page.evaluate("explorer.scatter.view.y") == pytest.approx(view["y"], abs=0.2)


def test_a_tap_selects(open_page, findings):
    page = phone(open_page)
    i, x, y = lonely(page)
    page.touchscreen.tap(x, y)
    assert title(page) == f"Row {findings.data.ids[i]}"
