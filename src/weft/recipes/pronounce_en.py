"""`pronounce-en`: English spellings to phones, from the CMU Pronouncing Dictionary."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from weft.datasets.pronunciation import load_g2p_cmudict
from weft.estimators.rewrite.rewriter import Rewriter
from weft.metrics.strings import error_rates
from weft.model_file import load, save
from weft.recipes.base import Recipe, Score

MAX_CHUNK = 2
MIN_WEIGHT, MIN_GAIN = 1.4, 0.0
"""How much is pruned: no more than 5 MB ask for, and weights rather than n-grams. Of 5,000 words held out from the
training part 23.4 % were wrong without pruning, 23.2 by (1.3, 0), 23.3 by (1.6, 0), 23.7 by (0.7, 1e-8), 23.8 by
(0.5, 3e-8), 24.1 by (0.3, 1e-7); the last ones leave files of the same size."""

NOTICE = """\
Made from the CMU Pronouncing Dictionary, whose makers say that its use for any research or commercial purpose is
completely unrestricted. Its notice:

Copyright (C) 1993-2015 Carnegie Mellon University. All rights reserved.

Redistribution and use in source and binary forms, with or without modification, are permitted provided that the
following conditions are met: 1. Redistributions of source code must retain the above copyright notice, this list of
conditions and the following disclaimer. The contents of this file are deemed to be source code. 2. Redistributions in
binary form must reproduce the above copyright notice, this list of conditions and the following disclaimer in the
documentation and/or other materials provided with the distribution.

This work was supported in part by funding from the Defense Advanced Research Projects Agency, the Office of Naval
Research and the National Science Foundation of the United States of America, and by member companies of the Carnegie
Mellon Sphinx Speech Consortium. We acknowledge the contributions of many volunteers to the expansion and improvement of
this dictionary.

THIS SOFTWARE IS PROVIDED BY CARNEGIE MELLON UNIVERSITY ``AS IS'' AND ANY EXPRESSED OR IMPLIED WARRANTIES, INCLUDING,
BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO
EVENT SHALL CARNEGIE MELLON UNIVERSITY NOR ITS EMPLOYEES BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL,
EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF
USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT,
STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN
IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE."""

Pairs = tuple[list[str], list[list[str]]]


def _pairs(part: Any) -> Pairs:
    """Lower-case words, one for each of their pronunciations."""
    words: list[str] = []
    outputs: list[list[str]] = []
    for word, pronunciations in zip(part.inputs, part.references, strict=True):
        for phones in pronunciations:
            words.append(str(word).lower())
            outputs.append(list(phones))
    return words, outputs


def _fit(words: list[str], outputs: list[list[str]]) -> Rewriter:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # abbreviations with more phones than letters can have
        return Rewriter(max_chunk=MAX_CHUNK, random_state=0).fit(words, outputs)


def _train(progress: Callable[[str], None]) -> Rewriter:
    progress("learning all words")
    train, test = _pairs(load_g2p_cmudict("train")), _pairs(load_g2p_cmudict("test"))
    return _fit(train[0] + test[0], train[1] + test[1]).prune(MIN_WEIGHT, MIN_GAIN)


def _evaluate(progress: Callable[[str], None]) -> list[Score]:
    test = load_g2p_cmudict("test")
    progress("learning the training part")
    whole = _fit(*_pairs(load_g2p_cmudict("train")))
    progress("pronouncing the test part")
    words = [str(word).lower() for word in test.inputs]
    with TemporaryDirectory() as folder:
        file = Path(folder, "model.weft")
        save(whole.prune(MIN_WEIGHT, MIN_GAIN), file, compress=True)
        small = error_rates(test.references, load(file).predict(words), several=True)
    large = error_rates(test.references, whole.predict(words), several=True)
    data = "12,000 words of CMUdict (g014b2b split), trained on the other 106,837"
    return [
        Score("words wrong", small.word_error, data, small.word_interval),
        Score("phones wrong", small.phone_error, "the same", small.phone_interval),
        Score("words wrong before pruning and rounding", large.word_error, "the same", large.word_interval),
    ]


RECIPE = Recipe(
    title="pronounces English words: letters to ARPAbet phones without stress",
    task="rewrite",
    data="CMU Pronouncing Dictionary without stress, 126,191 entries of 118,837 words, g014b2b split "
    "(weft data: g2p_cmudict), in lower case",
    licence="unrestricted (BSD-style notice)",
    notice=NOTICE,
    settings={
        "estimator": f"Rewriter(max_chunk={MAX_CHUNK}, random_state=0)",
        "smaller by": f"prune({MIN_WEIGHT}, {MIN_GAIN}), save(compress=True)",
    },
    train=_train,
    evaluate=_evaluate,
    save_options={"compress": True},
    notes={"input": {"format": "tsv"}},
    example="echo quibbleton | weft predict pronounce-en --kbest 3 --confidence",
)
