"""Timestamps and durations of the Experience API, and the microseconds in which statements are ordered."""

import re
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# ISO 8601 and RFC 3339. The offset -00:00 says that the offset is unknown, which both versions refuse.
_TIMESTAMP = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d{1,30}))?(Z|z|[+-]\d\d(?::?\d\d)?)?", re.ASCII
)
_UNKNOWN_OFFSET = re.compile(r"-00(:?00)?")
_ISO_DURATION = re.compile(
    r"P(?=.)(?:\d+(?:\.\d+)?W|(?:\d+(?:\.\d+)?Y)?(?:\d+(?:\.\d+)?M)?(?:\d+(?:\.\d+)?D)?"
    r"(?:T(?=\d)(?:\d+(?:\.\d+)?H)?(?:\d+(?:\.\d+)?M)?(?:\d+(?:\.\d+)?S)?)?)",
    re.ASCII,
)
_HUNDREDTHS = re.compile(r"(\.\d\d)\d+(?=S$)", re.ASCII)


def parse_timestamp(text: str) -> int | None:
    """Returns microseconds since 1970, or None for malformed text. Without an offset, it is UTC."""
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        return None
    day, minute, second, fraction, offset = match.groups()
    if offset and _UNKNOWN_OFFSET.fullmatch(offset):
        return None
    zone = "+00:00" if not offset or offset in "Zz" else offset
    micros = (fraction or "").ljust(6, "0")[:6]
    try:
        moment = datetime.fromisoformat(f"{day}T{minute}{second or ':00'}.{micros}{zone}")
        # In UTC, a time close to the limits of the calendar may have none.
        return count_microseconds(moment.astimezone(UTC))
    except (ValueError, OverflowError):
        return None


def is_utc(text: str) -> bool:
    return text.endswith(("Z", "z", "+00:00", "+0000", "+00"))


def to_utc(text: str) -> str:
    """Returns a valid timestamp in UTC, with all digits of its fraction."""
    micros = parse_timestamp(text)
    assert micros is not None
    match = _TIMESTAMP.fullmatch(text)
    assert match is not None
    digits = match[4] or ""
    whole = format_microseconds(micros - micros % 1_000_000)
    return f"{whole[:19]}.{digits.ljust(3, '0')}Z"


def count_microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


def format_microseconds(micros: int) -> str:
    """Formats a time with six digits of its fraction."""
    moment = _EPOCH + timedelta(microseconds=micros)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond:06}Z"


def is_duration(text: str) -> bool:
    return len(text) <= 100 and _ISO_DURATION.fullmatch(text) is not None


def cut_duration(text: str) -> str:
    """Cuts a duration to hundredths of a second, as it is compared."""
    return _HUNDREDTHS.sub(r"\1", text)
