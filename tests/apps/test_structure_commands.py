"""Train, predict and evaluate aligners, folders and parsers from files; the demos; what cannot be used."""

import json

import pytest
from typer.testing import CliRunner

import weft
from weft.apps import demo_fold
from weft.apps.cli import app
from weft.checkpoint import Journal
from weft.kinds import picture_files
from weft.kinds.parse.kind import brackets
from weft.sequences.formats import read_dot_bracket, read_fasta_pairs, read_stockholm_pairs, read_tsv_pairs

runner = CliRunner()

PAIRS = [("ACGTACGT", "AC--ACGT"), ("CCATTGA", "CC-TTGA"), ("GATTACA", "GA-TACA")]
FOLDS = [("GGGAAACCC", "(((...)))"), ("GCGCAAAAGCGC", "((((....))))"), ("AGGCAAAAGCCA", ".(((....))).")]
GRAMMAR = """S -> NP VP
NP -> D N | NP PP
VP -> V NP | VP PP
PP -> P NP
D -> the
N -> cat | dog | hat
V -> saw
P -> with
"""
TREES = [
    "(S (NP (D the) (N cat)) (VP (VP (V saw) (NP (D the) (N dog))) (PP (P with) (NP (D the) (N hat)))))",
    "(S (NP (D the) (N dog)) (VP (V saw) (NP (D the) (N cat))))",
]


def run(*arguments, code=0, text=None):
    result = runner.invoke(app, list(map(str, arguments)), input=text)
    assert result.exit_code == code, result.output + result.stderr
    return result


