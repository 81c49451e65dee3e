"""How a surface writes its failures, and shows them in its description."""

from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct, to_builtins

from trilha.core.errors import FIELD_CODES, ApiError, ErrorEnvelope, Failure, error_of, invalid
from trilha.core.web.answers import Answer, json_answer
from trilha.core.web.request import Request

REQUEST_ID = "req_01JD7Q0XG5M8Z3V4T9W2Y6R1KB"


class FailureExample(Struct, frozen=True):
    """A failure as the description shows it: `name` is what clients tell it by, `body` is JSON values."""

    status: int
    name: str
    meaning: str
    body: Any


class ErrorForm(Protocol):
    """The form of a surface's failures. `body` is the Struct that they are sent as."""

    @property
    def body(self) -> type[Struct]: ...

    def write(self, failure: Failure, request: Request) -> Answer: ...

    def example(self, code: str, field: str | None, detail: Mapping[str, Any] | None) -> FailureExample:
        """`field` is the member at fault, where the code is about one."""
        ...


class EnvelopeErrors:
    """The errors of /v1, and of every surface that has no other form."""

    body = ErrorEnvelope

    def write(self, failure: Failure, request: Request) -> Answer:
        assert isinstance(failure, ApiError)
        return json_answer(failure.status, failure.body(request.id))

    def example(self, code: str, field: str | None, detail: Mapping[str, Any] | None) -> FailureExample:
        failure = error_or_problem(code, field)
        if detail:
            failure.detail = dict(detail)
        return FailureExample(failure.status, code, failure.message, to_builtins(failure.body(REQUEST_ID)))


def error_or_problem(code: str, field: str | None) -> ApiError:
    """A code about one member needs to be told which; without one it may be another code of the same name."""
    return error_of(code) if field is None or code not in FIELD_CODES else invalid(field, code)


ENVELOPE = EnvelopeErrors()
