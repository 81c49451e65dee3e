"""The errors of /oauth, in the form of RFC 6749 section 5.2."""

from typing import Any

# What each means to the client. Only characters that `error_description` may have, and nothing of the input.
_STATUSES = {
    "invalid_request": 400,
    "invalid_client": 401,
    "unauthorized_client": 400,
    "unsupported_grant_type": 400,
    "invalid_scope": 400,
    "temporarily_unavailable": 503,
    "server_error": 500,
}
_CHALLENGE = 'Basic realm="oauth", charset="UTF-8"'


class OAuthError(Exception):
    """What the client is told, and with which status."""

    def __init__(self, code: str, description: str, status: int | None = None, **headers: str) -> None:
        super().__init__(code)
        self.code = code
        self.description = description
        self.status = status or _STATUSES[code]
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.status == 401:
            self.headers["www-authenticate"] = _CHALLENGE

    def body(self) -> dict[str, Any]:
        return {"error": self.code, "error_description": self.description}


def invalid_client() -> OAuthError:
    """The same for an unknown client as for a wrong secret."""
    return OAuthError("invalid_client", "The client is not known, or did not prove who it is.")


def invalid_request(description: str) -> OAuthError:
    return OAuthError("invalid_request", description)
