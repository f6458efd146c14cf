"""The picture of the report in the docs: Wine with pairs, on a wide screen."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from tests._report.conftest import FLAGS
from tests._report.samples import wine

from modlearn._report.page import write_report

PICTURE = Path(__file__).parents[1] / "docs" / "figures" / "report.png"
SIZE = {"width": 1280, "height": 1500}


def main() -> None:
    """Write the report to a folder that is not kept, open it, and take its picture."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "wine.html"
        write_report(wine(), path)
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(path.as_uri())
        show_parts_of(page)
        page.screenshot(path=PICTURE)
        browser.close()
    print(PICTURE)


def show_parts_of(page: Page) -> None:
    """Leave out what is between the head and the variables, and open the first of them."""
    page.evaluate("document.querySelectorAll('#warnings, #evaluation').forEach(e => e.remove())")
    page.locator("[data-table=variables] .name").first.click()
    page.locator(".detail [data-drawn]").first.wait_for()
    page.mouse.move(0, 0)
    page.evaluate("window.scrollTo(0, 0)")


if __name__ == "__main__":
    main()
