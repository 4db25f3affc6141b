"""Our network beside one of PyTorch with the same layers: `python -m benchmarks.network [LANGUAGE] [PASSES]`.

Both learn the labels that one `Rewriter` aligned, from the training words of a language of SIGMORPHON 2021 but for
2,000 that are held out, with the same sizes, drop-outs, steps and batches, in one thread. Then each orders the 12 best
outputs that the rewriter without networks has for the held-out words: alone, and added to the rewriter's score with the
best of some weights. PyTorch is measured if it is installed (it is no dependency): `pip install torch`.
"""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

import weft
from weft.datasets import load_g2p_sigmorphon2021
from weft.estimators.rewrite.learning import words_to_tune_on
from weft.learners.monitor import Monitor
from weft.rewriting import training
from weft.rewriting.network.learner import LabelledSymbols, RecurrentNetwork

N_HELD_OUT, N_LISTED = 2_000, 12
WEIGHTS = (0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0)
SIZE, VECTOR, DROPOUT, INPUT_DROPOUT, STEP, BATCH = 128, 48, 0.2, 0.2, 4e-3, 32


@dataclass(frozen=True)
class Lists:
    """Held-out words, labels of the best outputs of each in rows, their scores, and which are right."""

    symbols: Any
    offsets: Any
    labels: Any
    scores: Any
    right: Any

    def wrong(self, added: Any) -> float:
        """Words wrong in % if outputs are ordered by these scores."""
        best = np.where(self.scores > -np.inf, added, -np.inf).argmax(axis=1)
        return 100.0 * (1.0 - float(self.right[np.arange(len(best)), best].mean()))


def prepare(language: str) -> tuple[LabelledSymbols, Lists]:
    """What networks learn from, and what they are asked."""
    pairs = load_g2p_sigmorphon2021(language, "train")
    X, y = list(pairs.inputs), list(pairs.outputs)
    order = np.random.default_rng(7).permutation(len(X))
    held_out, learned = order[:N_HELD_OUT], order[N_HELD_OUT:]
    kept: dict[str, Any] = {}
    train_network = training.train_network

    def keep(model: Any, symbols: Any, offsets: Any, candidates: Any, *rest: Any, **named: Any) -> Any:
        """Note what a network would learn from, and make one that has learned next to nothing."""

        class Noted(RecurrentNetwork):
            def learn(self, data: LabelledSymbols, *others: Any) -> Any:
                kept.update(model=model, data=data)
                return super().learn(data, *others)

        return train_network(
            model, symbols, offsets, candidates, rest[0], Noted(1, 2, 2, 2, 0, max_iter=1), *rest[2:], **named
        )

    training.train_network = keep
    try:
        dev = [[values[i] for i in held_out] for values in (X, y)]
        rewriter = weft.Rewriter(network=RecurrentNetwork(max_iter=1), random_state=0, n_jobs=1)
        rewriter.fit([X[i] for i in learned], [y[i] for i in learned], X_dev=dev[0], y_dev=dev[1])
    finally:
        training.train_network = train_network
    model, words = kept["model"], words_to_tune_on(rewriter, *dev, None)
    chain, joint, *others, _ = rewriter.mixture_
    found = model.decode(words.symbols, words.offsets, N_LISTED, mixture=(chain, joint, *others, 0.0), n_jobs=1)
    labels = model.chain.labels[found.candidates]
    labels[labels >= kept["data"].allowed.shape[1]] = -1
    right = np.zeros(found.scores.shape, dtype=bool)
    for k, row in enumerate(found.candidates):
        spelled = model.spell(row)
        for i, wanted in enumerate(words.references):
            begin, end = words.offsets[i], words.offsets[i + 1]
            right[i, k] = tuple(symbol for each in spelled[begin:end] for symbol in each) in wanted
    return kept["data"], Lists(words.symbols, words.offsets, labels, found.scores, right)


def ours(data: LabelledSymbols, lists: Lists, passes: int) -> tuple[float, int, Any]:
    """CPU seconds, number of weights, and scores of the listed outputs."""
    network = RecurrentNetwork(
        1, VECTOR, SIZE, SIZE, SIZE,
        dropout=DROPOUT, input_dropout=INPUT_DROPOUT, step=STEP, batch_size=BATCH, max_iter=passes,
    )  # fmt: skip
    began = time.process_time()
    with Monitor() as monitor:
        networks = network.learn(data, monitor, np.random.default_rng(0), 1)
    seconds = time.process_time() - began
    scores = [networks.labelling_scores(lists.symbols, lists.offsets, row) for row in lists.labels]
    return seconds, networks.shape.n_weights, np.stack(scores, axis=1)


