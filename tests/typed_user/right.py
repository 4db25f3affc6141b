"""What users write, with types: mypy and pyright find nothing to say, both in strict mode (`test_typing.py`)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

import weft
from weft.core import DerivationGraph
from weft.kernels.base import Kernel
from weft.learners.base import Learner
from weft.learners.monitor import Monitor
from weft.structures import GraphStructure
from weft.structures.protocol import AnswersReferences, AnswersSums

Floats = NDArray[np.float64]


class Asked(AnswersReferences, AnswersSums, Protocol):
    """What the learner below asks of a batch."""


class OneStep(Learner):
    """One step up the gradient of the likelihood."""

    needs: ClassVar[tuple[str, ...]] = ("observed", "log_partition_and_mean")

    def __init__(self, rate: float = 0.1) -> None:
        self.rate = rate

    def learn(self, batch: Asked, initial: Floats, monitor: Monitor, random: np.random.Generator) -> Floats:
        expected: Floats = batch.log_partition_and_mean(initial)[1]
        weights: Floats = initial + self.rate * (batch.observed() - expected)
        return weights


class Pick(GraphStructure):
    """One character of a string."""

    feature_names: Sequence[Any] = ["a", "b", "c"]

    def compile(self, x: str) -> DerivationGraph:
        n = len(x)
        return DerivationGraph.build([0] * n, [[-1, -1]] * n, range(n), 1, n)

    def part_features(self, x: str) -> csr_array:
        return csr_array([[float(letter == name) for name in self.feature_names] for letter in x])

    def encode(self, x: str, y: str) -> list[int]:
        return [x.index(y)]

    def decode(self, x: str, parts: NDArray[np.int32]) -> str:
        return x[int(parts[0])]


class SameLength(Kernel):
    """1 for strings of the same length."""

    def gram(self, X: Sequence[Any], Y: Sequence[Any] | None = None) -> Floats:
        columns = X if Y is None else Y
        return np.array([[float(len(x) == len(y)) for y in columns] for x in X])

    def diagonal(self, X: Sequence[Any]) -> Floats:
        return np.ones(len(X))


def tag(sentences: list[list[str]], labels: list[list[str]], path: Path) -> list[list[str]]:
    tagger = weft.Tagger(weft.CRF(c2=0.1), weft.WindowFeatures(), constraints="BIO", random_state=0)
    tagger.fit(sentences, labels, sample_weight=[1.0] * len(sentences))
    chances: list[Floats] = tagger.predict_proba(sentences)
    weft.save(tagger, path, notes={"tokens": sum(map(len, chances))})
    found: list[list[str]] = weft.load(path, expected="Tagger").predict(sentences)
    return found


def others(words: list[str], spoken: list[list[str]]) -> tuple[float, str]:
    rewriter = weft.Rewriter(OneStep(), max_chunk=(2, 2)).fit(words, spoken, tags=[["N"]] * len(words))
    ranked: list[list[tuple[list[str], float]]] = rewriter.predict_kbest(words, 3)
    aligner = weft.Aligner("match", prior=weft.SubstitutionMatrix("AC", np.eye(2))).fit([("AC", "A")], [("AC", "A-")])
    sets = weft.PredictionSets(rewriter).fit(words, spoken)
    svc = weft.SequenceSVC(weft.NGramKernel(3) + SameLength(), class_weight="balanced").fit(words, ["x"] * len(words))
    picked = weft.StructuredEstimator(Pick(), OneStep(0.5)).fit(["abc"], ["b"]).predict(["cb"])
    X, y = weft.read_frame(object(), "word", "tag", group="sentence")
    weft.Folder(energies=Path("rna.par")).fit(["GGAACC"], ["((..))"]).energy(["GGAACC"], ["((..))"])
    gram: Floats = weft.RBFKernel(0.5).gram(np.eye(3))
    return rewriter.score(words, spoken) + svc.score(words, X) + float(gram.sum()) + len(sets.predict(words)), str(
        [picked, ranked, aligner.predict([("AC", "A")]), y]
    )
