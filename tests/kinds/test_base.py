"""What all kinds share: each file is read once, and every command shows the same numbers."""

import builtins
import io
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weft.apps.cli import app
from weft.errors import InputError
from weft.kinds import COMMANDS, kind_of_command, open_kind

DATA = {
    "tag": ("tag.tsv", "abc\txyx\nbca\tyxx\ncab\txxy\nabb\txyy\n"),
    "rewrite": ("rewrite.tsv", "abs\tAE B Z\ncab\tK AE B\nbac\tB AE K\nsac\tS AE K\nabs\tAE B S\n"),
    "align": ("align.fa", ">a\nAC-G\n>b\nACTG\n>c\nAAC\n>d\nA-C\n"),
    "fold": ("fold.dbn", ">a\nGGGAAACCC\n(((...)))\n>b\nGGCAAAGCC\n.((...)).\n"),
    "parse": ("some.trees", "(S (NP she) (VP sleeps))\n(S (NP he) (VP eats))\n"),
    "classify": ("texts.tsv", "good nice day\tpos\nbad awful day\tneg\nnice good\tpos\nawful bad\tneg\n"),
    "regress": ("pairs.tsv", "uno\tone\ndos\ttwo\ntres\tthree\n"),
}


def run(*arguments):
    result = CliRunner().invoke(app, [str(each) for each in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module", params=list(COMMANDS))
def trained(request, tmp_path_factory):
    """A command, its file and a model of it."""
    folder = tmp_path_factory.mktemp(request.param)
    name, content = DATA[request.param]
    (folder / name).write_text(content)
    (folder / "rules.txt").write_text("S -> NP VP\nNP -> she | he\nVP -> sleeps | eats\n")
    grammar = [folder / "rules.txt"] if request.param == "parse" else []
    run("train", request.param, *grammar, folder / name, "-o", folder / "m.weft", "--n-jobs", 1)
    return request.param, folder / name, folder / "m.weft"


STRINGS = "kernel|automata|preimages"
FOREIGN = {
    "tag": f"structures.(hankel|align|grammar|rna)|spectral|rewriting|{STRINGS}|formats.(fasta|dotbracket|align)",
    "rewrite": f"structures.(hankel|align|grammar|rna)|learners.spectral|tagger|{STRINGS}|formats.(fasta|conll)",
    "align": f"structures.(hankel|chain|grammar|rna)|spectral|rewriting|{STRINGS}|formats.(conll|dotbracket)",
    "fold": f"structures.(hankel|chain|align)|spectral|rewriting|{STRINGS}|formats.(conll|align)",
    "parse": f"structures.(hankel|chain|align|rna)|spectral|rewriting|{STRINGS}|formats.(conll|fasta)",
    "classify": "structures|learners.(?!monitor)|rewriting|ridge|preimages|language_model|formats.(conll|fasta)",
    "regress": "structures|learners|rewriting|svm|formats.(conll|fasta)",
}
"""Modules of other tasks; those of learning are nobody's."""
LEARNING = r"tuning|training|voting|reranking|resampling|reporting|experiments|testing"


def test_a_prediction_opens_no_file_of_another_task(trained):
    command, file, model = trained
    code = (
        "import sys\nfrom weft.apps.cli import main\nsys.argv = ['weft', 'predict', *sys.argv[1:]]\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "print(*sorted(name for name in sys.modules if name.startswith('weft.')), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(model), str(file)], capture_output=True, text=True, check=True
    )
    opened = done.stderr.splitlines()[-1].split()
    assert f"weft.kinds.{command}.kind" in opened
    assert [name for name in opened if re.search(rf"{FOREIGN[command]}|{LEARNING}", name)] == []


@pytest.mark.parametrize("command", ["predict", "evaluate", "report"])
def test_the_model_and_the_data_are_read_once(trained, command, monkeypatch, tmp_path):
    _, file, model = trained
    opened = Counter()
    path_open, plain_open = Path.open, builtins.open

    def note(path):
        opened[Path(path).name if isinstance(path, str | Path) else ""] += 1

    def noted_open(self, *arguments, **options):
        note(self)
        return path_open(self, *arguments, **options)

    def noted_plain(path, *arguments, **options):
        note(path)
        return plain_open(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", noted_open)
    monkeypatch.setattr(builtins, "open", noted_plain)
    run(command, model, file, *(["-o", tmp_path / "r.html"] if command == "report" else []))
    assert (opened[file.name], opened[model.name]) == (1, 1)


def test_evaluation_and_report_show_the_same_numbers(trained):
    command, file, model = trained
    evaluated = json.loads(run("evaluate", model, file, "--json"))
    reported = {score["name"]: score for score in json.loads(run("report", model, file, "--json"))["scores"]}
    kind = open_kind(model, "test")
    examples = kind.read_scored(str(file), None, False)
    measures = kind.measures(examples, kind.predict(kind.estimator, examples))
    n_compared = 0
    for name, (key, _) in kind.evaluated.items():
        score = reported.get(measures[key].title)
        if score is not None:
            assert evaluated[name] == {"value": score["value"], "interval": [score["low"], score["high"]]}
            n_compared += 1
    assert n_compared == (1 if command == "rewrite" else len(kind.evaluated))
    if command == "classify":
        macro = reported["macro F1"]
        assert evaluated["macro_f1"] == macro["value"]
        assert evaluated["macro_f1_interval"] == [macro["low"], macro["high"]]


def test_no_kind_loads_another_ones_code(trained):
    command, file, model = trained
    code = (
        "import sys; from weft.apps.cli import app\n"
        f"app(['predict', {str(model)!r}, {str(file)!r}, '-o', {str(model.parent / 'out')!r}], standalone_mode=False)\n"
        "print(*sorted({name.split('.')[2] for name in sys.modules if name.startswith('weft.kinds.')}))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert set(loaded) & COMMANDS.keys() == {command}


@pytest.mark.parametrize(
    ("command", "header"),
    [
        ("align", "name 1\tname 2\tsequence 1\tsequence 2"),
    ],
)
def test_a_header_is_no_example(command, header):
    kind = kind_of_command(command)()
    for labelled in (False, True):
        with pytest.raises(InputError, match=r"line 1: .* name columns; needed an example: delete the line"):
            list(
                kind.iter_examples(
                    io.BytesIO(f"{header}\nAC\tGU\n".encode()), kind.formats and kind.formats("tsv"), labelled
                )
            )


@pytest.mark.parametrize(
    ("command", "header", "row"),
    [
        ("tag", "labels\ttokens", "GU\tAC"),
        ("rewrite", "Word\tPronunciation", "AC\tGU"),
        ("classify", "id\ttext\tlabel", "7\tAC\tGU"),
        ("regress", "output\tinput", "GU\tAC"),
        ("fold", "structure\tsequence", "()\tAC"),
    ],
)
def test_a_header_says_which_column_is_which(command, header, row):
    kind = kind_of_command(command)()
    for labelled in (False, True):
        for separator, name in (("\t", "tsv"), (",", "csv")):
            text = f"{header}\n{row}\n".replace("\t", separator).encode()
            [example] = kind.iter_examples(io.BytesIO(text), kind.formats(name), labelled)
            assert "".join(kind.inputs([example])[0]) == "AC"


@pytest.mark.parametrize(("command", "file_format"), [("fold", "lines"), ("classify", "tsv"), ("parse", "lines")])
def test_fastq_is_no_list_of_sequences(command, file_format):
    kind = kind_of_command(command)()
    with pytest.raises(InputError, match=r"line 1: this is FASTQ, .*seqtk"):
        list(kind.iter_examples(io.BytesIO(b"@r1\nACGU\n+\nIIII\n"), kind.formats(file_format), labelled=False))
