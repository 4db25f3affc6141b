"""Secondary structures of RNA, scored by their loops, and their energies."""
