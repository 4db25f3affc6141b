"""Give back to the system what a process holds and does not use.

Two things are held after loops were loaded and data read. The allocator keeps pieces that were freed. And of LLVM, the
library that compiles for Numba, some 70 MB are mapped into the process: pages of its file, read to load loops and not
needed to run them. Nothing is lost with these: a page that is touched again is mapped again, as a rule from the cache
of files, where the system keeps it. It would also take them by itself when it runs short of memory; but until then they
count as memory of the process, for whoever watches or limits it.

Only pages that are still those of the file are given back: mappings that may not be written to and in which no page has
become the process's own. Linux says which these are; elsewhere nothing is done.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
from collections.abc import Iterator
from pathlib import Path

MAPPINGS = Path("/proc/self/smaps")
COMPILER = "libllvmlite"
"""How the name of LLVM's library begins, as Numba brings it."""


def give_back_unused() -> None:
    """Give back free memory of the allocator, and pages of LLVM's file.

    Nothing is done where the system cannot, or if the environment variable ``WEFT_GIVE_BACK`` is 0. It takes some 30
    milliseconds per GB of the process.

    Examples
    --------
    >>> give_back_unused()
    """
    if sys.platform != "linux" or os.environ.get("WEFT_GIVE_BACK") == "0":
        return
    library = ctypes.CDLL(None)
    if hasattr(library, "malloc_trim"):  # of the GNU library
        library.malloc_trim(ctypes.c_size_t(0))
    try:
        found = list(unwritten_mappings(MAPPINGS.read_text(), COMPILER))
    except OSError:  # hidden from this process
        return
    for first, last in found:
        library.madvise(ctypes.c_void_p(first), ctypes.c_size_t(last - first), ctypes.c_int(mmap.MADV_DONTNEED))


def unwritten_mappings(text: str, name: str) -> Iterator[tuple[int, int]]:
    r"""First address, and that after the last, of each mapping of a library whose pages are all those of its file.

    Parameters
    ----------
    text : str
        As Linux writes ``/proc/self/smaps``.
    name : str
        How the file's name begins.

    Examples
    --------
    >>> lines = ["1000-3000 r-xp 00000000 08:01 7 /lib/libllvmlite.so", "Rss: 8 kB", "Anonymous: 0 kB"]
    >>> list(unwritten_mappings("\n".join(lines), "libllvmlite"))
    [(4096, 12288)]
    """
    mapping: tuple[int, int] | None = None
    for line in text.splitlines():
        words = line.split()
        if not words[0].endswith(":"):  # a mapping begins: addresses, rights, offset, device, inode, file
            is_wanted = Path(words[-1]).name.startswith(name) and words[1] in ("r--p", "r-xp")
            first, _, last = words[0].partition("-")
            mapping = (int(first, 16), int(last, 16)) if is_wanted else None
        elif words[0] == "Anonymous:" and mapping is not None and words[1] == "0":
            yield mapping
