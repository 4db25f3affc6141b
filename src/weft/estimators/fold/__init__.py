"""Folding of RNA: the estimator, and how its loops are learned."""
