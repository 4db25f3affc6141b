"""Accuracy on public sets: `weft reproduce accuracy`, a file for each kind of task."""
