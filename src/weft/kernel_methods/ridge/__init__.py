"""Ridge regression: from matrices, kernels or constraints to coefficients."""
