"""Answers of a structured model, k of them or one, with probabilities and z-scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["Answer", "make_answers", "readings"]

Answer = dict[str, Any]


def make_answers(estimator: Any, X: list[Any], key: str, k: int, confidence: bool) -> list[Answer]:
    """For each sequence the best output under `key`, and "kbest", "confidence" and "z_score" if asked for.

    Parameters
    ----------
    estimator : Aligner, Folder or Parser
    X : list of inputs
    key : str
        What an output is called.
    k : int
    confidence : bool

    Examples
    --------
    >>> import weft
    >>> folder = weft.Folder().fit(["GGGAAACCC"], ["(((...)))"])
    >>> make_answers(folder, ["GGGAAACCC"], "structure", 1, False)
    [{'structure': '(((...)))'}]
    """
    answers: list[Answer] = []
    if k > 1:
        for ranked in estimator.predict_kbest(X, k):
            kbest = [{key: output, "probability": _digits(probability)} for output, probability in ranked]
            answers.append({key: kbest[0][key], "kbest": kbest})
    else:
        answers += [{key: output} for output in estimator.predict(X)]
    if confidence:
        sure = zip(estimator.confidence(X).tolist(), estimator.z_score(X).tolist(), strict=True)
        for answer, (probability, z) in zip(answers, sure, strict=True):
            answer |= {"confidence": _digits(probability), "z_score": round(z, 4)}
    return answers


def _digits(probability: float) -> float:
    """Six digits that count: probabilities of long outputs are small."""
    return float(f"{probability:.6g}")


def readings(answer: Answer, key: str) -> Iterator[tuple[Any, dict[str, str]]]:
    """Each output, best first, with what is known of it as text.

    Examples
    --------
    >>> list(readings({"structure": "...", "confidence": 0.5, "z_score": 1.0}, "structure"))
    [('...', {'probability': '0.5', 'z_score': '1.00'})]
    """
    for rank, each in enumerate(answer.get("kbest", [answer])):
        facts = {}
        probability = each.get("probability", answer.get("confidence"))
        if probability is not None:
            facts["probability"] = f"{probability:.4g}"
        if rank == 0 and "z_score" in answer:
            facts["z_score"] = f"{answer['z_score']:.2f}"
        yield each[key], facts
