"""The screenshots of "How to read the report".

`python -m examples.screenshots` writes reports about the digits of scikit-learn and about a table
of noise, opens them in Chromium (on the PATH, or named by $CHROMIUM) and takes pictures of them.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from urerf import URerF
from urerf.files import FileData
from urerf.report import write_report
from urerf.schema import Frame, Schema

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
SIZE = {"width": 1366, "height": 768}
SWITCHES = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
# File, report, and what is done in the page before the picture is taken.
SHOTS = (
    ("report_top.png", "digits", "explorer.select(0, false)"),
    ("report_selection.png", "digits", "explorer.pickCluster(1); explorer.isolate(false)"),
    ("report_data.png", "digits", "document.querySelector('.data').open = true"),
    ("report_none.png", "noise", "explorer.select(-1, false)"),
)


def report(
    folder: Path,
    name: str,
    values: np.ndarray,
    columns: list[str],
    labels: Any,
) -> None:
    """Write the report of a table."""
    frame = Frame(values, Schema.of_numbers(columns))
    data = FileData(frame, np.arange(len(values)), None, labels, f"{name}.csv")
    model = URerF(random_state=0).fit(frame)
    label = None if labels is None else "digit"
    command = f"urerf report {name}.csv" + (f" --label {label}" if label else "")
    write_report(model, folder / f"{name}.html", data, label=label, command=command)


def digits(folder: Path) -> None:
    """Write the report about handwritten digits, 8 x 8 pixels each."""
    X, y = load_digits(return_X_y=True)
    names = [f"pixel_{i // 8}_{i % 8}" for i in range(64)]
    report(folder, "digits", X, names, [str(digit) for digit in y])


def noise(folder: Path) -> None:
    """Write the report about independent columns."""
    X = np.random.default_rng(0).normal(size=(600, 12))
    report(folder, "noise", X, [f"x{i}" for i in range(12)], None)


def take(folder: Path) -> None:
    """Take all pictures."""
    from playwright.sync_api import sync_playwright  # optional package

    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=SWITCHES)
        for file, name, code in SHOTS:
            page = browser.new_page(viewport=SIZE, color_scheme="light")
            page.goto((folder / f"{name}.html").as_uri())
            page.wait_for_selector("[data-ready]")
            page.evaluate(code)
            page.wait_for_timeout(500)
            page.screenshot(path=PICTURES / file)
            page.close()
        browser.close()


def main() -> None:
    """Write the reports and take the pictures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        digits(folder)
        noise(folder)
        take(folder)


if __name__ == "__main__":
    main()
