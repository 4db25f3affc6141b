"""What a model file keeps of a rewriter."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.checkpoint import pack_symbols, unpack_symbols
from weft.estimators.rewrite_inputs import Side
from weft.estimators.rewrite_network import allowed_labels
from weft.estimators.rewrite_reranking import Reranker
from weft.estimators.rewrite_spectral import SpectralRewriteModel
from weft.estimators.tagger import Tagger
from weft.language_model import NGramLanguageModel
from weft.sequences.alphabet import Alphabet
from weft.sequences.window import WindowFeatures
from weft.structures.candidate_chain import CandidateChain
from weft.structures.contexts import Contexts, View
from weft.structures.recurrent_network import Networks, NetworkShape
from weft.structures.rewrite_model import RewriteModel

__all__ = ["rewriter_from_state", "rewriter_to_state"]

Arrays = dict[str, NDArray[Any]]
PACKED = ("data", "offsets", "kinds")
CHAIN = ("first", "labels", "classes", "trait_offsets", "traits", "entry_offsets", "entry_places")
NGRAM_MODELS = ("joint", "language_model", "tier")
RERANKER = ("tiers", "vowels", "keys", "weights")
MODEL = ("weights", "label_offsets", "label_symbols")


def rewriter_to_state(rewriter: Any) -> tuple[dict[str, Any], Arrays]:
    """Plain values and arrays of a fitted rewriter."""
    arrays: Arrays = {}
    state: dict[str, Any] = {
        "normal_form": rewriter.normal_form_,
        "has_tags": rewriter.has_tags_,
        "skipped": rewriter.skipped_,
        "rare": rewriter.rare_,
        "history": rewriter.history_,
        "alignment_history": rewriter.alignment_history_,
        "models": [],
    }
    for name, side in (("input", rewriter.input_side_), ("output", rewriter.output_side_)):
        state[name] = {"kind": side.kind, "form": side.form}
        packed: tuple[NDArray[Any], ...] = pack_symbols(side.alphabet.symbols)
        arrays.update({f"{name}.{key}": array for key, array in zip(PACKED, packed, strict=True)})
    for number, model in enumerate(rewriter.models_):
        facts, own = _model_to_state(model)
        state["models"].append(facts)
        arrays.update({f"model{number}.{key}": array for key, array in own.items()})
    reranker = rewriter.reranker_
    state["reranks"] = reranker is not None
    if reranker is not None:
        arrays.update({f"reranker.{name}": getattr(reranker, name) for name in RERANKER})
    return state, arrays


def _model_to_state(model: RewriteModel) -> tuple[dict[str, Any], Arrays]:
    arrays: Arrays = {}
    for owner, names in ((model.chain, CHAIN), (model, MODEL)):
        for name in names:
            arrays[name] = np.asarray(getattr(owner, name))
    views = []
    for number, contexts in enumerate(model.chain.contexts):
        view = contexts.view
        views.append({"width": view.width, "radius": view.radius, "has_roots": view.roots is not None})
        arrays[f"view{number}.keys"] = contexts.keys
        arrays[f"view{number}.classes"] = view.classes
        arrays[f"view{number}.roots"] = view.middle
    facts: dict[str, Any] = {"mixture": list(model.mixture), "backwards": model.backwards, "views": views}
    for name in NGRAM_MODELS:
        part = getattr(model, name)
        if part is not None:
            inner, own = part._to_state()
            facts[name] = {"parameters": part.get_params(), "state": inner}
            arrays.update({f"{name}.{key}": array for key, array in own.items()})
    for name, numbers in (("language_numbers", model.language_numbers), ("tier_numbers", model.tier_numbers)):
        if numbers is not None:
            arrays[name] = numbers
    if model.network is not None:
        facts["network"] = asdict(model.network.shape)
        arrays["network.weights"] = model.network.weights
        arrays["network.traits"] = model.network.traits
    if isinstance(model, SpectralRewriteModel):
        inner, own = model.tagger._to_state()
        features = model.tagger.features
        facts["tagger"] = {"window": None if features is None else features.width, "state": inner}
        arrays.update({f"tagger.{key}": array for key, array in own.items()})
    return facts, arrays


def rewriter_from_state(rewriter: Any, state: dict[str, Any], arrays: Arrays) -> None:
    """Set what `rewriter_to_state` gave."""
    for name in ("normal_form", "has_tags", "rare", "history", "alignment_history"):
        setattr(rewriter, f"{name}_", state[name])
    rewriter.skipped_ = [tuple(each) for each in state["skipped"]]
    for name in ("input", "output"):
        symbols = unpack_symbols(*(arrays[f"{name}.{key}"] for key in PACKED))
        setattr(rewriter, f"{name}_side_", Side(state[name]["kind"], Alphabet(symbols), state[name]["form"]))
    rewriter.models_ = []
    for number, facts in enumerate(state["models"]):
        rewriter.models_.append(_model_from_state(facts, _part(arrays, f"model{number}")))
    rewriter.mixture_ = rewriter.models_[0].mixture
    rewriter.reranker_ = None
    if state.get("reranks"):
        tiers, vowels, keys, weights = (arrays[f"reranker.{name}"] for name in RERANKER)
        if len(weights) != len(keys) + 1:
            raise ValueError("weights and features of the reranker do not fit each other")
        rewriter.reranker_ = Reranker(tiers, vowels, keys, weights)


def _model_from_state(facts: dict[str, Any], arrays: Arrays) -> RewriteModel:
    contexts = []
    for number, facts_of_view in enumerate(facts["views"]):
        keys, classes, roots = (arrays[f"view{number}.{name}"] for name in ("keys", "classes", "roots"))
        view = View(
            int(facts_of_view["width"]),
            int(facts_of_view["radius"]),
            classes,
            roots if facts_of_view["has_roots"] else None,
        )
        contexts.append(Contexts(view, keys))
    first, labels, classes, trait_offsets, traits, entry_offsets, entry_places = (arrays[name] for name in CHAIN)
    chain = CandidateChain(first, labels, classes, trait_offsets, traits, tuple(contexts), entry_offsets, entry_places)
    if len(arrays["weights"]) != chain.n_features or entry_offsets[-1] != len(entry_places):
        raise ValueError("weights and contexts do not fit each other")
    parts: dict[str, Any] = {}
    for name in NGRAM_MODELS:
        if name in facts:
            part = NGramLanguageModel(**facts[name]["parameters"])
            part._from_state(facts[name]["state"], _part(arrays, name))
            parts[name] = part
    chain_weight, joint_weight, language_weight, tier_weight, *network_weight = facts["mixture"]
    weights, label_offsets, label_symbols = (arrays[name] for name in MODEL)
    everything: Any = (
        chain,
        weights,
        label_offsets,
        label_symbols,
        parts["joint"],
        (chain_weight, joint_weight, language_weight, tier_weight, network_weight[0] if network_weight else 0.0),
        facts["backwards"],
        parts.get("language_model"),
        arrays.get("language_numbers"),
        parts.get("tier"),
        arrays.get("tier_numbers"),
        _network(facts["network"], arrays, chain) if "network" in facts else None,
    )
    if "tagger" not in facts:
        return RewriteModel(*everything)
    window = facts["tagger"]["window"]
    model = SpectralRewriteModel(*everything)
    model.tagger = Tagger(features=None if window is None else WindowFeatures(window, window))
    model.tagger._from_state(facts["tagger"]["state"], _part(arrays, "tagger"))
    return model


def _network(facts: dict[str, Any], arrays: Arrays, chain: CandidateChain) -> Networks:
    shape = NetworkShape(**{name: int(value) for name, value in facts.items()})
    weights, traits = arrays["network.weights"], arrays["network.traits"]
    if weights.ndim != 2 or weights.shape[1] != shape.n_weights or traits.shape != (shape.n_labels, shape.n_traits):
        raise ValueError("weights and shape of the network do not fit each other")
    return Networks(shape, weights, allowed_labels(chain, shape.n_labels), traits)


def _part(arrays: Arrays, name: str) -> Arrays:
    """Arrays whose name begins with that of a part, without it."""
    prefix = f"{name}."
    return {key.removeprefix(prefix): array for key, array in arrays.items() if key.startswith(prefix)}
