"""What inputs that are too large or too odd cost until they are refused, and what long pairs take that are not.

Run it with ``python -m benchmarks.limits``, or with names of cases. Each runs in a process of its own, which believes
that 2 GB are free; CPU seconds and growth of memory are those of the call alone, after a small one that compiles.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import NamedTuple

FREE = 2 * 10**9
REFUSED_SECONDS, REFUSED_MEGABYTES = 2.0, 500.0


class Case(NamedTuple):
    """Code that runs before, code that is measured, and what the latter may take."""

    before: str
    code: str
    refused: bool = True
    seconds: float = REFUSED_SECONDS
    megabytes: float = REFUSED_MEGABYTES


FOLDER = "m = weft.Folder(learner=weft.Perceptron(max_iter=1)).fit(['GGGAAACCC'], ['(((...)))']); m.predict(['GAAAC'])"
LETTERS = ["A", "C", "G", "T"]
ALIGNER = (
    f"a = weft.Aligner.from_matrix(weft.SubstitutionMatrix({LETTERS}, 9 * np.eye(4) - 4, gap_open=-12, gap_extend=-1))"
    "; draw = np.random.default_rng(0); s = ''.join(draw.choice(list('ACGT'), 20_000))"
    "; t = ''.join(c for c in s if draw.random() < 0.9); t += s[: 20_000 - len(t)]"
    "; short = [(s[:50], t[:50])]; a.predict(short); a.predict_marginals(short); a.confidence(short)"
    "; a.predict_marginals(short, threshold=0.1); b = a.bind(short); b.log_partition_and_mean(a.weights_)"
)
SMALL = "weft.Tagger(weft.CRF(max_iter=1)).fit(['ab'], ['xy'])"
JSON = (
    "from weft.sequences.formats import read_jsonl; import io; "
    'read_jsonl(io.StringIO(\'{"tokens": [], "labels": []}\'))'
)
TOML = (
    "from pathlib import Path; import tempfile; from weft.apps.run_settings import read_settings; "
    "p = Path(tempfile.mkdtemp(), 'run.toml'); p.write_text('c2 = 1'); read_settings(p); p.write_text({text})"
)
WORDS = "X, y = [[f'w{{i}}' for i in range({n})]], [[f'l{{i}}' for i in range({n})]]"

CASES = {
    "fold 24,000 bases": Case(FOLDER, "m.predict(['ACGU' * 6000])"),
    "fit to 24,000 bases": Case(FOLDER, "weft.Folder().fit(['ACGU' * 6000], ['.' * 24_000])"),
    "all pairs of 20,000 x 20,000": Case(ALIGNER, "a.predict_marginals([(s, t)])"),
    "10 best of 20,000 x 20,000": Case(ALIGNER, "a.predict_kbest([(s, t)], 10)"),
    "100,000 labels": Case(f"{SMALL}; {WORDS.format(n=100_000)}", "weft.Tagger().fit(X, y)"),
    "100,000 classes": Case(
        "weft.SequenceSVC().fit(['a text', 'another'], ['x', 'y']); t = [f'text {i}' for i in range(100_000)]",
        "weft.SequenceSVC().fit(t, t)",
        seconds=10.0,
    ),
    "2,000 labels, order 2": Case(f"{SMALL}; {WORDS.format(n=2000)}", "weft.Tagger(order=2).fit(X, y)"),
    "2,000 labels, one iteration": Case(
        f"{SMALL}; {WORDS.format(n=2000)}", "weft.Tagger(weft.CRF(max_iter=1)).fit(X, y)", False, 60.0, 4000.0
    ),
    "align 20,000 x 20,000": Case(ALIGNER, "a.set_params(decode='best').predict([(s, t)])", False, 60.0),
    "mean of 20,000 x 20,000": Case(
        ALIGNER, "b = a.bind([(s, t)]); b.log_partition_and_mean(a.weights_)", False, 120.0
    ),
    "likely pairs of 20,000 x 20,000": Case(ALIGNER, "a.predict_marginals([(s, t)], threshold=0.1)", False, 120.0),
    "dot-bracket, 100,000 tabs": Case(
        "from weft.sequences.formats import read_dot_bracket; import io; read_dot_bracket(io.StringIO('GAC\\n(.)\\n'))",
        "read_dot_bracket(io.StringIO('GAC\\n...' + '\\t' * 100_000 + '1 2\\n'))",
    ),
    "TOML, dotted key of 80 kB": Case(TOML.format(text="'.'.join('a' * 40_000) + ' = 1'"), "read_settings(p)"),
    "TOML, integer of 5,000 digits": Case(TOML.format(text="'c2 = ' + '9' * 5000"), "read_settings(p)"),
    "TOML, 4,000 brackets": Case(TOML.format(text="'c2 = ' + '[' * 4000 + ']' * 4000"), "read_settings(p)"),
    "JSON, integer of 5,000 digits": Case(JSON, "read_jsonl(io.StringIO('{\"tokens\": ' + '1' * 5000 + '}'))"),
    "JSON, 100,000 brackets": Case(JSON, "read_jsonl(io.StringIO('[' * 100_000))"),
    "JSON, 1e400": Case(JSON, "read_jsonl(io.StringIO('{\"tokens\": [1e400]}'))"),
    "JSON, a key twice": Case(JSON, 'read_jsonl(io.StringIO(\'{"tokens": 1, "tokens": 2}\'))'),
    "feature of 10**400": Case(SMALL, "weft.Tagger().fit([[{'a': 10**400}]], [['x']])"),
    "weight of nan": Case(ALIGNER, "a.weights_[0] = np.nan; a.predict(short)"),
    "weight of 1e300": Case(ALIGNER, "a.weights_[0] = 1e300; a.confidence(short)"),
}

PROGRAM = """
import json, resource, sys, time, warnings
import numpy as np
import weft
from weft.core import memory
memory.free_memory = lambda: {free}
warnings.simplefilter("ignore")
{before}
most = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
memory_before, began = most(), time.process_time()
said = None
try:
    {code}
except weft.InputError as error:
    said = str(error)
print(json.dumps([time.process_time() - began, most() - memory_before, said]))
"""


def measure(case: Case) -> tuple[float, float, str | None]:
    """CPU seconds, megabytes and the refusal, if there was one."""
    program = PROGRAM.format(free=FREE, before=case.before, code=case.code)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    if done.returncode:
        return 0.0, 0.0, f"FAILED: {done.stderr.strip().splitlines()[-1]}"
    seconds, megabytes, said = json.loads(done.stdout.splitlines()[-1])
    return seconds, megabytes, said


def main() -> int:
    """Print one line for each case; 1 when one is not refused, or takes more than it may."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="CASE", help="those whose name begins like this; all if none")
    names = parser.parse_args().names
    n_wrong = 0
    for name, case in CASES.items():
        if names and not name.startswith(tuple(names)):
            continue
        seconds, megabytes, said = measure(case)
        is_right = (said is not None) == case.refused and not (said or "").startswith("FAILED")
        is_right &= seconds <= case.seconds and megabytes <= case.megabytes
        n_wrong += not is_right
        print(
            f"{name:<34}{seconds:8.2f} s {megabytes:6.0f} MB  {'' if is_right else 'WRONG '}{said or 'done'}",
            flush=True,
        )
    return min(n_wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
