"""Reads and sets cookies (RFC 6265)."""

from trilha.core.web.request import Request


class Cookie:
    """A cookie for this host alone that scripts cannot read.

    Over TLS its name begins with `__Host-`, so no other host and nobody on the network can set it.
    """

    def __init__(self, name: str, max_age: int | None = None) -> None:
        """`max_age` is in seconds. With None, the cookie ends with the browser."""
        self._name = name
        self._max_age = max_age

    def read(self, request: Request) -> str | None:
        return request.cookie(self._name_for(request))

    def set(self, request: Request, value: str) -> None:
        """Sets the cookie on the response. `value` must have only characters of RFC 6265 section 4.1.1."""
        age = "" if self._max_age is None else f"; Max-Age={self._max_age}"
        self._add(request, f"{value}{age}")

    def clear(self, request: Request) -> None:
        self._add(request, "; Max-Age=0")

    def _add(self, request: Request, value: str) -> None:
        secure = "; Secure" if request.secure else ""
        cookie = f"{self._name_for(request)}={value}; Path=/; HttpOnly; SameSite=Lax{secure}"
        request.answer_headers.append((b"set-cookie", cookie.encode("latin-1")))

    def _name_for(self, request: Request) -> str:
        return f"__Host-{self._name}" if request.secure else self._name
