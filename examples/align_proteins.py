"""Learn a substitution matrix and gap costs from aligned globins, then align another pair and say how sure it is."""

import weft

ALIGNED = [
    ("V-LSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHF-DLSH", "VHLTPEEKSAVTALWGKV--NVDEVGGEALGRLLVVYPWTQRFFESFGDLST"),
    ("V-LSAADKGNVKAAWGKVGGHAAEYGAEALERMFLSFPTTKTYFPHF-DLSH", "VHLSAEEKEAVLGLWGKV--NVDEVGGEALGRLLVVYPWTQRFFESFGDLSN"),
    ("M-LSPADKTNVKADWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHF-DLSH", "VHWTAEEKQLITGLWGKV--NVAECGAEALARLLIVYPWTQRFFASFGNLSS"),
    ("M-LTDAEKKEVTALWGKAAGHGEEYGAEALERLFQAFPTTKTYFSHF-DLSH", "VHFTAEEKAAVTSLWSKM--NVEEAGGEALGRLLVVYPWTQRFFDSFGNLSS"),
]


def main():
    X = [(first.replace("-", ""), second.replace("-", "")) for first, second in ALIGNED]
    aligner = weft.Aligner(learner=weft.CRF(c2=0.1)).fit(X[:3], ALIGNED[:3])
    for row in aligner.predict(X[3:])[0]:
        print(row)
    print(f"right columns {aligner.score(X[3:], ALIGNED[3:]):.0%}, probability {aligner.confidence(X[3:])[0]:.2f}")
    print(f"gap open {aligner.substitution_matrix_.gap_open:.2f}, extend {aligner.substitution_matrix_.gap_extend:.2f}")
    print(aligner.substitution_matrix_.scaled(3).to_text())
    return aligner


if __name__ == "__main__":
    main()
