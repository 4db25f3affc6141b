"""Train, predict and evaluate classifiers from files; the demo; what cannot be used."""

import csv
import io
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import weft
from weft.apps.cli import app

runner = CliRunner()

TRAIN = [
    ("the cat sat on the mat", "english"),
    ("the dog sat there with them", "english"),
    ("this is the other thing that they think", "english"),
    ("with the wind in the north", "english"),
    ("le chat est sur le lit", "french"),
    ("les chiens dans la rue", "french"),
    ("une autre chose que je pense", "french"),
    ("avec le vent dans le nord", "french"),
]
TEST = [("the thing with the hat", "english"), ("le vent est dans la rue", "french")]


def run(*arguments, code=0, text=None):
    result = runner.invoke(app, list(map(str, arguments)), input=text)
    assert result.exit_code == code, result.output + result.stderr
    return result


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("classify")
    for name, rows in {"train": TRAIN, "test": TEST}.items():
        (path / f"{name}.tsv").write_text("".join(f"{text}\t{label}\n" for text, label in rows))
        objects = (json.dumps({"text": text, "label": label}) for text, label in rows)
        (path / f"{name}.jsonl").write_text("".join(f"{each}\n" for each in objects))
    run("train", "classify", path / "train.tsv", "-o", path / "model.weft", "--n", 3, "--probability")
    return path


def test_train_says_what_it_learned(folder, tmp_path):
    out = run("train", "classify", folder / "train.jsonl", "-o", tmp_path / "m.weft", "--n", 3, "--json").stdout
    facts = json.loads(out)
    assert (facts["texts"], facts["classes"]) == (8, 2)
    assert facts["features"] == len(weft.load(tmp_path / "m.weft").feature_names_)
    shown = run("train", "classify", folder / "train.tsv", "-o", tmp_path / "m.weft", "--n", 3).stdout
    assert "features" in shown


def test_predict_pairs_json_and_streams(folder):
    lines = run("predict", folder / "model.weft", folder / "test.tsv").stdout.splitlines()
    assert lines == [f"{text}\t{label}" for text, label in TEST]
    objects = run("predict", folder / "model.weft", folder / "test.jsonl", "--confidence").stdout.splitlines()
    first = json.loads(objects[0])
    assert first["label"] == first["gold"] == "english"
    assert first["confidence"] == first["probabilities"]["english"]
    assert run("predict", folder / "model.weft", "-", text="le nord\n").stdout == "le nord\tfrench\n"
    assert (
        json.loads(run("predict", folder / "model.weft", "-", "--json", text="le nord\n").stdout)["label"] == "french"
    )


def test_predict_to_a_file(folder, tmp_path):
    run("predict", folder / "model.weft", folder / "test.tsv", "--confidence", "-o", tmp_path / "out.tsv")
    fields = (tmp_path / "out.tsv").read_text().splitlines()[0].split("\t")
    assert fields[:2] == list(TEST[0])
    assert 0.0 < float(fields[2]) < 1.0


def test_evaluate(folder):
    scores = json.loads(run("evaluate", folder / "model.weft", folder / "test.tsv", "--json").stdout)
    assert scores["accuracy"]["value"] == scores["macro_f1"] == 1.0
    assert scores["classes"]["french"]["support"] == 1
    shown = run("evaluate", folder / "model.weft", folder / "test.jsonl").stdout
    assert "macro F1  100.00 %" in shown
    assert "ROC AUC   100.00 %" in shown
    assert scores["roc_auc"] == {"value": 1.0, "interval": [pytest.approx(0.2065, abs=1e-4), 1.0]}


def test_the_area_is_that_of_the_decisions(folder, tmp_path):
    """Whichever texts are wrong; a file of one class has none, and neither have several classes."""
    from sklearn.metrics import roc_auc_score

    rows = [*TRAIN, *((text, "french") for text, _ in TRAIN[:3]), ("la la", "english")]
    (tmp_path / "mixed.tsv").write_text("".join(f"{text}\t{label}\n" for text, label in rows))
    scores = json.loads(run("evaluate", folder / "model.weft", tmp_path / "mixed.tsv", "--json").stdout)
    decisions = weft.load(folder / "model.weft").decision_function([text for text, _ in rows])
    area = roc_auc_score([label == "french" for _, label in rows], decisions)
    assert scores["roc_auc"]["value"] == pytest.approx(area)
    low, high = scores["roc_auc"]["interval"]
    assert low < area < high
    (tmp_path / "one.tsv").write_text("le chat\tfrench\nla rue\tfrench\n")
    assert "ROC" not in run("evaluate", folder / "model.weft", tmp_path / "one.tsv").stdout
    (tmp_path / "three.tsv").write_text("".join(f"{text}\t{label}\n" for text, label in [*rows, ("xyz xyz", "x")]))
    run("train", "classify", tmp_path / "three.tsv", "-o", tmp_path / "three.weft")
    assert "ROC" not in run("evaluate", tmp_path / "three.weft", tmp_path / "three.tsv").stdout


