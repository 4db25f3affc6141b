"""More about large data: what hashing costs, workers that are killed, a gigabyte of text (`benchmarks.scale` asks)."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.measure import peak_memory_mb
from weft.kinds.terminal import console_and_table

HASHED = (None, 2**22, 2**18, 2**16, 2**14)


def hashing(n_sentences: int | None = None, n_iterations: int = 20) -> int:
    """Chunk F1 on CoNLL-2000 with names of attributes, and with fewer and fewer columns for their hashes."""
    import weft
    from weft.metrics import chunk_scores

    warnings.simplefilter("ignore")
    train, test = ([*each][:n_sentences] for each in data.conll2000())
    console, table = console_and_table("columns", "weights", "F1", "token accuracy", "model MB", "fit CPU s")
    for n_features in HASHED:
        features = weft.WindowFeatures(width=2, ngrams=2, affixes=3, shape=True)
        tagger = weft.Tagger(weft.CRF(c2=1.0, max_iter=n_iterations), features, n_features=n_features, pairs="observed")
        X, y = ([[row[:-1] for row in each] for each in train], [[row[-1] for row in each] for each in train])
        began = time.process_time()
        tagger.fit(X, y)
        taken = time.process_time() - began
        wanted = [[row[-1] for row in each] for each in test]
        found = tagger.predict([[row[:-1] for row in each] for each in test])
        right = sum(a == b for own, guess in zip(wanted, found, strict=True) for a, b in zip(own, guess, strict=True))
        with tempfile.TemporaryDirectory() as folder:
            weft.save(tagger, Path(folder, "m.weft"))
            size = Path(folder, "m.weft").stat().st_size / 1e6
        table.add_row(
            "names" if n_features is None else f"{n_features:,}",
            f"{len(tagger.weights_):,}",
            f"{100 * chunk_scores(wanted, found).f1:.2f}",
            f"{100 * right / sum(map(len, wanted)):.2f}",
            f"{size:.1f}",
            f"{taken:.1f}",
        )
    console.print(table)
    return 0


def kills(n_fits: int, n_tokens: int) -> int:
    """Fits on two workers, one of which is killed at a random moment of each; 1 if a model differs."""
    import weft
    from benchmarks.scale import read, write_tokens
    from weft.scale import Examples, connected

    warnings.simplefilter("ignore")
    draw = random.Random(0)
    with tempfile.TemporaryDirectory() as name:
        path, model = Path(name, "train.conll"), Path(name, "m.weft")
        written = write_tokens(path, n_tokens)

        def fitted(**where: Any) -> bytes:
            features = weft.WindowFeatures(width=1, ngrams=1)
            tagger = weft.Tagger(weft.CRF(c2=1.0, max_iter=15), features, min_count=2, n_jobs=1)
            weft.save(tagger.fit(Examples.from_files(path, read, cut="blank lines"), **where), model)
            return model.read_bytes()

        wanted = fitted()
        equal = killed = 0
        usual = 0.0
        while killed < n_fits:
            with connected(workers=2) as client:  # a new one each time: Dask does not always replace who is killed
                for _ in range(1 if usual else 2):  # the first one compiles
                    began = time.monotonic()
                    assert fitted(client=client) == wanted
                    usual = time.monotonic() - began
                victim, moment = draw.choice(sorted(client.run(os.getpid).values())), draw.uniform(0.0, usual)
                killer = threading.Timer(moment, os.kill, (victim, signal.SIGKILL))
                killer.start()
                began = time.monotonic()
                same = fitted(client=client) == wanted
                taken = time.monotonic() - began
                if taken < moment:  # this one was quicker than usual
                    killer.cancel()
                    continue
                killer.join()
            killed, equal = killed + 1, equal + same
            told = f"{'equal' if same else 'another'} model after {taken:.1f} s"
            print(f"fit {killed} of {written:,} tokens: a worker killed after {moment:.1f} of {usual:.1f} s; {told}")
    print(f"{equal} of {n_fits} models are equal byte for byte")
    return int(equal < n_fits)


def repeated(n_tokens: int, n_times: int) -> int:
    """Iterations over shards in files, and over the same shards many times: what more data cost once they are there.

    Reading and encoding tens of millions of tokens takes many times longer than an iteration; here they are encoded
    once, and the files copied.
    """
    import weft
    from benchmarks.scale import MIN_COUNT, read, write_tokens
    from weft.estimators.parted_fit import batch_of_parts
    from weft.scale import Examples
    from weft.scale.shard_files import MANIFEST

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written = write_tokens(folder / "train.conll", n_tokens)
        learner = weft.CRF(c2=1.0, max_iter=3)
        features = weft.WindowFeatures(width=2, ngrams=2, affixes=3, shape=True)
        tagger = weft.Tagger(learner, features, min_count=MIN_COUNT, n_jobs=2)
        examples = Examples.from_files(folder / "train.conll", read, cut="blank lines")

        def batch(place: str) -> Any:
            return batch_of_parts(tagger, examples, tagger._part_maker(learner), None, folder / place)[1]

        once = batch("once")
        content = json.loads((folder / "once" / MANIFEST).read_text())
        shutil.copytree(folder / "once", folder / "often")
        for number in range(1, n_times):
            for path in (folder / "once").glob("shards-*"):
                shutil.copy(path, folder / "often" / f"{path.name}-{number}")
        copies = [
            {**shard, "file": shard["file"] + (f"-{number}" if number else "")}
            for number in range(n_times)
            for shard in content["shards"]
        ]
        (folder / "often" / MANIFEST).write_text(json.dumps({**content, "shards": copies}))
        often = batch("often")
        weights = 0.1 * np.random.default_rng(0).normal(size=once.n_features)
        once.log_partition_and_mean(weights)
        taken: dict[str, list[float]] = {"once": [], "often": []}
        for _ in range(3):
            for label, each in (("once", once), ("often", often)):
                began = time.process_time()
                each.log_partition_and_mean(weights)
                taken[label].append(time.process_time() - began)
        one, many = min(taken["once"]), min(taken["often"])
        print(
            f"{written:,} tokens: {one:.2f} CPU s a question; {written * n_times:,}: {many:.2f}, per token "
            f"{many / one / n_times:.3f} of that, peak {peak_memory_mb():,.0f} MB"
        )
    return 0


def write_stories(path: Path, megabytes: float) -> int:
    """Write Reuters again and again, in each copy one letter of fifty another one; the number of texts."""
    from weft.datasets import load_reuters21578

    stories = [
        (f"{story.title} {story.body}".translate({34: " ", 92: " "} | dict.fromkeys(range(32), " ")), story.topics)
        for story in load_reuters21578("train")
    ]
    texts = [text.encode("ascii", "replace") for text, _ in stories]
    labels = ["earn" if "earn" in topics else "other" for _, topics in stories]
    ends = np.cumsum([len(text) for text in texts]).tolist()
    clean = np.frombuffer(b"".join(texts), dtype=np.uint8)
    is_letter = ((clean | 32) >= ord("a")) & ((clean | 32) <= ord("z"))
    noise, n_texts = np.random.default_rng(0), 0
    with path.open("wb") as file:
        while file.tell() < megabytes * 1e6:
            letters = noise.integers(ord("a"), ord("z") + 1, size=len(clean), dtype=np.uint8)
            changed = is_letter & (noise.random(len(clean), dtype=np.float32) < 0.02)
            copy = np.where(changed, letters, clean).tobytes()
            for begin, end, label in zip([0, *ends[:-1]], ends, labels, strict=True):
                file.write(b'{"text": "%s", "label": "%s"}\n' % (copy[begin:end], label.encode()))
                n_texts += 1
                if file.tell() >= megabytes * 1e6:
                    break
    return n_texts


def text(megabytes: float, options: list[str]) -> int:
    """`weft train classify --spill` on Reuters with noise; time, memory, and what the model is worth on clean text."""
    import weft
    from weft.datasets import load_reuters21578

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        n_texts = write_stories(folder / "texts.jsonl", megabytes)
        size = (folder / "texts.jsonl").stat().st_size
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.perf_counter()
        command = [sys.executable, "-m", "weft", "train", "classify", str(folder / "texts.jsonl"), "--json"]
        command += ["--kernel", "ngram"]
        command += ["-o", str(folder / "m.weft"), "--spill", str(folder / "spill"), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            print(done.stderr[-2000:], file=sys.stderr)
            return 1
        facts = json.loads(done.stdout)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        spilled = sum(each.stat().st_size for each in (folder / "spill").iterdir())
        svc = weft.load(folder / "m.weft")
        stories = load_reuters21578("test")
        right = svc.score(
            [f"{story.title} {story.body}" for story in stories],
            ["earn" if "earn" in story.topics else "other" for story in stories],
        )
        ended = "max_iter" if "max_iter" in done.stderr else "the gap that was asked for"
        print(
            f"{size / 1e6:,.0f} MB, {n_texts:,} texts, {facts['features']:,} features, {spilled / 1e6:,.0f} MB of "
            f"files, {facts['passes']} passes to {ended}: {cpu:.0f} CPU s, {time.perf_counter() - began:.0f} s, peak "
            f"{after.ru_maxrss / 1e3:,.0f} MB; accuracy on clean test stories {100 * right:.2f} %"
        )
    return 0
