"""Users say what the sides of pairs are sequences of, and everything that reads them keeps to it."""

import json

import pytest
from typer.testing import CliRunner

import weft
from weft.apps.cli import app
from weft.kinds import kind_of_command
from weft.serve.tasks.rewrite import RewriteTask
from weft.serve.types import Options

FIRST = ["Ada", "Bela", "Carl", "Dora", "Emil", "Fritz", "Gerd", "Hanna", "Ida", "Jana", "Karl", "Lea"]
LAST = ["Abel", "Brod", "Cohn", "Dahl", "Egger", "Falk", "Gans", "Hahn", "Imhof", "Jahn", "Kafka", "Lang"]
NAMES = list(zip(FIRST, LAST, strict=True))
CHARACTERS = ("--input-units", "characters", "--output-units", "characters")


def shortened(names):
    return "".join(f"{first} {last}\t{first[0]}. {last}\n" for first, last in names)


def run(*arguments, code=0, **options):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], **options)
    assert result.exit_code == code, result.output + result.stderr
    return result


def train(file, *options, code=0):
    return run("train", "rewrite", file, "-o", "m.weft", "--n-jobs", 1, *options, code=code)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "names.tsv").write_text(shortened(NAMES))
    # Other pairs of the same names.
    (tmp_path / "others.tsv").write_text(shortened(zip(FIRST, LAST[1:] + LAST[:1], strict=True)))
    return tmp_path


def test_characters_with_blanks_among_them_are_learned_and_read_alike(folder):
    said = train("names.tsv", *CHARACTERS, "--dev", "others.tsv", "--json")
    assert said.stderr == ""
    assert json.loads(said.stdout)["held_out"]["string_error"] < 0.5
    scores = json.loads(run("evaluate", "m.weft", "others.tsv", "--json").stdout)
    assert scores["symbols"] == sum(
        len(line.split("\t")[1]) for line in (folder / "others.tsv").read_text().splitlines()
    )
    assert scores["word_error"]["value"] < 0.5
    line = (folder / "names.tsv").read_text().splitlines()[0]
    assert run("predict", "m.weft", "-", input=line.split("\t")[0] + "\n").stdout.strip() == line
    item = json.loads(run("predict", "m.weft", "-", "--json", input=line + "\n").stdout)
    assert (item["input"], item["gold"]) == (line.split("\t")[0], [line.split("\t")[1]])
    assert weft.load("m.weft").predict(["Ada Lang"])[0].startswith("A")
    folds = json.loads(train("names.tsv", *CHARACTERS, "--cv", 2, "--cv-only", "--json").stdout)
    assert folds["cross_validation"]["mean"]["symbol_error"] < 0.9


def opened(path):
    return kind_of_command("rewrite")(path, None, weft.load(path))


def test_a_server_reads_and_writes_as_training_did():
    train("names.tsv", *CHARACTERS)
    task = RewriteTask(opened("m.weft"))
    assert task.forms == ("string",)
    assert task.from_text("Ada Lang") == "Ada Lang"
    [answer] = task.answers(["Ada Lang"], None, Options())
    assert answer["output"].startswith("A. L")
    train("names.tsv", "--input-units", "blanks", "--output-units", "blanks")
    assert RewriteTask(opened("m.weft")).from_text("Ada Lang") == ["Ada", "Lang"]


def test_one_side_may_be_said_and_a_training_repeated():
    train("names.tsv", "--output-units", "characters")
    layout = opened("m.weft").layout
    assert (layout.input_tokens, layout.output_tokens) == (True, False)
    run("train", "--config", "m.weft", "-o", "again.weft")
    assert opened("again.weft").layout == layout


