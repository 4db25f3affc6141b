"""Learn the weights of a grammar from three parsed sentences, and weigh two readings of a fourth."""

import re

import weft

GRAMMAR = """
S -> NP VP
VP -> V NP | VP PP
NP -> we | D N | NP PP
PP -> P NP
V -> saw | ate
D -> the
N -> man | telescope | pizza | fork | cheese
P -> with
"""
TREES = [
    "(S (NP we) (VP (V ate) (NP (NP (D the) (N pizza)) (PP (P with) (NP (D the) (N cheese))))))",
    "(S (NP we) (VP (VP (V ate) (NP (D the) (N pizza))) (PP (P with) (NP (D the) (N fork)))))",
    "(S (NP we) (VP (VP (V saw) (NP (D the) (N man))) (PP (P with) (NP (D the) (N telescope)))))",
]

if __name__ == "__main__":
    parser = weft.Parser(GRAMMAR, weft.CRF(c2=0.1)).fit([re.findall(r"(\w+)\)", tree) for tree in TREES], TREES)
    sentence = ["the", "man", "saw", "the", "pizza", "with", "the", "fork"]
    for tree, probability in parser.predict_kbest([sentence], 2)[0]:
        print(f"{probability:.2f} {tree}")