def error(*arguments, text=None):
    result = run(*arguments, code=2, text=text)
    assert result.stderr.startswith("weft: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def answers(*arguments, text=None):
    return [json.loads(line) for line in run(*arguments, "--json", text=text).stdout.splitlines()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("structures")
    numbered = list(enumerate(PAIRS))
    (path / "pairs.fa").write_text("".join(f">a{i}\n{a}\n>b{i}\n{b}\n" for i, (a, b) in numbered))
    (path / "pairs.tsv").write_text("".join(f"a{i}\tb{i}\t{a}\t{b}\n" for i, (a, b) in numbered))
    (path / "pairs.sto").write_text(
        "".join(f"# STOCKHOLM 1.0\na{i} {a}\nb{i} {b}\n//\n" for i, (a, b) in numbered).replace("-", ".")
    )
    (path / "rna.dbn").write_text("".join(f">r{i}\n{x}\n{y}\n" for i, (x, y) in enumerate(FOLDS)))
    (path / "rna.tsv").write_text("".join(f"{x}\t{y}\n" for x, y in FOLDS))
    (path / "rules.txt").write_text(GRAMMAR)
    (path / "trees.txt").write_text("".join(f"{tree}\n" for tree in TREES))
    (path / "trees.jsonl").write_text("".join(json.dumps({"tree": tree}) + "\n" for tree in TREES))
    run("train", "align", path / "pairs.fa", "-o", path / "align.weft", "--model", "match", "--c2", 0.1)
    run("train", "fold", path / "rna.dbn", "-o", path / "fold.weft", "--c2", 0.1)
    run("train", "parse", path / "rules.txt", path / "trees.txt", "-o", path / "parse.weft")
    return path


# ------------------------------------------------------------------ alignments


def test_train_align_reads_three_formats_alike(folder, tmp_path):
    objectives = set()
    for suffix in ("fa", "tsv", "sto"):
        file = folder / f"pairs.{suffix}"
        facts = json.loads(run("train", "align", file, "-o", tmp_path / "m.weft", "--model", "match", "--json").stdout)
        assert (facts["pairs"], facts["symbols"], facts["weights"]) == (3, 40, 4)
        assert facts["gap_open"] < 0
        objectives.add(facts["objective"])
    assert len(objectives) == 1
    assert weft.load(tmp_path / "m.weft").model == "match"


@pytest.mark.parametrize("learner", ["soda", "perceptron", "generative", "expected"])
def test_learners_of_alignments(folder, tmp_path, learner):
    arguments = ("train", "align", folder / "pairs.fa", "-o", tmp_path / "m.weft", "--model", "match")
    assert "gap open" in run(*arguments, "--learner", learner, "--gaps", "linear").stdout
    assert type(weft.load(tmp_path / "m.weft").learner).__name__.lower().startswith(learner)


def test_em_learns_to_align_without_alignments(folder, tmp_path):
    (tmp_path / "raw.fa").write_text((folder / "pairs.fa").read_text().replace("-", ""))
    options = ("--model", "match", "--learner", "em", "--decode", "expected")
    arguments = ("train", "align", tmp_path / "raw.fa", "-o", tmp_path / "m.weft", *options)
    facts = json.loads(run(*arguments, "--dev", folder / "pairs.fa", "--json").stdout)
    assert facts["held_out"]["column_accuracy"] > 0.5
    model = weft.load(tmp_path / "m.weft")
    assert (type(model.learner).__name__, model.decode) == ("EM", "expected")
    assert "give --dev alone" in error(*arguments, "--cv", 2)


def test_the_matrix_is_written_and_drawn(folder, tmp_path):
    options = ("--matrix", tmp_path / "m.txt", "--plot", tmp_path / "m.png", "--alphabet", "dna", "--model", "match")
    run("train", "align", folder / "pairs.fa", "-o", tmp_path / "m.weft", *options)
    comment, unit, head, *rows = (tmp_path / "m.txt").read_text().splitlines()
    assert comment.startswith("# gap open -")
    assert unit == "# scale = 0.1"
    assert head.split() == [row[0] for row in rows] == list("ACGTN")
    assert (tmp_path / "m.png").read_bytes().startswith(b"\x89PNG")


def test_predicted_alignments_come_in_the_format_of_the_input(folder, tmp_path):
    run("predict", folder / "align.weft", folder / "pairs.fa", "-o", tmp_path / "out.fa")
    written = read_fasta_pairs(tmp_path / "out.fa")
    assert [pair.names for pair in written] == [(f"a{i}", f"b{i}") for i in range(3)]
    assert written[0].rows == PAIRS[0]
    run("predict", folder / "align.weft", folder / "pairs.tsv", "-o", tmp_path / "out.tsv")
    assert read_tsv_pairs(tmp_path / "out.tsv") == written
    assert run("predict", folder / "align.weft", folder / "pairs.sto").stdout == (tmp_path / "out.fa").read_text()
    assert read_stockholm_pairs(folder / "pairs.sto")[0].rows == PAIRS[0]


def test_alternatives_of_an_alignment(folder, tmp_path):
    options = ("--kbest", 2, "--confidence")
    text = ">x\nACGT\n>y\nAGT\n"
    lines = run("predict", folder / "align.weft", "-", *options, text=text).stdout.splitlines()
    assert lines[1::2] == ["ACGT", "A-GT", *lines[5::2]]
    assert lines[0].startswith(">x probability=0.")
    assert "z_score=" in lines[0]
    assert "z_score=" not in lines[4]
    [answer] = answers("predict", folder / "align.weft", "-", *options, text=text)
    assert answer["alignment"] == answer["kbest"][0]["alignment"] == ["ACGT", "A-GT"]
    assert answer["confidence"] == pytest.approx(answer["kbest"][0]["probability"], rel=1e-4)
    assert answer["kbest"][0]["probability"] > answer["kbest"][1]["probability"]
    row = run("predict", folder / "align.weft", "-", "--format", "tsv", *options, text="x\ty\tACGT\tAGT\n").stdout
    assert [len(line.split("\t")) for line in row.splitlines()] == [6, 5]


def test_evaluate_alignments(folder, tmp_path):
    scores = json.loads(run("evaluate", folder / "align.weft", folder / "pairs.fa", "--json").stdout)
    aligner = weft.load(folder / "align.weft")
    X = [(a.replace("-", ""), b.replace("-", "")) for a, b in PAIRS]
    assert scores["column_accuracy"]["value"] == pytest.approx(aligner.score(X, PAIRS))
    assert scores["columns"] == 18
    assert "columns right" in run("evaluate", folder / "align.weft", folder / "pairs.tsv").stdout
    # With --reliable upper, small letters are not scored.
    (tmp_path / "half.fa").write_text(">a\nACgt\n>b\nACgt\n")
    run("train", "align", tmp_path / "half.fa", "-o", tmp_path / "m.weft", "--model", "match", "--reliable", "upper")
    assert json.loads(run("evaluate", tmp_path / "m.weft", tmp_path / "half.fa", "--json").stdout)["columns"] == 2


def test_a_letter_that_training_lacked_names_the_option(tmp_path):
    (tmp_path / "few.fa").write_text(">a\nMKVL\n>b\nMK-L\n")
    (tmp_path / "new.fa").write_text(">a\nMKBL\n>b\nMK-L\n")
    train = ("train", "align", tmp_path / "few.fa", "-o", tmp_path / "m.weft")
    run(*train, "--prior", "none")
    for command in ("predict", "evaluate"):
        message = error(command, tmp_path / "m.weft", tmp_path / "new.fa")
        assert "new.fa, line 1, pair 1 (a b) has 'B' at position 2, which is not in the alphabet KLMV; " in message
        assert "train with --alphabet protein, dna, rna or all letters, or use --model match of weft train" in message
    run(*train, "--prior", "none", "--alphabet", "protein")
    assert run("predict", tmp_path / "m.weft", tmp_path / "new.fa").stdout == (tmp_path / "new.fa").read_text()
    printed = run(*train).stdout  # BLOSUM62 knows the letter, and gaps at the ends of proteins have scores of their own
    assert [line.split()[:3] for line in printed.splitlines() if line.startswith("end gap")] == [
        ["end", "gap", "open"], ["end", "gap", "extend"],
    ]  # fmt: skip
    assert run("predict", tmp_path / "m.weft", tmp_path / "new.fa").stdout == (tmp_path / "new.fa").read_text()


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (">a\nAC\n", (), "line 1: >a is record 1, the last; an even number is needed"),
        (
            ">a\nAC\n>b\nA\n",
            (),
            "have 2 and 1 columns; one length is needed: fill up with gaps '-', or learn by EM (--learner em)",
        ),
        (">a\nAC\n>b\n--\n", (), "pair 1: b is all gaps"),
        ("", (), "holds no pairs"),
        ("a\tb\tAC\n", ("--format", "tsv"), "3 column(s), needed 4"),
        (">a\nAC\n>b\nAX\n", ("--alphabet", "AC"), "pair 1 (a b) has 'X' at position 1"),
        (">a\nac\n>b\nac\n", ("--reliable", "upper"), "no column of bad.fa is reliable"),
        (">a\nAC\n>b\nAC\n", ("--alpha", "1"), "--alpha given with --learner crf"),
        (">a\nAC\n>b\nAC\n", ("--model", "match", "--plot", "m.png"), "such as --alphabet dna"),
        (">a\nAC\n>b\nAC\n", ("--plot", "m.gif"), "pictures end in .png"),
    ],
)
def test_bad_alignments(content, options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.fa").write_text(content)
    assert message in error("train", "align", "bad.fa", "-o", "m.weft", *options)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.fa"]


def test_letters_in_both_cases_are_pointed_out(tmp_path):
    (tmp_path / "pairs.fa").write_text(">a\nAC-gT\n>b\nACCgT\n>c\nacGT\n>d\nA-GT\n")
    train = ("train", "align", tmp_path / "pairs.fa", "-o", tmp_path / "m.weft", "--n-jobs", 1)
    assert (
        "pairs.fa has letters in both cases, such as 'A' and 'a', which are learned as different" in run(*train).stderr
    )
    assert "both cases" not in run(*train, "--reliable", "upper").stderr


def test_a_record_without_a_partner_is_named(folder):
    message = error("predict", folder / "align.weft", "-", text=">x\nACGT\n>y\nAGT\n>z\nA\n")
    assert "z has no partner" in message


# ----------------------------------------------------------------------- folds


def test_train_fold_counts_what_it_projects(folder, tmp_path):
    (tmp_path / "crossed.tsv").write_text("GGGAAACCC\t(((...)))\nGGCAAAAGAC\t(((....)))\n")
    arguments = ("train", "fold", tmp_path / "crossed.tsv", "-o", tmp_path / "m.weft")
    facts = json.loads(run(*arguments, "--json").stdout)
    assert (facts["sequences"], facts["base_pairs"], facts["projected_references"]) == (2, 6, 1)
    assert facts["dropped_pairs"] == {"letters": 1}
    assert "dropped pairs         letters 1" in run(*arguments).stdout
    assert "crossed.tsv, line 2, sequence 2 pairs positions" in error(*arguments, "--invalid", "error")


def test_a_long_training_of_folds_notes_how_far_it_came(folder, tmp_path, monkeypatch):
    """The state is marked with all files that were named; the grammar is none."""
    written = []
    write = Journal.write
    monkeypatch.setattr(Journal, "write", lambda journal: written.append(write(journal)))
    monkeypatch.setattr(Journal, "_written_in_time", Journal.write)
    run("train", "fold", folder / "rna.dbn", "-o", tmp_path / "m.weft", "--c2", 0.1)
    assert written
    assert weft.load(tmp_path / "m.weft").grammar == "loops"


def test_predicted_folds(folder, tmp_path):
    run("predict", folder / "fold.weft", folder / "rna.dbn", "-o", tmp_path / "out.dbn")
    assert (tmp_path / "out.dbn").read_text() == (folder / "rna.dbn").read_text()
    assert run("predict", folder / "fold.weft", folder / "rna.tsv").stdout == (folder / "rna.tsv").read_text()
    (tmp_path / "rna.fa").write_text(">one\nGGGAAA\nCCC\n")
    assert run("predict", folder / "fold.weft", tmp_path / "rna.fa").stdout == ">one\nGGGAAACCC\n(((...)))\n"
    assert run("predict", folder / "fold.weft", "-", text="GGGAAACCC\n").stdout == "GGGAAACCC\n(((...)))\n"


def test_alternatives_and_picture_of_a_fold(folder, tmp_path):
    picture = tmp_path / "fold.svg"
    arguments = ("predict", folder / "fold.weft", folder / "rna.dbn", "--kbest", 2, "--confidence")
    run(*arguments, "-o", tmp_path / "out.dbn", "--plot", picture)
    records = read_dot_bracket(tmp_path / "out.dbn")
    assert len(records) == 6
    assert records[0].name.startswith("r0 probability=0.")
    assert "<svg" in picture.read_text()
    first = answers(*arguments)[0]
    assert first["structure"] == first["gold"] == first["kbest"][0]["structure"] == FOLDS[0][1]
    assert first["z_score"] > 0
    unnamed = run("predict", folder / "fold.weft", "-", "--confidence", text="GGGAAACCC\n").stdout
    assert unnamed.startswith(">1 probability=0.")


def test_evaluate_folds(folder, tmp_path):
    (tmp_path / "other.tsv").write_text("GGGAAACCC\t(((...)))\nGGGAAACCC\t.((...)).\n")
    scores = json.loads(run("evaluate", folder / "fold.weft", tmp_path / "other.tsv", "--json").stdout)
    assert scores["sensitivity"]["value"] == 1.0
    assert scores["precision"]["value"] == pytest.approx(5 / 6)
    assert scores["f1"]["value"] == pytest.approx(10 / 11)
    assert scores["structure_accuracy"]["value"] == 0.5
    low, high = scores["precision"]["interval"]
    assert low < 5 / 6 < high
    assert "pairs found (sensitivity)  100.00 %" in run("evaluate", folder / "fold.weft", folder / "rna.dbn").stdout


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("bad.dbn", "GGGAAACCC\n", "a structure was needed"),
        ("bad.dbn", ">a\nGGNAAACCC\n(((...)))\n", "sequence 1 (a) has 'N' at position 2"),
        ("bad.tsv", "GGG\t(((\n", "is never closed"),
        ("bad.tsv", "GGG\t((\n", "structure of length 2"),
        ("bad.tsv", "GGG\n", "no structure beside it"),
        ("bad.tsv", "((...))\tGGAAACC\n", "line 1: '((...))' is a structure, needed a sequence; swap the columns"),
        ("bad.csv", "structure,sequence\nGGAAACC,((...))\n", "line 2: '((...))' is a structure, needed a sequence"),
        ("bad.tsv", "GGG\t...\t...\n", "3 column(s)"),
        ("bad.fa", ">a\nGGG\n", "fasta files have no structures"),
        ("bad.tsv", "", "holds no sequences"),
    ],
)
def test_bad_folds(name, content, message, tmp_path):
    (tmp_path / name).write_text(content)
    assert message in error("train", "fold", tmp_path / name, "-o", tmp_path / "m.weft")
    assert not (tmp_path / "m.weft").exists()


