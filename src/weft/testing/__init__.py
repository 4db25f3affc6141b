"""Oracles, Hypothesis strategies and estimator checks for sequence inputs."""
