"""Checks of messages just before they are sent: what is no longer true is left out.

A feature registers a check for its kind of message when it is imported.
"""

from collections.abc import Awaitable, Callable
from uuid import UUID

from trilha.core.database import Tx
from trilha.platform.mail.catalogue import AnyMessage

# Receives the recipient's id. Returns the message to send, which may have lost parts, or None to drop it.
Check = Callable[[Tx, UUID, AnyMessage], Awaitable[AnyMessage | None]]
_CHECKS: dict[type, Check] = {}


def register(kind: type, check: Check) -> None:
    _CHECKS[kind] = check


def find(message: AnyMessage) -> Check | None:
    return _CHECKS.get(type(message))
