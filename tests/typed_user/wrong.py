"""What users get wrong: mypy and pyright say so at each line that ends with `# wrong`, and nowhere else."""

import weft

tagger = weft.Tagger(weft.Tagger())  # wrong
tagger = weft.Tagger(random_state="seed")  # wrong
tagger.fit(7, [["N"]])  # wrong
tagger.fit([["a"]], [["N"]], sample_weight=tagger)  # wrong
tagger.fit([["a"]], [["N"]], client="localhost")  # wrong
tagger.predict(None)  # wrong
weft.Rewriter(max_chunk="2")  # wrong
weft.Rewriter().fit([1, 2], ["a", "b"])  # wrong
weft.SequenceSVC(weft.CRF())  # wrong
weft.Folder(energies=7)  # wrong
weft.StructuredEstimator("abc")  # wrong
weft.Taggr()  # wrong
X, y = weft.read_frame(object(), "word")
tokens: list[str] = weft.read_frame(object(), "word", "tag")  # wrong
