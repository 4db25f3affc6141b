"""Compiled loops of automata: arrays in, arrays out."""
