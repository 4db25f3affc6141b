"""From pairs to what a rewriter predicts by: symbols of both sides, pairs that can be learned, models that vote.

Only `Rewriter.fit` opens this file, so that no prediction passes through it.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from weft.arrays import Floats, Integers
from weft.errors import InputError, convergence_warning
from weft.estimators.inputs import generator
from weft.estimators.rewrite.calibrating import calibrate_forms, set_models
from weft.estimators.rewrite.efforts import plan_of
from weft.estimators.rewrite.inputs import (
    Side,
    as_outputs,
    checked_tags,
    choose_normal_form,
    normalised,
    repeat_inputs,
    with_tags,
)
from weft.estimators.rewrite.unknown import MOST_NAMED
from weft.rewriting.choice import WITH_TAGS, choose_chunks
from weft.rewriting.chunks.alignment import Pairs, allowed_steps, possible_pairs
from weft.rewriting.edits.two_ways import Edits
from weft.rewriting.tagged import COPY
from weft.rewriting.training import Settings
from weft.rewriting.tuning import HeldOut, hold_out_words
from weft.rewriting.voting import Voters, members, train_members, train_with_reranker


def learn_sides(rewriter: Any, X: Any, y: Any, tags: Any) -> tuple[list[Any], list[Any]]:
    """Give a rewriter the symbols of both sides, and return the sequences in their normal forms."""
    inputs, input_kind = as_outputs(X, "X")
    outputs, output_kind = as_outputs(y, "y")
    if len(inputs) != len(outputs):
        raise InputError(f"X has {len(inputs)} sequences but y has {len(outputs)}; each needs its own output.")
    rewriter.normal_form_, n_foreign = choose_normal_form(inputs, input_kind, rewriter.normal_form)
    form, n_foreign_outputs = choose_normal_form(
        outputs, output_kind, "NFC" if rewriter.normal_form == "auto" else rewriter.normal_form
    )
    _warn_of_forms((n_foreign, n_foreign_outputs), (rewriter.normal_form_, form))
    inputs, outputs = normalised(inputs, rewriter.normal_form_), normalised(outputs, form)
    rewriter.has_tags_ = tags is not None
    rewriter.copying_ = input_kind == output_kind and repeat_inputs(inputs, outputs)
    written = outputs
    if tags is not None:
        if rewriter.copying_:
            written = [*outputs, *inputs, [COPY]]
        inputs = with_tags(inputs, checked_tags(tags, len(inputs)))
    rewriter.input_side_ = Side.learn(inputs, input_kind, rewriter.normal_form_)
    rewriter.output_side_ = Side.learn(written, output_kind, form)
    return inputs, outputs


def set_sides(rewriter: Any, sides: tuple[Side, Side], n_foreign: tuple[int, int], copying: bool) -> None:
    """What `learn_sides` learns, of examples in parts."""
    rewriter.input_side_, rewriter.output_side_ = sides
    rewriter.normal_form_, rewriter.copying_, rewriter.has_tags_ = sides[0].form, copying, False
    _warn_of_forms(n_foreign, (sides[0].form, sides[1].form))


def learn(
    rewriter: Any,
    pairs: Pairs,
    settings: Settings,
    sample_weight: Floats | None,
    dev: tuple[Any, Any, Any],
    shown: Callable[[int], Any],
) -> None:
    """Give a rewriter models that have learned from pairs as numbers, the inputs of which `shown` gives.

    `dev` are inputs, outputs and tags to tune on; the inputs are None if there are none.
    """
    rewriter._n_examples = len(pairs)
    plan = plan_of(rewriter, len(pairs), rewriter.has_tags_)
    if rewriter.effort is not None and rewriter.verbose:
        print(plan.summary(rewriter.effort, len(pairs)), file=sys.stderr)
    learner = settings.learner if plan.learner is None else plan.learner
    settings = replace(settings, learner=learner, network=plan.network, language_model=plan.language_model)
    if rewriter.max_chunk is None:
        # By a seed of its own, so that the choice hangs on the data alone.
        chosen = WITH_TAGS if rewriter.has_tags_ else choose_chunks(pairs, np.random.default_rng(0), rewriter.n_jobs)
        settings = replace(settings, max_input=chosen[0], max_output=chosen[1])
    rewriter.max_chunk_ = (settings.max_input, settings.max_output)
    kept = _possible(rewriter, pairs, settings, plan.n_models, shown)
    random, n_symbols = generator(rewriter.random_state), len(rewriter.input_side_) + 1
    words = None if dev[0] is None else words_to_tune_on(rewriter, *dev)
    if words is None and rewriter.validation_fraction:
        learned, held_out = hold_out_words(pairs.select(kept), rewriter.validation_fraction, random)
        words = HeldOut.build(pairs.select(kept[held_out]))
        kept = kept[learned]
    if words is None and rewriter.patience is not None:
        raise InputError("patience needs held-out data; pass X_dev and y_dev or set validation_fraction.")
    pairs = pairs.select(kept)
    sample_weight = None if sample_weight is None else sample_weight[kept]
    input_names, output_names = (tuple(side.alphabet.symbols) for side in (rewriter.input_side_, rewriter.output_side_))
    scored = words if rewriter.validation_fraction or rewriter.patience is not None else None
    settings = replace(settings, input_names=input_names, output_names=output_names, scored=scored)
    if rewriter.has_tags_:
        settings = replace(settings, tagged=rewriter._tagged())
    options: Any = {"n_models": plan.n_models, "dev": words, "beam_width": rewriter.beam_width}

    def learned_from(some: Pairs, weights: Floats | None, verbose: int = 0) -> tuple[Voters, Edits | None]:
        own = {**options, "sample_weight": weights, "verbose": verbose}
        with warnings.catch_warnings():
            if rewriter.effort is not None:  # which has limited the iterations
                warnings.simplefilter("ignore", convergence_warning())
            if plan.rerank:
                voters = train_with_reranker(some, n_symbols, settings, random, n_parts=plan.rerank, **own)
            else:
                voters = train_members(some, n_symbols, settings, random, **own)
        if settings.tagged is None or not rewriter.copying_:
            return voters, None
        from weft.rewriting.edits.training import learn_both_ways

        return voters, learn_both_ways(some, settings.tagged, output_names, random, weights, rewriter.n_jobs)

    voters, edits = learned_from(pairs, sample_weight, rewriter.verbose)
    set_models(rewriter, voters, edits)
    if edits is not None:
        # Only now, so that nothing of what is predicted hangs on it.
        rewriter.calibration_ = calibrate_forms(rewriter, pairs, sample_weight, words, learned_from, random)
    trained = voters.trained
    rewriter.mixture_ = rewriter.models_[0].mixture
    rewriter.history_ = trained[0].history
    rewriter.alignment_history_ = trained[0].log_likelihoods
    rewriter.rare_ = kept[trained[0].rare].tolist()


def _possible(rewriter: Any, pairs: Pairs, settings: Settings, n_models: int, shown: Callable[[int], Any]) -> Integers:
    """Numbers of the pairs to learn from; the others are named."""
    steps = [allowed_steps(each.max_input, each.max_output) for each in members(settings, n_models)]
    possible = np.logical_and.reduce([possible_pairs(pairs, each) for each in steps])
    empty = (np.diff(pairs.input_offsets) == 0) | (np.diff(pairs.output_offsets) == 0)
    lost = np.flatnonzero(~possible).tolist()
    reason = f"more than {settings.max_output} output symbols for each input symbol"
    rewriter.skipped_ = [(i, "an empty side" if empty[i] else reason) for i in lost]
    if lost:
        named = "; ".join(f"X[{i}] ({_in_one(shown(i))[:20]!r}: {why})" for i, why in rewriter.skipped_[:MOST_NAMED])
        more = f" and {len(lost) - MOST_NAMED} more" if len(lost) > MOST_NAMED else ""
        text = f"{len(lost)} of {len(pairs)} pairs have no alignment: {named}{more}"
        if rewriter.invalid == "error" or len(lost) == len(pairs):
            raise InputError(f"{text}; fix them, raise max_chunk or use invalid='skip'.")
        warnings.warn(f"{text}; they are left out.", stacklevel=4)
    return np.flatnonzero(possible)


def words_to_tune_on(rewriter: Any, X_dev: Any, y_dev: Any, tags_dev: Any) -> HeldOut:
    """Held-out words as numbers, with all outputs that each may have."""
    inputs = rewriter._prepared(X_dev, tags_dev, "X_dev")
    outputs = normalised(as_outputs(y_dev, "y_dev")[0], rewriter.output_side_.form)
    if len(inputs) != len(outputs):
        raise InputError(f"X_dev has {len(inputs)} sequences but y_dev has {len(outputs)}; each needs its output.")
    if not any(map(len, inputs)):
        raise InputError("X_dev has empty sequences alone; give at least one with symbols, or no X_dev.")
    return HeldOut.build(Pairs(*rewriter.input_side_.encode(inputs), *rewriter.output_side_.encode(outputs)))


def _in_one(given: Any) -> str:
    """A string, or tokens as one."""
    return given if isinstance(given, str) else " ".join(map(str, given))


def _warn_of_forms(n_foreign: tuple[int, int], forms: tuple[str | None, str | None]) -> None:
    for what, count, chosen in zip(("inputs of X", "outputs of y"), n_foreign, forms, strict=True):
        if count:
            warnings.warn(
                f"{count} {what} are in another Unicode normal form than the others; all are taken "
                f"as {chosen}; set normal_form, or --normal-form, to choose.",
                stacklevel=4,
            )
