"""Errors to show, made from the codes."""

from collections.abc import Mapping
from typing import Any

from trilha.core.errors import CODES, FIELD_CODES, problem

REQUEST_ID = "req_01JD7Q0XG5M8Z3V4T9W2Y6R1KB"


def error_example(code: str, field: str | None = None, detail: Mapping[str, Any] | None = None) -> Any:
    """An error's whole body. `field` is the member at fault where the code is about one."""
    spec = CODES[code]
    error: dict[str, Any] = {"type": spec.type, "code": code, "message": spec.message}
    if code in FIELD_CODES and field is not None:
        found = problem(field, code)
        error |= {
            "field": field,
            "detail": [{"field": found.field, "message": found.message, "code": found.code}],
        }
    if detail:
        error["detail"] = dict(detail)
    return {"error": {**error, "request_id": REQUEST_ID}}
