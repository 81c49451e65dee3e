"""What each channel sends for a reminder: an HTTP request to an address."""

from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from msgspec import Struct

from trilha.core.types import to_json
from trilha.training.reminders.addresses import Address

_PUSH_SECONDS = 24 * 3600  # how long a push service keeps a message for a browser that is offline
_TOKEN_SECONDS = 12 * 3600


class Note(Struct, frozen=True):
    """A reminder as short texts in its person's language. `id` is the same at every attempt."""

    id: UUID
    kind: str
    enrollment_id: UUID | None
    title: str
    body: str
    url: str


class HttpRequest(Struct, frozen=True):
    url: str
    headers: dict[str, str]
    body: bytes


def build_push(note: Note, address: Address, private_pem: bytes, contact: str, now: int) -> HttpRequest:
    """Builds an encrypted push message (RFC 8030, RFC 8291). `contact` is an address for the push service."""
    # Imported here, because only the worker needs it, and it takes long.
    from py_vapid import Vapid02
    from pywebpush import WebPusher

    text = to_json(note)
    encrypted = WebPusher({"endpoint": address.url, "keys": address.keys}).encode(text, "aes128gcm")
    parts = urlsplit(address.url)
    claims = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": now + _TOKEN_SECONDS, "sub": contact}
    signed: dict[str, str] = Vapid02.from_pem(private_pem).sign(claims)
    headers = {"Content-Encoding": "aes128gcm", "Content-Type": "application/octet-stream"}
    return HttpRequest(
        address.url, headers | {"TTL": str(_PUSH_SECONDS), "Urgency": "normal"} | signed, encrypted["body"]
    )


class WhatsApp(Struct, frozen=True):
    """A provider that speaks the WhatsApp Cloud API: its messages endpoint and the token for it."""

    url: str
    token: str


class Providers(Struct, frozen=True):
    """The providers of channels that this installation has."""

    whatsapp: WhatsApp | None = None


NO_PROVIDERS = Providers()


def build_whatsapp(note: Note, address: Address, provider: WhatsApp) -> HttpRequest:
    """Builds a text message to a phone number."""
    content = {
        "messaging_product": "whatsapp",
        "to": address.url.removeprefix("tel:"),
        "type": "text",
        "text": {"body": f"*{note.title}*\n{note.body}\n{note.url}"},
    }
    request = _build_json(note, address, content)
    headers = request.headers | {"Authorization": f"Bearer {provider.token}"}
    return HttpRequest(provider.url, headers, request.body)


def build_slack(note: Note, address: Address) -> HttpRequest:
    """Builds a message for an incoming webhook of Slack."""
    text = f"*{_escape(note.title)}*\n{_escape(note.body)}\n<{note.url}>"
    return _build_json(note, address, {"text": text})


def _escape(text: str) -> str:
    """Escapes what Slack reads as markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def build_teams(note: Note, address: Address) -> HttpRequest:
    """Builds an adaptive card for an incoming webhook of Microsoft Teams."""
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [
            {"type": "TextBlock", "text": note.title, "weight": "Bolder", "wrap": True},
            {"type": "TextBlock", "text": note.body, "wrap": True},
        ],
        "actions": [{"type": "Action.OpenUrl", "title": note.title, "url": note.url}],
    }
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
    return _build_json(note, address, {"type": "message", "attachments": [attachment]})


def _build_json(note: Note, address: Address, content: dict[str, Any]) -> HttpRequest:
    headers = {"Content-Type": "application/json", "X-Trilha-Reminder-Id": str(note.id)}
    return HttpRequest(address.url, headers, to_json(content))
