"""Everything that reads what others wrote: small valid files of each kind, and what is asked to read them."""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import typer.rich_utils
import typer.testing
from safetensors.numpy import save as serialize
from typer.main import get_command
from typer.testing import CliRunner

import weft
from weft.apps import train
from weft.apps.cli import app
from weft.apps.run_settings import read_settings
from weft.automata import Automaton, read_att, read_kaldi_lattices, read_slf, read_symbols
from weft.checkpoint import Journal, array_file
from weft.checkpoint.fit_state import CHECKPOINT_VERSION
from weft.estimators.parse.trees import read_tree, write_tree
from weft.kinds import kind_of_command
from weft.kinds.align.files import AlignmentFormat, iter_unaligned, read_alignments
from weft.kinds.fold.files import FoldFormat, iter_rna
from weft.kinds.parse.files import TreeFormat, iter_sentences
from weft.kinds.rewrite.files import read_rewrite_training
from weft.kinds.tag.files import Layout, TagFormat, format_inside, read_training
from weft.kinds.tag.long_tables import iter_long, read_long_training
from weft.kinds.texts import FileFormat, Units
from weft.model_file import read_header
from weft.sequences import formats
from weft.sequences.formats.table import iter_rows
from weft.sequences.formats.text import NamedBytes
from weft.structures.alignment.substitution_matrix import SubstitutionMatrix
from weft.structures.grammar.text import read_grammar
from weft.structures.rna.parameter_file import HEADER, SHAPES, read_parameter_file

__all__ = ["READERS", "Reader"]


@dataclass(frozen=True)
class Reader:
    """What reads a file of some kind.

    Attributes
    ----------
    seeds : tuple of bytes
        Valid files, from which others are made.
    read : callable
        Reads the bytes of a file to the end, or raises an error of weft's.
    words : tuple of bytes
        What the format has a meaning for.
    """

    seeds: tuple[bytes, ...]
    read: Callable[[bytes], Any]
    words: tuple[bytes, ...] = ()


FOLDER = tempfile.TemporaryDirectory(prefix="weft-fuzz-")
"""Made and removed by the process that forks the others."""


def _file(content: bytes) -> Path:
    path = Path(FOLDER.name) / f"case-{os.getpid()}"
    path.write_bytes(content)
    return path


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


# ------------------------------------------------------------------- readers


def _kind(command: str, units: Units = Units.CHARACTERS) -> Callable[[bytes], Any]:
    """Examples as `weft train` and `weft predict` read them, tab-separated and as JSON lines."""

    def read(content: bytes) -> None:
        kind: Any = kind_of_command(command)()
        kind.units = units
        chosen = FileFormat.JSONL if content[:1] == b"{" else FileFormat.TSV
        for labelled in (False, True):
            list(kind.iter_examples(io.BytesIO(content), chosen, labelled))

    return read


def _tagging(content: bytes) -> None:
    chosen = TagFormat.JSONL if content[:1] == b"{" else TagFormat.TSV if content[:2] == b"ab" else TagFormat.CONLL
    read_training(io.BytesIO(content), chosen)


def _long_tables(content: bytes) -> None:
    comma = b"," in content[:20]
    for group, columns in (("id", None), ("id", ["word", "tag"]), ("1", None), ("1", ["2", "3"])):
        try:
            read_long_training(io.BytesIO(content), comma, group, columns)
        except weft.InputError:
            list(iter_long(io.BytesIO(content), comma, group, Layout("csv"), False, columns, may_be_lines=True))


def _crfsuite(content: bytes) -> None:
    format_inside(NamedBytes(content, "x"))
    read_training(io.BytesIO(content), TagFormat.CRFSUITE)


def _conll(content: bytes) -> None:
    formats.read_conll(io.BytesIO(content))
    formats.read_conll(io.BytesIO(content), columns=[0, -1], label_column=None)


def _alignments(file_format: AlignmentFormat) -> Callable[[bytes], Any]:
    def read(content: bytes) -> None:
        list(iter_unaligned(io.BytesIO(content), file_format))
        read_alignments(io.BytesIO(content), file_format)

    return read


def _trees(content: bytes) -> None:
    chosen = TreeFormat.JSONL if content[:1] == b"{" else TreeFormat.TREES
    for sentence in iter_sentences(io.BytesIO(content), chosen):
        if sentence.tree is not None:
            write_tree(read_tree(sentence.tree))


