"""A real browser, and pages of reports that it opens."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests._jobs.conftest import orders  # noqa: F401
from tests._model.conftest import groups, intervals  # noqa: F401
from tests._show.samples import REPORTS

from modlearn._show.page import write_report

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def refuse(reason: str) -> None:
    """Skip, or fail where nothing may be skipped."""
    if os.environ.get("MODLEARN_NO_SKIP"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def summaries() -> Callable[[str], dict[str, Any]]:
    """Summaries of the reports by name, each made once."""
    made: dict[str, dict[str, Any]] = {}

    def summary(name: str) -> dict[str, Any]:
        if name not in made:
            made[name] = REPORTS[name]()
        return made[name]

    return summary


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, driven by Playwright."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        refuse("no chromium on PATH")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        refuse("playwright is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


@dataclass
class BrowserPage:
    """A page in the browser, and what it did that it should not."""

    page: Any
    messages: list[str] = field(default_factory=list)

    def lines(self, table: str) -> Any:
        return self.page.locator(f"[data-table={table}] tr.line")

    def names(self, table: str) -> list[str]:
        return self.page.locator(f"[data-table={table}] .name").all_inner_texts()

    def open(self, table: str, line: int = 0) -> Any:
        """Open a line; returns what it shows."""
        self.page.locator(f"[data-table={table}] .name").nth(line).click()
        detail = self.page.locator(f"[data-table={table}] tr.detail").first
        detail.scroll_into_view_if_needed()
        detail.locator("[data-drawn]").first.wait_for()
        return detail


@pytest.fixture
def browser_page(
    browser: Any, summaries: Callable[[str], dict[str, Any]], tmp_path: Path
) -> Iterator[Callable[..., BrowserPage]]:
    """Opener of the page of a report; at the end it must have kept quiet and to itself."""
    opened: list[BrowserPage] = []
    contexts = []

    def opener(
        name: str, width: int = 1280, summary: dict[str, Any] | None = None, **options: Any
    ) -> BrowserPage:
        path = tmp_path / "report.html"
        write_report(summaries(name) if summary is None else summary, path)
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        found = BrowserPage(page)
        opened.append(found)

        def allow(route: Any) -> None:
            if route.request.url == path.as_uri():
                route.continue_()
            else:
                found.messages.append(f"request of {route.request.url}")
                route.abort()

        page.route("**/*", allow)
        page.on("console", lambda message: found.messages.append(message.text))
        page.on("pageerror", lambda error: found.messages.append(str(error)))
        page.goto(path.as_uri())
        return found

    yield opener
    messages = [message for one in opened for message in one.messages]
    injected = [one.page.evaluate("window.injected") for one in opened]
    for context in contexts:
        context.close()
    assert messages == []
    assert injected == [None] * len(injected)