def test_parts_are_split_as_they_are_told(folder, monkeypatch):
    # The first part has no blanks, the second one has: without an option that is refused.
    (folder / "late.tsv").write_text("ab\txy\nba\tyx\n" * 5 + "a b\tx y\n" * 9)
    monkeypatch.setattr("weft.scale.pieces.cut_file.__defaults__", (20,))
    monkeypatch.setattr("weft.scale.pieces.first_piece.__defaults__", (20,))
    given = ("late.tsv", "--learner", "crf", "--max-iter", 3, "--context", 2)
    said = train(*given, "--spill", "s", code=2).stderr
    assert "those of the first part few or none; say --input-units characters or blanks, for all parts." in said
    train(*given, *CHARACTERS)
    wanted = (folder / "m.weft").read_bytes()
    train(*given, *CHARACTERS, "--spill", "s")
    assert (folder / "m.weft").read_bytes() == wanted
    assert run("predict", "m.weft", "-", input="b a\n").stdout == "b a\ty x\n"


def test_words_that_occur_once_are_doubted_where_the_file_has_decided(folder):
    said = train("names.tsv").stderr
    assert "names.tsv: 24 of 24 symbols of inputs, such as 'Ada', occur once, for inputs are split at blanks" in said
    assert "if characters are meant, say --output-units characters." in said
    assert train("names.tsv", "--input-units", "blanks", "--output-units", "blanks").stderr == ""
    # The same symbols in many texts are meant; an input that comes again with another output makes none frequent.
    (folder / "sounds.tsv").write_text(
        "".join(f"{a}{b}\t{a.upper()} {b.upper()}\n" for a in "abcdefghij" for b in "klmnopqrst")
    )
    assert train("sounds.tsv").stderr == ""
    (folder / "twice.tsv").write_text(shortened(NAMES) + shortened(NAMES).replace(". ", " "))
    assert "24 of 24 symbols of inputs" in train("twice.tsv").stderr
    (folder / "few.tsv").write_text(shortened(NAMES[:9]))
    assert train("few.tsv").stderr == ""


def test_blanks_among_characters_name_the_option(folder):
    (folder / "few.tsv").write_text("aber\txy\nbera\tyx\naber bera\txyyx\n")
    assert "--input-units blanks splits them there" in train("few.tsv").stderr
    assert train("few.tsv", "--input-units", "characters").stderr == ""


def test_tags_go_with_either(folder):
    lines = [
        f"{' '.join(w)}\t{' '.join(w)} {e}\tV;{t}\n"
        for w in ("walk", "talk", "look")
        for t, e in (("A", "x"), ("B", "y"))
    ]
    (folder / "forms.tsv").write_text("".join(lines))
    train("forms.tsv", "--input-units", "blanks", "--output-units", "blanks")
    assert run("predict", "m.weft", "-", input="t o o k\tV;A\n").stdout == "t o o k\tt o o k x\tV;A\n"


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("abc\tx y\nba\tz\n", ("--input-units", "blanks"), "no input of p.tsv has a blank, as 'abc' has none; leave"),
        ("abc A B\n", ("--format", "cmudict", "--input-units", "blanks"), "inputs of cmudict files are split into"),
        ("abc A B\n", ("--format", "cmudict", "--output-units", "characters"), "outputs of cmudict files are split at"),
        ("abc\tx y\n", ("--input-units", "words"), "--input-units words given; needed one of 'characters', 'blanks'"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(content, options, message, folder):
    (folder / "p.tsv").write_text(content)
    [line] = train("p.tsv", *options, code=2).stderr.splitlines()
    assert message in line
    assert not (folder / "m.weft").exists()


def test_sounds_of_a_few_words_are_not_doubted(folder):
    """Most of 20 sounds occur once, yet most of the words is made of others."""
    sounds = [f"S{i}" for i in range(16)]
    words = [f"{one} T A N E T A {other}" for one, other in zip(sounds[::2], sounds[1::2], strict=True)]
    (folder / "sounds.tsv").write_text("".join(f"{'abcdefgh'[i]}tanetax\t{word}\n" for i, word in enumerate(words)))
    assert train("sounds.tsv").stderr == ""
