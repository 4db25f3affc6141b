"""What an iteration on a cluster costs: bytes and seconds against workers and weights, held against measurements.

One question brings the weights to all workers, has a task for each group of neighbouring parts, and adds the sums of
groups along a binary tree:

    bytes(W)   = 8 n (W + W - 1 + 1)                   weights to W workers, sums between workers, one to the client
    CPU(W)     = c N + w W                             passes, and what a question costs each worker and Dask
    seconds(W) = c N / W + w + 8 n / B (2 log2 W + 2) + t (2 G - 1)

with N tokens, n weights, P = min(4 W, 256) parts in G groups: as many as fit into a P / W of them, a power of two.
c is that of one process, w is fitted to the measurements; B and t, what the scheduler takes for a task, are assumed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from weft.kinds.terminal import console_and_table

BYTES_PER_SECOND = 1e9
"""Between two machines of a cluster that is assumed, not measured: ten gigabits per second."""
TASK_SECONDS = 1e-3
"""What the scheduler takes for a task, by Dask's own documentation; on two cores it is part of w."""


def n_parts(n_workers: Any) -> Any:
    return np.minimum(4 * n_workers, 256)


def n_tasks(n_workers: Any) -> Any:
    """Tasks of one question: groups of parts, and their sums."""
    parts = n_parts(n_workers)
    return 2 * parts / 2 ** np.floor(np.log2(np.maximum(parts / n_workers, 1))) - 1


def moved_bytes(n_workers: Any, n_weights: float) -> Any:
    """Bytes that travel in one question."""
    return 16.0 * n_weights * n_workers


def seconds(n_workers: Any, n_tokens: float, n_weights: float, per_token: float, per_worker: float) -> dict[str, Any]:
    """Wall time of one question on workers of one core each, by what takes it."""
    return {
        "passes": per_token * n_tokens / n_workers,
        "worker": per_worker + 0.0 * n_workers,
        "vectors": 8.0 * n_weights / BYTES_PER_SECOND * (2 * np.log2(n_workers) + 2),
        "scheduler": TASK_SECONDS * n_tasks(n_workers),
    }


def cost_model(measured: Path, picture: Path | None) -> int:
    """Fit what is unknown to lines of `benchmarks.scale`, print both, and draw what follows for more workers.

    Parameters
    ----------
    measured : Path
        JSON lines that the benchmark has written: a side in memory, and clusters of one, two and four workers.
    picture : Path, optional
    """
    rows = [json.loads(line) for line in measured.read_text().splitlines() if line.startswith("{")]
    [alone] = [row for row in rows if row["side"].startswith("memory")]
    clusters = sorted((int(row["side"][-1]), row) for row in rows if row["side"].startswith("workers"))
    workers = np.array([each for each, _ in clusters], dtype=float)
    cpu = np.array([row["iteration_cpu"] for _, row in clusters])
    n_weights, n_tokens = alone["n_weights"], alone["tokens"]
    per_worker = max(0.0, float(workers @ (cpu - alone["iteration_cpu"]) / (workers @ workers)))  # least squares
    per_token = alone["iteration_cpu"] / n_tokens
    told = f"c = {1e6 * per_token:.2f} us a token, w = {per_worker:.2f} s a worker and question"
    print(f"{n_tokens:,} tokens, {n_weights:,} weights: {told}")
    console, table = console_and_table("workers", "CPU s measured", "CPU s of the model", "MB moved")
    for each, taken in zip(workers.tolist(), cpu.tolist(), strict=True):
        model = alone["iteration_cpu"] + per_worker * each
        table.add_row(f"{each:.0f}", f"{taken:.2f}", f"{model:.2f}", f"{moved_bytes(each, n_weights) / 1e6:.0f}")
    console.print(table)
    _, table = console_and_table("workers", "weights", "passes s", "worker s", "vectors s", "scheduler s")
    for n in (1e6, 1e7, 1e8):
        found = seconds(100.0, 1e10, n, per_token, per_worker)
        table.add_row("100", f"{n:,.0f}", *(f"{float(value):.2f}" for value in found.values()))
    console.print("10^10 tokens:", table)
    if picture is not None:
        lines = np.linspace(1, max(workers.max(), 2), 50)
        model = alone["iteration_cpu"] + per_worker * lines
        title = f"{n_tokens / 1e6:.1f} million tokens, {n_weights:,} weights"
        _draw(picture, (title, alone["iteration_cpu"], workers, cpu, lines, model), per_token, per_worker)
    return 0


def _draw(picture: Path, measured: tuple[Any, ...], per_token: float, per_worker: float) -> None:
    import matplotlib.pyplot as plt

    figure, rows = plt.subplots(2, 2, figsize=(7.6, 6.6))
    first, *axes = rows.flat
    title, alone, workers, cpu, lines, model = measured
    first.plot(lines, model, "k", label="model")
    first.plot(workers, cpu, "o", label="measured on a cluster")
    first.axhline(alone, color="0.6", linestyle="--", label="measured in one process")
    first.set(title=title, xlabel="workers", ylabel="CPU seconds per iteration", ylim=(0, 1.3 * max(*cpu, *model)))
    first.set_xticks(workers)
    first.title.set_fontsize("medium")
    first.legend(fontsize="small", loc="lower right")
    many = 2.0 ** np.arange(0, 15)
    for axis, n in zip(axes, (1e6, 1e7, 1e8), strict=True):
        found = seconds(many, 1e10, n, per_token, per_worker)
        for name, style in (("passes", "--"), ("worker", (0, (1, 4))), ("vectors", ":"), ("scheduler", "-.")):
            axis.loglog(many, np.maximum(found[name], 1e-9), linestyle=style, label=name)
        axis.loglog(many, sum(found.values()), "k", label="together")
        axis.axvline(100, color="0.8", zorder=0)
        axis.set(title=f"10 billion tokens, {n / 1e6:,.0f} million weights", xlabel="workers", ylim=(1e-2, 3e4))
        axis.title.set_fontsize("medium")
        axis.set_ylabel("seconds per iteration")
    axes[0].legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(picture, dpi=110)
    plt.close(figure)
