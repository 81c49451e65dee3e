"""What a call can raise. Every error is a `TrilhaError`."""

from __future__ import annotations

from typing import Any

import httpx2


class TrilhaError(Exception):
    """A call failed."""


class NetworkError(TrilhaError):
    """No answer arrived, in any attempt. A change may have been made all the same."""


class ApiError(TrilhaError):
    """The server refused the call, or failed.

    - `code`: the reason. Base your program's decisions on it; docs/errors.md lists all codes.
    - `status`: the HTTP status.
    - `type`: the kind of error, such as `validation_error`.
    - `message`: a sentence for people.
    - `field`: the member that is wrong, such as `cnh.numero`, or None.
    - `detail`: the list of all problems of a `ValidationError`; otherwise an object or None, by the code.
    - `request_id`: quote it to support.
    - `retry_after`: the seconds that the server asks you to wait, or None.
    """

    def __init__(self, status: int, error: dict[str, Any], retry_after: float | None = None) -> None:
        self.status = status
        self.code: str = error["code"]
        self.type: str | None = error.get("type")
        self.message: str = error.get("message", "")
        self.field: str | None = error.get("field")
        self.detail: Any = error.get("detail")
        self.request_id: str | None = error.get("request_id")
        self.retry_after = retry_after
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        if isinstance(self.detail, list):
            return "; ".join(f"{each['field']}: {each['message']} ({each['code']})" for each in self.detail)
        return f"{self.message} ({self.code})"


class RefusalError(ApiError):
    """4xx: this call is refused because of what it asks for. Other calls may succeed."""


class ValidationError(RefusalError):
    """400: the request is wrong. `detail` lists every problem."""


class AuthenticationError(ApiError):
    """401: the API key, the client or the token is not accepted."""


class PermissionDeniedError(ApiError):
    """403: the credential lacks a scope, or may not be used from this address."""


class NotFoundError(RefusalError):
    """404: it does not exist in the credential's tenant."""


class ConflictError(RefusalError):
    """409: the present state does not allow this, such as `email_exists`."""


class BusinessRuleError(RefusalError):
    """422: a training rule does not allow this, such as `course_not_published`."""


class RateLimitError(ApiError):
    """429: too many calls, and the server asks to wait longer than `max_wait`."""


class ServerError(ApiError):
    """5xx: the server failed in every attempt."""


_CLASSES: dict[int, type[ApiError]] = {
    400: ValidationError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    422: BusinessRuleError,
    429: RateLimitError,
}


def make_error(response: httpx2.Response, retry_after: float | None = None) -> ApiError:
    """Returns the error of a refused call."""
    status = response.status_code
    default = ServerError if status >= 500 else RefusalError if status >= 400 else ApiError
    return _CLASSES.get(status, default)(status, _read(response), retry_after)


def _read(response: httpx2.Response) -> dict[str, Any]:
    """Something between the client and Trilha, such as a proxy, may answer in a form of its own."""
    request_id = response.headers.get("x-request-id")
    try:
        body = response.json()
        if isinstance(body["error"], str):  # the form of /oauth/token
            message = body.get("error_description", "")
            return {"code": body["error"], "message": message, "request_id": request_id}
        return {"code": str(body["error"]["code"]), **body["error"]}
    except (ValueError, KeyError, TypeError):
        message = "Something other than Trilha answered"
        return {"code": f"http_{response.status_code}", "message": message, "request_id": request_id}
