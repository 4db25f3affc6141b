"""Files that somebody damaged or made by hand, for everything that reads files: `make fuzz`.

A case is made from valid files by its number alone: bytes flipped, parts cut out, doubled, moved and repeated, words of
the format and odd numbers put in. Each must be read, or refused with one line of weft's own, within `SECONDS` of
processor time and `MEGABYTES` of memory. What is not is kept below `corpus/`, and an ordinary test reads it ever after.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import mmap
import os
import random
import resource
import signal
import struct
import sys
import time
import traceback
import warnings
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from readers import READERS, Reader

from weft.errors import WeftError

CORPUS = Path(__file__).parent / "corpus"
SECONDS, MEGABYTES = 2.0, 500.0
LONGEST_LINE = 2000
"""Characters of a message."""
A_CHILD = 2000
"""Cases that one process looks at."""
LIMIT = 4 * 2**30
ENDLESS = 20.0
"""Seconds after which a case is stopped."""
NUMBERS = (b"0", b"-1", b"1e400", b"-1e308", b"NaN", b"2147483648", b"1" * 400, b"9" * 5000, b"0x" + b"f" * 5000)
TEXTS = (b"", b"\0", b"\r", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", "é\u2028𝔘".encode(), b'"', b"'", b"\\", b"\t")
CHANGES = ("flip", "byte", "cut", "end", "double", "move", "splice", "word", "word", "text", "number", "many")
DIGITS = b"0123456789"


def mutated(name: str, number: int) -> bytes:
    """The case of this number: some changes to one of the valid files, or to none."""
    reader = READERS[name]
    dice = random.Random(f"{name}/{number}")
    content = dice.choice(reader.seeds)
    for _ in range(min(1 + int(dice.expovariate(0.5)), 12)):
        content = _changed(content, reader, dice)
    return content


def _changed(content: bytes, reader: Reader, dice: random.Random) -> bytes:
    """The file after one change."""
    begin, end = sorted((dice.randint(0, len(content)), dice.randint(0, len(content))))
    head, part, tail = content[:begin], content[begin:end], content[end:]
    match dice.choice(CHANGES):
        case "flip" if content:
            place = dice.randrange(len(content))
            return content[:place] + bytes([content[place] ^ 1 << dice.randrange(8)]) + content[place + 1 :]
        case "byte":
            return content[:begin] + bytes([dice.randrange(256)]) + content[begin + dice.randrange(2) :]
        case "cut":
            return head + tail
        case "end":
            return head
        case "double":
            return head + part * 2 + tail
        case "move":
            return head + tail + part
        case "splice":
            other = dice.choice(reader.seeds)
            return head + other[dice.randint(0, len(other)) :]
        case "word":
            return head + dice.choice(reader.words or TEXTS) + content[begin:]
        case "text":
            return head + dice.choice(TEXTS) + content[begin:]
        case "number":
            places = [place for place, byte in enumerate(content) if byte in DIGITS] or [begin]
            place = dice.choice(places)
            return content[:place] + dice.choice(NUMBERS) + content[place + 1 :]
        case "many" if dice.random() < 0.05:  # long ones take time, and few of them tell all there is to tell
            what = dice.choice((part[:20], *reader.words, *TEXTS))
            return head + what * (dice.choice((1_000, 100_000)) // max(len(what), 1)) + tail
    return content


@dataclass
class Seen:
    """What came of the cases of a reader."""

    cases: int = 0
    seconds: float = 0.0
    megabytes: float = 0.0
    findings: list[tuple[int, str]] = field(default_factory=list)

    def add(self, other: Seen) -> None:
        """Join what came of more cases."""
        self.cases += other.cases
        self.seconds = max(self.seconds, other.seconds)
        self.megabytes = max(self.megabytes, other.megabytes)
        self.findings += other.findings


def _place(error: Exception) -> str:
    at = traceback.extract_tb(error.__traceback__)[-1]
    return f" at {Path(at.filename).name}:{at.lineno}: {at.line}"


def fault(reader: Reader, content: bytes) -> tuple[str | None, float, float]:
    """What is wrong with how a file is read, the processor time, and by how many megabytes the process grew."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    wrong = None
    try:
        reader.read(content)
    except WeftError as error:
        if "\n" in str(error) or len(str(error)) > LONGEST_LINE:
            wrong = f"no single short line{_place(error)}"
    except Exception as error:
        wrong = f"{type(error).__name__}{_place(error)}"
    seconds = time.process_time() - start
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    if wrong is None and seconds > SECONDS:
        wrong = f"{seconds:.1f} s"
    if wrong is None and grown > MEGABYTES:
        wrong = f"{grown:.0f} MB"
    return wrong and " ".join(wrong.split()), seconds, grown


