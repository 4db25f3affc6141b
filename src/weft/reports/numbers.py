"""Numbers as people read them."""

from __future__ import annotations


def percent(value: float, digits: int = 1) -> str:
    """A share as people read it; what is not quite all or nothing does not look so.

    Examples
    --------
    >>> percent(0.98765), percent(1.0), percent(0.99999), percent(0.00001)
    ('98.8', '100', '>99.9', '<0.1')
    """
    step = 10.0**-digits
    if value in (0.0, 1.0):
        return f"{100 * value:.0f}"
    if 0.0 < value < 1.0 and 100 * value > 100 - step / 2:
        return f">{100 - step:.{digits}f}"
    if 0.0 < value < 1.0 and 100 * value < step / 2:
        return f"<{step:.{digits}f}"
    return f"{100 * value:.{digits}f}"


def decimal(value: float, digits: int = 2) -> str:
    """A number with a real minus sign, and never a negative zero.

    Examples
    --------
    >>> decimal(-1.5), decimal(-0.001), decimal(12345.6)
    ('−1.50', '0.00', '12,345.60')
    """
    rounded = round(value, digits) + 0.0
    return f"{rounded:,.{digits}f}".replace("-", "\N{MINUS SIGN}")


def count(value: int, one: str, many: str | None = None) -> str:
    """A number of things.

    Examples
    --------
    >>> count(1, "text"), count(1200, "text"), count(2, "class", "classes")
    ('1 text', '1,200 texts', '2 classes')
    """
    return f"{value:,} {one if value == 1 else many or one + 's'}"
