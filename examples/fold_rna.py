"""Learn to fold RNA from a few hairpins, then ask how sure the model is."""

import weft

SEQUENCES = ["GGGAAACCC", "GCGCAAAAGCGC", "GGCUAAAAGCC", "AGGCAAAAGCCA", "GACGAAAACGUC", "AAGGGAAAACCCAA"]
STRUCTURES = ["(((...)))", "((((....))))", "((((...))))", ".(((....))).", "((((....))))", "..(((....))).."]


def main():
    folder = weft.Folder(learner=weft.CRF(c2=0.1)).fit(SEQUENCES, STRUCTURES)
    new = "CCGGAAAACCGG"
    print(new)
    for structure, probability in folder.predict_kbest([new], k=3)[0]:
        print(structure, f"{probability:.3f}")
    pairs = folder.predict_marginals([new])[0]
    print(f"position 0 pairs with 11 with probability {pairs[0, 11]:.3f}")
    print(f"z-score {folder.z_score([new])[0]:.2f}, training F1 {folder.score(SEQUENCES, STRUCTURES):.2f}")


if __name__ == "__main__":
    main()
