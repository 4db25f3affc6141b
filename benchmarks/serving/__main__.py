"""A server under load, on the loopback: `python -m benchmarks.serving load | speed | costs | life`.

``load`` sends 100,000 requests of mixed kinds, one in ten of them bad, and compares every answer with the model called
in process; ``speed`` measures what a request costs beyond `predict` and what batches gain; ``costs`` holds what the
server estimates against what answers take; ``life`` replaces the model 100 times and kills workers meanwhile.
Everything is bounded, and nothing leaves this machine.
"""

from __future__ import annotations

import argparse
import sys
import warnings

from benchmarks.serving.costs import costs
from benchmarks.serving.life import life
from benchmarks.serving.load import load
from benchmarks.serving.speed import speed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serving", description=__doc__)
    parser.add_argument("what", choices=["load", "speed", "costs", "life"])
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--swaps", type=int, default=100)
    parser.add_argument("--kills", type=int, default=10)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.what == "load":
        return load(options.requests, options.clients, options.workers)
    if options.what == "life":
        return life(options.swaps, options.kills)
    return speed(options.repeat) if options.what == "speed" else costs(options.repeat)


if __name__ == "__main__":
    sys.exit(main())
