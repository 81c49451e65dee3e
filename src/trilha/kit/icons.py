"""Icons of lucide-static, inlined into the page."""

import re
from functools import cache
from pathlib import Path

from markupsafe import Markup

FOLDER = Path(__file__).parent / "node_modules" / "lucide-static" / "icons"
_DRAWING = re.compile(r"<svg[^>]*>(.*)</svg>", re.DOTALL)


@cache
def icon(name: str) -> Markup:
    """Returns an icon that accompanies words, so screen readers skip it. Raises LookupError.

    It is empty if nothing is installed, as in a checkout before `make setup`.
    """
    if not (inside := shapes_of(name)):
        return Markup()
    drawn = f'<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">{inside}</svg>'
    return Markup(drawn)  # noqa: S704 - of the installed package


@cache
def shapes_of(name: str) -> str:
    """Returns the shapes of an icon, in a field of 24 by 24, for a drawing of its own. Raises LookupError."""
    if not FOLDER.exists():
        return ""
    path = FOLDER / f"{name}.svg"
    if not path.exists():
        raise LookupError(f"lucide has no icon {name}")
    drawing = _DRAWING.search(path.read_text())
    assert drawing
    return re.sub(r"\s+", " ", drawing[1]).replace("> <", "><").replace(" />", "/>").strip()
