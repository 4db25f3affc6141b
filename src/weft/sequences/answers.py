r"""Attributes of what a first tagger answered, for a second one: labels near a token, and the chunks around it.

A window of answers says more than a window of tokens: what lies before and behind a token is told by few names, however
many words it has. Names are written as those of `weft.sequences.window`:

========================  ==================================================================
``answer[-1]=B-NP``       the token before was labelled ``B-NP``; ``answer[-1:0]=`` for runs
``answer[0]0[0]=O|and``   label and column 0 of the token; ``answer[0]1[1]=`` likewise
``chunk=NP|0|2``          kind of the token's own chunk, tokens of it before and behind, at most 2
``chunk[-1]=NP``          kind of the chunk before; a token outside is a chunk of kind ``O``
``last[-1]=pound``        column 0 of the last token of the chunk before; ``last1[-1]1[0]=`` of column 1
========================  ==================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from weft.sequences.window import END, SEPARATOR, START, escape

REACH = 4
"""Answers on each side."""
CHUNKS = 3
"""Chunks on each side."""
GOES_ON = ("B-", "I-")
"""What labels begin with whose chunk may go on."""
FAR = 2
"""Tokens are counted up to this many."""


def is_chunked(labels: Sequence[str]) -> bool:
    """Whether labels are those of chunks: some of them begin one, by ``B-`` or ``S-``, and others go on.

    Examples
    --------
    >>> is_chunked(["B-NP", "I-NP", "O"]), is_chunked(["NN", "I-95"])
    (True, False)
    """
    return any(label.startswith(("B-", "S-")) for label in labels)


def chunk_spans(labels: Sequence[str]) -> list[tuple[int, int, str]]:
    """Begin, end and kind of each chunk; a token outside of chunks is one of kind ``O``.

    A label that goes on with nothing, as a tagger without constraints may answer, begins a chunk.

    Examples
    --------
    >>> chunk_spans(["B-NP", "I-NP", "O", "I-VP"])
    [(0, 2, 'NP'), (2, 3, 'O'), (3, 4, 'VP')]
    """
    kinds = [label.partition("-")[2] or "O" for label in labels]
    begins = [
        i
        for i, label in enumerate(labels)
        if not (i and label.startswith(("I-", "E-")) and kinds[i - 1] == kinds[i] and labels[i - 1][:2] in GOES_ON)
    ]
    return [(begin, end, kinds[begin]) for begin, end in pairwise([*begins, len(labels)])]


def answer_attributes(columns: Sequence[Sequence[str]], answers: Sequence[str], chunked: bool) -> list[list[str]]:
    """What the answers of a first tagger say about each token of a sequence.

    Parameters
    ----------
    columns : sequence of sequences of str
        Words, then perhaps other columns, of which the last, such as parts of speech, is joined with answers too; none
        if tokens have no words.
    answers : sequence of str
    chunked : bool
        Whether answers are labels of chunks.

    Examples
    --------
    >>> found = answer_attributes([["he", "ran"], ["PRP", "VBD"]], ["B-NP", "B-VP"], chunked=True)
    >>> [name for name in found[1] if name.startswith("chunk[-1]")]
    ['chunk[-1]=NP', 'chunk[-1]chunk=NP|VP|0|0', 'chunk[-1]0[0]=NP|ran', 'chunk[-1]1[0]=NP|VBD']
    """
    columns = [list(map(escape, column)) for column in columns]
    answers = list(map(escape, answers))
    found = _near(columns, answers)
    if chunked:
        for names, more in zip(found, _around(columns, answers), strict=True):
            names += more
    return found


def _padded(values: Sequence[str], reach: int) -> list[str]:
    return [START] * reach + list(values) + [END] * reach


def _near(columns: Sequence[Sequence[str]], answers: Sequence[str]) -> list[list[str]]:
    """Answers for the tokens near each, their runs, and what they are together with its columns."""
    near, last = _padded(answers, REACH), len(columns) - 1
    tags = _padded(columns[-1], 1) if last > 0 else []
    found = []
    for i in range(len(answers)):
        label = {step: near[i + REACH + step] for step in range(-REACH, REACH + 1)}
        names = [f"answer[{step}]={value}" for step, value in label.items()]
        for length, firsts in ((2, range(-3, 3)), (3, range(-2, 1))):
            for first in firsts:
                run = SEPARATOR.join([label[first + k] for k in range(length)])
                names.append(f"answer[{first}:{first + length - 1}]={run}")
        if columns:
            names += [f"answer[{step}]0[0]={label[step]}|{columns[0][i]}" for step in (-1, 0, 1)]
        if last > 0:
            before, tag, after = tags[i : i + 3]
            names += [f"answer[{step}]{last}[0]={label[step]}|{tag}" for step in range(-2, 3)]
            names += [f"answer[0]{last}[-1]={label[0]}|{before}", f"answer[0]{last}[1]={label[0]}|{after}"]
            names.append(f"answer[-1]answer[1]{last}[0]={label[-1]}|{label[1]}|{tag}")
        found.append(names)
    return found


def _around(columns: Sequence[Sequence[str]], answers: Sequence[str]) -> list[list[str]]:
    """Chunks around each token, their last tokens, and what they are together with its own columns."""
    spans, last = chunk_spans(answers), len(columns) - 1
    kinds = _padded([kind for _, _, kind in spans], CHUNKS)
    ends = [_padded([column[end - 1] for _, end, _ in spans], 2) for column in columns]
    steps = [step for step in range(-CHUNKS, CHUNKS + 1) if step]
    found = []
    for k, (begin, end, own_kind) in enumerate(spans):
        kind = {step: kinds[k + CHUNKS + step] for step in steps}
        all_kinds = SEPARATOR.join([kind[step] for step in (-2, -1, 1, 2)])
        shared = [*(f"chunk[{step}]={kind[step]}" for step in steps), f"chunks={all_kinds}"]
        if columns:
            head = {step: ends[0][k + 2 + step] for step in range(-2, 3)}
            shared += [f"last[{step}]={head[step]}" for step in (-2, -1, 1, 2)]
            shared += [f"last[{step}]last[0]={head[step]}|{head[0]}" for step in (-1, 1)]
        for i in range(begin, end):
            own = f"{own_kind}|{min(i - begin, FAR)}|{min(end - 1 - i, FAR)}"
            names = [*shared, f"chunk={own}"]
            names += [f"chunk[{step}]chunk={kind[step]}|{own}" for step in steps]
            if columns:
                word = columns[0][i]
                names += [f"chunk[{step}]0[0]={kind[step]}|{word}" for step in (-1, 1)]
                names.append(f"last[-1]0[0]={head[-1]}|{word}")
            if last > 0:
                tag = columns[-1][i]
                names += [f"chunk[{step}]{last}[0]={kind[step]}|{tag}" for step in steps]
                names += [f"last{last}[{step}]{last}[0]={ends[-1][k + 2 + step]}|{tag}" for step in (-2, -1, 1, 2)]
                names.append(f"chunks{last}[0]={all_kinds}|{tag}")
            found.append(names)
    return found
