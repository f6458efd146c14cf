"""The picture of the report in the docs: Wine with pairs, on a wide screen."""

from __future__ import annotations

import csv
import shutil
import tempfile
from contextlib import chdir
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from sklearn.datasets import load_wine

import modlearn

PICTURE = Path(__file__).parents[1] / "docs" / "figures" / "report.png"
SIZE = {"width": 1280, "height": 1500}


def main() -> None:
    """Fit in a folder that is not kept, open the report, and take its picture."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder), sync_playwright() as playwright:
        write_wines("wine.csv")
        modlearn.fit("wine.csv", target="grower", pairs="all").report("wine.html")
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(Path("wine.html").resolve().as_uri())
        show_parts_of(page)
        page.screenshot(path=PICTURE)
        browser.close()
    print(PICTURE)


def write_wines(path: str) -> None:
    """Write the measurements of the wines and their growers as CSV."""
    wine = load_wine()
    with Path(path).open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow([*wine.feature_names, "grower"])
        for values, grower in zip(wine.data.tolist(), wine.target.tolist(), strict=True):
            table.writerow([*values, f"grower {grower + 1}"])


def show_parts_of(page: Page) -> None:
    """Leave out what is between the head and the variables, and open the first of them."""
    page.evaluate("document.querySelectorAll('#warnings, #evaluation').forEach(e => e.remove())")
    page.locator("[data-table=variables] .name").first.click()
    page.locator(".detail [data-drawn]").first.wait_for()
    page.mouse.move(0, 0)
    page.evaluate("window.scrollTo(0, 0)")


if __name__ == "__main__":
    main()
