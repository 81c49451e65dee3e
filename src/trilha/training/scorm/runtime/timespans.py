"""Durations as content writes them, in seconds."""

import re

from trilha.training.scorm.package.manifest import Version

# CMITimespan (SCORM 1.2 RTE, 3.4.3), less strict about leading zeros and decimals.
_CLOCK = re.compile(r"(\d{1,6}):(\d{1,2}):(\d{1,2})(\.\d{0,9})?")
# timeinterval(second,10,2) of SCORM 2004: ISO 8601.
_DURATION = re.compile(
    r"P(?=.)(?:(\d{1,6})Y)?(?:(\d{1,6})M)?(?:(\d{1,6})D)?"
    r"(?:T(?=.)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{0,9})?)S)?)?"
)
_DAY = 86_400.0
_UNITS = (365.25 * _DAY, 30.44 * _DAY, _DAY, 3600.0, 60.0, 1.0)


def seconds(version: Version, text: str) -> float | None:
    """Returns None for an empty text, or one that is no duration of this version."""
    return _of_clock(text) if version == "1.2" else _of_duration(text)


def text_of(version: Version, length: float) -> str:
    """Formats seconds as the version writes them, to hundredths."""
    hundredths = max(0, round(length * 100))
    whole, part = divmod(hundredths, 100)
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    if version == "1.2":
        return f"{hours:04}:{minutes:02}:{left:02}.{part:02}"
    fraction = f".{part:02}" if part else ""
    return f"PT{hours}H{minutes}M{left}{fraction}S"


def _of_clock(text: str) -> float | None:
    found = _CLOCK.fullmatch(text.strip())
    if not found:
        return None
    hours, minutes, whole, part = found.groups()
    return int(hours) * 3600 + int(minutes) * 60 + int(whole) + float(f"0{part or ''}")


def _of_duration(text: str) -> float | None:
    found = _DURATION.fullmatch(text.strip())
    if not found:
        return None
    return sum(float(number) * unit for number, unit in zip(found.groups(), _UNITS, strict=True) if number)
