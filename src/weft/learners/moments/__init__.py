"""Learners that solve in the moments of all outputs, and what moments promise."""