def test_bad_sequences_to_fold(folder):
    message = error("predict", folder / "fold.weft", "-", text="GGGAAACCC\n(((...)))\n")
    assert (
        "line 2: '(((...)))' is a structure, needed a sequence; drop the line, or give --format dotbracket" in message
    )
    message = error("predict", folder / "fold.weft", "-", text="GGGAAACCC\nGGXAAACCC\n")
    assert "sequence 2 has 'X' at position 2" in message
    assert "--unknown unpaired of weft train" in message
    assert "--format fasta" in error("predict", folder / "fold.weft", "-", text=">a\nGGG\n")


# ----------------------------------------------------------------------- trees


def test_train_parse_reads_lines_and_objects_alike(folder, tmp_path):
    objectives = set()
    for name in ("trees.txt", "trees.jsonl"):
        arguments = ("train", "parse", folder / "rules.txt", folder / name, "-o", tmp_path / "m.weft", "--json")
        facts = json.loads(run(*arguments).stdout)
        assert (facts["sentences"], facts["tokens"], facts["rules"]) == (2, 13, 12)
        objectives.add(facts["objective"])
    assert len(objectives) == 1


def test_predicted_trees(folder):
    tokens = "the cat saw the dog with the hat\n"
    assert run("predict", folder / "parse.weft", "-", text=tokens).stdout == TREES[0] + "\n"
    lines = run("predict", folder / "parse.weft", "-", "--kbest", 5, text=tokens).stdout.splitlines()
    assert lines[0].split("\t")[0] == TREES[0]
    assert sum(float(line.split("\t")[1]) for line in lines) == pytest.approx(1.0, abs=1e-3)
    [first, _] = answers("predict", folder / "parse.weft", folder / "trees.jsonl", "--confidence")
    assert first["tree"] == first["gold"] == TREES[0]
    assert first["tokens"] == tokens.split()
    assert 0.0 < first["confidence"] <= 1.0


