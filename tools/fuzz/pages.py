"""Hostile names in pages: no element, request or script comes from a table."""

import random
import shutil
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd

import modlearn
from tools.fuzz.command import FaultError
from tools.fuzz.tables import NAMES

__all__ = ["attack"]

MARKUP = [
    "<script>window.injected = 1</script>", "</script><script>window.injected = 1</script>",
    "<img src=x onerror='window.injected = 1'>", '"><svg onload="window.injected = 1">',
    "javascript:window.injected = 1", "<!--", "-->", "<![CDATA[", "]]>", "<style>*{display:none}",
    "<base href='http://127.0.0.1:9/'>", "<iframe src='http://127.0.0.1:9/'></iframe>", "&lt;b&gt;",
    "${window.injected = 1}", "{{window.injected = 1}}", "__proto__", "constructor", "\\u003cb>",
    "<link rel=stylesheet href='http://127.0.0.1:9/x.css'>", "a\\", "'\"`", "\u2028", "\x00",
]  # fmt: skip
FOREIGN = "script,img,iframe,base,object,embed,link:not([rel=icon])"


def attack(seed: int, folder: Path) -> str:
    """Write a report full of markup, and open it in a browser if there is one."""
    rng = random.Random(seed)
    texts = [*MARKUP, *NAMES]
    names = [rng.choice(texts) + "x" * i for i in range(4)]
    values = [rng.choice(texts) + "y" * i for i in range(3)]
    n = 80
    frame = pd.DataFrame(
        {
            names[0]: [rng.random() for _ in range(n)],
            names[1]: [rng.choice(values) for _ in range(n)],
            names[2]: [rng.choice(values) for _ in range(n)],
        }
    )
    labels = [rng.choice(MARKUP) + "a", rng.choice(MARKUP) + "b"]
    frame[names[3]] = [labels[x > 0.5] for x in frame[names[0]]]
    path = folder / "report.html"
    modlearn.fit(frame, names[3], pairs="all", n_jobs=1).report(path)
    _parse(path.read_text())
    if _browser() is not None:
        _open(path)
    return "result"


class _Elements(HTMLParser):
    """Counts scripts, and refuses attributes that run something."""

    def __init__(self) -> None:
        super().__init__()
        self.n_scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.n_scripts += tag == "script"
        if tag in ("img", "iframe", "base", "object", "embed"):
            raise FaultError(f"an element <{tag}>")
        for name, value in attrs:
            if name.startswith("on") or (value or "").startswith("javascript:"):
                raise FaultError(f"an attribute {name}={value!r}")


def _parse(text: str) -> None:
    found = _Elements()
    found.feed(text)
    if found.n_scripts != 2:  # the data and the script
        raise FaultError(f"{found.n_scripts} scripts instead of 2")


@cache
def _browser() -> Any:
    """Chromium, or None where it is not installed."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        return None
    from playwright.sync_api import sync_playwright

    return (
        sync_playwright()
        .start()
        .chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
    )


def _open(path: Path) -> None:
    """Open the page and all its lines; raise for requests, messages and foreign elements."""
    context = _browser().new_context()
    page, said = context.new_page(), []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: said.append(request.url))
    page.goto(path.as_uri())
    for line in page.locator(".name").all():
        line.click()
    injected, n_elements = page.evaluate("window.injected"), page.locator(FOREIGN).count()
    context.close()
    said = [one for one in said if one != path.as_uri()]
    if said or injected is not None or n_elements != 2:
        raise FaultError(f"{said[:2]}, injected: {injected}, {n_elements} elements")
