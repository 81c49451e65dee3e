"""Builds addresses of lists with their filters."""

from collections.abc import Mapping
from urllib.parse import urlencode


def address(path: str, values: Mapping[str, object]) -> str:
    """Adds the values that are set as a query. The same list always has the same address."""
    query = urlencode({name: str(value) for name, value in values.items() if value not in (None, "")})
    return f"{path}?{query}" if query else path