def test_columns_of_a_table_say_nothing_of_other_files(tmp_path):
    """A model keeps the names; JSON lines and FASTA have keys and headers of their own."""
    rows = "".join(f"{label},{text}\n" for text, label in TRAIN)
    (tmp_path / "train.csv").write_text("state,dna\n" + rows)
    (tmp_path / "same.tsv").write_text("dna\tstate\n" + "".join(f"{text}\t{label}\n" for text, label in TEST))
    (tmp_path / "test.jsonl").write_text("".join(f"{json.dumps({'text': text})}\n" for text, _ in TEST))
    (tmp_path / "test.fa").write_text(">one\nle chat est sur le lit\n")
    model = tmp_path / "model.weft"
    run("train", "classify", tmp_path / "train.csv", "--columns", "dna,state", "-o", model, "--n", 2)
    assert "100.00" in run("evaluate", model, tmp_path / "same.tsv").stdout
    objects = run("predict", model, tmp_path / "test.jsonl").stdout.splitlines()
    assert [json.loads(line)["label"] for line in objects] == [label for _, label in TEST]
    assert run("predict", model, tmp_path / "test.fa").stdout.startswith("one\t")
    message = run("predict", model, tmp_path / "test.jsonl", "--columns", "dna,state", code=2).stderr
    assert "keys 'text', needed 'dna'; add it, or name the keys to read with --columns" in message


def test_answers_to_tables_with_commas_have_commas(tmp_path):
    """So that texts with line ends, tabs and quotes can be read again."""
    texts = ["I like it, a lot", 'he said "no"', "two\nlines", "a\ttab", "plain"]
    labels = ["pos", "neg", "pos", "neg", "pos"]
    with (tmp_path / "train.csv").open("w", newline="") as file:
        csv.writer(file).writerows(zip(["text", *texts], ["label", *labels], strict=True))
    model = tmp_path / "m.weft"
    run("train", "classify", tmp_path / "train.csv", "-o", model, "--probability")
    answers = list(csv.reader(io.StringIO(run("predict", model, tmp_path / "train.csv").stdout)))
    assert answers == [list(row) for row in zip(texts, labels, strict=True)]
    sure = list(csv.reader(io.StringIO(run("predict", model, tmp_path / "train.csv", "--confidence").stdout)))
    assert [len(row) for row in sure] == [3] * 5


