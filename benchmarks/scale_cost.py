"""What an iteration on a cluster costs: bytes and seconds against workers and weights, held against measurements.

One question asks the weights of all workers, gets a sum back from each part, and adds them along a binary tree:

    bytes(W)   = 8 n (W + (P - 1) (1 - 1 / W) + 1)     weights to W workers, sums between workers, one to the client
    CPU(W)     = c N + s bytes(W) + t (2 P - 1)        passes, copies, and Dask's work for 2 P - 1 tasks
    seconds(W) = c N / W + 8 n / B (log2 W + log2 P) + t (2 P - 1)

with N tokens, n weights, P = min(4 W, 256) parts. c is that of one process; s and t are fitted to the measurements.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.optimize import nnls

BYTES_PER_SECOND = 1e9
"""Between two machines of a cluster that is assumed, not measured: ten gigabits per second."""


def n_parts(n_workers: Any) -> Any:
    return np.minimum(4 * n_workers, 256)


def moved_bytes(n_workers: Any, n_weights: float) -> Any:
    """Bytes that travel in one question."""
    return 8.0 * n_weights * (n_workers + (n_parts(n_workers) - 1) * (1 - 1 / n_workers) + 1)


def seconds(n_workers: Any, n_tokens: float, n_weights: float, per_token: float, per_task: float) -> dict[str, Any]:
    """Wall time of one question on workers of one core each, by what takes it."""
    parts = n_parts(n_workers)
    return {
        "passes": per_token * n_tokens / n_workers,
        "vectors": 8.0 * n_weights / BYTES_PER_SECOND * (np.log2(n_workers) + np.log2(parts)),
        "scheduler": per_task * (2 * parts - 1),
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
    design = np.stack([moved_bytes(workers, n_weights), 2 * n_parts(workers) - 1], axis=1)
    scale = design.max(axis=0)
    (per_byte, per_task), _ = nnls(design / scale, np.maximum(cpu - alone["iteration_cpu"], 0.0))
    per_byte, per_task = per_byte / scale[0], per_task / scale[1]
    per_token = alone["iteration_cpu"] / n_tokens
    told = (
        f"c = {1e6 * per_token:.2f} us a token, s = {1e9 * per_byte:.2f} ns a byte, t = {1e3 * per_task:.1f} ms a task"
    )
    print(f"{n_tokens:,} tokens, {n_weights:,} weights: {told}")
    table = Table("workers", "CPU s measured", "CPU s of the model", "MB moved")
    for each, own, taken in zip(workers.tolist(), design, cpu.tolist(), strict=True):
        model = alone["iteration_cpu"] + per_byte * own[0] + per_task * own[1]
        table.add_row(f"{each:.0f}", f"{taken:.2f}", f"{model:.2f}", f"{own[0] / 1e6:.0f}")
    Console().print(table)
    table = Table("workers", "weights", "passes s", "vectors s", "scheduler s")
    for n in (1e6, 1e7, 1e8):
        found = seconds(100.0, 1e10, n, per_token, per_task)
        table.add_row("100", f"{n:,.0f}", *(f"{float(value):.2f}" for value in found.values()))
    Console().print("10^10 tokens:", table)
    if picture is not None:
        _draw(picture, per_token, per_task)
    return 0


def _draw(picture: Path, per_token: float, per_task: float) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), sharey=True)
    workers = 2.0 ** np.arange(0, 15)
    for axis, n in zip(axes, (1e6, 1e7, 1e8), strict=True):
        found = seconds(workers, 1e10, n, per_token, per_task)
        for name, style in (("passes", "--"), ("vectors", ":"), ("scheduler", "-.")):
            axis.loglog(workers, np.maximum(found[name], 1e-9), style, label=name)
        axis.loglog(workers, sum(found.values()), "k", label="together")
        axis.axvline(100, color="0.8", zorder=0)
        axis.set(title=f"{n:,.0f} weights", xlabel="workers", ylim=(1e-2, 3e4))
    axes[0].set_ylabel("seconds per iteration, $10^{10}$ tokens")
    axes[0].legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(picture, dpi=120)
    plt.close(figure)
