import re

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import roc_auc_score
from sklearn.svm import LinearSVC

from weft import GappedKMerKernel, NGramKernel, Normalized
from weft.datasets import load_fastsk, load_reuters21578


@pytest.mark.needs_data("reuters21578")
def test_counts_of_stories_are_those_of_scikit_learn():
    # CountVectorizer makes one space of several; without them both count the same.
    texts = [re.sub(r"\s\s+", " ", f"{story.title}\n{story.body}") for story in load_reuters21578("test")[:300]]
    vectorizer = CountVectorizer(analyzer="char", ngram_range=(5, 5), lowercase=False)
    wanted = vectorizer.fit_transform(texts[:200])
    mapped, rows = NGramKernel(5).feature_map(texts[:200])
    assert mapped.names() == vectorizer.get_feature_names_out().tolist()
    assert (rows != wanted).nnz == 0
    assert (mapped.transform(texts[200:]) != vectorizer.transform(texts[200:])).nnz == 0


@pytest.mark.needs_data("fastsk")
def test_gapped_kmers_find_binding_sites():
    # FastSK reaches .955 on this task, plain 8-mers .937.
    train, test = load_fastsk("dna_CTCF", "train"), load_fastsk("dna_CTCF", "test")
    kernel = Normalized(GappedKMerKernel(8, 6, reverse_complement=True))
    mapped, rows = kernel.feature_map(train.sequences)
    model = LinearSVC(C=1.0, random_state=0).fit(rows, train.labels)
    assert roc_auc_score(test.labels, model.decision_function(mapped.transform(test.sequences))) >= 0.955
    np.testing.assert_allclose(rows.multiply(rows).sum(axis=1), 1.0)
