"""Chunks as long as the data want them."""

import numpy as np

import weft


def test_longer_outputs_choose_longer_chunks():
    random = np.random.default_rng(0)
    names = {"a": "wxyz", "b": "zyw", "c": "x", "d": "wz"}
    words = ["".join(random.choice(list("abcd"), size=random.integers(2, 6))) for _ in range(120)]
    assert weft.Rewriter(random_state=0, n_jobs=1).fit(
        words, ["".join(map(names.get, w)) for w in words]
    ).max_chunk_ == (1, 4)
    digraphs = [word.replace("a", "sh") for word in words]
    assert weft.Rewriter(random_state=0, n_jobs=1).fit(digraphs, words).max_chunk_ == (2, 2)


def test_the_choice_hangs_on_the_data_alone():
    words = ["shat", "that", "chat", "hath", "tach", "cat"] * 10
    sounds = [word.replace("sh", "S").replace("th", "T").replace("ch", "C") for word in words]
    chosen = {weft.Rewriter(random_state=seed, n_jobs=1).fit(words, sounds).max_chunk_ for seed in (0, 1)}
    assert len(chosen) == 1
    assert weft.Rewriter(max_chunk=3, random_state=0).fit(words, sounds).max_chunk_ == (3, 3)
