"""Chromium for the tests of the page: where it is, how it is started, and how a page is read."""

import io
import os
import shutil

import numpy as np
import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PROGRAM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
SWITCHES = (
    "--no-sandbox --disable-gpu --use-angle=swiftshader --enable-unsafe-swiftshader "
    "--disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
REMEDY = "pip install playwright, install Chromium or name it by $CHROMIUM, then make test"


def skip(reason):
    """Skip the tests in the browser, or fail if they are required."""
    if os.environ.get("URERF_REQUIRE_BROWSER") == "1":
        pytest.fail(f"URERF_REQUIRE_BROWSER=1, but {reason}", pytrace=False)
    pytest.skip(f"no browser: {reason}; {REMEDY}")


def started():
    """Yield a browser."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        skip("playwright is not installed")
    if PROGRAM is None:
        skip("there is no Chromium on the PATH and none named by $CHROMIUM")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=PROGRAM, args=SWITCHES.split())
        yield browser
        browser.close()


def opened(browser, address, wrong, **settings):
    """Return a page; its errors and requests are added to ``wrong``."""
    context = browser.new_context(**settings)
    page = context.new_page()
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: check_request(request, wrong))
    page.goto(address)
    page.wait_for_selector("[data-ready]")
    return page


def check_request(request, wrong):
    """Remember a request that leaves the page; blobs are what it offers for download."""
    if not request.url.startswith(("file:", "blob:")):
        wrong.append(request.url)


def places(page):
    """Return the position of every point on the screen."""
    return np.array(
        page.evaluate(
            """() => { const box = byId("plot").getBoundingClientRect();
            return Array.from({length: explorer.data.n}, (_, i) => {
              const [x, y] = explorer.scatter.screen(i);
              return [x + box.left, y + box.top]; }); }"""
        )
    )


def lonely(page):
    """Return a point with no other close to it on the screen, and its position."""
    at = places(page)
    gaps = ((at[:, None] - at) ** 2).sum(axis=2)
    np.fill_diagonal(gaps, np.inf)
    i = int(gaps.min(axis=1).argmax())
    return i, *at[i]


def picture(image_bytes):
    """Return a picture as an array (height, width, 3)."""
    image = pytest.importorskip("PIL.Image")
    return np.asarray(image.open(io.BytesIO(image_bytes)).convert("RGB")).astype(int)


def pixels(page):
    """Return the map as an array, without the edge, where focus is marked."""
    page.wait_for_timeout(150)
    return picture(page.locator("#plot").screenshot())[10:-10, 10:-10]


def count(image, color):
    """Count the pixels that have about this color."""
    return int((np.abs(image - color).max(axis=2) < 30).sum())


def listed(page):
    """Return the names in the list of neighbors."""
    return page.locator(".neighbors tbody th").all_text_contents()


def title(page):
    """Return the row that the panel shows."""
    return page.locator("#panel h3").text_content()


def picked(page):
    """Return the rows of the selection."""
    return page.evaluate("explorer.state.picked && pickedRows(explorer.state.picked)")


def drag(page, outline):
    """Drag the mouse along an outline."""
    page.mouse.move(*outline[0])
    page.mouse.down()
    for place in outline[1:]:
        page.mouse.move(*place, steps=3)
    page.mouse.up()
