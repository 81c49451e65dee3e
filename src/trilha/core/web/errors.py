"""How a surface writes its failures, and shows them in its description."""

from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct

from trilha.core.errors import CODES, FIELD_CODES, ApiError, ErrorEnvelope, Failure, problem
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
        spec = CODES[code]
        error: dict[str, Any] = {"type": spec.type, "code": code, "message": spec.message}
        if code in FIELD_CODES and field is not None:
            found = problem(field, code)
            error["field"] = field
            error["detail"] = [{"field": found.field, "message": found.message, "code": found.code}]
        if detail:
            error["detail"] = dict(detail)
        return FailureExample(spec.status, code, spec.message, {"error": {**error, "request_id": REQUEST_ID}})


ENVELOPE = EnvelopeErrors()
