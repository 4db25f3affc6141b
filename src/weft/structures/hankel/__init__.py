"""Chains whose windows of symbols and labels are scored by one matrix."""
