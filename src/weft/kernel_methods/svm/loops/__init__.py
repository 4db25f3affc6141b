"""Compiled loops of coordinate descent and of storages: arrays in, arrays out."""
