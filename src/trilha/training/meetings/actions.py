"""Sets up services, and asks them for links."""

from datetime import timedelta
from uuid import UUID

import msgspec
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

import trilha.training.meetings.errors  # noqa: F401
from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, NotFound, invalid
from trilha.core.resealing.columns import SealedColumn
from trilha.core.types import to_json
from trilha.platform.audit import queries as audit
from trilha.training.classes import actions as classes
from trilha.training.classes import queries as class_queries
from trilha.training.classes.schema import MeetingUrl, SessionUpdate
from trilha.training.meetings import queries, rules
from trilha.training.meetings.schema import (
    Credentials,
    DueRequest,
    Meeting,
    OpenedService,
    ServiceKind,
)

_CONTEXT = "meeting_services"
SEALED_CREDENTIALS = SealedColumn(
    kind="credentials of services for video calls",
    table="meeting_services",
    column="credentials",
    keys={"kind": "text"},
    context=lambda row: (_CONTEXT, row["kind"]),
)
_BATCH = 20
# Longer than the two requests to a service may take.
_LEASE = timedelta(seconds=60)


class _ServiceKey(msgspec.Struct, frozen=True):
    """The members of a Google service account's JSON key that we need."""

    client_email: str
    private_key: str


def read_service_key(content: bytes) -> Credentials:
    """Reads the JSON key of a Google service account. Raises Invalid (service_key_invalid)."""
    try:
        key = msgspec.json.decode(content, type=_ServiceKey)
        private_key = load_pem_private_key(key.private_key.encode(), None)
    except (msgspec.DecodeError, ValueError, TypeError, UnsupportedAlgorithm, RecursionError):
        raise invalid("key", "service_key_invalid") from None
    if not isinstance(private_key, RSAPrivateKey) or not key.client_email:
        raise invalid("key", "service_key_invalid")
    return Credentials("", key.client_email, key.private_key)


async def set_up(tx: Tx, kind: ServiceKind, organizer: str, credentials: Credentials | None) -> None:
    """Stores the credentials of a service. None keeps the present ones. Raises Invalid
    (credentials_incomplete).
    """
    if credentials is None:
        opened = await open_service(tx, kind)
        if opened is None:
            raise invalid("secret", "credentials_incomplete")
        credentials = opened.credentials
    sealed = tx.keyring.seal(to_json(credentials).decode(), tx.tenant_id, _CONTEXT, kind)
    await queries.save_service(tx, kind, organizer, sealed)
    await audit.record(tx, "meeting_service.set", tx.tenant_id, kind=kind, organizer=organizer)


async def remove(tx: Tx, kind: ServiceKind) -> None:
    """Forgets a service. Links that it has made stay. Raises NotFound."""
    if not await queries.delete_service(tx, kind):
        raise NotFound("route_not_found")
    await audit.record(tx, "meeting_service.removed", tx.tenant_id, kind=kind)


async def open_service(tx: Tx, kind: ServiceKind) -> OpenedService | None:
    """Returns a service with its credentials, or None if it is not set up. Raises UnreadableSecret."""
    service, sealed = await queries.find_service(tx, kind), await queries.find_sealed(tx, kind)
    if service is None or sealed is None:
        return None
    opened = tx.keyring.open(sealed, tx.tenant_id, _CONTEXT, kind)
    return OpenedService(kind, service.organizer, msgspec.json.decode(opened, type=Credentials))


async def request_link(tx: Tx, session_id: UUID, kind: ServiceKind) -> None:
    """Lets the worker have a service make the link of a session. Once it is made, invitations are updated.

    Raises NotFound (class_session_not_found), BusinessRule (session_cancelled, meeting_link_exists,
    meeting_service_missing).
    """
    session = await class_queries.find_session(tx, session_id)
    if session.status == "CANCELLED":
        raise BusinessRule("session_cancelled")
    if session.meeting_url is not None:
        raise BusinessRule("meeting_link_exists")
    if await queries.find_service(tx, kind) is None:
        raise BusinessRule("meeting_service_missing")
    await queries.save_request(tx, session_id, kind)


async def claim_due(tx: Tx) -> list[tuple[DueRequest, OpenedService | None, Meeting | None]]:
    """Claims requests that are due. Without a meeting, the session no longer needs a link."""
    claimed = await queries.claim(tx, _BATCH, _LEASE)
    return [
        (each, await open_service(tx, each.kind), await _find_meeting(tx, each.session_id))
        for each in claimed
    ]


async def _find_meeting(tx: Tx, session_id: UUID) -> Meeting | None:
    session = await class_queries.find_session(tx, session_id)
    if session.status == "CANCELLED" or session.meeting_url is not None:
        return None
    title = (await class_queries.get(tx, session.class_id)).title
    return Meeting(session_id, title, session.starts_at, session.ends_at, session.time_zone)


async def record(tx: Tx, request: DueRequest, link: str | None, reason: str | None) -> None:
    """Records how an attempt ended, and gives the session its link. One that got a link meanwhile, or was
    cancelled, stays as it is.
    """
    # Editing a session locks its class first, too.
    session = await class_queries.find_session(tx, request.session_id)
    await class_queries.lock(tx, session.class_id)
    next_at = rules.find_next_attempt(tx.now, request.attempts, reason) if reason else None
    if not await queries.end(tx, request, reason, next_at):
        return
    if link is not None or reason is not None:
        await queries.note_result(tx, request.kind, reason)
    if link is not None:
        session = await class_queries.find_session(tx, request.session_id)
        if session.status != "CANCELLED" and session.meeting_url is None:
            update = SessionUpdate(meeting_url=MeetingUrl.parse(link))
            await classes.change_session(tx, request.session_id, update)
