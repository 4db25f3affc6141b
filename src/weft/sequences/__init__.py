"""Sequences as arrays: alphabets, ragged corpora, token features, file formats."""
