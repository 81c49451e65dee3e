"""Addresses of lists with their filters."""

from collections.abc import Mapping
from urllib.parse import urlencode


def address(path: str, values: Mapping[str, object]) -> str:
    """With a query of what is set; shorter than what a form makes of it, and the same for the same list."""
    query = urlencode({name: str(value) for name, value in values.items() if value not in (None, "")})
    return f"{path}?{query}" if query else path