def _machines(content: bytes) -> None:
    for kind in ("automaton", "transducer"):
        try:
            read_att(io.BytesIO(content), kind)
        except weft.InputError:
            continue


def _rewriting(content: bytes) -> None:
    for tags in ("second" if content[:1] == b"t" else "auto", "third"):
        try:
            read_rewrite_training(io.BytesIO(content), tags=tags)
        except weft.InputError:
            continue


def _tables(content: bytes) -> None:
    for columns in COLUMNS:
        try:
            list(iter_rows(io.BytesIO(content), comma=True, columns=columns))
        except weft.InputError:
            continue


# ----------------------------------------------------- files of headers and arrays


def _array_file(header: Any, arrays: dict[str, np.ndarray]) -> bytes:
    """Bytes of a file whose header is any text and whose checksum is right."""
    text = header if isinstance(header, str) else json.dumps(header)
    checksum = array_file._checksum(text, arrays)
    return bytes(serialize({**arrays, array_file._CHECKSUM: checksum}, {array_file._HEADER: text}))


def _crafted(content: bytes, arrays: dict[str, np.ndarray]) -> Path:
    """A file with this header and a right checksum; what is no header is a whole file."""
    if content[:1] == b"{":
        content = _array_file(content.decode("utf-8", "replace"), arrays)
    return _file(content)


MODEL_ARRAYS: dict[str, np.ndarray] = {"state/weights": np.array([1.0, -1.0, -2.0, -0.5])}
MODEL_HEADER = {
    "format": "weft",
    "format_version": 1,
    "library_version": "0",
    "class": "Aligner",
    "parameters": {"model": "match", "alphabet": None, "learner": {"$component": "CRF", "parameters": {"c2": 0.5}}},
    "summary": {"$dict": [["n_examples", 3], ["run", {"$dict": [["c2", 0.5]]}]]},
    "state": {"$dict": [["has_alphabet", False], ["history", [{"$dict": [["objective", 1.5]]}]], ["prior", None]]},
}
JOURNAL_ARRAYS = {"0/weights": np.arange(3.0), "2/best": np.ones((2, 2))}
JOURNAL_HEADER = {
    "format": "weft checkpoint",
    "format_version": CHECKPOINT_VERSION,
    "step": 3,
    "meta": {
        "key": "words.tsv",
        "fits": [{"facts": {"monitor": {"history": []}}, "done": True}, None, {"facts": {}, "done": False}],
        "facts": {"fold 1": 0.5},
    },
}


def _model(content: bytes) -> None:
    path = _crafted(content, MODEL_ARRAYS)
    read_header(path)
    weft.load(path)


def _journal(content: bytes) -> None:
    journal = Journal(_crafted(content, JOURNAL_ARRAYS), lambda: "words.tsv", resume=True)
    for number in range(len(JOURNAL_HEADER["meta"]["fits"])):  # type: ignore[index]
        journal.fit_state(journal.open_fit())
        journal.keep(number, {}, {}, done=False)


# -------------------------------------------------------------- command lines

# Commands made once, and what Typer draws around a message left out: four fifths of the time of a case otherwise.
vars(typer.testing)["_get_command"] = cache(get_command)
made = cache(partial(train._Commands.__getitem__, train._Commands()))
vars(typer.rich_utils)["rich_format_error"] = lambda error: error.format_message()
type.__setattr__(train._Commands, "__getitem__", lambda self, name: made(name))


def _command(content: bytes) -> None:
    """Arguments, one on each line, of a command whose file is empty, so that nothing is trained."""
    arguments = [_text(line) for line in content.split(b"\n")]
    if not {"demo", "reproduce", "warm", "serve"}.isdisjoint(arguments):  # they work without a file
        return
    before = Path.cwd()
    folder = Path(FOLDER.name) / "commands"
    folder.mkdir(exist_ok=True)
    (folder / "x.conll").write_bytes(b"")
    os.chdir(folder)
    try:
        result = CliRunner().invoke(app, arguments)
    finally:
        os.chdir(before)
    if isinstance(result.exception, Exception):
        raise result.exception


def _options(command: Any) -> list[bytes]:
    """All options but those that write to the start-up files of the shell."""
    found = [option.encode() for parameter in command.params for option in parameter.opts if "completion" not in option]
    return found + [each for inner in getattr(command, "commands", {}).values() for each in _options(inner)]


