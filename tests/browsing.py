"""A page in headless Chromium, and all that it complained of, ran or asked for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(
    CHROMIUM is None and "CI" not in os.environ, reason="no Chromium here; CI has one (apt install chromium)"
)


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
