"""Learners sign that they are in a session: on their own device, or on the instructor's after they have
proven who they are.
"""

import hmac
from datetime import UTC, datetime, timedelta
from typing import Literal
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict, invalid
from trilha.core.types import Timestamp
from trilha.training.classes import attendance, attendance_queries, rules
from trilha.training.classes import queries as classes
from trilha.training.classes.actions import is_running
from trilha.training.classes.attendance_queries import Change
from trilha.training.classes.schema import CheckedIn
from trilha.training.signatures import actions as signatures

PURPOSE = "attendance"
# How long a personal code is good for: in its own step and the following one.
CODE_STEP = timedelta(minutes=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DIGITS = 8
Proof = Literal["session", "password", "code"]


async def sign(tx: Tx, user_id: UUID, session_id: UUID, drawing: str, proof: Proof) -> CheckedIn:
    """Records that a person is in the room, from now to the end of the session, with their drawn signature.

    This happens once. Raises NotFound, BusinessRule (session_cancelled, outside_session, not_registered),
    Conflict (already_checked_in), Invalid (signature_missing, signature_not_readable).
    """
    await classes.lock_users(tx, [user_id])
    locked, session = await attendance.lock_session(tx, session_id, [user_id])
    if not is_running(session, tx.now):
        raise BusinessRule("outside_session")
    places = await attendance.find_places(tx, session.class_id, [user_id])
    if await attendance_queries.list_recorded(tx, session_id, [user_id]):
        raise Conflict("already_checked_in")
    minutes = rules.measure_rest(tx.now, *session.span)
    signed = {
        "tenant": tx.tenant_id,
        "class": locked.id,
        "title": locked.title,
        "session": session_id,
        "starts_at": session.starts_at,
        "ends_at": session.ends_at,
        "user": user_id,
        "minutes": minutes,
        "signed_at": Timestamp.of(tx.now),
    }
    digest = signatures.compute_digest(signed)
    evidence = {key: str(value) for key, value in signed.items()} | {"proof": proof, "by": tx.actor.name}
    signature = await signatures.sign_by_drawing(tx, user_id, PURPOSE, session_id, digest, drawing, evidence)
    change = Change(user_id, places[user_id].enrollment_id, minutes, None, None)
    await attendance.store(tx, locked, session, [change], "SIGNATURE", signature)
    return CheckedIn(locked.id, session_id, minutes, Timestamp.of(tx.now))


def create_personal_code(tx: Tx, session_id: UUID, user_id: UUID) -> str:
    """Returns the digits by which a person proves who they are on the instructor's device."""
    return _build_code(tx, session_id, user_id, (tx.now - _EPOCH) // CODE_STEP)


def check_personal_code(tx: Tx, session_id: UUID, user_id: UUID, code: str) -> None:
    """Raises Invalid (personal_code_wrong) unless these are the person's digits for the session, in this
    minute or the one before.
    """
    step, typed = (tx.now - _EPOCH) // CODE_STEP, "".join(code.split()).encode()
    if not any(
        hmac.compare_digest(typed, _build_code(tx, session_id, user_id, each).encode())
        for each in (step, step - 1)
    ):
        raise invalid("code", "personal_code_wrong")


def _build_code(tx: Tx, session_id: UUID, user_id: UUID, step: int) -> str:
    parts = (tx.tenant_id.bytes, session_id.bytes, user_id.bytes, str(step).encode())
    number = int.from_bytes(tx.keyring.mac(b"personal-check-in", *parts)[:8])
    return f"{number % 10**_DIGITS:0{_DIGITS}}"
