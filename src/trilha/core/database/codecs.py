"""Encodes and decodes PostgreSQL values: times as JSON text, jsonb as plain values."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

import msgspec

from trilha.core.types import to_json

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)


async def set_codecs(connection: Any) -> None:
    await connection.set_type_codec(
        "timestamptz",
        schema="pg_catalog",
        encoder=_encode_time,
        decoder=_decode_time,
        format="tuple",
    )
    await connection.set_type_codec(
        "jsonb", schema="pg_catalog", encoder=_encode_jsonb, decoder=_decode_jsonb, format="binary"
    )


def _encode_time(value: "datetime | str") -> tuple[int]:
    return _encode_text(value) if isinstance(value, str) else _encode_moment(value)


def _encode_moment(moment: datetime) -> tuple[int]:
    return ((moment - _EPOCH) // timedelta(microseconds=1),)


@lru_cache(4096)
def _encode_text(text: str) -> tuple[int]:
    """Encodes a time. Cached, because rows written or read together have few different times."""
    return _encode_moment(datetime.fromisoformat(text))


_MILLIS = [f".{millis:03}Z" for millis in range(1000)]


@lru_cache(1 << 16)
def _second(seconds: int) -> str:
    """Formats seconds since 2000 without the fraction. Cached, because the same rows are read again and
    again.
    """
    days, rest = divmod(seconds, 86_400)
    hours, rest = divmod(rest, 3600)
    minutes, rest = divmod(rest, 60)
    return f"{_day(days)}{hours:02}:{minutes:02}:{rest:02}"


@lru_cache(4096)
def _day(days: int) -> str:
    # strftime would write the year 999 with three digits
    return f"{(_EPOCH + timedelta(days)).date().isoformat()}T"


def _decode_time(value: tuple[int]) -> str:
    # Runs for every time of every row; isoformat() takes four times as long.
    seconds, micros = divmod(value[0], 1_000_000)
    return _second(seconds) + _MILLIS[micros // 1000]


def _encode_jsonb(value: Any) -> bytes:
    return b"\x01" + to_json(value)


def _decode_jsonb(value: bytes) -> Any:
    return msgspec.json.decode(value[1:])
