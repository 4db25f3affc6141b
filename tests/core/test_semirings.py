import os
import subprocess
import sys

SCRIPT = """
import numpy as np
from weft.core import DerivationGraph, argmax, covariance_product, passes
graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
argmax(graph, [0.0, 1.0])
covariance_product(graph, [0.0, 1.0], np.eye(2), [1.0, 0.0])
stats = passes.inside_values.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def test_compiled_passes_are_found_on_disk_by_the_next_process(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    runs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(2)
    ]
    assert runs == [["0", "2"], ["2", "0"]]


def test_importing_the_oracles_does_not_import_hypothesis():
    script = "import sys, weft.testing.oracles; sys.exit('hypothesis' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
