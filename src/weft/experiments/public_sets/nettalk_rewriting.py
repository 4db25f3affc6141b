"""NETtalk without its alignment, beside CRFsuite's linear chain on the alignment that the corpus gives.

The same 18,007 and 2,001 words; silent marks are removed from references and predictions, and edit distance counts.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from weft.datasets import load_nettalk
from weft.errors import MissingDataError
from weft.estimators.rewrite.rewriter import Rewriter
from weft.experiments.report import Measurement, Report
from weft.metrics.strings import error_rates
from weft.sequences.window import WindowFeatures

SILENT = "-"
N_TRAIN = 18_007


def spoken(phonemes: Any) -> list[str]:
    """Phonemes without silent marks.

    Examples
    --------
    >>> spoken("f-on")
    ['f', 'o', 'n']
    """
    return [phoneme for phoneme in phonemes if phoneme != SILENT]


def crfsuite_predictions(
    train: list[tuple[str, list[str]]], words: list[str], max_iter: int, c2: float = 1.0, width: int = 4
) -> list[list[str]]:
    """Labels by CRFsuite (L-BFGS) on windows of letters and their runs, as in our tagging benchmark."""
    try:
        import pycrfsuite
    except ImportError:
        raise MissingDataError("this experiment compares with python-crfsuite; install weft[bench].") from None
    import tempfile
    from pathlib import Path

    features = WindowFeatures(width=width, ngrams=width)
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    for attributes, (_, labels) in zip(features.transform([word for word, _ in train]), train, strict=True):
        trainer.append(pycrfsuite.ItemSequence(attributes), labels)
    trainer.set_params({"c1": 0.0, "c2": c2, "max_iterations": max_iter})
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder, "model.crfsuite"))
        trainer.train(model)
        tagger = pycrfsuite.Tagger()
        tagger.open(model)
        found = [tagger.tag(pycrfsuite.ItemSequence(attributes)) for attributes in features.transform(words)]
        tagger.close()
    return found


def run(
    *, quick: bool = False, n_replicates: int | None = None, seed: int = 0, progress: Callable[[str], None]
) -> Report:
    """Both on the same split; the settings are the documented ones, nothing is tuned on the test words."""
    data = load_nettalk()
    pairs = [(word, list(phonemes)) for word, phonemes in zip(data.words, data.phonemes, strict=True)]
    random.Random(seed).shuffle(pairs)
    n_train = 400 if quick else N_TRAIN
    train, test = pairs[:n_train], pairs[n_train : n_train + 200] if quick else pairs[n_train:]
    words = [word for word, _ in test]
    wanted = [spoken(labels) for _, labels in test]
    results = {}
    for c2 in (1.0, 0.1):
        progress(f"CRFsuite with c2 = {c2} on the given alignment")
        predicted = crfsuite_predictions(train, words, 20 if quick else 200, c2)
        results[f"CRFsuite (c2 = {c2}), alignment given"] = [spoken(labels) for labels in predicted]
    for name, rewriter in {
        "Rewriter": Rewriter(random_state=seed),
        "Rewriter, four models": Rewriter(random_state=seed, n_models=4),
    }.items():
        progress(f"{name}, alignment learned")
        kept = [(word, spoken(labels)) for word, labels in train if spoken(labels)]
        rewriter.fit([word for word, _ in kept], [labels for _, labels in kept])
        results[name] = rewriter.predict(words)
    measurements = []
    for name, predicted in results.items():
        rates = error_rates(wanted, predicted)
        measurements.append(Measurement("NETtalk", name, (100 * rates.word_error,), quantity="words wrong, %"))
        measurements.append(Measurement("NETtalk", name, (100 * rates.phone_error,), quantity="phones wrong, %"))
    return Report(
        "nettalk-rewriting",
        "NETtalk, alignment given and learned",
        "%",
        measurements,
        notes=["Silent marks are removed on both sides; errors are by edit distance."],
        facts={"seed": seed, "n_train": len(train), "n_test": len(test)},
    )
