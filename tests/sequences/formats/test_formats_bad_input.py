"""Bad input for every format: file and line, what came, what to do."""

import io

import pytest

from weft import InputError
from weft.automata import Automaton, iter_kaldi_lattices, read_att, read_slf, read_symbols
from weft.sequences import formats
from weft.sequences.formats.table import iter_groups, iter_rows, parse_columns
from weft.structures.alignment.matrix_files import read_matrix

FASTQ = "@r\nACGT\n+\nIIII\n"


def csv(source, **options):
    return iter_rows(source, comma=True, **options)


CASES = {
    "conll": (formats.read_conll, "a B\nb\n", r"x, line 2: 1 column"),
    "crfsuite": (formats.read_crfsuite, "a\tb\nc\td:e\n", r"x, line 2: attribute 'd:e' has 'e' .*needed a number"),
    "tsv": (formats.read_pairs, "a\tb\nc\n", r"x, line 2: 1 column, needed at least 2 .* add the output"),
    "csv, open quote": (csv, 'a,b\n"c,d\n', r"x, line 2: not comma-separated text .*; close quotes"),
    "csv, short row": (csv, "label,text\npos,good\nneg\n", r"x, line 3: 1 column\(s\), needed 2; fix the line"),
    "csv, no such column": (
        lambda source: csv(source, columns=["review", "stars"], n_needed=2),
        "id,review\n1,good\n",
        r"x, line 1: no column 'stars'; the columns are 'id', 'review': name one of them",
    ),
    "csv, no header": (
        lambda source: csv(source, columns=["text", "label"], n_needed=2),
        '"I like it, really",pos\nfine,pos\n',
        r"x, line 1: no header with 'text', for the line is 'I like it, really', 'pos'; .* numbers .* such as 1,2; if",
    ),
    "csv, a column twice": (
        lambda source: csv(source, columns=["a"]),
        "a,a\n1,2\n",
        "x, line 1: column 'a' comes twice; rename one",
    ),
    "group, no such column": (
        lambda source: iter_groups(source, "sentence"),
        "id\tword\n1\ta\n",
        r"x, line 1: no column 'sentence'; the columns are 'id', 'word': name one of them",
    ),
    "group, empty at first": (
        lambda source: iter_groups(source, "id"),
        "id\tword\n\ta\n",
        r"x, line 2: column 'id' is empty on the first row; .* sort the table by 'id'",
    ),
    "group, again": (
        lambda source: iter_groups(source, "id"),
        "id\tword\n1\ta\n2\tb\n1\tc\n",
        r"x, line 4: column 'id' is '1', which came before others; .* sort the table by 'id'",
    ),
    "group, short row": (
        lambda source: iter_groups(source, "id"),
        "id\tword\n1\n",
        r"x, line 2: 1 column\(s\), needed 2; fix the line",
    ),
    "numbered column": (
        lambda source: iter_rows(source, columns=["3", "1"]),
        "a\tb\tc\nd\n",
        r"x, line 2: 1 column\(s\), needed 3",
    ),
    "jsonl": (
        formats.read_jsonl,
        '{"tokens": [], "labels": []}\n{"tokens": 1}\n',
        r"x, line 2: keys 'tokens', needed 'labels'",
    ),
    "fasttext": (
        formats.read_fasttext,
        "__label__a b\n__label__ c\n",
        "x, line 2: __label__ without a name; write __label__name",
    ),
    "cmudict": (
        formats.read_cmudict,
        ";;; c\nGO\n",
        "x, line 2: 'GO', needed a word, blanks and its sounds; fix the line",
    ),
    "paths of classes": (
        formats.read_brown_paths,
        "01\ta\t3\n02\tb\n",
        "x, line 2: '02.*b', needed a path of 0 and 1, a tab and a word; fix the line",
    ),
    "paths, twice": (formats.read_brown_paths, "01\ta\n1\ta\n", "x, line 2: 'a' has a path already; remove one"),
    "fasta": (formats.read_fasta, "ACGT\n", "x, line 1: 'ACGT' before any header; start with a line >name"),
    "fastq, name": (formats.read_fastq, "r\nACGT\n+\nIIII\n", "x, line 1: 'r', needed a name that begins with @"),
    "fastq, plus": (formats.read_fastq, "@r\nACGT\nACGT\nIIII\n", r"x, line 3: 'ACGT', needed \+ alone"),
    "fastq, quality": (
        formats.read_fastq,
        FASTQ + "@s\nAC\n+\nI\n",
        "x, line 8: 1 marks of quality for 2 letters; give one",
    ),
    "fastq, cut": (
        formats.read_fastq,
        FASTQ + "@s\nAC\n",
        "x, line 6: the file ends within @s, after 2 of its 4 lines",
    ),
    "fastq as text": (formats.read_fasta, FASTQ, "x, line 1: this is FASTQ, .*--format fastq"),
    "dot-bracket": (formats.read_dot_bracket, "GAC\n((.\n", r"x, line 2: '\(' at position 1 is never closed; balance"),
    "ct, start": (formats.read_ct, "G 1\n", "x, line 1: 'G 1', needed the number of bases and a name; give a CT file"),
    "ct, row": (
        formats.read_ct,
        "2 x\n1 G 0 2 0 1\n3 C 2 0 0 3\n",
        "x, line 3: '3 C 2 0 0 3', needed base 2 of 2 in six columns",
    ),
    "ct, cut": (formats.read_ct, "2 x\n1 G 0 2 0 1\n", "x, line 2: the file ends after 1 of 2 bases; fetch it again"),
    "ct, partner": (
        formats.read_ct,
        "2 x\n1 G 0 2 2 1\n2 C 1 0 0 2\n",
        "x, line 2: base 1 pairs with 2, but 2 with 0; both must name",
    ),
    "bpseq, row": (
        formats.read_bpseq,
        "1 G 2\n2 C\n",
        r"x, line 2: '2 C', needed base 2 as number, letter and partner",
    ),
    "bpseq, outside": (
        formats.read_bpseq,
        "1 G 9\n2 C 0\n",
        "x, line 1: base 1 pairs with 9; need 0 or another base from 1 to 2",
    ),
    "bpseq, itself": (formats.read_bpseq, "1 G 1\n", "x, line 1: base 1 pairs with 1; need 0 or another"),
    "stockholm, no start": (
        formats.read_stockholm_structures,
        "a AC\n",
        "x, line 1: 'a AC' before the line '# STOCKHOLM 1.0'",
    ),
    "stockholm, no structure": (
        formats.read_stockholm_structures,
        "# STOCKHOLM 1.0\na AC\n//\n",
        "x, line 3: the alignment has no line #=GC SS_cons",
    ),
    "stockholm, brackets": (
        formats.read_stockholm_structures,
        "# STOCKHOLM 1.0\na AC\n#=GC SS_cons .>\n//\n",
        "x, line 4: '>' in column 2 of SS_cons closes nothing; balance",
    ),
    "stockholm, length": (
        formats.read_stockholm_structures,
        "# STOCKHOLM 1.0\na ACG\n#=GC SS_cons <>\n//\n",
        "x, line 4: a has 3 columns and SS_cons 2",
    ),
    "stockholm, cut": (
        formats.read_stockholm_pairs,
        "# STOCKHOLM 1.0\na AC\n",
        "x, line 2: the file ends within an alignment of 1 rows, needed '//' .* fetch it again",
    ),
    "stockholm, columns": (
        formats.read_stockholm_pairs,
        "# STOCKHOLM 1.0\na AC\nb A\n//\n",
        "x, line 4: a and b have 2 and 1 columns; one length is needed",
    ),
    "aligned fasta": (
        formats.read_fasta_pairs,
        ">a\nAC\n>b\nACG\n",
        "x, line 3: a and b have 2 and 3 columns; one length is needed",
    ),
    "aligned fasta, odd": (
        formats.read_fasta_pairs,
        ">a\nAC\n>b\nAC\n>c\nAC\n",
        "x, line 5: >c is record 3, the last; an even number is needed, .* drop it",
    ),
    "aligned tsv": (
        formats.read_tsv_pairs,
        "a\tb\tAC\tAC\n\nc\td\tAC\tA\n",
        "x, line 3: c and d have 2 and 1 columns; one length is needed",
    ),
    "matrix, cut": (read_matrix, "  A C\nA 1 0\n", "x, line 3: the file ends, but the row of 'C' is needed; add it"),
    "matrix, number": (read_matrix, "  A C\nA 1 x\nC 0 1\n", "x, line 2: .*'x'"),
    "slf, line": (read_slf, "VERSION=1.0\nnonsense\n", "x, line 2: 'nonsense', needed fields as in I=0"),
    "slf, node": (read_slf, "I=0\nI=1\nJ=0 S=0 E=7 W=a\n", "x, line 3: node 7 is not among the 2 nodes; fix S= or E="),
    "slf, score": (read_slf, "I=0\nI=1\nJ=0 S=0 E=1 W=a a=x\n", "x, line 3: a='x', needed a finite number; fix it"),
    "slf, cut": (read_slf, "N=2 L=1\nI=0\n", "x, line 2: the file ends after 1 nodes, but N=2 .* fetch it again"),
    "slf, cut links": (read_slf, "N=2 L=2\nI=0\nI=1\nJ=0 S=0 E=1 W=a\n", "x, line 4: the file ends after 1 links, but"),
    "slf, count": (read_slf, "VERSION=1.0\nN=two L=1\nI=0\n", "x, line 2: N='two', needed a whole number"),
    "slf, scale": (read_slf, "acscale=x\nI=0\nI=1\nJ=0 S=0 E=1\n", "x, line 1: acscale='x', needed a finite number"),
    "slf, two starts": (
        read_slf,
        "I=0\nI=1\nI=2\nJ=0 S=0 E=2\nJ=1 S=1 E=2\n",
        "x, line 5: .* 2 nodes without a link in",
    ),
    "slf, no nodes": (read_slf, "VERSION=1.0\n", "x, line 1: the file ends without a node I="),
    "kaldi, twice": (iter_kaldi_lattices, "u\n0\n\nu\n0\n", "x, line 4: the key 'u' comes twice; give each"),
    "kaldi, key": (iter_kaldi_lattices, "0 1 a 0,0,\n", "x, line 1: '0 1 a 0,0,', needed the key of an utterance"),
    "kaldi, state": (iter_kaldi_lattices, "u\na 1 w 0,0,\n", "x, line 2: state 'a', needed a whole number from 0"),
    "kaldi, cost": (iter_kaldi_lattices, "u\n0 1 w 0,b,\n", r"x, line 2: costs '0,b,', needed graph,acoustic such as"),
    "kaldi, no end": (
        iter_kaldi_lattices,
        "u\n0 1 w 0,0,\n\n",
        "x, line 3: u has no end, .*; the file may be cut short",
    ),
    "kaldi, word": (
        lambda source: iter_kaldi_lattices(source, symbols={1: "a"}),
        "u\n0 1 7 0,0,\n",
        "x, line 2: word 7 is not in the symbol table",
    ),
    "att": (lambda source: read_att(source, semiring="log"), "0\t1\ta\ta\tx\n", "x, line 1: weight 'x'; need a number"),
    "symbols": (read_symbols, "a\n", "x, line 1: 'a'; need a symbol and its number: fix the line"),
    "lattice": (
        lambda source: Automaton.from_json(source.getvalue().decode()),
        '{"arcs": [{}], "final": []}',
        "arc 0 of the lattice is",
    ),
}


def named(text):
    stream = io.BytesIO(text.encode())
    stream.name = "x"
    return stream


@pytest.mark.parametrize("name", CASES)
def test_an_error_says_where_what_came_and_what_to_do(name):
    read, text, message = CASES[name]
    with pytest.raises(InputError, match=message) as caught:
        list(read(named(text)))
    assert name == "lattice" or "x, line " in str(caught.value)  # a lattice in JSON is one line of such a file


def test_paths_of_no_words_are_no_classes():
    with pytest.raises(InputError, match="x has no words; need lines such as 0110<TAB>Monday"):
        formats.read_brown_paths(named("\n"))


@pytest.mark.parametrize("text", ["", "a,,b", "a,a"])
def test_columns_that_are_none(text):
    with pytest.raises(InputError, match="need different names of the header, or numbers from 1"):
        parse_columns(text)