COMMANDS = (
    b"train\ntag\nx.conll\n-o\nm.weft\n--c2\n0.1\n--learner\ncrf",
    b"train\nclassify\nx.conll\n-o\nm.weft\n--n\n3\n--format\ntsv\n--cv\n3",
    b"train\nrewrite\nx.conll\n-o\nm.weft\n--random-state\n1",
    b"train\nalign\nx.conll\n--cv-only\n--cv\n2\n--gamma\n1.0",
    b"train\nfold\nx.conll\n-o\nm.weft\n--max-iter\n5\n--tune\ngrid",
    b"train\nparse\nx.conll\n-o\nm.weft\n--grammar\nx.conll",
    b"train\nregress\nx.conll\n-o\nm.weft\n--alpha\n0.1",
    b"compare\nx.conll\nx.conll\n--task\ntag",
    b"fold\nx.conll\n--json",
    b"models\nfold-rna",
    b"predict\nm.weft\nx.conll\n--kbest\n2\n--json\n-o\nout",
    b"evaluate\nm.weft\nx.conll\n--allow-unknown",
    b"report\nm.weft\nx.conll\n-o\nreport.html\n--learning-curve\nx.conll",
    b"data\n--json",
)

ENERGIES = [f"# {name}\n{'-10 ' * (math.prod(shape) - 1)}INF\n" for name, shape in SHAPES.items()]
TABLE = (b"\t", b"\n", b"-", b" ")
TAGS = (b"Rain\tNN\tB-NP\nfell\tVBD\tB-VP\n\nIt\tPRP\tB-NP\n", b"-DOCSTART- O\n\nHe PRP B-NP\nis VBZ B-VP\n")
COLUMNS = (None, ["review", "stars"], ["2", "1"])

