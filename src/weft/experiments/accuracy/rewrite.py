"""Rows of `weft reproduce accuracy` on rewriting: pronunciation in 21 languages and CMUdict by effort, and forms.

What an effort stands for was chosen on held-out words of the training parts of Serbo-Croatian, Bulgarian, American
English, CMUdict and nine languages with few words, and on dev words of seven with 8,000 words; the languages that
`docs/project/decisions/left-out.md` names were not looked at. Here each learns from the train part alone; the published
baseline had the dev part to stop on. `best` takes long with 8,000 words a language: it has rows for 800 words, for the
two large sets, and for the languages that were left out. Phonetisaurus has its defaults.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from weft.datasets import LANGUAGES, load_g2p_cmudict, load_g2p_sigmorphon2021, load_inflection_sigmorphon2017
from weft.estimators.rewrite.efforts import planned
from weft.estimators.rewrite.rewriter import Rewriter
from weft.experiments.accuracy.rows import Row
from weft.experiments.kept_parts import kept
from weft.experiments.public_sets.inflection import BASELINE
from weft.experiments.public_sets.sigmorphon import PUBLISHED
from weft.metrics.calibration import expected_calibration_error, honest_calibration_error
from weft.model_file import save

Progress = Callable[[str], None]

LEFT_OUT = ("geo", "kor", "ice")
LEFT_OUT_FORMS, QUICK_FORMS = "navajo", "georgian"
"""The language whose forms were left out, and one for quick runs, which must not look at it."""
MEASURE = "words wrong in %"
PEER = "Phonetisaurus"
CHOSEN = "efforts were chosen on held-out training words and dev words of other sets or of this one, for all languages"
NEVER = "left out: nothing was chosen on it"
ASHBY = "Ashby et al. 2021, an ensemble of neural transition systems"
CMUDICT = "CMUdict"
PUBLISHED_CMUDICT, NEURAL = 21.3, "Rao et al. 2015, a recurrent network with an n-gram model"
BLANK = "\u2423"
"""In the place of blanks in words of the peer."""
QUICK = 220
"""Training words of a quick run."""


@dataclass(frozen=True)
class Result:
    """What one effort does on test words: how sure it is of each output, and whether that is right."""

    sure: list[float]
    right: list[bool]
    seconds: float
    n_pairs: int
    megabytes: float

    @property
    def wrong(self) -> float:
        """Words wrong in %."""
        return 100.0 * (1.0 - float(np.mean(self.right)))

    @property
    def calibration(self) -> float:
        """Expected calibration error."""
        return expected_calibration_error(self.sure, self.right)

    @property
    def honest(self) -> float:
        """What that would be on average if every confidence were true: of 100 words about 0.08."""
        return honest_calibration_error(self.sure)


def measured(effort: str, train: Sequence[Any], test: Sequence[Any], seed: int) -> Result:
    """Fit on inputs, outputs and perhaps tags; predict others, each of which may have several right outputs."""
    X, y, *tags = train
    inputs, wanted, *test_tags = test
    rewriter = Rewriter(effort=effort, random_state=seed, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # pairs without an alignment, letters and tags that are new
        began = time.process_time()
        rewriter.fit(X, y, tags=tags[0] if tags else None)
        ranked = rewriter.predict_kbest(inputs, 1, *test_tags)
        seconds = time.process_time() - began
    right = [found[0][0] in each for found, each in zip(ranked, wanted, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        save(rewriter, Path(folder, "model.weft"))
        megabytes = Path(folder, "model.weft").stat().st_size / 1e6
    return Result([found[0][1] for found in ranked], right, seconds, len(X), megabytes)


def kept_result(name: str, effort: str, train: Sequence[Any], test: Sequence[Any], seed: int) -> Result:
    """What `measured` gives, after loops are compiled, or what an earlier run has kept."""

    def make() -> dict[str, Any]:
        few = [each[:QUICK] for each in train]
        measured("fast", few, [each[:2] for each in test], seed)  # compiles
        return asdict(measured(effort, train, test, seed))

    return Result(**kept(f"accuracy, {name}", make))


def words_of(language: str, quick: bool) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Words and sounds of the train part, words and all their right sounds of the test part."""
    if language == CMUDICT:
        train, test = load_g2p_cmudict("train"), load_g2p_cmudict("test")
    else:
        train, test = (load_g2p_sigmorphon2021(language, part) for part in ("train", "test"))
    n = QUICK if quick else len(train.inputs)
    return (train.inputs[:n], train.outputs[:n]), (test.inputs[:n], test.references[:n])


def for_peer(word: str) -> str:
    """A word as Phonetisaurus can learn it: without blanks, and letters instead of Korean syllables.

    Its files end words at blanks, which Vietnamese words hold, and it aligns a symbol with at most two sounds.

    Examples
    --------
    >>> for_peer("a hoàn"), len(for_peer("한"))
    ('a␣hoàn', 3)
    """
    letters = (unicodedata.normalize("NFD", each) if "\uac00" <= each <= "\ud7a3" else each for each in word)
    return "".join(letters).replace(" ", BLANK)


