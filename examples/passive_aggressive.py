"""Learn only as much as a mistake asks for: a learner of one's own, for taggers, aligners and any other structure."""

from typing import ClassVar

import numpy as np

import weft
from align_inversions import PHRASES, Inversions, read
from weft.learners.base import Learner


class PassiveAggressive(Learner):
    """The smallest step that fixes a mistake, averaged (PA-I of Crammer, Dekel, Keshet, Shalev-Shwartz, Singer 2006).

    A mistake is an output whose score plus loss exceeds the score of the right one; the largest such sum is fixed. The
    margin is the loss itself, not its root as in the paper: that is no sum over parts.

    Parameters
    ----------
    C : float
        Length of the longest step, per unit of the sample weight.
    max_iter : int
        Passes over the data; fewer when a pass finds nothing to fix.
    """

    needs: ClassVar[tuple[str, ...]] = ("argmax", "best_references", "features_of", "select")

    def __init__(self, C=0.1, *, max_iter=10):
        self.C = C
        self.max_iter = max_iter

    def learn(self, batch, initial, monitor, random):
        """Average of the weights over all steps of all passes."""
        self.check_batch(batch)
        self._check_positive(C=self.C)
        self._check_iterations(self.max_iter)
        weights, late = initial.copy(), np.zeros_like(initial)  # late: each step times the number of steps before it
        average, n_steps = weights, 0
        examples = [batch.select([number]) for number in range(batch.n_sequences)]
        monitor.start("passive-aggressive", self.max_iter)
        for iteration in range(1, self.max_iter + 1):
            hinges = 0.0
            for number in random.permutation(len(examples)):
                example = examples[number]
                right, [right_score] = example.best_references(weights)
                wrong, [wrong_score] = example.argmax(weights, loss=1.0)
                hinge, weight = wrong_score - right_score, example.sample_weight[0]
                difference = example.features_of(right) - example.features_of(wrong)
                length = difference.data @ difference.data
                if hinge > 1e-9 and length > 0.0:
                    step = min(self.C * weight, hinge / length) * difference.data
                    weights[difference.indices] += step
                    late[difference.indices] += n_steps * step
                    hinges += weight * hinge
                n_steps += 1
            average = weights - late / max(1, n_steps)
            if monitor.record(iteration, hinges, average) or hinges == 0.0:
                break
        monitor.finish(iteration)
        return average


def main():
    X = ["the can leaks", "they can fish", "the fish swims", "we can swim", "they leak", "the can swims"]
    y = ["DNV", "PMV", "DNV", "PMV", "PV", "DNV"]
    tagger = weft.Tagger(PassiveAggressive(), random_state=0).fit([sentence.split() for sentence in X], y)
    print(tagger.predict([["the", "fish", "leaks"], ["we", "can", "fish"]]))
    aligner = weft.StructuredEstimator(Inversions(), PassiveAggressive(), random_state=0).fit(*read(PHRASES))
    print([round(record["objective"], 2) for record in aligner.history_])
    print(aligner.predict([(["a", "red", "dog"], ["un", "chien", "rouge"])]))


if __name__ == "__main__":
    main()
