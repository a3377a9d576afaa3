"""Pages in headless Chromium, and all that they complained of, ran or asked for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(
    CHROMIUM is None and "CI" not in os.environ, reason="no Chromium here; CI has one (apt install chromium)"
)


class Opened:
    """A page of the graph, and all that it complained of or asked for."""

    def __init__(self, browser: Browser, path: Path, address: str = "", **settings: Any) -> None:
        self.page: Page = browser.new_page(viewport={"width": 1400, "height": 900}, **settings)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri() + address)
        self.page.wait_for_selector("html[data-ready=true]", state="attached")

    @property
    def panel(self) -> str:
        return self.page.inner_text("#panel")

    @property
    def names(self) -> set[str]:
        """The names of the nodes that are shown, from the page's table."""
        return {row[0] for row in self.rows("Nodes")}

    def rows(self, title: str) -> list[list[str]]:
        """The cells of the page's table of this title."""
        if self.page.get_attribute("#table", "open") is None:
            self.page.evaluate("document.querySelector('#rows').replaceChildren()")  # what it held when last open
            self.page.click("#table > summary")
            self.page.wait_for_selector("#rows table", state="attached")
        table = self.page.locator("#rows table", has_text=title).nth(0 if title == "Nodes" else -1)
        found = table.locator("tbody").evaluate("body => [...body.rows].map(r => [...r.cells].map(c => c.innerText))")
        return list(found)

    def search(self, words: str, field: str = "#search") -> None:
        """Types these words and takes the first match."""
        self.page.fill(field, words)
        self.page.keyboard.press("Enter")

    @property
    def address(self) -> str:
        """The part of the address after the page itself, once it has settled."""
        self.page.wait_for_timeout(350)
        return str(self.page.evaluate("location.hash"))


@contextmanager
def chromium() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()


class Visit:
    """A tab that goes from page to page of one server."""

    def __init__(self, browser: Browser, url: str, *, dark: bool = False) -> None:
        context = browser.new_context(
            viewport={"width": 1280, "height": 900}, color_scheme="dark" if dark else "light", base_url=url
        )
        self.page: Page = context.new_page()
        self.url = url
        self.complaints: list[str] = []
        self.strangers: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.on("request", lambda request: self._note(request.url))

    def _note(self, url: str) -> None:
        if not url.startswith((f"{self.url}/", "data:")):
            self.strangers.append(url)

    def to(self, path: str) -> Page:
        self.page.goto(path)
        return self.page