READERS: dict[str, Reader] = {
    "lines": Reader(
        (b"one\ntwo\r\n\nthree", gzip.compress(b"one\ntwo\n", mtime=0), "\ufeffé\n日\n".encode()),
        lambda content: list(formats.read_lines(io.BytesIO(content))),
        (b"\x1f\x8b\x08", b"\r", b"\xef\xbb\xbf", b"@a\nACGT\n+\nIIII\n"),
    ),
    "conll": Reader(TAGS, _conll, (*TABLE, b"-DOCSTART-")),
    "crfsuite": Reader(
        (b"@weight:2\nD\tw=the\nN\tw=cat\tlength:0.5\t__EOS__\n\nO\tw=\\:\tc\\\\:2\n", b"a\tb\n"),
        _crfsuite,
        (b"\t", b":", b"\\", b"\\:", b"\\\\", b":1e5", b"@weight:", b"@", b"\n\n"),
    ),
    "tagging": Reader(
        (*TAGS, b"abc\txyx\nba\tyx\n", b'{"tokens": [["a"]], "labels": ["x"]}\n{"tokens": [[0.5]], "labels": [1]}\n'),
        _tagging,
        (b'"tokens"', b"[[1.0, 2.0]]", b"{}", b"null"),
    ),
    "pairs": Reader(
        (b"ABS\tAE B Z\tEY B\nGO\tG OW\n",),
        lambda content: formats.read_pairs(io.BytesIO(content), "characters", "blanks"),
        TABLE,
    ),
    "rewriting": Reader((b"abs\tAE B Z\ncab\tK AE B\n", b"to\tV;PST\ttook\n"), _rewriting, TABLE),
    "jsonl": Reader(
        (b'{"tokens": ["Rain", "fell"], "labels": ["B-NP", "B-VP"], "n": [1, -2.5e3, null, true]}\n{"tokens": []}\n',),
        lambda content: list(formats.iter_jsonl(io.BytesIO(content), ["tokens"])),
        (b"{", b"[", b'"a":', b"\\u0000", b"\\ud800", b"NaN", b"-Infinity", b"1e400"),
    ),
    "fasta": Reader(
        (b">a b\nACGU\nAC\n>b\nGU\n",), lambda content: formats.read_fasta(io.BytesIO(content)), (b">", b";", b"@")
    ),
    "fasta pairs": Reader((b">a\nAC-G\n>b\nA.TG\n",), _alignments(AlignmentFormat.FASTA), (b">", b"-", b"~", b"*")),
    "stockholm": Reader(
        (b"# STOCKHOLM 1.0\n#=GF ID x\n\na AC-\nb A.T\n#=GC SS_cons ...\n\na G\nb G\n//\n",),
        _alignments(AlignmentFormat.STOCKHOLM),
        (b"//\n", b"# STOCKHOLM 1.0\n", b"#=GF", b" "),
    ),
    "tsv pairs": Reader((b"a\tb\tAC.G\tACTG\n",), _alignments(AlignmentFormat.TSV), TABLE),
    "dot-bracket": Reader(
        (b">hairpin\nGGAAACC\n((...)) (-1.20)\nGAC\n(.)\n", b"GGAAACC\n.[{<>}]\t-3e2\n"),
        lambda content: formats.read_dot_bracket(io.BytesIO(content)),
        (b"(", b")", b".", b"[", b"<", b">", b"(nan)", b"( -1 )"),
    ),
    "folding": Reader(
        (b"GGAAACC\t((...))\n", b"GGAAACC\nACGU\n"),
        lambda content: list(
            iter_rna(io.BytesIO(content), FoldFormat.TSV if b"\t" in content[:9] else FoldFormat.LINES)
        ),
        (b"(", b")", b".", b"\t", b">"),
    ),
    "long tables": Reader(
        (b'id,word,pos,tag\ns1,Rain,NN,N\n,"fe,ll",VB,V\ns2,It,P,P\n', b"id\tword\ttag\n1\ta\tb\n1\tb\tc\n2\ta\tb\n"),
        _long_tables,
        (b"id", b",,", b"\n,", b"s1", b"\t", b'"', b"word", b"tag", b"\n"),
    ),
    "tables": Reader(
        (b'id,review,stars\n1,"good, ""very""\nindeed",5\n2,bad,1\n', b"text;label\na;b\n"),
        _tables,
        (b'"', b",", b";", b"text,label\n", b"\n"),
    ),
    "fastq": Reader(
        (b"@r1\nACGT\n+\nIIII\n@r2 x\nac\n+r2 x\n@+\n",),
        lambda content: formats.read_fastq(io.BytesIO(content)),
        (b"@", b"+\n", b"\n"),
    ),
    "dictionaries": Reader(
        (b";;; x\nGO  G OW1\nGO(2)  G OW0 # y\n",),
        lambda content: formats.read_cmudict(io.BytesIO(content)),
        (b"(2)", b" # ", b";;;"),
    ),
    "paths of classes": Reader(
        (b"0110\ta\t3\n01\tb\n1\t\xc3\xa4\t1\n",),
        lambda content: formats.read_brown_paths(io.BytesIO(content)),
        (b"\t", b"0110", b"2"),
    ),
    "fasttext": Reader(
        (b"__label__a to be\n__label__b not\n",),
        lambda content: formats.read_fasttext(io.BytesIO(content)),
        (b"__label__",),
    ),
    "connectivity": Reader(
        (b"3 dG = -0.5 x\n1 G 0 2 3 1\n2 A 1 3 0 2\n3 C 2 0 1 3\n",),
        lambda content: formats.read_ct(io.BytesIO(content)),
        (b"0", b"9999999999", b"dG = nan"),
    ),
    "bpseq": Reader(
        (b"# x\n1 G 3\n2 A 0\n3 C 1\n1 G 0\n",),
        lambda content: formats.read_bpseq(io.BytesIO(content)),
        (b"#", b"1 G 0\n"),
    ),
    "stockholm structures": Reader(
        (b"# STOCKHOLM 1.0\na GA-C\nb G-AC\n#=GC SS_cons <..>\n//\n",),
        lambda content: formats.read_stockholm_structures(io.BytesIO(content)),
        (b"<", b">", b"#=GC SS_cons ", b"//\n"),
    ),
    "slf": Reader(
        (b"VERSION=1.0\nbase=10 lmscale=2\nN=2 L=2\nI=0\nI=1 W=b\nJ=0 S=0 E=1 W=\"a c\" a=-1 l=-2\nJ=1 S=0 E=1\n",),
        lambda content: read_slf(io.BytesIO(content)),
        (b"S=1 ", b"E=0 ", b"a=1e400", b"base=0", b"!NULL", b"end=0"),
    ),
    "kaldi": Reader(
        (b"u1\n0 1 7 1.5,10,3_4\n1 2 <eps> 0,1,\n2 0.5,0,\n\nu2\n0 1 12 9 3,4\n1\n",),
        lambda content: read_kaldi_lattices(io.BytesIO(content)),
        (b"Infinity,0", b"-inf,0", b"\n\n", b",,"),
    ),
    "trees": Reader(
        (b'(S (NP she) (VP (V "s ( t") it))\n', b'{"tokens": ["a"], "tree": "(S a)"}\n'), _trees, (b"(", b")", b'"')
    ),
    "classifying": Reader(
        (b"a nice day\tgood\nbad\tbad\n", b'{"text": "a b", "label": 1}\n{"text": ["a"], "label": "x"}\n'),
        _kind("classify", Units.WORDS),
        (*TABLE, b'"label"'),
    ),
    "regressing": Reader(
        (b"uno\tone\ndos\ttwo\n", b'{"input": [[0.5, 1], [2, 3]], "output": "ab"}\n{"input": "a", "output": ["b"]}\n'),
        _kind("regress"),
        (*TABLE, b'"output"', b"[[1, 2], [3]]"),
    ),
    "machines": Reader(
        (b"0\t1\ta\tb\t0.5\n1\n", b"0 1 a 0.5\n1 2 <eps>\n2 1e3\n"), _machines, (b"<eps>", b"<space>", b"inf", b"-1")
    ),
    "symbols": Reader((b"<eps>\t0\na\t1\n<space>\t2\n",), lambda content: read_symbols(io.BytesIO(content)), TABLE),
    "lattices": Reader(
        (b'{"final": {"y": 0.5}, "start": "x", "arcs": [{"source": "x", "target": "y", "label": "a", "weight": 2}]}',),
        lambda content: Automaton.from_json(_file(content)),
        (b'"log_weight": 1e3', b"[", b"{", b"null", b'"nodes": [1, 2],'),
    ),
    "matrices": Reader(
        (b"# entries in 1/2 bit units\n   A  C  *\nA  4 -1 -4\nC -1 9.5 -4\n* -4 -4 1\n",),
        lambda content: SubstitutionMatrix.read(io.BytesIO(content)),
        (b"#", b"A ", b"1e300", b"# gap_open -1, gap_extend -2\n", b"units"),
    ),
    "energies": Reader(
        (f"{HEADER}\n/* x */\n# Tetraloops\nCAACGG 550 690\n\n{''.join(ENERGIES)}#END\n".encode(),),
        lambda content: read_parameter_file(io.BytesIO(content)),
        (b"# stack\n", b"/* ", b" */", b"INF ", b"DEF ", b"NST ", b"# Hexaloops\n", b"#END\n"),
    ),
    "grammars": Reader(
        (b"S -> NP VP [rule s]\nNP -> she | he\nVP -> 'sleeps' | \"eats\"\n", b"S -> a S b | c\n"),
        lambda content: read_grammar(_text(content)),
        (b"->", b"|", b"'", b'"', b"[", b"]", b"\n"),
    ),
    "settings": Reader(
        (b'command = "tag"\nfile = "x"\nc2 = 0.1\nalpha = [1.0, 2]\ntune = true\n',),
        lambda content: read_settings(_file(content)),
        (b"[a]\n", b"[[a]]\n", b"a.b.", b"{a = ", b"0x", b"1979-05-27T07:32:00Z", b'"""', b"'''"),
    ),
    "model files": Reader(
        (json.dumps(MODEL_HEADER).encode(), _array_file(MODEL_HEADER, MODEL_ARRAYS)),
        _model,
        (b'{"$array": "state/weights"}', b'{"$float": "nan"}', b'{"$component": "CRF", "parameters": {}}'),
    ),
    "journals": Reader(
        (json.dumps(JOURNAL_HEADER).encode(), _array_file(JOURNAL_HEADER, JOURNAL_ARRAYS)),
        _journal,
        (b"null", b"[]", b"{}", b'"facts"', b'"key"'),
    ),
    "command lines": Reader(
        COMMANDS, _command, (b"\n", b"\n--", b"-1", b"nan", b"/", b"/dev/null", b"x.conll", *_options(get_command(app)))
    ),
}  # fmt: skip
