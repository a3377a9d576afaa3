"""Numbers as people write them: expression, value, unit, qualifier, direction, and where it came from."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.clean import clean
from kg.quantities import find_quantities

PP = "percentage points"
TABLE: list[tuple[str, str, str | None, str | None, str | None, str | None]] = [
    # plain shares
    ("9%", "9", "%", None, None, None),
    (r"9\%", "9", "%", None, None, None),
    (r"$90\%$", "90", "%", None, None, None),
    ("58.83%", "58.83", "%", None, None, None),
    ("58.83 %", "58.83", "%", None, None, None),
    ("10 percent", "10", "%", None, None, None),
    ("10 per cent", "10", "%", None, None, None),
    ("ten percent", "10", "%", None, None, None),
    ("twelve per cent", "12", "%", None, None, None),
    ("0.5%", "0.5", "%", None, None, None),
    (".5%", "0.5", "%", None, None, None),
    ("100%", "100", "%", None, None, None),
    ("1,200%", "1200", "%", None, None, None),
    # percentage points and points
    ("6.5%p", "6.5", PP, None, None, None),
    ("6.5 %p", "6.5", PP, None, None, None),
    ("6.5%p on average", "6.5", PP, "average", None, None),
    ("10 pp", "10", PP, None, None, None),
    ("10pp", "10", PP, None, None, None),
    ("10 p.p.", "10", PP, None, None, None),
    ("6 percentage points", "6", PP, None, None, None),
    ("6 percentage-points", "6", PP, None, None, None),
    ("6 percent points", "6", PP, None, None, None),
    ("6 %-points", "6", PP, None, None, None),
    ("3.1% absolute", "3.1", PP, None, None, None),
    ("3.1 absolute points", "3.1", PP, None, None, None),
    ("five percentage points", "5", PP, None, None, None),
    ("3.2 points", "3.2", "points", None, None, None),
    ("3 points", "3", "points", None, None, None),
    ("two points", "2", "points", None, None, None),
    ("2.4 pts", "2.4", "points", None, None, None),
    # times
    ("3x", "3", "×", None, None, None),
    ("3X", "3", "×", None, None, None),
    ("3 x", "3", "×", None, None, None),
    ("2.5×", "2.5", "×", None, None, None),
    ("2.5 ×", "2.5", "×", None, None, None),
    (r"$2\times$", "2", "×", None, None, None),
    (r"$2.41\times$", "2.41", "×", None, None, None),
    ("2.23$×$", "2.23", "×", None, None, None),
    ("4 times", "4", "×", None, None, None),
    ("three times", "3", "×", None, None, None),
    ("3-fold", "3", "×", None, None, None),
    ("3 fold", "3", "×", None, None, None),
    ("threefold", "3", "×", None, None, None),
    ("three-fold", "3", "×", None, None, None),
    ("tenfold", "10", "×", None, None, None),
    ("by a factor of 4", "4", "×", None, None, None),
    ("by a factor of two", "2", "×", None, None, None),
    ("by a factor of about 4", "4", "×", "about", None, None),
    ("by a factor of 4-6", "6", "×", None, None, None),
    ("a factor of 10", "10", "×", None, None, None),
    ("twice", "2", "×", None, None, None),
    ("thrice", "3", "×", None, None, None),
    ("doubles the throughput", "2", "×", None, None, None),
    ("tripling the yield", "3", "×", None, None, None),
    ("quadruples the yield", "4", "×", None, None, None),
    ("an order of magnitude", "10", "×", None, None, None),
    ("one order of magnitude", "10", "×", None, None, None),
    ("two orders of magnitude", "100", "×", None, None, None),
    ("3 orders of magnitude", "1000", "×", None, None, None),
    ("up to two orders of magnitude", "100", "×", "up to", None, None),
    ("1-2 orders of magnitude", "100", "×", None, None, None),
    ("up to × 6 faster", "6", "×", "up to", "increase", None),
    ("by ×125", "125", "×", None, None, None),
    # shares in words
    ("by half", "50", "%", None, None, None),
    ("in half", "50", "%", None, None, None),
    ("halves the cost", "50", "%", None, "decrease", None),
    ("halving the cost", "50", "%", None, "decrease", None),
    ("by a quarter", "25", "%", None, None, None),
    ("by a third", "33.3", "%", None, None, None),
    ("two-thirds", "66.7", "%", None, None, None),
    ("three quarters", "75", "%", None, None, None),
    # qualifiers
    ("over 35%", "35", "%", "over", None, None),
    ("more than 35%", "35", "%", "over", None, None),
    ("above 35%", "35", "%", "over", None, None),
    ("exceeding 35%", "35", "%", "over", None, None),
    ("greater than 35%", "35", "%", "over", None, None),
    (">35%", "35", "%", "over", None, None),
    ("> 35%", "35", "%", "over", None, None),
    ("35%+", "35", "%", "over", None, None),
    ("under 5%", "5", "%", "under", None, None),
    ("less than 5%", "5", "%", "under", None, None),
    ("below 5%", "5", "%", "under", None, None),
    ("<5%", "5", "%", "under", None, None),
    ("up to 40%", "40", "%", "up to", None, None),
    ("as much as 40%", "40", "%", "up to", None, None),
    ("as high as 40%", "40", "%", "up to", None, None),
    ("a maximum of 40%", "40", "%", "up to", None, None),
    ("at least 2 points", "2", "points", "at least", None, None),
    ("no less than 2 points", "2", "points", "at least", None, None),
    ("≥ 2 points", "2", "points", "at least", None, None),
    ("at most 3%", "3", "%", "at most", None, None),
    ("no more than 3%", "3", "%", "at most", None, None),
    ("within 3%", "3", "%", "at most", None, None),
    ("≤3%", "3", "%", "at most", None, None),
    ("about 20%", "20", "%", "about", None, None),
    ("around 20%", "20", "%", "about", None, None),
    ("approximately 20%", "20", "%", "about", None, None),
    (r"approximately 20\%", "20", "%", "about", None, None),
    ("roughly 20%", "20", "%", "about", None, None),
    ("~20%", "20", "%", "about", None, None),
    (r"$\sim$20%", "20", "%", "about", None, None),
    ("nearly 20%", "20", "%", "nearly", None, None),
    ("almost 20%", "20", "%", "nearly", None, None),
    ("close to 20%", "20", "%", "nearly", None, None),
    ("an average of 9%", "9", "%", "average", None, None),
    ("by an average of 58.83%", "58.83", "%", "average", None, None),
    ("on average 9%", "9", "%", "average", None, None),
    ("9% on average", "9", "%", "average", None, None),
    ("an average 9%", "9", "%", "average", None, None),
    ("averaging 9%", "9", "%", "average", None, None),
    ("nearly three times", "3", "×", "nearly", None, None),
    ("over twice", "2", "×", "over", None, None),
    # signs and what follows
    ("+3.2 points", "3.2", "points", None, "increase", None),
    ("-2.1%", "2.1", "%", None, "decrease", None),
    ("−2.1%", "2.1", "%", None, "decrease", None),
    ("+14.6% accuracy", "14.6", "%", None, "increase", None),
    ("40% faster", "40", "%", None, "increase", None),
    ("2.5x faster inference", "2.5", "×", None, "increase", None),
    ("3x slower", "3", "×", None, "decrease", None),
    ("40% fewer steps", "40", "%", None, "decrease", None),
    ("35% lower latency", "35", "%", None, "decrease", None),
    ("60% less memory", "60", "%", None, "decrease", None),
    ("6× fewer parameters", "6", "×", None, "decrease", None),
    ("12% higher accuracy", "12", "%", None, "increase", None),
    ("2.23× higher pass@1", "2.23", "×", None, "increase", None),
    ("a 3x speedup", "3", "×", None, "increase", None),
    ("a 1.77x speed-up", "1.77", "×", None, "increase", None),
    ("a 50% reduction", "50", "%", None, "decrease", None),
    ("a 3-fold reduction", "3", "×", None, "decrease", None),
    ("a 5% drop", "5", "%", None, "decrease", None),
    ("a 12% relative improvement", "12", "%", None, "better", None),
    ("a 5.2% accuracy gain", "5.2", "%", None, "better", None),
    ("10x larger", "10", "×", None, "increase", None),
    ("10x smaller", "10", "×", None, "decrease", None),
    ("two orders of magnitude faster", "100", "×", None, "increase", None),
    ("5% worse", "5", "%", None, "worse", None),
    # what leads to them
    ("reduces latency by 40%", "40", "%", None, "decrease", None),
    ("reducing the number of iterations by over 40%", "40", "%", "over", "decrease", None),
    ("cuts cost by 63.12%", "63.12", "%", None, "decrease", None),
    ("lowers memory by up to 3x", "3", "×", "up to", "decrease", None),
    ("improves accuracy by 3.1% absolute", "3.1", PP, None, "better", None),
    ("accelerates processing speed by 63.95%", "63.95", "%", None, "increase", None),
    ("increases throughput by a factor of 4", "4", "×", None, "increase", None),
    ("outperforms the best baseline by 8.0%", "8", "%", None, "better", None),
    ("underperforms by 2 points", "2", "points", None, "worse", None),
    # from and to, ranges
    ("from 71.2 to 78.9", "78.9", None, None, "increase", "71.2"),
    ("from 71.2% to 78.9%", "78.9", "%", None, "increase", "71.2"),
    ("from 12.5 down to 8.1", "8.1", None, None, "decrease", "12.5"),
    ("from 40 to 12 ms", "12", "ms", None, "decrease", "40"),
    ("from 3 to 3", "3", None, None, "equal", "3"),
    ("3-5%", "5", "%", None, None, "3"),
    ("3–5%", "5", "%", None, None, "3"),
    ("3% to 5%", "5", "%", None, None, "3"),
    ("3 to 5%", "5", "%", None, None, "3"),
    ("6%–6.66%", "6.66", "%", None, None, "6"),
    ("0.10-0.22", "0.22", None, None, None, "0.10"),
    ("10-100x", "100", "×", None, None, "10"),
    # scales, bare numbers, unit words
    ("7.3 million", "7300000", None, None, None, None),
    ("1.5 billion", "1500000000", None, None, None, None),
    ("0.82", "0.82", None, None, None, None),
    ("Macro-F1≈0.82", "0.82", None, "about", None, None),
    ("70.2 mAP", "70.2", None, None, None, None),
    ("12 ms", "12", "ms", None, None, None),
    ("0.3 seconds", "0.3", "seconds", None, None, None),
    ("24 GB", "24", "GB", None, None, None),
    ("24GB", "24", "GB", None, None, None),
    ("30 FPS", "30", "FPS", None, None, None),
    ("1.2 dB", "1.2", "dB", None, None, None),
    ("10.23 GFLOPs", "10.23", "GFLOPs", None, None, None),
    ("45 tokens/s", "45", "tokens/s", None, None, None),
]


def test_the_table_is_as_long_as_promised() -> None:
    assert len({row[0] for row in TABLE}) >= 150


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0])
def test_an_expression_is_read(row: tuple[str, str, str | None, str | None, str | None, str | None]) -> None:
    text, value, unit, qualifier, direction, origin = row
    first = next(find_quantities(clean(text).text))
    found = (first.value, first.unit, first.qualifier, first.direction, first.origin)
    assert found == (Decimal(value), unit, qualifier, direction, Decimal(origin) if origin else None)


@pytest.mark.parametrize(
    "text",
    [
        "GPT-4",
        "3D x 5D",
        "in 2024",
        "10 datasets",
        "5-shot learning",
        "ResNet-50",
        "CIFAR-10/100",
        "3D",
        "top-1",
        "8-bit",
        "Section 3",
        "SOTA",
        "",
    ],
)
def test_a_number_that_measures_nothing_is_left_alone(text: str) -> None:
    assert list(find_quantities(text)) == []


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("by over 40% and wall clock time by over 35%", ["40", "35"]),
        ("+3.1 points in accuracy, +1.3 in BoxAP, and +1.1 in MaskAP", ["3.1", "1.3", "1.1"]),
        ("by 6%–6.66% on standard and by 5.5%–6% on transfer", ["6.66", "6"]),
        ("46.36% precision and 54.78% recall", ["46.36", "54.78"]),
    ],
)
def test_several_are_read_in_order(text: str, values: list[str]) -> None:
    found = [q.value for q in find_quantities(text)]
    assert found == [Decimal(value) for value in values]


@given(st.text(alphabet="0123456789.,%x×+-–~ abfromtpinsg", max_size=80))
def test_quantities_lie_within_the_text_and_do_not_overlap(text: str) -> None:
    found = list(find_quantities(text))
    assert all(0 <= q.start < q.end <= len(text) for q in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
