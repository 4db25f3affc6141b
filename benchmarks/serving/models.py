"""Models that are served: small ones of every kind, and a tagger and a rewriter of usual sizes."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def small_models(folder: Path) -> dict[str, tuple[Any, Path, list[Any]]]:
    """A small model of every kind, its file, and inputs for it."""
    import weft

    words = ["phone", "graph", "photo", "note", "hero", "tango", "gnome", "ghost", "thing", "ship"]
    sounds = ["fon", "graf", "foto", "not", "hero", "tango", "nom", "gost", "θiŋ", "ʃip"]
    X = [["the", "old", "man", "runs"], ["a", "dog", "sees", "the", "man"], ["dogs", "run"], ["the", "dog"]]
    y = [["D", "A", "N", "V"], ["D", "N", "V", "D", "N"], ["N", "V"], ["D", "N"]]
    pairs = [("V-LSPADK", "VHLTPEEK"), ("MLSPADKT", "V-LTAEEK"), ("AC-D", "ACED")]
    rna = ["GGGAAACCC", "GGCAAAGCCA", "ACGUUUCGU", "GGGGAAAACCCC"]
    brackets = ["(((...)))", "(((...))).", "(((...)))", "((((....))))"]
    texts = ["the cat sat", "the dog sat", "le chat dort", "le chien dort", "the hat", "le chat", "a cat", "un chien"]
    grammar = "S -> NP VP\nNP -> D N\nNP -> n\nVP -> v\nVP -> V NP\nD -> d\nN -> n\nV -> v"
    trees = ["(S (NP (D d) (N n)) (VP v))", "(S (NP n) (VP (V v) (NP (D d) (N n))))", "(S (NP n) (VP v))"]
    crf = weft.CRF(max_iter=5)
    models = {
        "tag": (weft.Tagger(crf), X, y),
        "rewrite": (weft.Rewriter(random_state=0, context=2), words, sounds),
        "align": (weft.Aligner(learner=crf), [tuple(row.replace("-", "") for row in p) for p in pairs], pairs),
        "fold": (weft.Folder(learner=crf), rna, brackets),
        "parse": (weft.Parser(grammar, crf), ["dnv", "nvdn", "nv"], trees),
        "classify": (weft.SequenceSVC(weft.NGramKernel(3), C=1.0, random_state=0), texts, ["en", "en", "fr", "fr"] * 2),
        "regress": (weft.StringRegressor(), ["uno", "dos", "tres", "uno dos"], ["one", "two", "three", "one two"]),
    }
    models["classify"] = (models["classify"][0], texts, ["en", "en", "fr", "fr", "en", "fr", "en", "fr"])
    found = {}
    for name, (model, inputs, outputs) in models.items():
        path = folder / f"{name}.weft"
        weft.save(model.fit(inputs, outputs), path)
        found[name] = (weft.load(path), path, list(inputs))
    return found


def expected(name: str, model: Any, inputs: list[Any], asked: dict[str, Any]) -> list[dict[str, Any]]:
    """What a server must answer, from the model itself."""
    keys = {"tag": "labels", "align": "alignment", "fold": "structure", "parse": "tree", "classify": "label"}
    key = keys.get(name, "output")
    answers = [{key: output} for output in model.predict(inputs)]
    if "kbest" in asked:
        for answer, ranked in zip(answers, model.predict_kbest(inputs, asked["kbest"]), strict=True):
            answer["kbest"] = [{key: output, "probability": p} for output, p in ranked]
    if asked.get("confidence"):
        for answer, sure in zip(answers, model.confidence(inputs).tolist(), strict=True):
            answer["confidence"] = sure
    return json.loads(json.dumps(answers, default=lambda each: each.tolist()))


def larger_models(folder: Path) -> dict[str, tuple[Any, Path, list[Any]]]:
    """A tagger with window features and a rewriter of usual sizes, on made-up words."""
    import weft

    draw = random.Random(0)
    words = ["".join(draw.choice(LETTERS) for _ in range(draw.randint(2, 10))) for _ in range(4000)]
    labels = {word: f"L{len(word)}" for word in words}
    X = [[draw.choice(words) for _ in range(24)] for _ in range(600)]
    y = [[labels[word] for word in sentence] for sentence in X]
    spelled = {letter: letter.upper() for letter in LETTERS} | {"c": "K", "q": "KW", "x": "KS"}
    tagger = weft.Tagger(weft.CRF(max_iter=8), weft.WindowFeatures(1, 1)).fit(X, y)
    sounds = ["".join(map(spelled.__getitem__, word)) for word in words[:1500]]
    rewriter = weft.Rewriter(random_state=0).fit(words[:1500], sounds)
    found = {}
    for name, model, inputs in (("tagging", tagger, X), ("rewriting", rewriter, words)):
        path = folder / f"{name}.weft"
        weft.save(model, path)
        found[name] = (weft.load(path), path, inputs)
    return found
