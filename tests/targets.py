"""Run the tests that learn as if on other processors: `make test-targets`.

A processor shows in two places. OpenBLAS picks its kernels by it, which add up products in different orders
(OPENBLAS_CORETYPE); and Numba compiles for it, so that sums are cut into registers of other widths (NUMBA_CPU_NAME). No
result may hang on either. What this processor cannot run is skipped by name.

    python tests/targets.py              # all targets; ends with a list of what ran, failed and was skipped
    python tests/targets.py ci           # one target of each kind and fewer tests, for .ci/run
    python tests/targets.py Haswell generic
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
AVX2 = ("avx2", "fma", "bmi2")
AVX512 = (*AVX2, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")


@dataclass(frozen=True)
class Target:
    """One run of the tests.

    Attributes
    ----------
    name : str
    blas : str
        For OPENBLAS_CORETYPE; empty for what OpenBLAS picks.
    cpu : str
        For NUMBA_CPU_NAME; empty for the processor itself.
    flags : tuple of str
        Names in /proc/cpuinfo of the instructions that are needed.
    in_force : tuple of str
        What OpenBLAS may call its kernels then: it falls back on others without a word.
    """

    name: str
    blas: str = ""
    cpu: str = ""
    flags: tuple[str, ...] = ()
    in_force: tuple[str, ...] = ()


TARGETS = [
    Target("Prescott", blas="Prescott", in_force=("Prescott", "Katmai")),
    Target("Nehalem", blas="Nehalem", flags=("sse4_2",), in_force=("Nehalem",)),
    Target("Sandybridge", blas="Sandybridge", flags=("avx",), in_force=("Sandybridge",)),
    Target("Haswell", blas="Haswell", flags=AVX2, in_force=("Haswell",)),
    Target("Zen", blas="Zen", flags=AVX2, in_force=("Zen",)),
    Target("SkylakeX", blas="SkylakeX", flags=AVX512, in_force=("SkylakeX",)),
    Target("Cooperlake", blas="Cooperlake", flags=(*AVX512, "avx512_bf16"), in_force=("Cooperlake",)),
    Target("generic", cpu="generic"),
    Target("haswell", cpu="haswell", flags=AVX2),
    Target("znver4", cpu="znver4", flags=(*AVX512, "avx512_bf16", "sha_ni", "vaes", "clzero")),
]

TESTS = ["tests/learners", "tests/structures", "tests/estimators", "tests/preimages", "tests/kernel_methods"]
TESTS += ["tests/core/test_ties.py", "tests/test_docs.py"]

CI_TARGETS = [
    Target("generic with Prescott", blas="Prescott", cpu="generic", in_force=("Prescott", "Katmai")),
    Target("generic with Haswell", blas="Haswell", cpu="generic", flags=AVX2, in_force=("Haswell",)),
]
CI_TESTS = ["tests/core/test_ties.py", "tests/structures/test_structures_tied_outputs.py"]
CI_TESTS += ["tests/structures/alignment/test_batch.py", "tests/structures/grammar/test_batch.py"]
CI_TESTS += ["tests/learners/test_perceptron.py", "tests/learners/test_structured_svm.py"]
CI_TESTS += ["tests/test_docs.py::test_examples_of_a_page_give_what_it_shows[docs/tutorial/aligning.md]"]

ARCHITECTURES = (
    "import numpy, scipy.linalg, threadpoolctl as t; print(*{i.get('architecture') for i in t.threadpool_info()})"
)


def processor_flags() -> set[str]:
    """Instructions that this processor has; empty where there is no /proc/cpuinfo."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    return next((set(line.split(":")[1].split()) for line in lines if line.startswith("flags")), set())


def environment(target: Target) -> dict[str, str]:
    """What makes a process run on the target; each processor has compiled code of its own."""
    chosen = dict(os.environ)
    if target.blas:
        chosen["OPENBLAS_CORETYPE"] = target.blas
    if target.cpu:
        chosen |= {"NUMBA_CPU_NAME": target.cpu, "NUMBA_CPU_FEATURES": ""}
        usual = Path(chosen.get("NUMBA_CACHE_DIR", ROOT / ".cache" / "numba" / "targets"))
        chosen["NUMBA_CACHE_DIR"] = str(usual.with_name(f"{usual.name}-{target.cpu}"))
    return chosen


def reason_to_skip(target: Target) -> str:
    """Why the target cannot run here; empty if it can."""
    missing = [flag for flag in target.flags if flag not in processor_flags()]
    if missing:
        return f"this processor has no {', '.join(missing)}"
    if target.blas:
        command = [sys.executable, "-c", ARCHITECTURES]
        found = subprocess.run(command, env=environment(target), capture_output=True, text=True, check=False)
        kernels = set(found.stdout.split())
        if not kernels or not kernels <= set(target.in_force):
            return f"OpenBLAS has kernels for {', '.join(sorted(kernels)) or 'nothing we know'} in force instead"
    return ""


def run(target: Target, tests: list[str]) -> str:
    """One word on how the tests went."""
    reason = reason_to_skip(target)
    if reason:
        print(f"== {target.name}: skipped, {reason}", flush=True)
        return f"skipped, {reason}"
    print(f"== {target.name}", flush=True)
    begin = time.monotonic()
    pytest = [sys.executable, "-m", "pytest", "-q", "--no-header", "--durations=3", "-p", "no:cacheprovider"]
    workers = ["-n", "logical", "--maxprocesses", "4", "--dist", "loadfile"]
    code = subprocess.run([*pytest, *workers, *tests], cwd=ROOT, env=environment(target), check=False).returncode
    return f"{'passed' if code == 0 else 'FAILED'} in {time.monotonic() - begin:.0f} s"


def main(names: list[str]) -> int:
    """Run the targets of these names, all if there are none; 1 if one failed or none could run."""
    targets, tests = (CI_TARGETS, CI_TESTS) if names == ["ci"] else (TARGETS, TESTS)
    if names not in ([], ["ci"]):
        unknown = sorted(set(names) - {target.name for target in TARGETS})
        if unknown:
            print(f"no target is called {unknown[0]}; there are ci, {', '.join(t.name for t in TARGETS)}")
            return 1
        targets = [target for target in TARGETS if target.name in names]
    results = {target.name: run(target, tests) for target in targets}
    print("\n".join(f"{name}: {result}" for name, result in results.items()))
    said = " ".join(results.values())
    return int("FAILED" in said or "passed" not in said)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
