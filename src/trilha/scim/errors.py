"""The errors of /scim/v2, in the form of RFC 7644 section 3.12."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct, to_builtins

from trilha.core.errors import ApiError, Failure, Invalid
from trilha.core.web.answers import Answer, json_answer
from trilha.core.web.errors import FailureExample, error_or_problem
from trilha.core.web.request import Request
from trilha.scim import urns

# What each scimType travels with, and means.
_TYPES = {
    "invalidFilter": (400, "The filter cannot be read, or names what cannot be asked for."),
    "tooMany": (400, "The request asks for more than is answered."),
    "uniqueness": (409, "Another resource has this value."),
    "mutability": (400, "The attribute cannot be changed."),
    "invalidSyntax": (400, "The body is not what this address takes."),
    "invalidPath": (400, "The path of an operation cannot be read."),
    "noTarget": (400, "The path of an operation leads nowhere."),
    "invalidValue": (400, "A value is missing, or is not one that the attribute takes."),
    "invalidCursor": (400, "The cursor does not belong to this list."),
}
_BY_CODE = {
    "malformed_json": "invalidSyntax",
    "email_exists": "uniqueness",
    "cpf_exists": "uniqueness",
    "learning_group_exists": "uniqueness",
}
_OWN = {"unsupported_media_type": "The body must be application/scim+json."}


class ScimErrorBody(Struct, frozen=True, omit_defaults=True, rename="camel"):
    """`status` is the HTTP status as text; `scim_type` is there where RFC 7644 has a word for the reason."""

    schemas: Annotated[list[str], Meta(examples=[[urns.ERROR]])]
    status: Annotated[str, Meta(examples=["400"])]
    scim_type: Annotated[str, Meta(examples=["invalidFilter"])] | None = None
    detail: str | None = None


class ScimError(Failure):
    """What the provider is told. `detail` has nothing of what it sent but names of attributes."""

    def __init__(self, status: int, detail: str, scim_type: str | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.scim_type = scim_type
        self.headers = {}

    def body(self) -> ScimErrorBody:
        return ScimErrorBody([urns.ERROR], str(self.status), self.scim_type, self.detail)


def refused(scim_type: str, detail: str = "") -> ScimError:
    """A failure that RFC 7644 has a word for."""
    status, meaning = _TYPES[scim_type]
    return ScimError(status, detail or meaning, scim_type)


def not_found(kind: str = "resource") -> ScimError:
    return ScimError(404, f"There is no such {kind}.")


def not_implemented() -> ScimError:
    return ScimError(501, "This server does not do that.")


class ScimErrors:
    """Failures as providers expect them."""

    body = ScimErrorBody

    def write(self, failure: Failure, request: Request) -> Answer:
        told = failure if isinstance(failure, ScimError) else _translated(failure)
        request.notes["scim_type"] = told.scim_type
        return json_answer(told.status, told.body(), urns.MEDIA_TYPE.encode())

    def example(self, code: str, field: str | None, detail: Mapping[str, Any] | None) -> FailureExample:
        if code in _TYPES:
            told = refused(code)
        elif code.isdecimal():
            told = ScimError(int(code), _STATUSES[int(code)])
        else:
            told = _translated(error_or_problem(code, field))
        name = told.scim_type or code
        meaning = _TYPES[name][1] if name in _TYPES else told.detail
        return FailureExample(told.status, name, meaning, to_builtins(told.body()))


# Failures without a scimType, as descriptions name them.
_STATUSES = {
    403: "This resource cannot be changed from here.",
    404: "There is no such resource.",
    409: "What the resource is does not let it be changed so.",
    412: "The resource has changed since this version.",
    501: "This server does not do that.",
}


def _translated(failure: Failure) -> ScimError:
    assert isinstance(failure, ApiError)
    scim_type = _BY_CODE.get(failure.code)
    detail = _OWN.get(failure.code, failure.message)
    if isinstance(failure, Invalid):
        field = failure.field or ""
        scim_type = "invalidCursor" if failure.code == "invalid_cursor" else "invalidValue"
        detail = f"{field}: {failure.message}" if field else failure.message
    return ScimError(failure.status, detail, scim_type)
