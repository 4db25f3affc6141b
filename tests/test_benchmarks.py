from __future__ import annotations

import gzip
import hashlib
import importlib
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

beside = importlib.import_module("benchmarks.beside")
command_line = importlib.import_module("benchmarks.__main__")
data = importlib.import_module("benchmarks.data")
fold_choice = importlib.import_module("benchmarks.fold_choice")
harness = importlib.import_module("benchmarks.harness")
learners = importlib.import_module("benchmarks.learners")
measure = importlib.import_module("benchmarks.measure")
report = importlib.import_module("benchmarks.report")
templates = importlib.import_module("benchmarks.templates")
tune_auto = importlib.import_module("benchmarks.tune_auto")

SENTENCE = [("The", "DT", "B-NP"), ("cat", "NN", "I-NP"), ("sat", "VBD", "B-VP")]


@pytest.fixture
def tiny_data(tmp_path, monkeypatch):
    """A CoNLL-2000 of twelve sentences, the last one without a blank line after it."""
    folder = tmp_path / "conll2000"
    folder.mkdir()
    sentence = "\n".join("\t".join(row) for row in SENTENCE)
    for part in ("train", "test"):
        with gzip.open(folder / f"{part}.tsv.gz", "wt", encoding="utf-8") as file:
            file.write("\n\n".join([sentence] * 12))
    monkeypatch.setenv("WEFT_DATA", str(tmp_path))
    return tmp_path


def test_chunking_template_has_the_nineteen_attributes_of_crfpp():
    first, second, third = templates.chunking(SENTENCE)
    assert [len(item) for item in (first, second, third)] == [19, 19, 19]
    assert first[:7] == [
        "w[-2]=_B-2",
        "w[-1]=_B-1",
        "w[0]=The",
        "w[1]=cat",
        "w[2]=sat",
        "w[-1]|w[0]=_B-1|The",
        "w[0]|w[1]=The|cat",
    ]
    assert second[12:] == [
        "p[-2]|p[-1]=_B-1|DT",
        "p[-1]|p[0]=DT|NN",
        "p[0]|p[1]=NN|VBD",
        "p[1]|p[2]=VBD|_B+1",
        "p[-2]|p[-1]|p[0]=_B-1|DT|NN",
        "p[-1]|p[0]|p[1]=DT|NN|VBD",
        "p[0]|p[1]|p[2]=NN|VBD|_B+1",
    ]
    assert len(set(third)) == 19


def test_rich_template_has_forty_attributes_of_distinct_kinds():
    for item in templates.rich_chunking(SENTENCE):
        assert len(item) == 40
        assert len({attribute.split("=")[0] for attribute in item}) == 40


def test_entity_template_knows_neighbours_and_ends():
    first, second, third = templates.entities(SENTENCE)
    assert "BOS" in first
    assert "EOS" in third
    assert "+1:word.lower=cat" in first
    assert "-1:postag[:2]=NN" in third
    assert len(second) == 19
    assert "word[-3:]=The" in first
    assert "word.istitle=True" in first


def test_letter_template_stays_inside_the_word():
    assert templates.letters([("a", "x"), ("b", "y")]) == [["+0=a", "+1=b"], ["-1=a", "+0=b"]]
    assert len(templates.letters([(letter, "x") for letter in "abcdefghi"])[4]) == 9


def test_columns_are_read_to_the_last_sentence(tiny_data):
    train, test = data.conll2000()
    assert (len(train), len(test)) == (12, 12)
    assert train[-1] == SENTENCE


