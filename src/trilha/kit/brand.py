"""Derives readable light and dark colors from a tenant's one color."""

import hashlib
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from trilha.kit.colours import Oklch, Rgb, contrast, hex_of, oklch_of, rgb_of, srgb

DEFAULT = "#0b6677"
HEX = re.compile(r"#[0-9a-f]{6}")
TOKENS = Path(__file__).parent / "static" / "css" / "tokens.css"
_TEXT, _SHAPE = 4.5, 3.0  # WCAG 2.2, 1.4.3 and 1.4.11
_NEUTRAL = re.compile(
    r"--(\w+): light-dark\(oklch\(([\d.]+) ([\d.]+) ([\d.]+)\), oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)\)"
)
WHITE: Rgb = (1.0, 1.0, 1.0)
BLACK: Rgb = (0.0, 0.0, 0.0)


class Pair(NamedTuple):
    light: Rgb
    dark: Rgb

    def __str__(self) -> str:
        return f"light-dark({hex_of(self.light)}, {hex_of(self.dark)})"


def _quantize(colour: Oklch) -> Rgb:
    """Rounds a color to eight bits a channel, as on screen."""
    return rgb_of(hex_of(srgb(colour)))


class Brand(NamedTuple):
    brand: Rgb
    hover: Rgb
    on_brand: Rgb
    tint: Pair
    ink: Pair
    edge: Pair


@cache
def neutrals() -> dict[str, Pair]:
    """Returns the greys of the style sheet, on which brand colors must be readable."""
    found = {}
    for name, *numbers in _NEUTRAL.findall(TOKENS.read_text()):
        light, dark = (Oklch(*map(float, part)) for part in (numbers[:3], numbers[3:]))
        found[name] = Pair(_quantize(light), _quantize(dark))
    return found


@lru_cache(256)
def derive(hex: str) -> Brand:
    brand = rgb_of(hex)
    base = oklch_of(brand)
    on_brand = WHITE if contrast(WHITE, brand) >= _TEXT else BLACK
    # Move away from the text's color, so that hovering never reduces contrast.
    step = -0.05 if on_brand is WHITE else 0.05
    hover = _quantize(base._replace(lightness=min(max(base.lightness + step, 0), 1)))
    tint = Pair(
        _quantize(Oklch(0.95, min(base.chroma, 0.025), base.hue)),
        _quantize(Oklch(0.30, min(base.chroma, 0.05), base.hue)),
    )
    surfaces = [neutrals()[name] for name in ("bg", "surface", "sunken")] + [tint]
    ink = Pair(
        _readable(base, [each.light for each in surfaces], -0.01),
        _readable(base, [each.dark for each in surfaces], 0.01),
    )
    surface = neutrals()["surface"]
    edge = Pair(*(
        brand if contrast(brand, behind) >= _SHAPE else instead
        for behind, instead in zip(surface, ink, strict=True)
    ))  # fmt: skip
    return Brand(brand, hover, on_brand, tint, ink, edge)


def _readable(colour: Oklch, surfaces: list[Rgb], step: float) -> Rgb:
    """Moves a color towards black or white until it is readable on all these surfaces, and keeps its hue."""
    while True:
        rgb = _quantize(colour)
        if all(contrast(rgb, each) >= _TEXT for each in surfaces):
            return rgb
        colour = colour._replace(lightness=min(max(colour.lightness + step, 0), 1))


@lru_cache(256)
def stylesheet(hex: str) -> bytes:
    """Builds the style sheet of a color that matches `HEX`."""
    brand = derive(hex)
    return (
        "@layer tokens{:root{"
        f"--brand:{hex};--brand-hover:{hex_of(brand.hover)};--on-brand:{hex_of(brand.on_brand)};"
        f"--brand-tint:{brand.tint};--brand-ink:{brand.ink};--brand-edge:{brand.edge}"
        "}}"
    ).encode()


def address(hex: str) -> str:
    """Returns the URL of a brand's style sheet, which changes with its content."""
    return f"/brand/{_name(hex)}.css"


def _name(hex: str) -> str:
    return f"{hex[1:]}-{hashlib.sha256(stylesheet(hex)).hexdigest()[:8]}"


def name_in(address: str | None) -> str:
    """Returns the name in a style sheet's URL, such as `0b6677-1f2e3d4c`; empty without a URL."""
    return address.removeprefix("/brand/").removesuffix(".css") if address else ""


def find_stylesheet(name: str) -> bytes | None:
    """Returns the style sheet of a name such as `0b6677-1f2e3d4c.css`, or None if the name is unknown."""
    hex = f"#{name[:6]}"
    return stylesheet(hex) if HEX.fullmatch(hex) and name == f"{_name(hex)}.css" else None
