"""How rates are rounded."""

from decimal import ROUND_HALF_UP, Decimal

_CENT = Decimal("0.01")


def rate(part: int, whole: int) -> float | None:
    """Returns a rate from 0 to 100 with two decimals, rounded as PostgreSQL does; None if the total is 0."""
    if not whole:
        return None
    return float((Decimal(100 * part) / whole).quantize(_CENT, ROUND_HALF_UP))