def test_fasta_has_the_class_at_the_end_of_a_header(tmp_path):
    """And prediction takes headers as names."""
    sequences = ["ACGTACGTAC", "ACGTACGTAA", "TTTTGGGGTT", "TTTTGGGGTA"] * 2
    labels = ["bound", "bound", "free", "free"] * 2
    for name, headers in {
        "named.fa": [f"seq{i} chr1:{i} {label}" for i, label in enumerate(labels)],
        "bare.fa": labels,
        "new.fa": [f"seq{i} of mine" for i in range(8)],
        "unique.fa": [f"seq{i}" for i in range(8)],
    }.items():
        records = (f">{header}\n{text[:6]}\n{text[6:]}\n" for header, text in zip(headers, sequences, strict=True))
        (tmp_path / name).write_text("".join(records))
    model = tmp_path / "model.weft"
    for name in ("bare.fa", "named.fa"):
        run("train", "classify", tmp_path / name, "-o", model, "--n", 3)
        assert "accuracy  100.00 %" in run("evaluate", model, tmp_path / "named.fa").stdout
    assert run("predict", model, tmp_path / "new.fa").stdout.splitlines()[1:3] == [
        "seq1 of mine\tbound",
        "seq2 of mine\tfree",
    ]
    (tmp_path / "masked.fa").write_text((tmp_path / "new.fa").read_text().replace("ACGTAC", "acgtac"))
    assert run("predict", model, tmp_path / "masked.fa").stdout == run("predict", model, tmp_path / "new.fa").stdout
    item = json.loads(run("predict", model, tmp_path / "new.fa", "--json").stdout.splitlines()[0])
    assert item == {"name": "seq0 of mine", "text": sequences[0], "label": "bound"}
    message = run("train", "classify", tmp_path / "unique.fa", "-o", model, code=2).stderr
    wanted = "are all different; needed classes: end each header with the class, as in >name class, or give"
    assert f"the last words of its 8 headers, such as 'seq0', {wanted}" in message
    (tmp_path / "few.fa").write_text(">seq1\nACGT\n>seq2\nACGG\n")
    message = run("train", "classify", tmp_path / "few.fa", "-o", model, code=2).stderr
    assert f"few.fa: the last words of its 2 headers, such as 'seq1', {wanted}" in message
    (tmp_path / "trial.fa").write_text(">one bound\nACGTACGT\n>two free\nTTTGTTGG\n")
    assert run("train", "classify", tmp_path / "trial.fa", "-o", model, "--n", 3).stderr == ""
    for ends, field in ((["GN=HBA1 SV=2", "GN=HBB SV=1"], "SV=2"), (["[Homo sapiens]", "[Mus musculus]"], "sapiens]")):
        records = (f">P{i} Haemoglobin {ends[i % 2]}\n{text}\n" for i, text in enumerate(sequences))
        (tmp_path / "database.fa").write_text("".join(records))
        message = run("train", "classify", tmp_path / "database.fa", "-o", model, "--n", 3).stderr
        assert (
            f"8 of 8 headers end with a field of a database, such as {field!r}, which is learned as the class"
            in message
        )
    (tmp_path / "none.fa").write_text(">\nACGT\n")
    assert "line 1: a header without a word" in run("evaluate", model, tmp_path / "none.fa", code=2).stderr
    columns = ("--columns", "a,b")
    assert "has none; leave it out" in run("evaluate", model, tmp_path / "named.fa", *columns, code=2).stderr


@pytest.mark.parametrize(
    ("options", "kernel"),
    [
        (["--kernel", "gappy", "--n", 2, "--decay", 0.5, "--max-gap", 2], "GappyKernel"),
        (["--kernel", "mismatch", "--n", 3, "--m", 1], "MismatchKernel"),
        (["--kernel", "gkm", "--n", 3, "--m", 1], "GappedKMerKernel"),
        (["--kernel", "gkm", "--n", 3, "--reverse-complement"], "GappedKMerKernel(g=3, k=2, reverse_complement=True)"),
        (["--kernel", "gkm", "--n", 3, "--half-life", 9], "GappedKMerKernel(g=3, half_life=9.0, k=2)"),
        (["--kernel", "weighted-degree", "--n", 3, "--shift", 1], "WeightedDegreeKernel(n=3, shift=1)"),
        (["--kernel", "weighted-degree", "--n", 3, "--anchor", "start", "--min-n", 2], "min_n=2"),
        (["--kernel", "locality", "--n", 2, "--inner", 2], "LocalityImprovedKernel(inner=2, width=2)"),
        (
            ["--kernel", "ngram", "--n", 3, "--matrix-rows"],
            "EmpiricalKernelMap(kernel=Normalized(kernel=NGramKernel(n=3)))",
        ),
        (["--kernel", "ngram", "--n", 2, "--idf", "--sublinear"], "NGramKernel(idf=True, n=2, sublinear=True)"),
        (["--kernel", "ngram"], "Normalized(kernel=NGramKernel())"),
        (["--n", 2, "--idf", "--sublinear"], "BlendedSpectrumKernel(idf=True, n=2)"),
        (["--units", "words", "--n", 1, "--min-n", 1, "--balanced"], "BlendedSpectrumKernel(n=1)"),
        (["--no-ends"], "BlendedSpectrumKernel(ends=False)"),
    ],
)
def test_every_kernel_trains_and_predicts(folder, tmp_path, options, kernel):
    run("train", "classify", folder / "train.tsv", "-o", tmp_path / "m.weft", *options)
    assert kernel in repr(weft.load(tmp_path / "m.weft").kernel)
    lines = run("predict", tmp_path / "m.weft", folder / "test.tsv").stdout.splitlines()
    assert [line.split("\t")[1] for line in lines] == ["english", "french"]


