"""Tables of LK, SVMs for lattice kernels, and string kernels on public sets."""
