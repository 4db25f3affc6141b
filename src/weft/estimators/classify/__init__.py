"""Classes of sequences: the estimator, and how it learns."""
