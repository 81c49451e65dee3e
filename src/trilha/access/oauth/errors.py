"""The errors of /oauth, in the format of RFC 6749 section 5.2."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct, to_builtins

from trilha.core.errors import ApiError, Failure, Invalid, Problem
from trilha.core.web.answers import Answer, json_answer
from trilha.core.web.errors import FailureExample, error_or_problem
from trilha.core.web.request import Request

CONTENT_TYPE = "application/json;charset=UTF-8"
# The HTTP status of each code, unless another is given.
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
    "invalid_request": "The request is malformed, or a parameter is missing or invalid.",
    "invalid_client": "Client authentication failed.",
    "unauthorized_client": "The client may not be used from this IP address.",
    "unsupported_grant_type": "The grant_type must be client_credentials.",
    "invalid_scope": "A scope is unknown or not granted to this client.",
    "temporarily_unavailable": "The service is temporarily unavailable. Try again.",
    "server_error": "Something went wrong on our side. Try again.",
}
# Problems of a field whose name comes from the client.
_NAMED_BY_CLIENT = ("unknown_field", "unknown_parameter")
CHALLENGE = 'Basic realm="oauth", charset="UTF-8"'


class OAuthErrorBody(Struct, frozen=True):
    """An OAuth error. `error` is one of RFC 6749's codes; `error_description` is for the client's
    developers.
    """

    error: Annotated[str, Meta(examples=["invalid_request"], extra_json_schema={"enum": list(STATUSES)})]
    error_description: Annotated[str, Meta(examples=["There is no token."])]


class OAuthError(Failure):
    """An error in the format of RFC 6749.

    `description` has only characters that the RFC allows, and nothing of the input.
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
    """Returns the same error for an unknown client as for a wrong secret."""
    return OAuthError("invalid_client", "Client authentication failed.")


def wrong_audience(issuer: str) -> OAuthError:
    """Returns the error for a client that has proved who it is."""
    return OAuthError("invalid_client", f"The assertion's aud must be exactly {issuer}.")


def invalid_request(description: str) -> OAuthError:
    return OAuthError("invalid_request", description)


def _describe(problem: Problem) -> str:
    if problem.code == "duplicate_parameter":
        return "A parameter is repeated."
    # We do not repeat an unknown name, because it may be a misplaced secret.
    return problem.message if problem.code in _NAMED_BY_CLIENT else f"{problem.field}: {problem.message}"


class OAuthErrors:
    """Writes failures in the format that OAuth clients expect."""

    body = OAuthErrorBody

    def write(self, failure: Failure, request: Request) -> Answer:
        error = failure if isinstance(failure, OAuthError) else _translate(failure)
        return json_answer(error.status, error.body(), CONTENT_TYPE.encode())

    def example(self, code: str, field: str | None, detail: Mapping[str, Any] | None) -> FailureExample:
        if code in STATUSES:
            error = OAuthError(code, _MEANINGS[code])
        else:
            error = _translate(error_or_problem(code, field))
        meaning = _MEANINGS[error.code] if error.status == 400 else error.description
        return FailureExample(error.status, error.code, meaning, to_builtins(error.body()))


def _translate(failure: Failure) -> OAuthError:
    assert isinstance(failure, ApiError)
    if isinstance(failure, Invalid):
        return invalid_request(" ".join(dict.fromkeys(map(_describe, failure.detail))))
    if failure.status == 415:
        return invalid_request("The body must be application/x-www-form-urlencoded.")
    code = {429: "temporarily_unavailable", 500: "server_error", 503: "temporarily_unavailable"}
    return OAuthError(code.get(failure.status, "invalid_request"), failure.message, failure.status)
