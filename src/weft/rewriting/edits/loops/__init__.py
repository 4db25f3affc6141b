"""Compiled loops of edits."""
