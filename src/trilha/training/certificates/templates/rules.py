"""The placeholders and colors that a template may use. No I/O, no clock."""

import re
from collections.abc import Mapping

from trilha.kit.colours import contrast, hex_of, oklch_of, rgb_of, srgb

MAX_SIGNATORIES = 3
PICTURE = re.compile(r"[0-9a-f]{32}\.png")
# Placeholders for the data of a certificate.
PLACEHOLDERS = (
    "name",
    "cpf",
    "course",
    "company",
    "workload",
    "score",
    "started_on",
    "completed_on",
    "issued_on",
    "valid_until",
    "code",
)
_PLACEHOLDER = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
# WCAG 2.2 AA, for text in this color on white, and for white text on it.
CONTRAST = 4.5
# For lines and ornaments (WCAG 2.2, non-text contrast), if they carry meaning.
ORNAMENT_CONTRAST = 1.6
_WHITE = (1.0, 1.0, 1.0)


def unknown_placeholders(text: str) -> list[str]:
    return [name for name in _PLACEHOLDER.findall(text) if name not in PLACEHOLDERS]


def fill_placeholders(text: str, values: Mapping[str, str]) -> str:
    """Replaces each placeholder by its value. Placeholders inside values are not replaced."""
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)


def contrast_on_white(colour: str) -> float:
    return contrast(rgb_of(colour), _WHITE)


def readable(colour: str) -> str:
    """Darkens the color until it is readable on white."""
    shade = oklch_of(rgb_of(colour))
    shown = colour
    while contrast_on_white(shown) < CONTRAST and shade.lightness > 0:
        shade = shade._replace(lightness=max(shade.lightness - 0.02, 0))
        shown = hex_of(srgb(shade))
    return shown