def test_a_kernel_for_dna_is_chosen_and_named(tmp_path):
    random = np.random.default_rng(0)
    texts = ["".join(random.choice(list("ACGT"), size=30)) for _ in range(24)]
    lines = [f"{text[:10] + 'TGACTCA' + text[17:]}\tsite\n{text}\tnone\n" for text in texts]
    (tmp_path / "train.tsv").write_text("".join(lines))
    found = run("train", "classify", tmp_path / "train.tsv", "-o", tmp_path / "m.weft", "--kernel", "dna", "--C", 10)
    svc = weft.load(tmp_path / "m.weft")
    assert (len(svc.kernel), svc.kernel_scores_.shape) == (5, (5,))
    assert "GappedKMerKernel" in next(line for line in found.stdout.splitlines() if line.startswith("kernel"))
    rows = ("--kernel", "dna", "--matrix-rows", "--half-life", 20, "--C", 1)
    run("train", "classify", tmp_path / "train.tsv", "-o", tmp_path / "m.weft", *rows)
    assert [type(each).__name__ for each in weft.load(tmp_path / "m.weft").kernel] == ["EmpiricalKernelMap"] * 3
    lines = [f"__label__{'site' if i % 2 else 'none'} {text}\n" for i, text in enumerate(texts)]
    (tmp_path / "train.ft").write_text("".join(lines))
    parts = ("--kernel", "dna", "--spill", tmp_path / "rows")
    run("train", "classify", tmp_path / "train.ft", "-o", tmp_path / "m.weft", *parts)
    assert isinstance(weft.load(tmp_path / "m.weft").kernel, weft.Normalized)
    run("train", "classify", tmp_path / "train.tsv", "-o", tmp_path / "m.weft", "--kernel", "dna", "--half-life", 9)
    assert "half_life=9.0" in repr(weft.load(tmp_path / "m.weft").kernel)


@pytest.mark.parametrize("options", [["local-alignment"], ["local-alignment", "--matrix-rows"], ["protein"]], ids=str)
def test_kernels_of_proteins_know_like_letters(tmp_path, options):
    lines = ["LVLVLVLV\tfat", "LLVVLLVV\tfat", "DEDEDEDE\tacid", "DDEEDDEE\tacid"]
    (tmp_path / "train.tsv").write_text("\n".join(lines) + "\n")
    (tmp_path / "test.tsv").write_text("IMIMIMIM\nNQNQNQNQ\n")
    run("train", "classify", tmp_path / "train.tsv", "-o", tmp_path / "m.weft", "--kernel", *options)
    found = run("predict", tmp_path / "m.weft", tmp_path / "test.tsv").stdout.splitlines()
    assert [line.split("\t")[1] for line in found] == ["fat", "acid"]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("one\ttwo\tthree\n", [], "line 1: 3 column(s)"),
        ("text alone\n", [], "line 1: 1 column(s)"),
        ("", [], "holds no texts"),
        ("abcd\tx\nabcde\tx\n", [], "tsv has one class only, 'x'"),
        ("abcd\tx\nbcde\ty\n", ["--decay", 0.5], "--decay given with --kernel blended"),
        ("abcd\tx\nbcde\ty\n", ["--kernel", "locality", "--idf"], "--idf given with --kernel locality"),
        ("abcd\tx\nbcde\ty\n", ["--kernel", "gkm", "--filtered"], "need DNA in upper case"),
        ("abcd\tx\nbcde\ty\n", ["--kernel", "dna", "--n", 6], "--n given with --kernel dna"),
        ("abcd\tx\nbcde\ty\n", ["--kernel", "protein", "--no-normalize"], "--no-normalize given with --kernel protein"),
        ("abcd\tx\nbcde\ty\n", ["--shift", 2], "--shift given with --kernel blended"),
        ("abcd\tx\nbcde\ty\n", ["--no-normalize"], "--no-normalize given with --kernel blended"),
        ("abcd\tx\nbcde\ty\n", ["--kernel", "ngram", "--no-ends"], "--no-ends given with --kernel ngram"),
        ("xyz\tx\nzyx\ty\n", ["--kernel", "dna"], "no text has a letter of ACGT: the first is 'xyz'"),
        ("abcd\tx\nbcde\ty\n", ["--C", 0], "C is 0.0"),
        ("abcd\tx\nbcde\ty\n", ["--format", "conll"], "a label for each token"),
    ],
)
def test_what_cannot_be_learned_is_told_in_one_line(tmp_path, content, options, message):
    (tmp_path / "bad.tsv").write_text(content)
    result = run("train", "classify", tmp_path / "bad.tsv", "-o", tmp_path / "m.weft", *options, code=2)
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "m.weft").exists()


