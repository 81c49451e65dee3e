"""How a session begins, whichever way a person came in."""

from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.audit import queries as audit
from trilha.core.database import Tx
from trilha.core.errors import Unauthenticated
from trilha.core.types import Timestamp
from trilha.core.web.request import Request
from trilha.mail import outbox
from trilha.mail.catalogue import NewSignIn
from trilha.mail.schema import Recipient
from trilha.sessions import queries
from trilha.sessions.rules import device, new_token, shortened_agent
from trilha.sessions.schema import Account, NewSession


class WayIn(Struct, frozen=True, kw_only=True):
    """By a company's provider: which connection of it, and whom and what session it means. `ends_at` is the
    latest that the provider lets the session last."""

    connection_id: UUID
    subject: str
    session_index: str | None = None
    ends_at: datetime | None = None


async def begin(
    tx: Tx,
    account: Account,
    request: Request,
    address: str,
    *,
    known_browser: bool,
    way: WayIn | None = None,
) -> NewSession:
    """By a password where there is no other `way`. `address` is the server's own.

    Raises Unauthenticated where the person was suspended, or has another password, since a moment ago.
    """
    token, agent = new_token(), shortened_agent(request.header(b"user-agent") or "")
    second = "due" if account.has_authenticator else "none"
    session = await queries.insert(tx, account, tx.keyring.fingerprint(token), token, second, agent)
    if session is None:
        raise Unauthenticated("invalid_login")
    detail: dict[str, Any] = {}
    if way is not None:
        session = await queries.note_way_in(
            tx, session, way.connection_id, way.subject, way.session_index, way.ends_at
        )
        detail["connection_id"] = way.connection_id
    await queries.note_login(tx, account.id)
    await audit.record(tx, "session.started", account.id, device=device(agent), **detail)
    if not known_browser:
        await _tell(tx, account, request, address, device(agent))
    return session


async def _tell(tx: Tx, account: Account, request: Request, address: str, used: str) -> None:
    told = NewSignIn(
        at=Timestamp.of(tx.now), address=request.source, device=used, link=f"{address}/learn/security"
    )
    await outbox.send(tx, to=recipient(account), message=told)


def recipient(account: Account) -> Recipient:
    return Recipient(account.email, account.name, account.locale, account.time_zone, account.id)
