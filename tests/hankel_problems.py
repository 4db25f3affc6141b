"""Small Hankel chains."""

from itertools import product

import numpy as np

from weft.sequences.encoder import TokenEncoder
from weft.structures.chain.batch import sparse_tokens
from weft.structures.chain.constraints import forbidden_labels
from weft.structures.chain.features import ChainFeatures
from weft.structures.hankel.bi_symbols import BiSymbols, symbol_columns
from weft.structures.hankel.chain import HankelChain, without_features

X = ["abca", "ab", "c", "bbac", "acb"]
Y = [[0, 1, 2, 1], [2, 1], [0], [1, 0, 0, 2], [1, 2, 1]]
CLASSES = ["p", "q", "r"]


def make(order=3, *, sparse=True, shorter=False, boundary=True, constrained=False, constraints=None, factored=False):
    encoder = TokenEncoder()
    corpus = encoder.encode_training(X)
    labels = np.concatenate([np.array(y, dtype=np.int32) for y in Y])
    forbidden = forbidden_labels(constraints, CLASSES)
    base = ChainFeatures.collect(
        sparse_tokens(corpus), labels, corpus.offsets, 3, pairs="observed", boundary=sparse, forbidden=forbidden
    )
    base = base if sparse else without_features(base)
    pairs = BiSymbols.collect(symbol_columns("symbols", encoder.feature_names, ""), corpus, labels, 3)
    chain = HankelChain(base, pairs, order, shorter, boundary, constrained)
    if factored:
        chain = HankelChain(base, pairs, order, shorter, boundary, False, np.arange(0, chain.n_rows, 2))
    return encoder, chain, corpus, labels


def slow_score(chain, weights, symbols, labels):
    """Score straight from the definition: sparse features, then every window of the padded sequence."""
    sparse, _ = chain.split_matrix(weights)
    matrix, base = chain.matrix(weights), chain.base
    pair_weights, gram_weights, start, end = base.split(sparse)
    score = 0.0
    for t, (symbol, label) in enumerate(zip(symbols, labels, strict=True)):
        if symbol >= 0:
            for j in range(base.pair_offsets[symbol], base.pair_offsets[symbol + 1]):
                score += pair_weights[j] * (base.pair_labels[j] == label)
        if t and base.n_features > base.n_pairs:
            steps = dict(zip(base.grams.grams, gram_weights, strict=True))
            score += steps.get((labels[t - 1], label), 0.0)
        if base.boundary:
            score += start[label] * (t == 0) + end[label] * (t == len(symbols) - 1)
        if base.forbidden is not None and t and base.forbidden.steps[labels[t - 1], label]:
            return -np.inf
    spelled = []
    for symbol, label in zip(symbols, labels, strict=True):
        run = range(*chain.pairs.begins[symbol : symbol + 2]) if symbol >= 0 else []
        found = [pair for pair in run if chain.pairs.labels[pair] == label]
        if symbol >= 0 and not found:
            return -np.inf
        spelled.append(found[0] if found else chain.pairs.n_pairs)
    _, before, after, _, scored = chain.shape
    outside = chain.pairs.n_pairs
    padded = [outside] * before + spelled + [outside] * after
    for length in range(1, chain.order + 1):
        for i in range(len(padded) - length + 1):
            if scored[length] >= 0:
                row = scored[length] + sum(
                    p * chain.base_size**e for e, p in enumerate(padded[i : i + length - 1][::-1])
                )
                if chain.factored:
                    place = np.searchsorted(chain.row_numbers, row)
                    if place == len(chain.row_numbers) or chain.row_numbers[place] != row:
                        continue
                    row = place
                score += matrix[row, padded[i + length - 1]]
    return score


def labellings(chain, symbols):
    """All labellings with labels that training had for the symbols."""
    runs = [range(*chain.pairs.begins[symbol : symbol + 2]) for symbol in symbols]
    seen = [sorted(int(chain.pairs.labels[pair]) for pair in run) for run in runs]
    return [np.array(each, dtype=np.int32) for each in product(*seen)]


def features(chain, symbols, labels):
    """Features of a labelling, cells of the matrix among them: its scores under one weight at a time."""
    return np.array([slow_score(chain, unit, symbols, labels) for unit in np.eye(chain.n_features)])
