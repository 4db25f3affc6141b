"""Tables of a long pair are filled in blocks of rows: whatever their size, every number is that of one block."""

import numpy as np
import pytest

from weft.structures.alignment.batch import AlignmentBatch
from weft.structures.alignment.loops.passes import backward, draw, forward, viterbi
from weft.structures.alignment.structure import Alignment

NO_COLUMNS = np.empty(0, dtype=np.int32)
NO_ENTRIES = (1.0, NO_COLUMNS, NO_COLUMNS, np.empty(0))
N, M, N_KINDS = 23, 17, 5


def room(block, *shape):
    """Tables of a block, and the first rows of all."""
    return tuple(np.full((block + 1, *shape), np.nan) for _ in range(3)), np.full((3, N // block + 1, *shape), np.nan)


@pytest.fixture
def scores():
    random = np.random.default_rng(1)
    return (
        random.integers(N_KINDS, size=N),
        random.normal(size=(N_KINDS, M)),
        random.integers(-1, M, N).astype(np.int32),
    )


@pytest.mark.parametrize("block", [1, 2, 5, 22, 23, 40])
def test_the_best_alignment_is_that_of_one_block(scores, block):
    letters, profile, columns = scores
    found = []
    for n_rows in (N, block):
        moves, (tables, kept) = np.zeros(N + M, dtype=np.uint8), room(n_rows, M + 1)
        n_moves = viterbi(letters, np.round(profile), -1.0, columns, 0.5, tables, kept, np.empty((3, M + 1)), moves)
        found.append(moves[:n_moves].tolist())
    assert found[0] == found[1]


@pytest.mark.parametrize("block", [1, 2, 5, 22, 23, 40])
@pytest.mark.parametrize("n_planes", [1, 2])
def test_sums_are_those_of_one_block(scores, block, n_planes):
    letters, profile, columns = scores
    # Weights that far apart rescale many rows.
    planes = np.stack([np.exp(20.0 * profile), profile], axis=1)[:, :n_planes].copy()
    opening = (0.3, 0.1)
    found = []
    for n_rows in (N, block):
        tables, kept = room(n_rows, n_planes, M + 1)
        scales, expected, posterior = np.empty(N + 1), np.zeros((N_KINDS, M)), np.zeros((N, M))
        asked = letters, planes, opening, columns if n_planes == 2 else NO_COLUMNS, 0.5, tables, kept, scales
        log_total, mean = forward(*asked)
        entries = (1e-3, np.zeros(N * M, dtype=np.int32), np.zeros(N * M, dtype=np.int32), np.zeros(N * M))
        counts = backward(*asked, log_total, mean, np.empty((4, n_planes, M + 1)), expected, posterior, entries)
        drawn = []
        if n_planes == 1:
            for seed in range(3):
                uniforms, moves = np.random.default_rng(seed).random(N + M), np.zeros(N + M, dtype=np.uint8)
                n_moves = draw(uniforms, letters, planes, opening, tables, kept, scales, moves)
                drawn.append(moves[:n_moves].tolist())
        found.append((log_total, mean, counts, drawn, expected, posterior, *entries))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other) if isinstance(one, np.ndarray) else None
        assert isinstance(one, np.ndarray) or one == other
    above = np.zeros((N, M))
    first, second, values = (each[: counts[2]] for each in entries[1:])
    above[first, second] = values
    np.testing.assert_array_equal(above, np.where(posterior >= 1e-3, posterior, 0.0))


def test_a_pair_of_many_cells_is_answered_in_blocks():
    """3,000 x 3,000 cells are more than one block has; two symbols too many make the best alignment known."""
    structure = Alignment("match", gaps="affine")
    text = "".join(np.random.default_rng(0).choice(list("ACGT"), size=3000))
    batch = AlignmentBatch(structure, structure.encode([(text, text[:1500] + "TT" + text[1500:])]), n_jobs=1)
    weights = np.array([5.0, -4.0, -12.0, -0.5])
    [moves], [score] = batch.argmax(weights)
    assert score == 5.0 * 3000 - 12.5
    assert (moves == 0).sum() == 3000
    [likely] = batch.likely_pairs(weights, 0.4)
    assert 2990 <= likely.nnz <= 3010
    _, mean = batch.log_partition_and_mean(weights)
    assert mean[0] == pytest.approx(3000, abs=1.0)
