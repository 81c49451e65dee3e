"""Browsers that a person signed in with before, remembered in a long-lived signed cookie.

Such a browser has a rate limit of its own, so that a stranger's attempts do not lock the person out. A
sign-in from any other browser notifies the person by e-mail. The cookie proves nothing else.
"""

import hmac
import secrets

from trilha.core.secrets import Keyring
from trilha.core.web.cookies import Cookie
from trilha.core.web.request import Request

# People who share a browser, the latest first.
_MAX_PEOPLE = 5
_COOKIE = Cookie("trilha_browser", max_age=400 * 86_400)  # the longest that browsers keep a cookie


class Browsers:
    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring

    def find(self, request: Request, tenant_slug: str, email: str) -> str | None:
        """Returns this browser's number for the person, or None if they never signed in with it."""
        for entry in self._entries(request):
            number, _, tag = entry.partition(".")
            if number and hmac.compare_digest(tag, self._tag(number, tenant_slug, email)):
                return number
        return None

    def remember(self, request: Request, tenant_slug: str, email: str) -> None:
        if self.find(request, tenant_slug, email):
            return
        number = secrets.token_hex(8)
        entries = [f"{number}.{self._tag(number, tenant_slug, email)}", *self._entries(request)]
        _COOKIE.set(request, "~".join(entries[:_MAX_PEOPLE]))

    def _entries(self, request: Request) -> list[str]:
        value = _COOKIE.read(request) or ""
        return [entry for entry in value.split("~")[:_MAX_PEOPLE] if entry.isascii()]

    def _tag(self, number: str, tenant_slug: str, email: str) -> str:
        return self._keyring.mac(b"browser", number.encode(), tenant_slug.encode(), email.encode()).hex()[:32]
