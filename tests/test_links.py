from __future__ import annotations

import pytest

from kg.links import find_links


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("Code: https://github.com/a/b.", "https://github.com/a/b"),
        (r"at \href{https://github.com/a/b_c}{this repository}.", "https://github.com/a/b_c"),
        (r"\url{https://a.org/x~y}", "https://a.org/x~y"),
        ("[code](https://a.org/p?q=1&r=2)", "https://a.org/p?q=1&r=2"),
        ("see https://en.wikipedia.org/wiki/A_(b), and", "https://en.wikipedia.org/wiki/A_(b)"),
        ("(https://a.org/b)", "https://a.org/b"),
        ("at github.com/a/b", "https://github.com/a/b"),
        ("at huggingface.co/datasets/x/y.", "https://huggingface.co/datasets/x/y"),
        ("**https://a.org/b**", "https://a.org/b"),
    ],
)
def test_an_address_is_found_however_it_is_written(text: str, url: str) -> None:
    (link,) = find_links(text)
    assert link.url == url
    assert text[link.start : link.end] in (url, url.removeprefix("https://"))


@pytest.mark.parametrize(
    "text", ["no link", "me@github.com/x", "javascript:alert(1)", "https://", "ftp://a.org/b", "e.g. www"]
)
def test_what_is_no_web_address_is_left_alone(text: str) -> None:
    assert list(find_links(text)) == []
