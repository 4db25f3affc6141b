"""Kernel methods: what turns kernels into coefficients."""