def test_evaluate_trees(folder, tmp_path):
    other = "(S (NP (D the) (N cat)) (VP (V saw) (NP (NP (D the) (N dog)) (PP (P with) (NP (D the) (N hat))))))"
    (tmp_path / "other.trees").write_text(f"{TREES[1]}\n{other}\n")
    scores = json.loads(run("evaluate", folder / "parse.weft", tmp_path / "other.trees", "--json").stdout)
    sentences = [tree.replace("(", " ").replace(")", " ").split() for tree in (TREES[1], other)]
    X = [[token for token in sentence if token.islower()] for sentence in sentences]
    assert scores["f1"]["value"] == pytest.approx(weft.load(folder / "parse.weft").score(X, [TREES[1], other]))
    assert scores["f1"]["value"] < 1.0
    assert scores["tree_accuracy"]["value"] == 0.5
    assert "trees all right  100.00 %" in run("evaluate", folder / "parse.weft", folder / "trees.txt").stdout


def test_brackets_are_nodes_above_nodes():
    assert brackets("(S (A the) (S (B cat) a))") == {("S", 0, 2), ("S", 1, 2)}
    assert brackets("(S a)") == set()


@pytest.mark.parametrize(
    ("rules", "trees", "message"),
    [
        (GRAMMAR, "(S (NP the)\n", "is not one balanced tree"),
        (GRAMMAR, "(S (NP the) (VP saw))\n", "sentence 1: the tree uses the rule 'NP -> the'"),
        ("S -> A B C\nA -> a\nB -> b\nC -> c\n", TREES[0], "rules.txt: line 1: 'S -> A B C' has a form"),
        ("", TREES[0], "rules.txt: the grammar has no rules"),
        (GRAMMAR, "", "holds no trees"),
        (GRAMMAR, '{"tokens": ["the"]}', "is not one balanced tree"),
    ],
)
def test_bad_trees(rules, trees, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.txt").write_text(rules)
    (tmp_path / "bad.txt").write_text(trees)
    assert message in error("train", "parse", "rules.txt", "bad.txt", "-o", "m.weft")


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({"tokens": ["the"]}, 'no "tree" beside its tokens'),
        ({"tree": 3}, "\"tree\" is '3'"),
        ({"tokens": 3}, "\"tokens\" is '3'"),
    ],
)
def test_bad_objects(folder, item, message, tmp_path):
    (tmp_path / "bad.jsonl").write_text(json.dumps(item))
    arguments = (folder / "rules.txt", tmp_path / "bad.jsonl", "-o", tmp_path / "m.weft")
    assert message in error("train", "parse", *arguments)


