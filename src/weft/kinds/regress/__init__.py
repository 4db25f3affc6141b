"""Models that predict strings by kernel regression."""
