"""Find out which letters make which sounds, from words and sounds that nobody has aligned."""

import weft
from weft.datasets import load_lexicon


def main(n_words=800):
    lexicon = load_lexicon()
    pairs = [(word, sounds[0]) for word, sounds in zip(lexicon.inputs, lexicon.references, strict=True)]
    pairs = [pair for pair in pairs if len(pair[1]) <= len(pair[0])]  # no abbreviations
    aligner = weft.ChunkAligner(max_chunk=2).fit(pairs[:: max(1, len(pairs) // n_words)])
    words = {"knight": "N AY T", "phone": "F OW N", "thing": "TH IH NG"}
    for path in aligner.predict([(word, sounds.split()) for word, sounds in words.items()]):
        print("  ".join(f"{''.join(letters)}:{'+'.join(sounds) or '-'}" for letters, sounds in path))
    best = sorted(aligner.chunk_probabilities_.items(), key=lambda item: -item[1])
    print([("".join(letters), " ".join(sounds)) for (letters, sounds), _ in best if len(letters) == 2][:8])


if __name__ == "__main__":
    main()