def test_missing_data_says_what_to_set(tmp_path, monkeypatch):
    monkeypatch.delenv("WEFT_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match="WEFT_DATA is not set; this benchmark reads nettalk/"):
        data.nettalk()
    monkeypatch.setenv("WEFT_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"esp\.train\.tsv\.gz does not exist"):
        data.conll2002_es()


@pytest.mark.slow
def test_real_corpora_give_the_published_numbers_of_features_and_words():
    root = os.environ.get("WEFT_DATA")
    if not root or not Path(root, "conll2000").is_dir() or not Path(root, "nettalk").is_dir():
        pytest.skip("needs conll2000 and nettalk below WEFT_DATA")
    train, _ = data.conll2000()
    pairs = set()
    for sentence in train:
        for item, row in zip(templates.chunking(sentence), sentence, strict=True):
            pairs.update((attribute, row[2]) for attribute in item)
    assert len(pairs) == 456_323
    assert [len(part) for part in data.nettalk()] == [18_007, 2_001]


def test_neither_parent_nor_worker_imports_weft_or_numpy():
    """Their memory would count for the peer."""
    script = (
        "import sys, benchmarks.__main__, benchmarks.worker, benchmarks.harness as harness\n"
        "harness.all_entries()\n"
        "print([name for name in ('weft', 'numpy', 'numba') if name in sys.modules])"
    )
    finished = subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, text=True)
    assert finished.stdout.strip() == "[]"


def test_meter_measures_nested_phases():
    meter = measure.Meter()
    with meter.phase("outer", tokens=100):
        with meter.phase("sleep"):
            time.sleep(0.2)
        with meter.phase("work"):
            deadline = time.process_time() + 0.2
            while time.process_time() < deadline:
                pass
    meter.close()
    sleep, work, outer = meter.phases["sleep"], meter.phases["work"], meter.phases["outer"]
    assert sleep.wall >= 0.2
    assert sleep.cpu < 0.15
    assert work.cpu >= 0.19
    assert outer.wall >= sleep.wall + work.wall
    assert outer.threads == 1
    assert outer.peak_mb > 1
    assert outer.tokens_per_second == pytest.approx(100 / outer.wall)
    assert sleep.tokens_per_second is None


def test_meter_counts_threads_that_work():
    stop = threading.Event()
    block = b"x" * 10**6

    def work():
        while not stop.is_set():
            hashlib.sha256(block).digest()  # runs without the interpreter lock

    meter = measure.Meter()
    threads = [threading.Thread(target=work) for _ in range(2)]
    with meter.phase("work"):
        for thread in threads:
            thread.start()
        time.sleep(0.5)
        stop.set()
        for thread in threads:
            thread.join()
    meter.close()
    assert meter.phases["work"].threads >= 2


def fake_entry(name="fake-entry"):
    def side(label, seconds, score):
        def run(prepared, meter):
            with meter.phase("fit", tokens=prepared):
                time.sleep(seconds)
            return {"accuracy": score}

        return harness.Side(label, run)

    return harness.Entry(
        name=name,
        description="two sleepers",
        prepare=lambda quick: 10 if quick else 20,
        peer=side("Peer", 0.02, 0.5),
        weft=side("weft", 0.01, 0.75),
    )


def run_here(entry, side, *, quick):
    return harness.run_side_here(entry, side, quick=quick)


def test_sides_run_in_turn_and_medians_and_ratios_are_reported(monkeypatch):
    entry, started = fake_entry(), []
    monkeypatch.setattr(harness, "run_side_in_process", run_here)
    result = harness.run_entry(
        entry, repeat=3, quick=True, on_start=lambda side, number: started.append((side.name, number))
    )
    assert started == [(name, number) for number in range(3) for name in ("Peer", "weft")]
    walls = sorted(run.phases["fit"]["wall"] for run in result.of("Peer"))
    assert result.phase_median("Peer", "fit", "wall") == walls[1]
    assert result.phase_median("weft", "fit", "rate") <= 10 / 0.01
    assert result.prepared_median("Peer") == sorted(run.prepared_mb for run in result.of("Peer"))[1]
    answer = report.as_json([result], repeat=3, quick=True)
    assert answer["versions"]["weft"]
    (described,) = answer["entries"]
    assert described["scores"] == {"accuracy": {"Peer": 0.5, "weft": 0.75}}
    wanted = result.phase_median("weft", "fit", "wall") / result.phase_median("Peer", "fit", "wall")
    assert described["ratios"]["fit"]["wall"] == wanted
    json.dumps(answer, allow_nan=False)
    console = Console(width=120)
    with console.capture() as captured:
        console.print(report.table(result))
    text = captured.get()
    assert "median of 3" in text
    assert "1.50000" in text
    assert "before" in text


@pytest.mark.parametrize("entry", {each.peer.name: each for each in harness.all_entries().values()}.values())
def test_tables_beside_every_peer_are_whole_at_80_columns(entry):
    phases = {
        phase: {"wall": 12345.678, "cpu": 12345.678, "threads": 1.234, "peak_mb": 123456.78, "tokens": 123456789}
        for phase in ("fit", "predict with probabilities")
    }
    scores = {"objective of the training data": 1234567.891, "F1": 0.93561}
    runs = [harness.Run(side.name, phases, scores, 12345.678) for side in entry.sides]
    console = Console(width=80)
    with console.capture() as captured:
        console.print(report.table(harness.Result(entry, runs)))
    printed = captured.get()
    assert "…" not in printed
    assert max(map(len, printed.splitlines())) <= 80
    assert printed.count("12,345.7") >= 8
    assert "1,234,568" in printed


def test_tables_of_learners_are_whole_at_80_columns(monkeypatch, capsys):
    titles = [*learners.LEARNERS, "CRF, order 2", "SVM, order 2"]
    found = {title: (f"{80 + i / 100:.2f}*", f"{1000 + i}.5") for i, title in enumerate(titles)}
    monkeypatch.setattr(learners, "row", lambda name: found)
    monkeypatch.setenv("COLUMNS", "80")
    assert learners.main([]) == 0
    printed = capsys.readouterr().out
    assert "…" not in printed
    assert max(map(len, printed.splitlines())) <= 80
    assert all(printed.count(cell) == len(learners.SETS) for cells in found.values() for cell in cells)


def test_a_difference_counts_when_its_interval_lacks_zero():
    right = np.column_stack([np.ones(200), np.ones(200), np.ones(200)])
    some = right.copy()
    some[::4, 0] = 0  # a quarter is wrong
    assert learners.score(some) == 75
    assert learners.differs(some, right)
    assert not learners.differs(some, some[::-1])


def test_warm_up_comes_before_the_data(monkeypatch):
    order = []
    entry = harness.Entry(
        name="order",
        description="",
        prepare=lambda quick: order.append("prepare"),
        peer=harness.Side("Peer", lambda prepared, meter: {}),
        weft=harness.Side("weft", lambda prepared, meter: order.append("run") or {}, lambda: order.append("warm")),
    )
    run = harness.run_side_here(entry, entry.weft, quick=True)
    assert order == ["warm", "prepare", "run"]
    assert run.prepared_mb > 0


def test_a_failed_side_is_reported_and_leaves_the_other(monkeypatch, capsys, tmp_path):
    entry = fake_entry()

    def fail_weft(entry, side, *, quick):
        if side.name == "weft":
            return harness.Run(side="weft", error="ImportError: no such thing")
        return run_here(entry, side, quick=quick)

    monkeypatch.setattr(harness, "run_side_in_process", fail_weft)
    monkeypatch.setattr(command_line, "all_entries", lambda: {entry.name: entry})
    answer = tmp_path / "answer.json"
    assert command_line.main(["--quick", "--json", str(answer)]) == 1
    output = capsys.readouterr()
    assert "weft failed: ImportError: no such thing" in output.err
    assert "two sleepers" in output.out
    (described,) = json.loads(answer.read_text())["entries"]
    assert described["ratios"]["fit"]["wall"] is None
    assert described["scores"]["accuracy"] == {"Peer": 0.5, "weft": None}


def test_names_choose_entries_by_their_first_part():
    entries = harness.all_entries()
    chosen = harness.choose_entries(entries, ["conll2000", "nettalk-crf", "conll2000-crf"])
    assert [entry.name for entry in chosen] == [
        "conll2000-crf",
        "conll2000-perceptron",
        "conll2000-dense-crf",
        "nettalk-crf",
    ]
    assert harness.choose_entries(entries, []) == [entry for entry in entries.values() if not entry.only_named]
    with pytest.raises(harness.UnknownEntryError, match="no benchmark is called 'conll'; needed one of conll2000-crf"):
        harness.choose_entries(entries, ["conll"])


def test_command_line_lists_and_refuses(capsys):
    assert command_line.main(["--list"]) == 0
    listed = capsys.readouterr().out
    assert [line.split()[0] for line in listed.splitlines()] == list(harness.all_entries())
    assert command_line.main(["nothing"]) == 2
    assert "no benchmark is called 'nothing'" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        command_line.main(["--repeat", "0"])


@pytest.mark.parametrize(("name", "objective"), [("conll2000-crf", True), ("conll2000-perceptron", False)])
def test_crfsuite_runs_in_its_own_process(tiny_data, name, objective):
    entry = harness.all_entries()[name]
    run = harness.run_side_in_process(entry, entry.peer, quick=True)
    assert run.error is None
    assert list(run.phases) == ["append", "train", "fit", "decode from lists", "decode encoded"]
    assert run.scores["chunk F1"] == run.scores["token accuracy"] == 1.0
    # Three tokens of nineteen attributes, each with one label, and two transitions.
    assert run.scores["features"] == 3 * 19 + 2
    assert ("objective" in run.scores) == objective
    assert run.phases["fit"]["wall"] >= run.phases["append"]["wall"] + run.phases["train"]["wall"]


def test_crfsuite_ingests_the_rich_template(tiny_data):
    entry = harness.all_entries()["ingest"]
    run = harness.run_side_in_process(entry, entry.peer, quick=True)
    assert run.scores == {"attributes": 12 * 3 * 40}
    assert run.phases["ingest"]["tokens"] == 36


def test_a_side_that_fails_in_its_process_gives_its_last_line(monkeypatch):
    monkeypatch.delenv("WEFT_DATA", raising=False)
    entry = harness.all_entries()["ingest"]
    run = harness.run_side_in_process(entry, entry.peer, quick=True)
    assert run.error.startswith("FileNotFoundError: WEFT_DATA is not set")


def test_another_version_is_set_beside_this_one(tmp_path, capsys, monkeypatch):
    """Both versions fit once; then their processes run in turn, and medians are compared."""
    (tmp_path / "src" / "weft").mkdir(parents=True)
    seen = []

    def run(tree, arguments):
        seen.append((tree == tmp_path, arguments[2]))
        above = 1.0 if tree == tmp_path else 0.2
        return json.dumps({"share": 0.5, "above": above + len(seen)}) if arguments[2] == "--ask" else ""

    monkeypatch.setattr(beside, "_run", run)
    monkeypatch.setattr(beside, "ask_fresh", lambda tree, folder, name: 3.0 if tree == tmp_path else 1.0)
    assert beside.main([str(tmp_path), "Tagger"]) == 0
    assert seen == [(False, "--fit"), (True, "--fit"), *[(False, "--ask"), (True, "--ask")] * beside.N_ROUNDS]
    printed = " ".join(capsys.readouterr().out.splitlines()[1].split())
    assert printed.endswith("5.200 / 7.000 = 0.74 1.000 / 3.000 = 0.33")
    assert beside.main([str(tmp_path / "src")]) == 2
    assert capsys.readouterr().err.endswith(
        "src' has no src/weft; give the folder of another version of this repository\n"
    )


def test_a_case_that_no_version_has_is_refused_before_anything_is_fitted(tmp_path, capsys, monkeypatch):
    (tmp_path / "src" / "weft").mkdir(parents=True)
    monkeypatch.setattr(beside, "_run", lambda tree, arguments: pytest.fail("a process was started"))
    assert beside.main([str(tmp_path), "Tagger", "Taggr"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("no case is called 'Taggr'; needed some of Tagger; SequenceSVC; Rewriter")


def test_tuning_is_compared_with_every_documented_setting(monkeypatch, capsys):
    lines = [f"{'ab' * k}{c}{'ba' * k}\t{c}\n" for k in range(1, 6) for c in "xyxy"]
    monkeypatch.setitem(tune_auto.SETS, "tiny", lambda: tune_auto.Set("classify", ".tsv", lines * 2, 20))
    assert tune_auto.main(["tiny", "--budget", "3s"]) == 0
    printed = capsys.readouterr()
    cells = [cell.strip() for cell in printed.out.splitlines()[-1].strip("|").split("|")]
    assert len(cells) == len(tune_auto.HEADING)
    assert cells[:3] == ["tiny (classify)", "20, 20", "accuracy"]
    singles = [line for line in printed.err.splitlines() if "tuned" not in line]
    assert {"default", "--n 3", "--balanced", "--kernel mismatch"} <= {line.split(" | ")[1] for line in singles}
    assert tune_auto.main(["nothing"]) == 2


def test_differences_of_errors_are_positive_where_errors_are_fewer():
    few, many = (tune_auto.Measure("error", wrong, [1] * 4, is_error=True) for wrong in ([0, 0, 0, 1], [1, 1, 0, 1]))
    assert tune_auto.difference(few, many).startswith("+50.0")
    assert tune_auto.difference(many, few).startswith("-50.0")


def test_ways_to_learn_loops_are_compared_on_families_apart_by_clan(monkeypatch, capsys):
    folds = ["(((....)))...", "((((....))))", "((..((...))..((...))..))", "(((.((....)).)))"]
    letters = {"(": "G", ")": "C", ".": "A"}
    families = [
        fold_choice.FoldedFamily(f"RF{i}", f"CL{i // 2}", "".join(letters[mark] for mark in fold), fold)
        for i, fold in enumerate(folds * 2)
    ]
    monkeypatch.setattr(fold_choice, "published_structures", lambda **options: families)
    learned = []
    fit = fold_choice.fitted
    monkeypatch.setattr(fold_choice, "fitted", lambda own, *others: learned.append(own) or fit(own, *others))
    assert fold_choice.main(["--splits", "2"]) == 0
    for first, second in (learned[::4], learned[2::4]), (learned[1::4], learned[3::4]):
        for one, other in zip(first, second, strict=True):
            assert not {each.clan for each in one} & {each.clan for each in other}
            assert len(one) + len(other) == len(families)
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()]
    assert [row[0] for row in rows[2:]] == list(fold_choice.SETTINGS)
    assert rows[0][1] == "F1, all (8)"
    assert rows[0][3] == "F1, multiloops (2)"
    assert all(0.0 <= float(row[1]) <= 100.0 for row in rows[2:])
    default = [shares for name, shares in fold_choice.SETTINGS.items() if name.endswith("(default)")]
    assert default == [(fold_choice.SHARE,) * 3]
    assert fold_choice.main(["--splits", "0"]) == 2
