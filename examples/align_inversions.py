"""Align the words of phrases and their translations, where blocks may swap places: a structure of one's own."""

import numpy as np
from scipy.sparse import csr_array

import weft
from weft.core import DerivationGraph
from weft.structures import GraphStructure

PHRASES = [
    "the house | la maison | 0-0 1-1",
    "the red house | la maison rouge | 0-0 1-2 2-1",
    "the white cat | le chat blanc | 0-0 1-2 2-1",
    "a black cat | un chat noir | 0-0 1-2 2-1",
    "a big cat | un grand chat | 0-0 1-1 2-2",
    "the big house | la grande maison | 0-0 1-1 2-2",
    "the cat sleeps | le chat dort | 0-0 1-1 2-2",
    "the dog sleeps | le chien dort | 0-0 1-1 2-2",
    "the black dog sleeps | le chien noir dort | 0-0 1-2 2-1 3-3",
    "the small dog | le petit chien | 0-0 1-1 2-2",
    "a small red car | une petite voiture rouge | 0-0 1-1 2-3 3-2",
    "the white car | la voiture blanche | 0-0 1-2 2-1",
    "the dog does not sleep | le chien ne dort pas | 0-0 1-1 3-4 4-3",
    "the cat does not eat | le chat ne mange pas | 0-0 1-1 3-4 4-3",
    "the dog eats | le chien mange | 0-0 1-1 2-2",
    "a white house | une maison blanche | 0-0 1-2 2-1",
    "the car of the dog | la voiture du chien | 0-0 1-1 2-2 4-3",
    "the house of the cat | la maison du chat | 0-0 1-1 2-2 4-3",
    "she sleeps | elle dort | 0-0 1-1",
    "she does not sleep | elle ne dort pas | 0-0 2-3 3-2",
]


