"""What answers take beside what the server estimates before it starts, for every kind, length and question.

An estimate that is far too low lets an expensive request hide; one that is far too high refuses what would be cheap.
"""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.serving.models import LETTERS, larger_models
from weft.errors import InputError
from weft.kernels.combinators import RBFOver
from weft.kinds import open_kind
from weft.models import model_path
from weft.serve.limits import Cost
from weft.serve.tasks import task_of
from weft.serve.types import Options

FACTOR = 3.0
"""How far an estimate may be from the truth."""
FLOOR = 5e-3
"""Seconds below which a request is cheap, whatever its estimate says."""
QUESTIONS = {
    "predict": Options(),
    "kbest 10": Options(kbest=10),
    "confidence": Options(confidence=True),
    "marginals": Options(marginals=True),
    "z_score": Options(z_score=True),
}
GRAMMAR = "S -> S S\nS -> A S\nS -> a\nS -> b\nA -> A A\nA -> a\nA -> B B\nB -> b\nB -> A B"


def _text(draw: random.Random, letters: str, length: int) -> str:
    return "".join(draw.choice(letters) for _ in range(length))


def _models(folder: Path) -> dict[str, tuple[Path, Any, list[tuple[int, int]]]]:
    """For each kind a file, a maker of inputs of a length, and (number, length) of the inputs of requests."""
    import weft

    draw = random.Random(0)
    found: dict[str, tuple[Path, Any, list[tuple[int, int]]]] = {}
    larger = larger_models(folder)
    words = [word for sentence in larger["tagging"][2] for word in sentence]
    found["tag"] = larger["tagging"][1], lambda n: [draw.choice(words) for _ in range(n)], [(100, 20), (1, 20_000)]
    made = {
        "rewrite": ("pronounce-en", lambda n: _text(draw, LETTERS, n), [(100, 8), (1, 1000)]),
        "align": ("align-protein", lambda n: (_text(draw, "ACDEFGHIKLMNPQRSTVWY", n),) * 2, [(10, 100), (1, 1500)]),
        "fold": ("fold-rna", lambda n: _text(draw, "ACGU", n), [(10, 60), (1, 400), (1, 1200)]),
    }
    for name, (file, maker, sizes) in made.items():
        found[name] = Path(model_path(Path(file))), maker, sizes
    parser = weft.Parser(GRAMMAR, weft.CRF(max_iter=3)).fit(
        ["ab", "aab"], ["(S (A a) (S b))", "(S (A (A a) (A a)) (S b))"]
    )
    texts = [_text(draw, LETTERS, 100) for _ in range(400)]
    svc = weft.SequenceSVC(weft.NGramKernel(4), C=1.0, probability=True).fit(texts, [str(k % 3) for k in range(400)])
    mismatch = weft.SequenceSVC(weft.MismatchKernel(4, 1), C=1.0).fit(texts[:100], [str(k % 3) for k in range(100)])
    gaussian = weft.SequenceSVC(RBFOver(weft.NGramKernel(3), 0.01)).fit(texts[:100], ["a", "b"] * 50)
    short = [_text(draw, LETTERS[:8], draw.randint(4, 10)) for _ in range(600)]
    regressor = weft.StringRegressor().fit(short, [word[::-1].upper() for word in short])
    for name, model, maker, sizes in (
        ("parse", parser, lambda n: list(_text(draw, "ab", n)), [(20, 30), (1, 150)]),
        ("classify", svc, lambda n: _text(draw, LETTERS, n), [(100, 100), (1, 20_000)]),
        ("mismatch", mismatch, lambda n: _text(draw, LETTERS, n), [(100, 100), (1, 20_000)]),
        ("gaussian", gaussian, lambda n: _text(draw, LETTERS, n), [(100, 100), (1, 20_000)]),
        ("regress", regressor, lambda n: _text(draw, LETTERS[:8], n), [(50, 8), (1, 60)]),
    ):
        weft.save(model, folder / f"{name}.weft")
        found[name] = folder / f"{name}.weft", maker, sizes
    return found


def costs(repeat: int) -> int:
    """Print the table; 0 if every estimate is within the factor."""
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as folder:
        models = _models(Path(folder))
        print(f"{'kind':<9} {'inputs x length':>15} {'question':<11} {'estimated':>10} {'measured':>10} {'ratio':>6}")
        bad = 0
        for name, (path, maker, sizes) in models.items():
            kind = open_kind(path, "serve", mapped=True)
            kind.estimator.n_jobs = 1
            task = task_of(kind)
            task.warm()
            for number, length in sizes:
                inputs = [maker(length) for _ in range(number)]
                for question, options in _asked(task).items():
                    bad += _row(name, task, inputs, length, question, options, repeat)
    print("ok" if not bad else f"NOT OK: {bad} estimates are off by more than a factor of {FACTOR:g}")
    return 1 if bad else 0


def _asked(task: Any) -> dict[str, Options]:
    """Questions that the model answers."""
    found = {}
    for name, options in QUESTIONS.items():
        try:
            task.check_options(None, options)
        except InputError:
            continue
        found[name] = options
    names = [name.split()[0] for name in found]
    every = {name: True for name in ("confidence", "marginals", "z_score") if name in names}
    return {**found, "all": Options(kbest=10 if "kbest" in names else 1, **every)} if every else found


def _row(name: str, task: Any, inputs: list[Any], length: int, question: str, options: Options, repeat: int) -> int:
    estimate = sum((task.cost(value, options) for value in inputs), Cost()).seconds
    task.answers(inputs, None, options)  # what is made once
    times = []
    for _ in range(repeat):
        began = time.process_time()
        task.answers(inputs, None, options)
        times.append(time.process_time() - began)
        if times[-1] > 2.0:
            break
    took = min(times)
    ratio = estimate / took
    is_bad = max(took, estimate) > FLOOR and not 1 / FACTOR <= ratio <= FACTOR
    shown = f"{len(inputs):,} x {length:,}"
    mark = "  <--" if is_bad else ""
    print(
        f"{name:<9} {shown:>15} {question:<11} {1000 * estimate:7.1f} ms {1000 * took:7.1f} ms {ratio:6.2f}{mark}",
        flush=True,
    )
    return int(is_bad)
