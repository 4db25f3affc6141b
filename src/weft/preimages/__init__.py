"""From a predicted point back to a string: Euler paths, nearest strings, Viterbi decoding, candidates."""

from weft.preimages.candidates import nearest_candidates
from weft.preimages.euler import DeBruijnGraph
from weft.preimages.euler_decoder import EulerDecoder, RankedPaths
from weft.preimages.gram_space import GramSpace
from weft.preimages.nearest import NearestStrings, nearest_strings
from weft.preimages.thresholds import discretize, fit_thresholds
from weft.preimages.viterbi import choose_weight, viterbi_strings
from weft.spelling import suggest_names

__all__ = [
    "DeBruijnGraph",
    "EulerDecoder",
    "GramSpace",
    "NearestStrings",
    "RankedPaths",
    "choose_weight",
    "discretize",
    "fit_thresholds",
    "nearest_candidates",
    "nearest_strings",
    "viterbi_strings",
]

suggest_names(__name__)
