"""Reading: every format, encoding and bad input that `kg build` meets."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest

from kg.errors import InputError, RecordError
from kg.read import ABSTRACT_LIMIT, read_papers
from kg.records import Paper

SEED = Path(__file__).parent.parent / "examples" / "iclr2025.txt"


def read(data: bytes | str) -> list[Paper | InputError]:
    content = data.encode() if isinstance(data, str) else data
    return list(read_papers(["-"], stdin=io.BytesIO(content)))


def papers(data: bytes | str) -> list[Paper]:
    records = read(data)
    problems = [record for record in records if not isinstance(record, Paper)]
    assert problems == []
    return [record for record in records if isinstance(record, Paper)]


def paper(data: bytes | str) -> Paper:
    (only,) = papers(data)
    return only


def problem(data: bytes | str) -> InputError:
    (only,) = read(data)
    assert isinstance(only, InputError)
    assert only.fault
    assert only.where.startswith("standard input")
    return only


def abstracts(data: bytes | str) -> list[str]:
    return [record.abstract for record in papers(data)]


# Text lists


def test_the_seed_corpus_has_nineteen_abstracts_and_a_heading_that_is_none():
    records = list(read_papers([SEED]))
    assert len(records) == 19
    assert all(isinstance(record, Paper) and record.title is None for record in records)
    assert records[0] == Paper(SEED.read_text("utf-8").split("\n")[2], source=f"{SEED}, line 3")


def test_paragraphs_between_blank_lines_are_abstracts():
    assert abstracts("We propose A.\n\nWe propose B.\n \n\nWe propose C.") == [
        "We propose A.",
        "We propose B.",
        "We propose C.",
    ]


def test_the_source_is_the_first_line_of_the_paragraph():
    assert [record.source for record in papers("A list\n\nWe propose A\nand more.\n\nWe propose B.")] == [
        "standard input, line 3",
        "standard input, line 6",
    ]


def test_a_hard_wrapped_paragraph_is_one_abstract_as_it_is_written():
    text = "We propose a parser that reads\nabstracts. It is fast and it is\nsmall."
    assert abstracts(text) == [text]


def test_a_title_line_before_a_single_abstract_is_its_title():
    assert paper("A Small Parser\n\nWe propose a small parser.") == Paper(
        "We propose a small parser.", title="A Small Parser", source="standard input, line 3"
    )


def test_a_title_line_right_above_the_abstract_is_its_title():
    abstract = "We propose a small parser that reads abstracts of papers quickly and without any fault at all. " * 2
    read_paper = paper(f"A Small Parser\n{abstract}")
    assert (read_paper.title, read_paper.abstract) == ("A Small Parser", abstract.strip())


def test_a_label_is_neither_title_nor_abstract():
    read_paper = paper("Title: A Small Parser\n\nAbstract\n\nWe propose a parser.")
    assert (read_paper.title, read_paper.abstract) == ("A Small Parser", "We propose a parser.")


def test_a_label_in_front_of_the_abstract_is_dropped():
    assert abstracts("Abstract: We propose a parser.") == ["We propose a parser."]


def test_titles_before_every_abstract_are_titles():
    text = "Papers of 2025\n\nParser A\n\nWe propose A.\n\nParser B\n\nWe propose B."
    assert [(record.title, record.abstract) for record in papers(text)] == [
        ("Parser A", "We propose A."),
        ("Parser B", "We propose B."),
    ]


def test_a_heading_over_several_abstracts_is_no_title():
    assert [record.title for record in papers("Papers of 2025\n\nWe propose A.\n\nWe propose B.")] == [None, None]


def test_long_lines_without_blank_lines_are_one_abstract_each():
    first, second = "We propose A. " * 30 + "Done.", "We propose B. " * 30 + "Done."
    assert abstracts(f"{first}\n{second}\n") == [first, second]


def test_prose_with_commas_is_no_table():
    assert abstracts("We study title, venue and year, say.\nMore, and more, of it.") == [
        "We study title, venue and year, say.\nMore, and more, of it."
    ]


def test_a_chinese_abstract_is_an_abstract():
    assert abstracts("我们提出一种新的方法。") == ["我们提出一种新的方法。"]


def test_line_ends_of_any_system_are_line_ends():
    assert abstracts("We propose A.\r\n\r\nWe propose B.\r\rWe propose C.") == [
        "We propose A.",
        "We propose B.",
        "We propose C.",
    ]


# JSON Lines and JSON


FULL = {
    "title": "A  Parser",
    "abstract": "We propose a parser.",
    "id": "10.1000/182",
    "year": 2025,
    "venue": "ICLR",
    "authors": ["Ada Lovelace", "Alan Turing"],
    "url": "https://example.org/a_b",
    "keywords": ["parsing", "trees"],
    "unknown": {"ignored": True},
}
FULL_PAPER = Paper(
    "We propose a parser.",
    title="A Parser",
    id="10.1000/182",
    year=2025,
    venue="ICLR",
    authors=("Ada Lovelace", "Alan Turing"),
    url="https://example.org/a_b",
    keywords=("parsing", "trees"),
    source="standard input, line 1",
)


def test_json_lines_fill_every_field_and_ignore_the_others():
    assert paper(json.dumps(FULL)) == FULL_PAPER


def test_only_the_abstract_is_needed():
    assert paper('{"abstract": "We propose A."}') == Paper("We propose A.", source="standard input, line 1")


def test_letter_case_of_field_names_does_not_matter():
    assert paper('{"Abstract": "We propose A.", "TITLE": "A"}').title == "A"


def test_blank_json_lines_are_skipped_but_counted():
    text = '{"abstract": "We propose A."}\n\n{"abstract": "We propose B."}\n'
    assert [record.source for record in papers(text)] == ["standard input, line 1", "standard input, line 3"]


@pytest.mark.parametrize(
    "text",
    [
        '[{"abstract": "We propose A."}, {"abstract": "We propose B."}]',
        '[\n{"abstract": "We propose A."},\n{"abstract": "We propose B."}\n]',
        '{"count": 2, "papers": [{"abstract": "We propose A."}, {"abstract": "We propose B."}]}',
        '{\n "papers": [\n  {"abstract": "We propose A."},\n  {"abstract": "We propose B."}\n ]\n}',
    ],
)
def test_json_may_be_an_array_or_hold_one(text: str):
    assert abstracts(text) == ["We propose A.", "We propose B."]


def test_json_may_be_a_single_object():
    assert paper(json.dumps(FULL, indent=2)).authors == ("Ada Lovelace", "Alan Turing")


def test_the_records_of_an_array_are_counted():
    records = read('[{"abstract": "We propose A."}, {"title": "B"}]')
    assert [records[0].source, records[1].where] == ["standard input, record 1", "standard input, record 2"]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('{"abstract": "We propose', "the JSON breaks off at column 14"),
        ('{"abstract": "We propose"', "the JSON breaks off at column 26"),
        ('{"abstract": oops}', "not valid JSON: expecting value at column 14"),
        ('{"abstract": null}', "the abstract is null"),
        ('{"title": "A"}', "the abstract is missing"),
        ('{"abstract": ["We", "propose"]}', "the abstract is a list"),
        ('{"abstract": 12}', "the abstract is a number"),
        ('{"abstract": ""}', "the abstract is empty"),
        ('{"abstract": " \\n "}', "the abstract is empty"),
        ('{"abstract": "... !? 42"}', "the abstract has no word in it"),
        ('{"abstract": "We propose.", "title": ["A"]}', "the title is a list"),
        ('{"abstract": "We propose.", "authors": 7}', "the authors are not a list of names"),
        ('{"abstract": "We propose.", "keywords": [7]}', "the keywords are not a list of names"),
        ('"We propose"', "expected an object with an abstract, found a text"),
        ("[" * 100_000, "not usable as JSON: nested too deeply"),
        ('{"abstract": "A", "n": ' + "9" * 5000 + "}", "not usable as JSON: a number with too many digits"),
    ],
)
def test_a_bad_json_line_is_reported_with_its_number_and_the_rest_is_read(line: str, fault: str):
    good = '{"abstract": "We propose A."}'
    first, bad, last = read(f"{good}\n{line}\n{good}\n")
    assert isinstance(bad, RecordError)
    assert (bad.fault, bad.where) == (fault, "standard input, line 2")
    assert isinstance(first, Paper)
    assert isinstance(last, Paper)


def test_a_missing_abstract_is_reported_with_the_fields_there_are():
    assert problem('{"title": "A", "text": "We propose A."}').hint == "the fields are: title, text"


def test_a_single_truncated_json_line_is_reported():
    assert problem('{"abstract": "We prop').fault == "the JSON breaks off at column 14"


def test_a_truncated_json_array_is_reported_with_its_line():
    good, bad = read('[\n {"abstract": "We propose A."},\n {"abstract": "We pro')
    assert isinstance(good, Paper)
    assert isinstance(bad, InputError)
    assert (bad.fault, bad.where) == ("the JSON breaks off at column 15", "standard input, line 3")


def test_json_that_is_nested_too_deeply_is_reported():
    assert problem("[" * 100_000).fault == "not usable as JSON: nested too deeply"


@pytest.mark.parametrize(
    ("given", "year"),
    [(2025, 2025), ("2025", 2025), (2025.0, 2025), ("2025-04-24", 2025), ("April 2025", 2025), (None, None)],
)
def test_a_year_is_found_in_what_is_given(given: object, year: int | None):
    assert paper(json.dumps({"abstract": "We propose A.", "year": given})).year == year


@pytest.mark.parametrize("given", [0, 99999, -1, "soon", True, [2025], float("nan"), 20251])
def test_a_bad_year_is_none_and_the_paper_stays(given: object):
    assert paper(json.dumps({"abstract": "We propose A.", "year": given})).year is None


@pytest.mark.parametrize(
    ("given", "authors"),
    [
        (["Ada Lovelace", "Alan Turing"], ("Ada Lovelace", "Alan Turing")),
        ([{"name": "Ada Lovelace"}, {"name": "Alan Turing"}], ("Ada Lovelace", "Alan Turing")),
        ("Ada Lovelace; Alan Turing", ("Ada Lovelace", "Alan Turing")),
        ("Lovelace, Ada and Turing, Alan", ("Lovelace, Ada", "Turing, Alan")),
        ("Ada Lovelace, Alan Turing, and Kurt Gödel", ("Ada Lovelace", "Alan Turing", "Kurt Gödel")),
        ("Lovelace, Ada", ("Lovelace, Ada")),
        ("Anderson Sand", ("Anderson Sand",)),
        ("", ()),
        ([None, "Ada Lovelace"], ("Ada Lovelace",)),
        (None, ()),
    ],
)
def test_authors_are_read_from_a_list_or_a_text(given: object, authors: tuple[str, ...] | str):
    expected = (authors,) if isinstance(authors, str) else authors
    assert paper(json.dumps({"abstract": "We propose A.", "authors": given})).authors == expected


@pytest.mark.parametrize("given", [["a b", "c"], ["a b; c"], "a b; c", "a b, c"])
def test_keywords_are_read_from_a_list_or_a_text(given: object):
    assert paper(json.dumps({"abstract": "We propose A.", "keywords": given})).keywords == ("a b", "c")


@pytest.mark.parametrize("given", ["10.1000/x<y>", "2503.12006v2", "FPLNSx1jmL", "né \U0001f600 id"])
def test_an_id_stays_as_it_is_given(given: str):
    assert paper(json.dumps({"abstract": "We propose A.", "id": given})).id == given


def test_an_id_that_is_a_number_becomes_text():
    assert paper('{"abstract": "We propose A.", "id": 42}').id == "42"


def test_nul_and_lone_surrogates_become_replacement_characters():
    read_paper = paper('{"abstract": "We\\u0000 propose \\ud800A.", "title": "A\\udfff", "authors": ["B\\ud800"]}')
    assert read_paper.abstract == "We\ufffd propose \ufffdA."
    assert (read_paper.title, read_paper.authors) == ("A\ufffd", ("B\ufffd",))


# Tables


@pytest.mark.parametrize("separator", [",", "\t", ";", "|"])
def test_a_table_is_read_by_its_header(separator: str):
    rows = [["Title", "ABSTRACT", "Year", "other"], ["A", "We propose A.", "2025", "x"]]
    assert paper("\n".join(separator.join(row) for row in rows)) == Paper(
        "We propose A.", title="A", year=2025, source="standard input, line 2"
    )


def test_quotes_and_line_breaks_inside_cells_are_kept_and_lines_counted():
    text = 'title,abstract\n"A, or B","We ""propose""\nA, and more."\n\nC,We propose C.\n'
    assert [(record.title, record.abstract, record.source) for record in papers(text)] == [
        ("A, or B", 'We "propose"\nA, and more.', "standard input, line 2"),
        ("C", "We propose C.", "standard input, line 5"),
    ]


def test_a_table_without_an_abstract_column_names_the_columns_there_are():
    bad = problem("title,text,Year\nA,We propose A.,2025\n")
    assert not isinstance(bad, RecordError)
    assert (bad.fault, bad.where) == (
        "no column is named abstract; the columns are: title, text, Year",
        "standard input, line 1",
    )


def test_a_table_of_unknown_columns_names_them():
    assert problem("name,text\nA,We propose A.\n").fault.endswith("the columns are: name, text")


def test_a_row_without_an_abstract_is_reported_with_its_line():
    good, bad = read("title,abstract\nA,We propose A.\nB,\n")
    assert isinstance(good, Paper)
    assert isinstance(bad, RecordError)
    assert (bad.fault, bad.where) == ("the abstract is empty", "standard input, line 3")


def test_a_row_with_too_few_cells_is_reported():
    assert problem("abstract_no,abstract\n1\n").fault == "the abstract is missing"


def test_a_row_with_too_many_cells_is_reported():
    bad = problem("title,abstract\nA,We propose A, and more.\n")
    assert (bad.fault, bad.where) == ("3 cells, but the header names 2 columns", "standard input, line 2")


def test_a_table_with_a_header_only_has_no_abstract():
    assert problem("title,abstract\n").fault == "no abstract in it"


def test_a_column_of_quoted_abstracts_is_a_table():
    assert abstracts('abstract\n"We propose A, and more."\n"We propose B."\n') == [
        "We propose A, and more.",
        "We propose B.",
    ]


def test_a_quote_left_open_is_a_bad_record_not_a_crash():
    bad = problem('title,abstract\nA,"We propose A.\n' + "B,We propose B.\n" * 10_000)
    assert bad.fault.startswith("the abstract has 160,0")
    assert "quotation mark" in bad.hint


# Lengths


def test_an_abstract_of_one_word_is_a_paper():
    assert paper('{"abstract": "Transformers"}').abstract == "Transformers"


def test_an_abstract_of_ten_thousand_words_is_a_paper():
    text = "We propose. " * 5000
    assert paper(json.dumps({"abstract": text})).abstract == text


def test_an_abstract_of_five_megabytes_is_reported():
    bad = problem("We propose. " * 430_000)
    assert isinstance(bad, RecordError)
    assert bad.fault == "the abstract has 5,159,999 characters, more than 100,000"
    assert ABSTRACT_LIMIT == 100_000


def test_an_abstract_of_mathematics_only_is_a_paper():
    assert abstracts("$x^2 + y^2 = z^2$.") == ["$x^2 + y^2 = z^2$."]


# Encodings


TEXT = "Gödel’s naïve café — we propose a “résumé” parser."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_any_usual_encoding_is_read(encoding: str):
    assert abstracts(TEXT.encode(encoding)) == [TEXT]


@pytest.mark.parametrize("text", ["Café.", "A naïve parser.", "Ein größerer Parser für Bücher.", "Åse Ødegård skrev."])
def test_a_short_latin_text_is_not_taken_for_chinese(text: str):
    assert abstracts(text.encode("latin-1")) == [text]


def test_a_stray_byte_in_utf8_does_not_spoil_the_rest():
    assert abstracts("Gödel and ".encode() + b"caf\xe9.") == ["Gödel and café."]


def test_latin_letters_after_a_long_ascii_beginning_are_read():
    text = "We propose A.\n\n" * 10_000 + "Café."
    assert abstracts(text.encode("latin-1"))[-1] == "Café."


@pytest.mark.parametrize("encoding", ["gb18030", "big5", "koi8-r"])
def test_other_scripts_are_guessed(encoding: str):
    text = "我們提出一種新的方法，用於圖像分類。實驗表明，該方法在多個數據集上優於現有的方法。" * 3
    if encoding == "koi8-r":
        text = "Мы предлагаем новый метод обучения нейронных сетей для классификации изображений. " * 3
    assert abstracts(text.encode(encoding)) == [text.strip()]


def test_utf16_json_lines_are_read():
    assert paper(json.dumps(FULL).encode("utf-16")) == FULL_PAPER


def test_gzip_is_told_by_its_first_bytes():
    assert paper(gzip.compress(json.dumps(FULL).encode())) == FULL_PAPER


@pytest.mark.parametrize("damage", [lambda data: data[:-20], lambda data: data[:20] + b"\0\1\2" + data[23:]])
def test_damaged_gzip_is_reported(damage):
    data = gzip.compress(("We propose A. " * 100).encode())
    assert problem(damage(data)).fault == "the compressed data are damaged or cut off"


def test_records_before_damage_in_gzip_are_read():
    lines = "".join(f'{{"abstract": "We propose {number}."}}\n' for number in range(20_000))
    records = read(gzip.compress(lines.encode())[:-2000])
    assert len(records) > 10_000
    assert [str(record) for record in records if isinstance(record, InputError)] != []


# What cannot be read at all


@pytest.mark.parametrize("data", [b"", b"  \n\n ", "\ufeff".encode(), gzip.compress(b"")])
def test_an_empty_file_is_reported(data: bytes):
    assert problem(data).fault == "the file is empty"


@pytest.mark.parametrize("text", ["ICLR 2025 论文列表\n", "# Papers\n\nPart one\n\n---\n", "[]", '{"papers": []}\n[]'])
def test_a_file_without_an_abstract_is_reported(text: str):
    assert isinstance(read(text)[0], InputError)
    assert "abstract" in read(text)[0].fault


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "a PDF"),
        (b"PK\x03\x04\x14\0\6\0", "a ZIP archive or an Office document"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a picture"),
        (bytes(range(256)) * 50, "binary data"),
        (b"\0" * 1000, "binary data"),
    ],
)
def test_a_binary_file_is_reported_with_its_kind(data: bytes, kind: str):
    assert problem(data).fault == f"this is {kind}, not text"


def test_nul_inside_a_text_is_no_reason_to_refuse_it():
    assert abstracts("We propose\0 a parser that reads abstracts.") == [
        "We propose\ufffd a parser that reads abstracts."
    ]


def test_bad_files_are_reported_and_the_rest_is_read(tmp_path: Path):
    (tmp_path / "empty.txt").touch()
    (tmp_path / "good.txt").write_text("We propose A.")
    names = ["absent.txt", "empty.txt", "nul\0.txt", "good.txt"]
    absent, empty, nul, good = read_papers([tmp_path / name for name in names])
    assert isinstance(absent, InputError)
    assert absent.fault == "no such file or directory"
    assert absent.where == str(tmp_path / "absent.txt")
    assert isinstance(empty, InputError)
    assert isinstance(nul, InputError)
    assert good == Paper("We propose A.", source=f"{tmp_path / 'good.txt'}, line 1")


class Forbidden(io.BytesIO):
    def read(self, _size: int | None = -1, /) -> bytes:
        raise PermissionError(13, "Permission denied")


def test_a_stream_that_may_not_be_read_is_reported():
    (bad,) = read_papers(["-"], stdin=Forbidden())
    assert isinstance(bad, InputError)
    assert (bad.fault, bad.where) == ("no permission to read it", "standard input")


# Directories and standard input


def test_a_directory_is_read_in_sorted_order_with_all_below_it(tmp_path: Path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "b.txt").write_text("We propose B.")
    (tmp_path / "a.jsonl").write_text('{"abstract": "We propose A."}')
    (tmp_path / "sub" / "c.CSV").write_text("title,abstract\nC,We propose C.\n")
    (tmp_path / "z.txt.gz").write_bytes(gzip.compress(b"We propose Z."))
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    records = list(read_papers([tmp_path]))
    assert [record.abstract for record in records if isinstance(record, Paper)] == [
        f"We propose {letter}." for letter in "ABCZ"
    ]
    assert [record for record in records if isinstance(record, InputError)] == []


def test_a_directory_without_a_file_to_read_is_reported(tmp_path: Path):
    (bad,) = read_papers([tmp_path])
    assert isinstance(bad, InputError)
    assert (bad.fault, bad.where) == ("no file to read in this directory", str(tmp_path))


def test_the_format_is_told_by_the_content_not_by_the_name(tmp_path: Path):
    (tmp_path / "papers.csv").write_text('{"abstract": "We propose A."}')
    (record,) = read_papers([tmp_path / "papers.csv"])
    assert isinstance(record, Paper)
    assert record.abstract == "We propose A."


def test_standard_input_stays_open():
    stdin = io.BytesIO("We propose A.".encode("utf-16"))
    assert len(list(read_papers(["-"], stdin=stdin))) == 1
    assert not stdin.closed


class Counted(io.BytesIO):
    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.taken += len(data)
        return data


@pytest.mark.parametrize(
    "content",
    [
        '{"abstract": "We propose A."}\n' * 100_000,
        "title,abstract\n" + "A,We propose A.\n" * 100_000,
        "We propose A.\n\n" * 100_000,
    ],
)
def test_lines_are_read_as_they_are_asked_for(content: str):
    stdin = Counted(content.encode())
    assert isinstance(next(read_papers(["-"], stdin=stdin)), Paper)
    assert stdin.taken < len(content) / 2
