"""Strings to strings: align chunks, label symbols, mix models, search, order anew."""
