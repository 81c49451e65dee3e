"""Drawings of signatures: strokes in a field of 600 by 200 points. No I/O, no clock."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated

import msgspec
from markupsafe import Markup
from msgspec import Meta

from trilha.core.errors import invalid

WIDTH, HEIGHT = 600, 200
# The length of a drawing's text: some hundred points a stroke are usual.
MAX_TEXT = 60_000
_MIN_LENGTH = 30
_Coordinate = Annotated[int, Meta(ge=0, le=WIDTH)]
# A stroke is x, y, x, y and so on.
Stroke = Annotated[list[_Coordinate], Meta(min_length=2, max_length=4000)]
Strokes = Annotated[list[Stroke], Meta(min_length=1, max_length=200)]


def read(text: str, field: str = "signature") -> list[list[int]]:
    """Returns the strokes of a form's field. Raises Invalid (signature_missing, signature_not_readable)."""
    if not text.strip():
        raise invalid(field, "signature_missing")
    if len(text) > MAX_TEXT:
        raise invalid(field, "signature_not_readable")
    try:
        strokes: list[list[int]] = msgspec.json.decode(text.encode(errors="replace"), type=Strokes)
    except msgspec.DecodeError as error:
        raise invalid(field, "signature_not_readable") from error
    if any(len(stroke) % 2 or max(stroke[1::2]) > HEIGHT for stroke in strokes):
        raise invalid(field, "signature_not_readable")
    if sum(_measure(stroke) for stroke in strokes) < _MIN_LENGTH:
        raise invalid(field, "signature_missing")
    return strokes


def _list_points(stroke: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip(stroke[::2], stroke[1::2], strict=True))


def _measure(stroke: Sequence[int]) -> float:
    return sum(math.dist(one, other) for one, other in pairwise(_list_points(stroke)))


def draw(strokes: Sequence[Sequence[int]], label: str = "") -> Markup:
    """Returns a drawing as SVG, for pages and papers. Without a label, screen readers skip it."""
    path = " ".join(_draw_stroke(stroke) for stroke in strokes)
    role = Markup('role="img" aria-label="{}"').format(label) if label else Markup('aria-hidden="true"')
    return Markup(
        '<svg class="signature" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" {}><path d="{}" '
        'fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>'
        "</svg>"
    ).format(WIDTH, HEIGHT, role, path)


def _draw_stroke(stroke: Sequence[int]) -> str:
    first, *rest = _list_points(stroke)
    # A stroke of one point is a dot: a line to where it is.
    return f"M{first[0]} {first[1]}" + "".join(f"L{x} {y}" for x, y in rest or [first])
