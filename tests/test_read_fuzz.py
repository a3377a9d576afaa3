"""Whatever bytes a file holds, each reader yields papers and errors; `benchmarks/fuzz_readers.py` tries far more."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg.errors import InputError
from kg.read import read_papers
from kg.records import Paper

DATA = Path(__file__).parent / "data"
FILES = sorted(file.name for file in DATA.iterdir())

TOKENS = (
    b"{ } [ ] ( ) < > </ /> & ; : , . \" ' \\ @ # $ % = - | \n \r \t \0 \xff \xfe \xef\xbb\xbf \xed\xa0\x80 &#0; "
    b"<![CDATA[ ]]> <!ENTITY <!-- <?xml ER TY  - PT  null 1e999 99999999999999999999 \\ud800 @misc{ {{{{ [[[[ > ##"
).split(b" ")

EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 40), st.sampled_from(TOKENS) | st.binary(max_size=4), st.integers(1, 50)),
    min_size=1,
    max_size=6,
)


def edited(data: bytes, edits: Sequence[tuple[float, int, bytes, int]]) -> bytes:
    for place, removed, token, times in edits:
        start = int(place * len(data))
        data = data[:start] + token * times + data[start + removed :]
    return data


def check(data: bytes) -> None:
    for record in read_papers(["-"], stdin=io.BytesIO(data)):
        if isinstance(record, Paper):
            assert record.abstract.strip()
            assert record.source.startswith("standard input")
            str(record).encode()
        else:
            assert isinstance(record, InputError)
            assert record.where.startswith("standard input")
            str(record).encode()


@pytest.mark.parametrize("file", FILES)
@settings(max_examples=30, deadline=5000, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=EDITS)
def test_no_damage_to_a_file_is_raised(file: str, edits: Sequence[tuple[float, int, bytes, int]]):
    check(edited((DATA / file).read_bytes(), edits))


@settings(max_examples=200, deadline=5000)
@given(data=st.binary(max_size=300))
def test_no_bytes_are_raised(data: bytes):
    check(data)


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("token", [b"#", b"{", b"<a>", b" ", b"\n", b"a, ", b". (c) 2015 ", b"\\", b'"', b"[a](", b"&"])
@settings(max_examples=2, deadline=5000)
@given(place=st.floats(0, 1))
def test_long_runs_are_read_in_linear_time(file: str, token: bytes, place: float):
    check(edited((DATA / file).read_bytes(), [(place, 0, token, 30_000 // len(token))]))