def theirs(data: LabelledSymbols, lists: Lists, passes: int) -> tuple[float, int, Any]:
    """The same by PyTorch; its batches are of words of one length, which need no padding."""
    import torch
    from torch import nn

    torch.set_num_threads(1)
    torch.manual_seed(0)
    n_symbols, n_labels = data.allowed.shape
    forbidden = torch.zeros(n_symbols, n_labels)
    forbidden[~torch.tensor(data.allowed)] = -1e9

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.vectors, self.written = nn.Embedding(n_symbols + 1, VECTOR), nn.Embedding(n_labels + 1, VECTOR)
            self.both = nn.LSTM(VECTOR, SIZE, batch_first=True, bidirectional=True)
            self.recall = nn.LSTM(2 * SIZE + VECTOR, SIZE, batch_first=True)
            self.narrow, self.labels = nn.Linear(3 * SIZE + VECTOR, SIZE), nn.Linear(SIZE, n_labels)
            self.drop, self.drop_input = nn.Dropout(DROPOUT), nn.Dropout(INPUT_DROPOUT)

        def forward(self, x: Any, y: Any) -> Any:
            padded = nn.functional.pad(x, (1, 1), value=n_symbols)
            seen = self.drop(self.both(self.drop_input(self.vectors(padded)))[0][:, 1:-1])
            before = nn.functional.pad(y[:, :-1], (1, 0), value=n_labels)
            read = torch.cat([seen, self.drop_input(self.written(before))], -1)
            everything = torch.cat([read, self.drop(self.recall(read)[0])], -1)
            return self.labels(self.drop(torch.relu(self.narrow(everything)))) + forbidden[x]

    network, random = Network(), np.random.default_rng(0)
    optimizer = torch.optim.Adam(network.parameters(), lr=STEP)
    lengths = np.diff(data.offsets)

    def batches() -> list[Any]:
        waiting: dict[int, list[int]] = {}
        found = []
        for i in random.permutation(len(lengths)).tolist():
            own = waiting.setdefault(int(lengths[i]), [])
            own.append(i)
            if len(own) == BATCH:
                found.append(np.array(waiting.pop(int(lengths[i]))))
        found += [np.array(each) for each in waiting.values()]
        return [found[k] for k in random.permutation(len(found))]

    def tensor(values: Any, places: Any) -> Any:
        return torch.tensor(np.maximum(values[places], 0).astype(np.int64))

    began, n_steps, done = time.process_time(), passes * len(batches()), 0
    for _ in range(passes):
        for chosen in batches():
            places = data.offsets[chosen][:, None] + np.arange(lengths[chosen[0]])
            x, y = tensor(data.symbols, places), tensor(data.labels, places)
            step = STEP * min(1.0, (done + 1) / 50) * (0.005 + 0.995 * 0.5 * (1 + np.cos(np.pi * done / n_steps)))
            optimizer.param_groups[0]["lr"] = step
            loss = nn.functional.cross_entropy(network(x, y).reshape(-1, n_labels), y.reshape(-1))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 2.0)
            optimizer.step()
            done += 1
    seconds = time.process_time() - began
    network.eval()
    scores = np.zeros(lists.scores.shape)
    with torch.no_grad():
        asked = np.diff(lists.offsets)
        for length in np.unique(asked):
            chosen = np.flatnonzero(asked == length)
            places = lists.offsets[chosen][:, None] + np.arange(length)
            for k, row in enumerate(lists.labels):
                y = tensor(row, places)
                logs = torch.log_softmax(network(tensor(lists.symbols, places), y), -1)
                scores[chosen, k] = logs.gather(-1, y[..., None])[..., 0].sum(1).numpy()
    return seconds, sum(each.numel() for each in network.parameters()), scores


def main(arguments: list[str]) -> None:
    """Print a line for the rewriter without networks, for ours, and for PyTorch's."""
    language, passes = arguments[0] if arguments else "eng_us", int(arguments[1]) if arguments[1:] else 5
    warnings.simplefilter("ignore", UserWarning)
    data, lists = prepare(language)
    print(f"{language}, {len(data.offsets) - 1:,} words, {len(lists.right):,} held out, {passes} passes")
    print(f"without a network: {lists.wrong(lists.scores):.2f} % wrong; best of {N_LISTED} outputs ", end="")
    print(f"{100 * (1 - lists.right.any(axis=1).mean()):.2f}")
    for name, measure in (("ours", ours), ("PyTorch", theirs)):
        try:
            seconds, n_weights, scores = measure(data, lists, passes)
        except ImportError:
            print(f"{name}: not installed")
            continue
        mixed = min((lists.wrong(lists.scores + weight * scores), weight) for weight in WEIGHTS)
        print(f"{name}: {n_weights:,} weights, {seconds:.0f} CPU s, alone {lists.wrong(scores):.2f} % wrong, ", end="")
        print(f"mixed {mixed[0]:.2f} (weight {mixed[1]})", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
