"""Files as other programs write them."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft import InputError
from weft.sequences import formats
from weft.sequences.formats.partners import brackets
from weft.sequences.formats.table import iter_groups, iter_rows
from weft.sequences.formats.text import FileParts, NamedBytes, Paths, expanded, read_lines, read_once


def rows(text, **options):
    return list(iter_rows(io.StringIO(text), **options))


def test_a_header_is_found_in_any_order_and_beside_other_columns():
    assert rows("label\ttext\nham\thello\n") == [(2, ["hello", "ham"])]
    assert rows("id,Sentence,Label\n7,hello,ham\n", comma=True) == [(2, ["hello", "ham"])]
    assert rows("hello\tham\n") == [(1, ["hello", "ham"])]


def test_named_columns_may_lack_the_answer_when_none_is_needed():
    assert rows("review,id\ngood,1\n", comma=True, columns=["review", "stars"]) == [(2, ["good"])]


def test_quotes_and_line_ends_within_fields():
    text = 'a,"one, ""two""\nthree"\nb,four\n'
    assert rows(text, comma=True) == [(1, ["a", 'one, "two"\nthree']), (3, ["b", "four"])]


def test_semicolons_where_there_are_no_commas():
    assert rows("text;label\nhi;x\n", comma=True) == [(2, ["hi", "x"])]


@given(
    st.lists(
        st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), min_size=1), min_size=2, max_size=2),
        min_size=1,
    )
)
def test_what_csv_writes_is_read_back(table):
    import csv

    if not all(any(field.strip() for field in row) for row in table):
        return
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows([["x1", "x2"], *table])
    stream.seek(0)
    text = stream.getvalue()
    assert [fields for _, fields in rows(text, comma=True, columns=["x1", "x2"])] == table


FIELD = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), min_size=1)


@given(st.lists(st.lists(st.tuples(FIELD, FIELD), min_size=1, max_size=4), min_size=1, max_size=4), st.booleans())
def test_groups_of_rows_come_back_however_the_column_is_filled(sentences, repeated):
    import csv

    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(["word", "Sentence #", "tag"])
    for number, rows in enumerate(sentences):
        for k, (word, tag) in enumerate(rows):
            writer.writerow([word, f"s{number}" if repeated or k == 0 else " ", tag])
    for columns in (None, ["word", "tag"]):
        found = iter_groups(io.StringIO(stream.getvalue(), newline=""), "Sentence #", comma=True, columns=columns)
        assert [[tuple(row[place] for place in each.places) for row in each.rows] for each in found] == sentences


def test_groups_of_several_files_and_by_numbers():
    """Each file has its own header, and its own first sequence."""
    parts = [NamedBytes(b"id\tword\n1\ta\n1\tb\n", "a"), NamedBytes(b"id\tword\n1\tc\n", "b")]
    found = list(iter_groups(FileParts(parts, "both"), "id"))
    assert [(each.line, each.header, each.places, each.rows) for each in found] == [
        (2, ["id", "word"], [1], [["1", "a"], ["1", "b"]]),
        (2, ["id", "word"], [1], [["1", "c"]]),
    ]
    [numbered] = iter_groups(io.StringIO("a\t1\tx\nb\t1\ty\n"), "2", columns=["1", "3", "9"], n_needed=2)
    assert (numbered.header, numbered.places) == (None, [0, 2])


@st.composite
def structures(draw):
    """Partners numbered from 1, nested in two kinds of brackets."""
    length = draw(st.integers(1, 9))  # four pairs cross three times at most
    partners = [0] * length
    free = list(range(length))
    while len(free) > 1 and draw(st.booleans()):
        left, right = sorted(draw(st.lists(st.sampled_from(free), min_size=2, max_size=2, unique=True)))
        partners[left], partners[right] = right + 1, left + 1
        free = [place for place in free if place not in (left, right)]
    return partners


@given(structures())
def test_brackets_say_who_pairs_with_whom(partners):
    wanted = [(i, partner - 1) for i, partner in enumerate(partners) if partner > i + 1]
    assert formats.base_pairs(brackets(partners)) == wanted


@given(structures())
def test_ct_and_bpseq_hold_the_same(partners):
    wanted = brackets(partners)
    n = len(partners)
    bpseq = "".join(f"{i} G {partner}\n" for i, partner in enumerate(partners, 1))
    ct = f"{n} dG = -1.5 name\n" + "".join(
        f"{i} G {i - 1} {(i + 1) % (n + 1)} {p} {i}\n" for i, p in enumerate(partners, 1)
    )
    [folded] = formats.read_bpseq(io.StringIO(bpseq))
    [same] = formats.read_ct(io.StringIO(ct))
    assert (folded.sequence, folded.structure) == (same.sequence, same.structure) == ("G" * n, wanted)
    assert (same.name, same.energy) == ("name", -1.5)


def test_several_structures_in_one_bpseq():
    found = formats.read_bpseq(io.StringIO("# a\n1 G 0\n# b\n1 C 0\n2 A 0\n"))
    assert [(each.name, each.sequence) for each in found] == [("a", "G"), ("b", "CA")]


def test_structures_of_a_stockholm_alignment_in_blocks():
    text = "# STOCKHOLM 1.0\na GGA\nb G-A\n#=GC SS_cons <<.\n\na AACC\nb AACC\n#=GC SS_cons ,,>>\n//\n"
    found = formats.read_stockholm_structures(io.StringIO(text))
    assert [(each.sequence, each.structure) for each in found] == [("GGAAACC", "((...))"), ("GAAACC", "(....)")]


def test_reads_keep_their_case():
    [read] = formats.read_fastq(io.StringIO("@r 1\nacGT\n+r 1\n@+II\n"))
    assert read == formats.FastqRecord("r 1", "acGT", "@+II")


def test_a_dictionary_with_comments_and_other_readings():
    found = formats.read_cmudict(io.StringIO(";;; x\n!EXCLAMATION  EH2\nREAD(1) R IY1 D # now\nA(B) AH0\n"))
    assert [tuple(each) for each in found] == [
        ("!EXCLAMATION", ["EH2"]), ("READ", ["R", "IY1", "D"]), ("A(B)", ["AH0"]),
    ]  # fmt: skip


def test_several_files_are_read_as_one_and_errors_name_the_right_one(tmp_path):
    for name, text in (
        ("a.tsv", "text\tlabel\nx\ty\n"),
        ("b.tsv", "label\ttext\ny\tz\n"),
        ("c.tsv", "text\tlabel\nq\n"),
    ):
        (tmp_path / name).write_text(text)
    first = Paths([str(tmp_path / "a.tsv"), str(tmp_path / "[b].tsv")])
    parts = read_once(first)
    assert isinstance(parts, FileParts)
    for _ in range(2):
        assert [fields for _, fields in iter_rows(parts)] == [["x", "y"], ["z", "y"]]
    assert [number for number, _ in read_lines(parts)] == [1, 2, 3, 1, 2, 3]
    with pytest.raises(InputError, match=r"c\.tsv, line 2: 1 column\(s\), needed 2"):
        list(iter_rows(read_once(str(tmp_path / "*.tsv"))))


def test_a_pattern_that_matches_nothing_and_a_file_named_like_a_pattern(tmp_path):
    with pytest.raises(InputError, match=r"no file matches .*; give the path of a file"):
        expanded(str(tmp_path / "*.tsv"))
    odd = tmp_path / "a[1].tsv"
    odd.write_text("x\n")
    assert expanded(str(odd)) == [str(odd)]
