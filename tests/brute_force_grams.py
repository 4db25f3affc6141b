"""Features by enumeration: dictionaries from grams to weights, written for clarity."""

from collections import Counter, defaultdict
from itertools import combinations, product


def ngrams(text, n):
    return Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1))


def gappy(text, n, decay, max_gap=None):
    found = defaultdict(float)
    for chosen in combinations(range(len(text)), n):
        skipped = chosen[-1] - chosen[0] + 1 - n
        if max_gap is None or skipped <= max_gap:
            found[tuple(text[i] for i in chosen)] += decay**skipped
    return found


def mismatches(text, n, m, alphabet):
    found = Counter()
    for window, count in ngrams(text, n).items():
        for gram in product(alphabet, repeat=n):
            if sum(a != b for a, b in zip(window, gram, strict=True)) <= m:
                found[gram] += count
    return found


def gapped_kmers(text, g, k):
    found = Counter()
    for window, count in ngrams(text, g).items():
        for chosen in combinations(range(g), k):
            found[tuple(window[i] if i in chosen else "·" for i in range(g))] += count
    return found


def inner(left, right):
    return sum(weight * right[gram] for gram, weight in left.items() if gram in right)


def in_lattice(strings, features):
    """Expected features of weighted strings."""
    found = defaultdict(float)
    for text, weight in strings.items():
        for gram, value in features(text).items():
            found[gram] += weight * value
    return found
