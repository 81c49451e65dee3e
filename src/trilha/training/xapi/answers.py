"""Builds the answers of the store, and writes its errors."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import msgspec

from trilha.core.clock import Clock
from trilha.core.errors import Failure
from trilha.core.web.answers import Answer, Headers, WrittenAnswer
from trilha.core.web.errors import EnvelopeErrors
from trilha.core.web.request import Request
from trilha.training.xapi.actions import CONSISTENCY_MARGIN
from trilha.training.xapi.times import count_microseconds, format_microseconds

PREFIX = "/xapi"
CONSISTENT_HEADER = b"x-experience-api-consistent-through"
JSON_TYPE = (b"content-type", b"application/json")
# Other websites' pages may call, without cookies.
CORS = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, HEAD, PUT, POST, DELETE, OPTIONS",
    "access-control-allow-headers": (
        "Authorization, Content-Type, If-Match, If-None-Match, Accept-Language, X-Experience-API-Version, "
        "X-Experience-API-Hash, Content-Transfer-Encoding, Cache-Control, Pragma, X-Requested-With"
    ),
    "access-control-expose-headers": (
        "ETag, Last-Modified, Content-Length, Retry-After, WWW-Authenticate, X-Experience-API-Version, "
        "X-Experience-API-Consistent-Through, X-Experience-API-Hash, X-Request-Id"
    ),
    "access-control-max-age": "86400",
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class XapiErrors(EnvelopeErrors):
    """Writes failures in the envelope, with the headers that clients of the store expect."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def write(self, failure: Failure, request: Request) -> Answer:
        if failure.status == 401:
            failure.headers = failure.headers | {"www-authenticate": 'Basic realm="xapi", charset="UTF-8"'}
        answer = super().write(failure, request)
        is_list = request.method in ("GET", "HEAD") and request.path.rstrip("/") == "/statements"
        if is_list and CONSISTENT_HEADER.decode() not in failure.headers:
            answer.headers.append(
                build_consistent_header(count_microseconds(self._clock() - CONSISTENCY_MARGIN))
            )
        return answer


def build_consistent_header(micros: int) -> tuple[bytes, bytes]:
    return CONSISTENT_HEADER, format_microseconds(micros).encode()


def build_modified_header(micros: int) -> tuple[bytes, bytes]:
    moment = _EPOCH + timedelta(seconds=micros // 1_000_000)
    return b"last-modified", format_datetime(moment, usegmt=True).encode()


def json(value: Any, headers: Headers | None = None, status: int = 200) -> WrittenAnswer[Any]:
    return WrittenAnswer(status, msgspec.json.encode(value), [JSON_TYPE, *(headers or [])])


def no_content() -> WrittenAnswer[None]:
    return WrittenAnswer(204, None, [])
