"""Contexts of several views, found in one call."""

import pickle

import numpy as np

from weft.rewriting.candidates import contexts as module


def test_all_views_together_find_what_each_finds(corpus, monkeypatch):
    chain, symbols, offsets = corpus[0].chain, corpus[0].symbols, corpus[0].offsets
    rows, numbers = chain.find(symbols, offsets)
    apart = [each.find(symbols, offsets) for each in chain.contexts]
    before = np.cumsum([0, *map(len, chain.contexts)])
    for t in range(len(symbols)):
        wanted = [flat[own[t] : own[t + 1]] + first for (own, flat), first in zip(apart, before, strict=False)]
        assert numbers[rows[t] : rows[t + 1]].tolist() == np.concatenate(wanted).tolist()
    monkeypatch.setattr(module, "BLOCK", 3)  # some words at a time
    assert [found.tolist() for found in chain.find(symbols, offsets)] == [rows.tolist(), numbers.tolist()]


def test_a_copy_of_a_chain_has_its_tables_once(corpus):
    chain, symbols, offsets = corpus[0].chain, corpus[0].symbols, corpus[0].offsets
    found = chain.find(symbols, offsets)
    assert all(np.shares_memory(each.table, chain.contexts[0].table.base) for each in chain.contexts)
    copied = pickle.loads(pickle.dumps(chain))
    assert "_finder" not in vars(copied)
    assert [array.tolist() for array in copied.find(symbols, offsets)] == [array.tolist() for array in found]


def test_keys_of_many_symbols_need_more_bytes():
    few, many = (
        module.Contexts.collect(
            np.array([n - 1, 0, n - 1, 0], dtype=np.int32),
            np.array([0, 2, 4]),
            module.View(1, 1, np.zeros(n, dtype=np.int64)),
        )
        for n in (2, 200_000)
    )
    assert few.table.dtype == np.int32
    assert many.table.dtype == np.int64
    found = [
        each.find(np.array([each.view.n_symbols - 1, 0], dtype=np.int32), np.array([0, 2])) for each in (few, many)
    ]
    assert found[0][0].tolist() == found[1][0].tolist() == [0, 4, 8]
    together = module.JoinedViews((many, few)).find(np.array([0, 0], dtype=np.int32), np.array([0, 2]))
    apart = [each.find(np.array([0, 0], dtype=np.int32), np.array([0, 2])) for each in (many, few)]
    assert sorted(together[1].tolist()) == sorted([*apart[0][1].tolist(), *(apart[1][1] + len(many)).tolist()])