def test_json_lines_without_text_or_label(tmp_path):
    for item, message in (({"text": 3, "label": "x"}, '"text" is'), ({"text": "ab", "label": [1]}, '"label" is')):
        (tmp_path / "bad.jsonl").write_text(json.dumps(item) + "\n")
        result = run("train", "classify", tmp_path / "bad.jsonl", "-o", tmp_path / "m.weft", code=2)
        assert message in result.stderr


def test_what_a_classifier_cannot_answer(folder, tmp_path):
    assert (
        "--confidence shows" in run("predict", folder / "model.weft", folder / "test.tsv", "--kbest", 2, code=2).stderr
    )
    (tmp_path / "new.tsv").write_text("hola\tspanish\n")
    assert "unseen in training" in run("evaluate", folder / "model.weft", tmp_path / "new.tsv", code=2).stderr
    scores = run("evaluate", folder / "model.weft", tmp_path / "new.tsv", "--allow-unknown", "--json").stdout
    assert json.loads(scores)["accuracy"]["value"] == 0.0
    run("train", "classify", folder / "train.tsv", "-o", tmp_path / "plain.weft", "--n", 2)
    result = run("predict", tmp_path / "plain.weft", folder / "test.tsv", "--confidence", code=2)
    assert "train it with --probability" in result.stderr


def test_demo_finds_the_site(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    out = run("demo", "classify").stdout
    assert "the secret site" in out
    assert "weft evaluate classify.weft classify-sample.tsv" in out
    facts = json.loads(run("demo", "classify", "--json", "--random-state", 1).stdout)
    assert facts["accuracy_letters"] < 0.6 < 0.85 < facts["accuracy_gapped"]
    assert facts["accuracy_exact"] < facts["accuracy_gapped"]
    assert facts["pointed_at_site"] > 0.8
    scores = json.loads(run("evaluate", "classify.weft", "classify-sample.tsv", "--json").stdout)
    assert scores["accuracy"]["value"] > 0.85


def train(path, rows, code=0):
    path.write_text("".join(f"{a}\t{b}\n" for a, b in rows))
    return run("train", "classify", path, "-o", path.parent / "m.weft", "--n", 2, code=code).stderr


def test_swapped_columns_are_refused_with_the_cure(tmp_path):
    texts = [(f"text number {i} of all", ["good", "bad"][i % 2]) for i in range(50)]
    said = train(tmp_path / "a.tsv", [(label, text) for text, label in texts], code=2)
    assert "a.tsv, text 1: label 'text number 0 of all'; there are 50 labels for 2 texts: swap the columns" in said
    assert train(tmp_path / "a.tsv", texts) == ""


def test_a_class_for_each_text_is_doubted(tmp_path):
    said = train(tmp_path / "a.tsv", [(f"text {i}", f"class {i}") for i in range(50)])
    assert "50 texts have 50 labels" in said


def test_a_header_is_no_example(tmp_path):
    assert train(tmp_path / "a.tsv", [("text", "label"), *TRAIN]) == ""
    assert b"label" not in b"".join(str(each).encode() for each in weft.load(tmp_path / "m.weft").classes_)


def test_a_first_label_that_comes_nowhere_else_is_doubted(tmp_path):
    rows = [(f"text {i} of all", ["good", "bad"][i % 2]) for i in range(20)]
    said = train(tmp_path / "a.tsv", [("body", "y"), *rows])
    assert "a.tsv, text 1: label 'y' comes nowhere else; delete the line if it names the columns." in said
    assert train(tmp_path / "a.tsv", [("one more", "good"), *rows]) == ""


@pytest.mark.parametrize("label", ["nan", ""])
def test_a_label_that_looks_missing_is_named(tmp_path, label):
    said = train(tmp_path / "a.tsv", [*TRAIN, ("who knows", label), ("nobody", label)])
    assert f"text 9: label {label!r}, as of 2, becomes a class of its own; drop them" in said
