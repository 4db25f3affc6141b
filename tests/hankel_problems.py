"""Small Hankel chains."""

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
