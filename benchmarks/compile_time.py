"""What compiling costs: CPU seconds and compiled signatures of small fits and predictions, in an empty cache.

Run it with ``python -m benchmarks.compile_time``, or with names of tasks; ``PYTHONPATH=OTHER/src`` measures another
version. The functions that take longest come first. What is not in LLVM, Numba's own work, is Python.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

N_SHOWN = 25

TASKS = {
    "tag": """
X, y = [["a", "b", "a"], ["b", "a"]] * 4, [["P", "Q", "P"], ["Q", "P"]] * 4
for learner in (weft.CRF(), weft.Perceptron(), weft.StructuredSVM()):
    tagger = weft.Tagger(learner, random_state=0).fit(X, y)
    tagger.predict(X)
tagger.predict_proba(X), tagger.predict_kbest(X, 2)
""",
    "classify": """
X, y = [f"some text number {i}" for i in range(20)], ["even", "odd"] * 10
weft.SequenceSVC(weft.NGramKernel(3), C=1.0).fit(X, y).predict(X)
""",
    "rewrite": """
X = [a + b + c for a in "abc" for b in "xyz" for c in "pqrst"]
weft.Rewriter(max_chunk=2, random_state=0).fit(X, [list(x.upper()) for x in X]).predict(X)
""",
    "fold": """
X, y = ["GGGAAACCC", "GCGAAAAGC"], ["(((...)))", "((.....))"]
for grammar in ("g6", "loops"):
    weft.Folder(grammar).fit(X, y).predict(X)
""",
    "align": """
X, y = [("ACGT", "AGT"), ("AACG", "ACG")], [("ACGT", "A-GT"), ("AACG", "A-CG")]
weft.Aligner().fit(X, y).predict(X)
""",
}

PROGRAM = """
import json, resource, sys, time, warnings
from collections import Counter
from numba.core import event

warnings.simplefilter("ignore")
stack, seconds, signatures, in_llvm = [], Counter(), Counter(), []

class Listener(event.Listener):
    def on_start(self, found):
        stack.append([time.process_time(), 0.0])
    def on_end(self, found):
        began, inner = stack.pop()
        taken = time.process_time() - began
        if stack:
            stack[-1][1] += taken
        function = found.data["dispatcher"].py_func
        name = f"{function.__module__}.{function.__name__}"
        seconds[name] += taken - inner
        signatures[name] += 1

class InLLVM(event.Listener):
    def on_start(self, found):
        in_llvm.append(-time.process_time())
    def on_end(self, found):
        in_llvm.append(time.process_time())

event.register("numba:compile", Listener())
event.register("numba:llvm_lock", InLLVM())
import weft
exec(sys.argv[1])
usage = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([usage.ru_utime + usage.ru_stime, sum(seconds.values()), sum(in_llvm), sum(signatures.values()),
                  [[name, taken, signatures[name]] for name, taken in seconds.most_common()]]))
"""


def main(arguments: list[str] | None = None) -> int:
    """Warm, and print what was compiled."""
    names = (sys.argv[1:] if arguments is None else arguments) or list(TASKS)
    unknown = [name for name in names if name not in TASKS]
    if unknown:
        print(f"no task is called {unknown[0]!r}; use {', '.join(TASKS)}")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, "".join(TASKS[name] for name in names)],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            env={**os.environ, "NUMBA_CACHE_DIR": folder, "WEFT_COMPILE_BAR": "0"},
        )
    total, compiling, in_llvm, n_signatures, functions = json.loads(done.stdout.splitlines()[-1])
    for name, seconds, count in functions[:N_SHOWN]:
        print(f"{seconds:7.2f} s {count:4d} {name}")
    shares = f"{compiling:.1f} s of CPU compiling, {in_llvm:.1f} of them in LLVM"
    print(f"{n_signatures} signatures: {shares}, {total:.1f} s in all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
