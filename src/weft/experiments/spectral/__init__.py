"""Figures of SP, spectral regularisation for taggers, and their baselines."""
