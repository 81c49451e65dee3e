"""How a surface formats errors, and their examples in its description."""

from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct, to_builtins

from trilha.core.errors import FIELD_CODES, ApiError, ErrorEnvelope, Failure, error_of, invalid
from trilha.core.web.answers import Answer, json_answer
from trilha.core.web.request import Request

REQUEST_ID = "req_01JD7Q0XG5M8Z3V4T9W2Y6R1KB"


class FailureExample(Struct, frozen=True):
    """An error in the description. `name` identifies it for clients, `body` is JSON values."""

    status: int
    name: str
    meaning: str
    body: Any


class ErrorForm(Protocol):
    """The error format of a surface. `body` is the Struct that errors are sent as."""

    @property
    def body(self) -> type[Struct]: ...

    def write(self, failure: Failure, request: Request) -> Answer: ...

    def example(self, code: str, field: str | None, detail: Mapping[str, Any] | None) -> FailureExample:
        """Returns an example. `field` is the affected member, if the code is about one."""
        ...


class EnvelopeErrors:
    """The error format of /v1 and of all surfaces without their own."""

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
    """Returns the error of a code. A code about a member needs `field`; without it, it may be another code
    of the same name.
    """
    return error_of(code) if field is None or code not in FIELD_CODES else invalid(field, code)


ENVELOPE = EnvelopeErrors()
