from __future__ import annotations

import pytest

from kg.terminal import plain, print_rows


def test_a_table_that_fits_is_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(["task", "papers"], [["in-context learning", "2"]])
    assert "in-context learning        2" in capsys.readouterr().out


def test_a_table_that_does_not_fit_is_printed_row_by_row_without_empty_cells(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = ["subject", "value", "metric", "baseline", "condition", "sentence"]
    print_rows(names, [["SOAP " * 9, "40", "", "AdamW " * 9, "a" * 60, "We propose SOAP. " * 9]])
    out = capsys.readouterr().out
    assert "value      40\n" in out
    assert "metric " not in out


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc", "a b c"),
        ("\x1b[31mred\x07", "[31mred"),
        ("\u202eevil\u200b", "evil"),
        (" kept spaces ", " kept spaces "),
        ("naïve 🧼", "naïve 🧼"),
    ],
)
def test_what_steers_a_terminal_is_taken_out(text: str, shown: str) -> None:
    assert plain(text) == shown