def _too_long(*_: Any) -> None:
    raise TimeoutError(f"still at work after {ENDLESS:.0f} s")


def _child(name: str, numbers: range, deadline: float, place: mmap.mmap) -> Seen:
    """Cases in this process; `place` says which one is read, should it be the last."""
    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))
    signal.signal(signal.SIGVTALRM, _too_long)
    warnings.simplefilter("ignore")
    seen = Seen()
    for number in numbers:
        if time.monotonic() > deadline:
            break
        place[:8] = struct.pack("q", number)
        signal.setitimer(signal.ITIMER_VIRTUAL, ENDLESS)
        wrong, seconds, grown = fault(READERS[name], mutated(name, number))
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        seen.add(Seen(1, seconds, grown, [(number, wrong)] if wrong else []))
        if grown > MEGABYTES / 10:  # the next process begins small again, so that growth shows
            break
    return seen


def look_at(name: str, numbers: range, deadline: float = float("inf")) -> Seen:
    """Read the cases of these numbers in a process of their own, until the deadline."""
    seen, at = Seen(), numbers.start
    while at < numbers.stop and time.monotonic() < deadline:
        chosen = range(at, min(at + A_CHILD, numbers.stop))
        place, (reading, writing) = mmap.mmap(-1, 8), os.pipe()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                with os.fdopen(writing, "w") as report:
                    json.dump(astuple(_child(name, chosen, deadline, place)), report)
                status = 0
            finally:
                os._exit(status)
        os.close(writing)
        with os.fdopen(reading) as report:
            text = report.read()
        _, status = os.waitpid(child, 0)
        if status:  # the case that it was at is the one
            [number] = struct.unpack("q", place[:8])
            seen.add(Seen(number + 1 - at, 0.0, 0.0, [(number, f"the process ended with {status}")]))
            at = number + 1
        else:
            seen.add(found := Seen(*json.loads(text)))
            at += found.cases or len(chosen)
    return seen


def keep(name: str, number: int, corpus: Path = CORPUS) -> Path:
    """Put a case where a test finds it."""
    content = mutated(name, number)
    folder = corpus / name.replace(" ", "-")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / hashlib.sha256(content).hexdigest()[:16]
    path.write_bytes(content)
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="over all readers")
    parser.add_argument("--cases", type=int, default=10**9, help="of each reader, if there is time")
    parser.add_argument("--seed", type=int, default=0, help="number of the first case")
    parser.add_argument("--reader", action="append", choices=list(READERS), help="only this one")
    arguments = parser.parse_args()
    left = arguments.reader or list(READERS)
    end = time.monotonic() + arguments.seconds
    n_wrong = 0
    while left:
        name, *left = left
        start = time.monotonic()
        for seed in READERS[name].seeds:  # what is imported when first asked for, before the others are forked
            READERS[name].read(seed)
        share = start + (end - start) / (1 + len(left))
        seen = look_at(name, range(arguments.seed, arguments.seed + arguments.cases), share)
        print(
            f"{name}: {seen.cases:,} cases from {arguments.seed}, {len(seen.findings)} findings; at most "
            f"{seen.seconds:.2f} s and {seen.megabytes:.0f} MB ({time.monotonic() - start:.0f} s)",
            flush=True,
        )
        n_wrong += len(seen.findings)
        for what in sorted({wrong for _, wrong in seen.findings})[:20]:
            number = next(number for number, wrong in seen.findings if wrong == what)
            print(f"  case {number}: {what}\n    kept as {keep(name, number).relative_to(CORPUS.parent)}", flush=True)
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
