"""Converts between OKLCH and sRGB, and computes contrast (WCAG 2.2). A color is a triple of numbers from 0
to 1.
"""

import math
from typing import NamedTuple

Rgb = tuple[float, float, float]


class Oklch(NamedTuple):
    """Lightness from 0 to 1, chroma from 0, hue in degrees."""

    lightness: float
    chroma: float
    hue: float


def rgb_of(hex: str) -> Rgb:
    """Parses a color such as `#0b6677`."""
    red, green, blue = (int(hex[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def hex_of(rgb: Rgb) -> str:
    return "#" + "".join(f"{round(min(max(each, 0), 1) * 255):02x}" for each in rgb)


def luminance(rgb: Rgb) -> float:
    red, green, blue = (_linear(each) for each in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(color: Rgb, other: Rgb) -> float:
    """Returns the contrast of two colors, from 1 to 21."""
    low, high = sorted((luminance(color), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def oklch_of(rgb: Rgb) -> Oklch:
    red, green, blue = (_linear(each) for each in rgb)
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    middle = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    lightness = 0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short
    a = 1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short
    b = 0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short
    return Oklch(lightness, math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360)


def srgb(colour: Oklch) -> Rgb:
    """Converts to sRGB with the same lightness and hue, and as much chroma as sRGB can display."""
    if _is_displayable(raw := _convert_unclipped(colour)):
        return raw
    low, high = 0.0, colour.chroma
    while high - low > 0.0005:
        middle = (low + high) / 2
        shown = _is_displayable(_convert_unclipped(colour._replace(chroma=middle)))
        low, high = (middle, high) if shown else (low, middle)
    red, green, blue = (min(max(each, 0), 1) for each in _convert_unclipped(colour._replace(chroma=low)))
    return red, green, blue


def _convert_unclipped(colour: Oklch) -> Rgb:
    angle = math.radians(colour.hue)
    a, b = colour.chroma * math.cos(angle), colour.chroma * math.sin(angle)
    long = (colour.lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (colour.lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (colour.lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    red = 4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short
    green = -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short
    blue = -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short
    return _encode_channel(red), _encode_channel(green), _encode_channel(blue)


def _is_displayable(rgb: Rgb) -> bool:
    return all(-0.0005 <= each <= 1.0005 for each in rgb)


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else math.pow((value + 0.055) / 1.055, 2.4)


def _encode_channel(value: float) -> float:
    if value <= 0.0031308:
        return 12.92 * value
    return 1.055 * math.pow(value, 1 / 2.4) - 0.055