class Inversions(GraphStructure):
    """Alignments of a bracketing inversion transduction grammar (Wu 1997), each derived in one way.

    A block is a pair of spans: a word pair and the words without partner that follow it on either side, or two blocks,
    in the same order on both sides (straight) or not (inverted). The second of two blocks is never made the same way as
    the pair. Words without partner before all blocks come first.
    """

    def __init__(self, feature_names=()):
        self.feature_names = list(feature_names)
        self.columns = {name: column for column, name in enumerate(self.feature_names)}

    def collect(self, X, y):
        """With the features of all parts of the training data, right or wrong."""
        return type(self)(sorted({name for x in X for names in describe(x) for name in names}))

    def compile(self, x):
        """Graph of the alignments; nodes are numbered when they are first asked for, tails before heads."""
        n, m = len(x[0]), len(x[1])
        alone, straight, inverted = n * m, n * m + n + m, n * m + 2 * n + m
        nodes, edges = {}, []

        def add(head, part, *tails):
            if all(tail in nodes for tail in tails):
                numbers = [nodes[tail] for tail in tails]
                edges.append((nodes.setdefault(head, len(nodes)), [*numbers, -1, -1][:2], part))

        add(("before", 0, 0), -1)
        for i in range(1, n + 1):
            add(("before", i, 0), alone + i - 1, ("before", i - 1, 0))
        for i, j in np.ndindex(n + 1, m):
            add(("before", i, j + 1), alone + n + j, ("before", i, j))
        for height, width in np.ndindex(n, m):
            for a, c in np.ndindex(n - height, m - width):
                b, d = a + height + 1, c + width + 1
                if width:
                    add(("pair", a, b, c, d), alone + n + d - 1, ("pair", a, b, c, d - 1))
                elif height:
                    add(("pair", a, b, c, d), alone + b - 1, ("pair", a, b - 1, c, d))
                else:
                    add(("pair", a, b, c, d), a * m + c)
                for s in range(a + 1, b):
                    for t in range(c + 1, d):
                        add(("straight", a, b, c, d), straight + s, ("any", a, s, c, t), ("not straight", s, b, t, d))
                        add(("inverted", a, b, c, d), inverted + s, ("any", a, s, t, d), ("not inverted", s, b, c, t))
                for kind in ("any", "not straight", "not inverted"):
                    for way in ("pair", "straight", "inverted"):
                        if kind != f"not {way}":
                            add((kind, a, b, c, d), -1, (way, a, b, c, d))
        add("root", -1, ("before", n, m))
        for i, j in np.ndindex(n, m):
            add("root", -1, ("before", i, j), ("any", i, n, j, m))
        heads, tails, parts = zip(*edges, strict=True)
        return DerivationGraph.build(heads, tails, parts, n_nodes=len(nodes), n_parts=inverted + n)

    def part_features(self, x):
        """Sparse matrix of the features of each part; names that training did not have are left out."""
        parts = describe(x)
        known = [[self.columns[name] for name in names if name in self.columns] for names in parts]
        cells = [(part, column) for part, columns in enumerate(known) for column in columns]
        rows, columns = np.array(cells, dtype=np.int64).reshape(-1, 2).T
        return csr_array((np.ones(len(cells)), (rows, columns)), shape=(len(parts), len(self.columns)))

    def encode(self, x, links):
        """Parts of a known alignment, a list of pairs of places: blocks are joined as soon as they touch."""
        n, m = len(x[0]), len(x[1])
        sources, targets = {i for i, _ in links}, {j for _, j in links}
        if not (sources <= {*range(n)} and targets <= {*range(m)} and len(sources) == len(targets) == len(links)):
            raise weft.InputError(f"{links} given for {n} and {m} words; need pairs of places, each place once.")
        parts = [i * m + j for i, j in links]
        parts += [n * m + i for i in range(n) if i not in sources]
        parts += [n * m + n + j for j in range(m) if j not in targets]
        rank = {j: number for number, j in enumerate(sorted(targets))}
        stack = []
        for i, j in sorted(links):
            stack.append((i, rank[j], rank[j] + 1))
            while len(stack) > 1 and (stack[-2][2] == stack[-1][1] or stack[-1][2] == stack[-2][1]):
                (i, low, high), (s, second_low, second_high) = stack.pop(-2), stack.pop()
                parts.append(n * m + n + m + s + (n if second_high == low else 0))
                stack.append((i, min(low, second_low), max(high, second_high)))
        if len(stack) > 1:
            raise weft.InputError(f"{links} is no alignment that straight and inverted blocks make.")
        return parts

    def decode(self, x, parts):
        """Pairs of places, in order."""
        n, m = len(x[0]), len(x[1])
        return sorted(divmod(int(part), m) for part in parts if part < n * m)


def describe(x):
    """Names of the features of all parts: pairs, words alone, and where a second block begins (never at place 0)."""
    source, target = x
    return [
        *(["pair", f"{word}={other}"] for word in source for other in target),
        *(["alone", f"{word}="] for word in source),
        *(["alone", f"={word}"] for word in target),
        *(["straight", f"straight {word}", f"straight after {source[i - 1]}"] for i, word in enumerate(source)),
        *(["inverted", f"inverted {word}", f"inverted after {source[i - 1]}"] for i, word in enumerate(source)),
    ]


def read(lines):
    """Pairs of phrases, and their alignments."""
    fields = [[field.split() for field in line.split("|")] for line in lines]
    X = [(source, target) for source, target, _ in fields]
    return X, [[tuple(map(int, link.split("-"))) for link in links] for _, _, links in fields]


def main():
    aligner = weft.StructuredEstimator(Inversions(), weft.CRF(c2=0.1)).fit(*read(PHRASES))
    new = [
        "a red dog | un chien rouge",
        "the small car | la petite voiture",
        "a cat does not eat | un chat ne mange pas",
    ]
    new = [tuple(side.split() for side in line.split("|")) for line in new]
    for (source, target), links, sure in zip(new, aligner.predict(new), aligner.confidence(new), strict=True):
        print(f"{sure:.2f}", "  ".join(f"{source[i]}={target[j]}" for i, j in links))


if __name__ == "__main__":
    main()