def phonetisaurus(train: tuple[Any, Any], test: tuple[Any, Any]) -> tuple[float, float]:
    """Words wrong in %, and CPU seconds, of the package's own command."""
    command = shutil.which("phonetisaurus", path=str(Path(sys.executable).parent))
    if command is None:
        raise ImportError("phonetisaurus is not installed")

    def used() -> float:
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        return spent.ru_utime + spent.ru_stime

    began = used()
    with tempfile.TemporaryDirectory() as folder:
        lexicon, model = Path(folder, "lexicon.txt"), Path(folder, "model.fst")
        lines = [f"{for_peer(word)} {' '.join(sounds)}\n" for word, sounds in zip(*train, strict=True)]
        lexicon.write_text("".join(lines), encoding="utf-8")
        subprocess.run([command, "train", "--model", str(model), str(lexicon)], check=True, capture_output=True)
        words = "".join(f"{for_peer(word)}\n" for word in test[0])
        asked = [command, "predict", "--model", str(model)]
        answer = subprocess.run(asked, input=words, check=True, capture_output=True, encoding="utf-8")
    found: dict[str, list[str]] = {}
    for line in answer.stdout.splitlines():
        word, *sounds = line.split()
        found.setdefault(word, sounds)
    wrong = [found.get(for_peer(word), []) not in map(list, right) for word, right in zip(*test, strict=True)]
    return 100.0 * float(np.mean(wrong)), used() - began


def efforts_of(language: str, level: str) -> tuple[str, ...]:
    """Efforts that are measured: best takes long with 8,000 words, so only for a language that was left out."""
    return ("fast", "balanced", "best") if level != "medium" or language in LEFT_OUT else ("fast", "balanced")


def row_of(data: str, effort: str, result: Result, origin: str, **more: Any) -> Row:
    """One effort on one set."""
    plan = planned(effort, result.n_pairs, data.startswith("forms"))
    settings = plan.summary(effort, result.n_pairs).removesuffix(".") + f", {result.megabytes:.1f} MB"
    more |= {"calibration": result.calibration, "honest": result.honest, "method": f"weft, {effort}"}
    return Row(data, MEASURE, result.wrong, result.seconds, settings, origin, **more)


def rows_of_language(
    language: str, level: str, quick: bool, seed: int, progress: Progress, results: dict[str, list[Result]]
) -> list[Row]:
    """All efforts on one language, and the peer; what each effort does is added to `results`."""
    train, test = words_of(language, quick)
    peer: dict[str, Any] = {}
    try:
        progress(f"{language}: {PEER}")
        theirs = kept(f"accuracy, {language}, {PEER}", lambda: phonetisaurus(train, test))
        peer = dict(zip(("peer", "peer_score", "peer_seconds"), (PEER, *theirs), strict=True))
    except ImportError as error:
        progress(f"{language}: {error}")
    found: list[Row] = []
    for effort in efforts_of(language, level)[: 2 if quick else None]:
        progress(f"{language}: {effort}")
        origin = NEVER if language in LEFT_OUT else CHOSEN
        result = kept_result(f"{language}, {effort}", effort, train, test, seed)
        results.setdefault(effort, []).append(result)
        more = peer if effort == "fast" else {}
        if language == CMUDICT:
            more = {**more, "published": PUBLISHED_CMUDICT, "source": NEURAL}
        found.append(row_of(language, effort, result, origin, **more))
        progress(f"{language}: {effort}: {result.wrong:.2f} % wrong, calibration error {result.calibration:.3f}")
    return found


def row_of_forms(quick: bool, seed: int, progress: Progress) -> Row:
    """Lemmas and tags to forms, in the language that was left out; all efforts are one there."""
    language = QUICK_FORMS if quick else LEFT_OUT_FORMS
    progress(f"forms of {language}")
    train, test = (load_inflection_sigmorphon2017(language, part) for part in ("train-medium", "test"))
    n = QUICK if quick else len(train.lemmas)
    result = kept_result(
        f"forms of {language}",
        "fast",
        (train.lemmas[:n], train.forms[:n], train.tags[:n]),
        (test.lemmas[:n], [[form] for form in test.forms[:n]], test.tags[:n]),
        seed,
    )
    published = 100.0 - BASELINE["medium"][language]
    source = "the rules of the baseline of CoNLL-SIGMORPHON 2017"
    origin = NEVER if language == LEFT_OUT_FORMS else "defaults"
    return row_of(f"forms of {language}", "fast", result, origin, published=published, source=source)


def means(level: str, results: dict[str, list[Result]]) -> list[Row]:
    """For each effort that all languages have: the mean of their errors, and the calibration of all their words."""
    found = []
    for effort, own in results.items():
        if len(own) == len(LANGUAGES[level]):
            words = Result([p for each in own for p in each.sure], [r for each in own for r in each.right], 0.0, 0, 0.0)
            wrong, seconds = (
                float(np.mean(values)) for values in zip(*((r.wrong, r.seconds) for r in own), strict=True)
            )
            settings, origin = f"mean of {len(own)} languages; calibration of all their words", "as each of them"
            more: Any = {
                "calibration": words.calibration,
                "honest": words.honest,
                "published": PUBLISHED[level],
                "source": ASHBY,
                "method": f"weft, {effort}",
            }
            name = f"{level}, {len(own)} languages"
            found.append(Row(name, MEASURE, wrong, seconds, settings, origin, **more))
    return found


def rows(quick: bool, seed: int, progress: Progress) -> list[Row]:
    """21 languages and CMUdict by effort, means over languages, and forms; a quick run takes one small part."""
    found: list[Row] = []
    for level in ("low",) if quick else ("high", "medium", "low"):
        results: dict[str, list[Result]] = {}
        for language in ("rum",) if quick else LANGUAGES[level]:
            found += rows_of_language(language, level, quick, seed, progress, results)
        found += means(level, results)
    if not quick:
        found += rows_of_language(CMUDICT, "high", quick, seed, progress, {})
    return [*found, row_of_forms(quick, seed, progress)]
