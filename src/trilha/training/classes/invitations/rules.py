"""Decides who gets which message about a session. No I/O, no clock."""

from typing import Literal
from uuid import UUID, uuid5

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.training.classes.invitations.schema import Invitation

MessageKind = Literal["invitation", "change", "cancellation"]


class Plan(Struct, frozen=True):
    """The message that a person gets, and the SEQUENCE of its event."""

    kind: MessageKind
    sequence: int


def build_uid(session_id: UUID, user_id: UUID) -> str:
    """Returns the UID of the event: always the same for a person and a session, and for nobody else."""
    return str(uuid5(session_id, str(user_id)))


def plan_request(invitation: Invitation | None, ends_at: Timestamp, now: Timestamp) -> Plan | None:
    """Plans the invitation to a session, or its update. Nobody is told of what is over, except that a session
    which was to come is over.
    """
    if invitation is None or invitation.is_cancelled:
        sequence = 0 if invitation is None else invitation.sequence + 1
        return Plan("invitation", sequence) if ends_at > now else None
    return Plan("change", invitation.sequence + 1) if max(ends_at, invitation.ends_at) > now else None


def plan_cancellation(invitation: Invitation | None, now: Timestamp) -> Plan | None:
    """Plans the cancellation of an invitation. What is over stays in the calendar."""
    if invitation is None or invitation.is_cancelled or invitation.ends_at <= now:
        return None
    return Plan("cancellation", invitation.sequence + 1)