def test_sentences_that_cannot_be_parsed(folder):
    assert "sentence 2: symbol 'horse'" in error(
        "predict", folder / "parse.weft", "-", text="the cat saw the dog\nthe horse\n"
    )
    assert "no tree for <stdin/stdout>, sentence 1" in error("predict", folder / "parse.weft", "-", text="cat the\n")


# --------------------------------------------------------------- what they share


def test_options_without_a_use_are_refused(folder):
    assert "--plot given" in error("predict", folder / "parse.weft", "-", "--plot", "a.png", text="the cat\n")
    assert "--allow-unknown given" in error("evaluate", folder / "fold.weft", folder / "rna.dbn", "--allow-unknown")
    message = error("predict", folder / "fold.weft", folder / "rna.dbn", "--format", "conll")
    assert "which takes dotbracket, tsv, csv, ct, bpseq, stockholm, fasta, fastq, lines; choose one of them" in message


@pytest.mark.parametrize("name", ["align", "fold"])
def test_the_demos_leave_a_model_and_a_picture(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo_fold, "N_TRAIN", 40)
    monkeypatch.setattr(demo_fold, "N_TEST", 20)
    out = run("demo", name).stdout
    assert max(map(len, out.splitlines())) <= 80
    assert len(list(tmp_path.glob("*.png"))) == 1
    commands = [line.split()[1:] for line in out.splitlines() if line.startswith("  weft ")]
    assert [command[0] for command in commands] == ["evaluate", "predict"]
    for command in commands:
        run(*command)
    monkeypatch.setattr(picture_files, "find_spec", lambda module: None)
    facts = json.loads(run("demo", name, "--json").stdout)
    assert facts["picture"] is None
    if name == "align":
        left_out = "columns_right_leaving_one_out"
        assert facts["substitution"][left_out] > facts["match"][left_out] > 0.9
    else:
        assert facts["learned"]["f1"] > facts["pairs"]["f1"] + 0.1
