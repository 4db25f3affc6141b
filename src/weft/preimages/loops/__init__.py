"""Compiled loops of pre-images: arrays in, arrays out."""
