"""Browsers that a person signed in with before.

A long-lived signed cookie. Such a browser counts its tries to sign in by itself, so that a stranger's tries
do not lock its person out; a sign-in from any other is told to the person by mail. It proves nothing else.
"""

import hmac
import secrets

from trilha.core.secrets import Keyring
from trilha.core.web.cookies import Cookie
from trilha.core.web.request import Request

# People who share a browser. The one who signed in last comes first.
_MOST_PEOPLE = 5
_COOKIE = Cookie("trilha_browser", max_age=400 * 86_400)  # the most that browsers keep one


class Browsers:
    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring

    def find(self, request: Request, tenant_slug: str, email: str) -> str | None:
        """This browser's number for the person; None where they never signed in with it."""
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
        _COOKIE.set(request, "~".join(entries[:_MOST_PEOPLE]))

    def _entries(self, request: Request) -> list[str]:
        value = _COOKIE.read(request) or ""
        return [each for each in value.split("~")[:_MOST_PEOPLE] if each.isascii()]

    def _tag(self, number: str, tenant_slug: str, email: str) -> str:
        return self._keyring.mac(b"browser", number.encode(), tenant_slug.encode(), email.encode()).hex()[:32]
