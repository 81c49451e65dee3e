"""Passes a new secret from the form that made it to the page that shows it once.

The form redirects, so that a reload does not make a second secret. In between, the secret is in a cookie of
this host: sealed, bound to the session and its owner, and valid for two minutes. The page that shows it
deletes the cookie.
"""

import base64
import binascii
from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.core.secrets import UnreadableSecret
from trilha.core.web.answers import Answer, Html
from trilha.kit.flash import cookie_name, set_cookie
from trilha.web.panel.view import PanelView

_COOKIE = "trilha_shown_once"
_LIFETIME = timedelta(minutes=2)


def lead_to(tx: Tx, view: PanelView, location: str, owner_id: UUID, secret: str) -> Answer:
    """Redirects to the page that shows the secret of this key, client or endpoint."""
    answer = view.lead(location)
    text = msgspec.json.encode([tx.now.isoformat(), secret]).decode()
    sealed = tx.keyring.seal(text, *_context(tx, view, owner_id))
    _set(view, answer, base64.urlsafe_b64encode(sealed).decode(), int(_LIFETIME.total_seconds()))
    return answer


def find(tx: Tx, view: PanelView, owner_id: UUID) -> str | None:
    """Returns the secret, or None once it was shown."""
    sent = view.request.cookie(cookie_name(_COOKIE, view.request))
    try:
        sealed = base64.urlsafe_b64decode(sent or "")
        at, secret = msgspec.json.decode(
            tx.keyring.open(sealed, *_context(tx, view, owner_id)), type=tuple[str, str]
        )
    except (binascii.Error, UnreadableSecret):
        return None
    return secret if tx.now < datetime.fromisoformat(at) + _LIFETIME else None


def take_back(view: PanelView, page: Html) -> Html:
    """Deletes the cookie with the page that shows the secret."""
    _set(view, page, "", 0)
    return page


def _set(view: PanelView, answer: Answer, value: str, seconds: int) -> None:
    request = view.request
    set_cookie(answer, cookie_name(_COOKIE, request), value, seconds=seconds, secure=request.secure)


def _context(tx: Tx, view: PanelView, owner_id: UUID) -> tuple[object, ...]:
    return tx.tenant_id, "shown_once", view.viewer.session_id, owner_id
