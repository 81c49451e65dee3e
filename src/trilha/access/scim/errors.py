"""The errors of /scim/v2, in the format of RFC 7644 section 3.12."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct, to_builtins

from trilha.access.scim import urns
from trilha.core.errors import ApiError, Failure, Invalid
from trilha.core.web.answers import Answer, json_answer
from trilha.core.web.errors import FailureExample, error_or_problem
from trilha.core.web.request import Request

# The HTTP status and the meaning of each scimType.
_TYPES = {
    "invalidFilter": (400, "The filter is malformed, or uses an unsupported attribute."),
    "tooMany": (400, "The request has too many items."),
    "uniqueness": (409, "Another resource already has this value."),
    "mutability": (400, "The attribute cannot be changed."),
    "invalidSyntax": (400, "The request body is malformed."),
    "invalidPath": (400, "The path of an operation is malformed."),
    "noTarget": (400, "The path of an operation matches nothing."),
    "invalidValue": (400, "A value is missing or invalid."),
    "invalidCursor": (400, "The cursor does not belong to this list. Start again without a cursor."),
}
_BY_CODE = {
    "malformed_json": "invalidSyntax",
    "email_exists": "uniqueness",
    "cpf_exists": "uniqueness",
    "learning_group_exists": "uniqueness",
}
_OWN = {"unsupported_media_type": "The body must be application/scim+json."}


class ScimErrorBody(Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A SCIM error. `status` is the HTTP status as text; `scim_type` is present if RFC 7644 defines one for
    the error.
    """

    schemas: Annotated[list[str], Meta(examples=[[urns.ERROR]])]
    status: Annotated[str, Meta(examples=["400"])]
    scim_type: Annotated[str, Meta(examples=["invalidFilter"])] | None = None
    detail: str | None = None


class ScimError(Failure):
    """An error for the provider. `detail` contains nothing of the request but names of attributes."""

    def __init__(self, status: int, detail: str, scim_type: str | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.scim_type = scim_type
        self.headers = {}

    def body(self) -> ScimErrorBody:
        return ScimErrorBody([urns.ERROR], str(self.status), self.scim_type, self.detail)


def build_error(scim_type: str, detail: str = "") -> ScimError:
    """Builds an error with a scimType of RFC 7644."""
    status, meaning = _TYPES[scim_type]
    return ScimError(status, detail or meaning, scim_type)


def not_found(kind: str = "resource") -> ScimError:
    return ScimError(404, f"There is no such {kind}.")


def not_implemented() -> ScimError:
    return ScimError(501, "This server does not support this operation.")


class ScimErrors:
    """Writes failures in the format that providers expect."""

    body = ScimErrorBody

    def write(self, failure: Failure, request: Request) -> Answer:
        error = failure if isinstance(failure, ScimError) else _translate(failure)
        request.notes["scim_type"] = error.scim_type
        return json_answer(error.status, error.body(), urns.MEDIA_TYPE.encode())

    def example(self, code: str, field: str | None, detail: Mapping[str, Any] | None) -> FailureExample:
        if code in _TYPES:
            error = build_error(code)
        elif code.isdecimal():
            error = ScimError(int(code), _STATUSES[int(code)])
        else:
            error = _translate(error_or_problem(code, field))
        name = error.scim_type or code
        meaning = _TYPES[name][1] if name in _TYPES else error.detail
        return FailureExample(error.status, name, meaning, to_builtins(error.body()))


# Messages of failures without a scimType, for the API description.
_STATUSES = {
    403: "This resource cannot be changed by SCIM.",
    404: "There is no such resource.",
    409: "The resource's state does not allow this change.",
    412: "The resource has changed since this version. Read it again.",
    501: "This server does not support this operation.",
}


def _translate(failure: Failure) -> ScimError:
    assert isinstance(failure, ApiError)
    scim_type = _BY_CODE.get(failure.code)
    detail = _OWN.get(failure.code, failure.message)
    if isinstance(failure, Invalid):
        field = failure.field or ""
        scim_type = "invalidCursor" if failure.code == "invalid_cursor" else "invalidValue"
        detail = f"{field}: {failure.message}" if field else failure.message
    return ScimError(failure.status, detail, scim_type)
