"""`weft report` for every kind of model: the page, the numbers, what cannot be reported."""

import json
import re
from html.parser import HTMLParser

import pytest
from typer.testing import CliRunner

from report_models import EVIL, MAKERS, report_models
from weft.apps.cli import app
from weft.rewriting.names import weight_text

runner = CliRunner()

KINDS = list(MAKERS)
SECTIONS = ["scores", "model", "confusion", "calibration", "learning", "errors", "features", "structure"]
HEADLINES = {  # the score of `weft evaluate` that comes first in a report
    "tag": ("chunks", "f1"),
    "spectral": ("token_accuracy", "value"),
    "classify": ("accuracy", "value"),
    "regress": ("string_accuracy", "value"),
    "align": ("column_accuracy", "value"),
    "fold": ("f1", "value"),
    "parse": ("f1", "value"),
}


def run(*arguments, code=0):
    result = runner.invoke(app, list(map(str, arguments)))
    assert result.exit_code == code, result.output + result.stderr
    return result


class Page(HTMLParser):
    """What a page is made of, and whether its elements close in order."""

    VOID = frozenset({"meta", "br", "hr", "img", "line", "rect", "circle", "path", "polyline"})

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.keys, self.addresses, self.without_text = [], [], [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        facts = dict(attrs)
        self.tags.append(tag)
        self.keys.append(facts.get("id"))
        self.addresses += [value for key, value in attrs if key in ("src", "href", "xlink:href", "action", "data")]
        if tag == "svg" and not facts.get("aria-label"):
            self.without_text.append(facts)
        if tag == "th" and facts.get("scope") not in ("row", "col"):
            self.without_text.append(facts)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert tag in self.VOID
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module", params=KINDS)
def made(request, tmp_path_factory):
    """Kind, files, text of the page and numbers."""
    files = report_models()[request.param]
    page = tmp_path_factory.mktemp("report") / "report.html"
    result = run("report", files.model, files.data, "-o", page, "--json")
    return request.param, files, page.read_text(encoding="utf-8"), json.loads(result.stdout)


def test_page_is_whole_and_needs_nothing_else(made):
    _, _, text, _ = made
    page = Page(text)
    assert [key for key in page.keys if key in SECTIONS] == SECTIONS
    assert all(address.startswith("#") for address in page.addresses)
    assert not re.search(r"url\(|@import|https?://", text)
    assert page.without_text == []
    assert text.count("<h1>") == 1
    assert 10_000 < len(text.encode()) < 300_000


def test_how_a_model_was_trained_is_said_in_words(tmp_path):
    model, data = tmp_path / "m.weft", tmp_path / "d.conll"
    data.write_text("a x\nb y\n\n" * 4)
    run("train", "tag", data, "-o", model, "--learner", "perceptron", "--tune", "grid", "--no-shape")
    facts = dict(json.loads(run("report", model, data, "--json").stdout)["model"])
    assert facts["trained with"].startswith(f"command tag, file {data}, joined 0, shape no, order 1, ")
    assert facts["tuned"].startswith("chosen max-iter 10, ")
    assert facts["training examples"] == "4"
    assert "{" not in facts["trained with"] + facts["tuned"] + facts["training data"]


def test_text_of_users_stays_text(made):
    kind, _, text, _ = made
    assert "script" not in Page(text).tags
    assert EVIL not in text
    if kind == "classify":  # each stretch of a text has a mark of its own
        assert "&lt;" in text
    elif kind not in ("spectral", "rewrite"):
        assert "&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;" in text


def test_scores_are_those_of_evaluate(made):
    kind, files, text, numbers = made
    scores = numbers["scores"]
    assert all(0.0 <= score["low"] <= score["value"] <= score["high"] for score in scores)
    if kind in HEADLINES:
        found = json.loads(run("evaluate", files.model, files.data, "--json").stdout)
        for key in HEADLINES[kind]:
            found = found[key]
    else:
        found = 1.0 - json.loads(run("evaluate", files.model, files.data, "--json").stdout)["word_error"]["value"]
    assert scores[0]["value"] == pytest.approx(found)
    assert f"<b>{100 * found:.1f}<small>" in text or f"<b>{100 * found:.0f}<small>" in text


def test_numbers_agree_with_each_other(made):
    kind, _, _, numbers = made
    confusion = numbers["confusion"]
    wrong = sum(
        n for i, row in enumerate(confusion["counts"]) for j, n in enumerate(row) if [i, j] not in confusion["right"]
    )
    commonest = sum(n for _, _, n in confusion["commonest"])
    assert 0 < commonest <= wrong
    assert commonest == wrong or len(confusion["commonest"]) == 10
    assert numbers["cases"], "each data set has an error in it"
    costs = [case["cost"] for case in numbers["cases"]]
    assert costs == sorted(costs, reverse=True)
    for calibration in numbers["calibrations"]:
        assert 0.0 <= calibration["error"] <= 1.0
    assert numbers["pictures"][0]["values"]
    assert bool(numbers["features"]) == (kind != "regress")


def test_errors_are_aligned(made):
    kind, _, _, numbers = made
    if kind == "parse":
        assert all(not case["blocks"] for case in numbers["cases"])  # trees are drawn
        return
    for case in numbers["cases"]:
        for block in case["blocks"]:
            assert all(len(symbols) == len(block["row_names"]) for symbols, _ in block["columns"])
            if not block["strong"] and kind not in ("align", "fold"):
                assert all((mark == "wrong") == (symbols[-1] != symbols[-2]) for symbols, mark in block["columns"])


def test_learning_curve_fits_growing_parts(tmp_path):
    files = report_models()["tag"]
    page = tmp_path / "report.html"
    result = run("report", files.model, files.data, "-o", page, "--learning-curve", files.training, "--json")
    curve = json.loads(result.stdout)["curves"][0]
    assert curve["x"] == [1.0, 2.0, 4.0]
    assert curve["title"] == "Learning curve"
    assert len(curve["intervals"]) == 3
    assert "Fitted again" in page.read_text(encoding="utf-8")


def test_report_says_where_it_is(tmp_path, monkeypatch):
    files = report_models()["fold"]
    monkeypatch.chdir(tmp_path)
    result = run("report", files.model, files.data)
    assert result.stdout.startswith("base pair F1: ")
    assert "open report.html" in result.stdout
    assert (tmp_path / "report.html").exists()


def test_json_alone_writes_no_page(tmp_path, monkeypatch):
    files = report_models()["fold"]
    monkeypatch.chdir(tmp_path)
    json.loads(run("report", files.model, files.data, "--json").stdout)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fold", "-"], "from a file"),
        (["fold", "missing.dbn"], "missing.dbn"),
        (["fold", "data", "--format", "conll"], "--format conll given"),
        (["rewrite", "data", "--format", "conll"], "--format conll given"),
        (["fold", "data", "-o", "no/such/folder/report.html"], "cannot write"),
    ],
)
def test_what_cannot_be_reported(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kind, file, *others = arguments
    files = report_models()[kind]
    error = run("report", files.model, files.data if file == "data" else file, *others, code=2).stderr
    assert error.startswith("weft: ")
    assert message in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_unseen_labels_are_refused_unless_allowed(tmp_path):
    files = report_models()["tag"]
    data = tmp_path / "new.conll"
    data.write_text("the\tB-NP\ncat\tB-NEW\n")
    page = tmp_path / "report.html"
    assert "unseen in training" in run("report", files.model, data, "-o", page, code=2).stderr
    run("report", files.model, data, "-o", page, "--allow-unknown")
    assert "B-NEW" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (("c", ((1, "h"),), ("SH",)), "[c]h → SH"),
        (("c", ((-2, "<boundary>"), (-1, ("class", 3))), ()), "|*[c] → ∅"),
        (("c", ((2, "t"),), ("K", "S")), "[c]·t → K S"),
        (("0[1]=h", ("SH",)), "0[1]=h → SH"),
        ((("boundary", None), ("0[0]=h", ())), "boundary:· 0[0]=h:∅"),
    ],
)
def test_names_of_rewriting_weights_can_be_read(name, shown):
    assert weight_text(name) == shown
