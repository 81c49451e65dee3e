"""The codes of check-in: a signature of the tenant, the session and a time step. No I/O, no clock."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from uuid import UUID

from trilha.core.secrets import Keyring

STEP = timedelta(seconds=15)
# A code is good in its own step and in the following one.
_STEPS = 2
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FORM = re.compile(r"[0-9A-Za-z_-]{64}", re.ASCII)
_ID_BYTES = 16


def create(keyring: Keyring, tenant_id: UUID, session_id: UUID, now: datetime) -> tuple[str, datetime]:
    """Returns the code of the current step, and when it expires."""
    step = _find_step(now)
    signature = keyring.sign(*_list_parts(tenant_id, session_id, step))
    code = urlsafe_b64encode(session_id.bytes + signature).decode()
    return code, _EPOCH + STEP * (step + _STEPS)


def read(keyring: Keyring, tenant_id: UUID, code: str, now: datetime) -> UUID | None:
    """Returns the session of a code that is good now, or None."""
    if not _FORM.fullmatch(code):
        return None
    raw = urlsafe_b64decode(code)
    session_id, signature = UUID(bytes=raw[:_ID_BYTES]), raw[_ID_BYTES:]
    # The code may come from a node whose clock is a little ahead.
    latest = _find_step(now) + 1
    for step in range(latest, latest - _STEPS - 1, -1):
        if keyring.is_signed(signature, *_list_parts(tenant_id, session_id, step)):
            return session_id
    return None


def _find_step(now: datetime) -> int:
    return (now - _EPOCH) // STEP


def _list_parts(tenant_id: UUID, session_id: UUID, step: int) -> tuple[bytes, ...]:
    return b"check-in", tenant_id.bytes, session_id.bytes, str(step).encode()
