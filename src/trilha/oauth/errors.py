"""The errors of /oauth, in the form of RFC 6749 section 5.2."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct, to_builtins

from trilha.core.errors import ApiError, Failure, Invalid, Problem
from trilha.core.web.answers import Answer, json_answer
from trilha.core.web.errors import FailureExample, error_or_problem
from trilha.core.web.request import Request

CONTENT_TYPE = "application/json;charset=UTF-8"
# The status that each code travels with unless another is given.
STATUSES = {
    "invalid_request": 400,
    "invalid_client": 401,
    "unauthorized_client": 400,
    "unsupported_grant_type": 400,
    "invalid_scope": 400,
    "temporarily_unavailable": 503,
    "server_error": 500,
}
_MEANINGS = {
    "invalid_request": "The request is not one that this address takes.",
    "invalid_client": "The client is not known, or did not prove who it is.",
    "unauthorized_client": "The client may not call from this address.",
    "unsupported_grant_type": "The grant_type is not client_credentials.",
    "invalid_scope": "A scope is unknown, or is not one of this client's.",
    "temporarily_unavailable": "The service is not ready; try again.",
    "server_error": "Something failed on our side; try again.",
}
# Problems of a field whose name the client made up.
_NAMED_BY_CLIENT = ("unknown_field", "unknown_parameter")
CHALLENGE = 'Basic realm="oauth", charset="UTF-8"'


class OAuthErrorBody(Struct, frozen=True):
    """`error` is one of RFC 6749's codes; `error_description` is for the people who write the client."""

    error: Annotated[str, Meta(examples=["invalid_request"], extra_json_schema={"enum": list(STATUSES)})]
    error_description: Annotated[str, Meta(examples=["There is no token."])]


class OAuthError(Failure):
    """What the client is told, and with which status.

    `description` has only the characters that RFC 6749 lets it have, and nothing of the input.
    """

    def __init__(self, code: str, description: str, status: int | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.description = description
        self.status = status or STATUSES[code]
        self.headers = {"www-authenticate": CHALLENGE} if self.status == 401 else {}

    def body(self) -> OAuthErrorBody:
        return OAuthErrorBody(self.code, self.description)


def invalid_client() -> OAuthError:
    """The same for an unknown client as for a wrong secret."""
    return OAuthError("invalid_client", "The client is not known, or did not prove who it is.")


def wrong_audience(issuer: str) -> OAuthError:
    """For a client that has proved who it is."""
    return OAuthError("invalid_client", f"The aud of the assertion must be {issuer} and nothing else.")


def invalid_request(description: str) -> OAuthError:
    return OAuthError("invalid_request", description)


def _told(found: Problem) -> str:
    if found.code == "duplicate_parameter":
        return "A parameter is there more than once."
    # A name that we do not know is the client's, and may be a secret that slipped.
    return found.message if found.code in _NAMED_BY_CLIENT else f"{found.field}: {found.message}"


class OAuthErrors:
    """Failures as clients of OAuth expect them."""

    body = OAuthErrorBody

    def write(self, failure: Failure, request: Request) -> Answer:
        told = failure if isinstance(failure, OAuthError) else _translated(failure)
        return json_answer(told.status, told.body(), CONTENT_TYPE.encode())

    def example(self, code: str, field: str | None, detail: Mapping[str, Any] | None) -> FailureExample:
        if code in STATUSES:
            told = OAuthError(code, _MEANINGS[code])
        else:
            told = _translated(error_or_problem(code, field))
        meaning = _MEANINGS[told.code] if told.status == 400 else told.description
        return FailureExample(told.status, told.code, meaning, to_builtins(told.body()))


def _translated(failure: Failure) -> OAuthError:
    assert isinstance(failure, ApiError)
    if isinstance(failure, Invalid):
        return invalid_request(" ".join(dict.fromkeys(map(_told, failure.detail))))
    if failure.status == 415:
        return invalid_request("The body must be application/x-www-form-urlencoded.")
    code = {429: "temporarily_unavailable", 500: "server_error", 503: "temporarily_unavailable"}
    return OAuthError(code.get(failure.status, "invalid_request"), failure.message, failure.status)
