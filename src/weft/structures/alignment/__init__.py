"""Alignments: all ways to put two sequences side by side."""
