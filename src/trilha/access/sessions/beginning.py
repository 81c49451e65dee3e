"""The start of a session, by password or by an identity provider."""

from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.access.sessions import queries
from trilha.access.sessions.rules import device, new_token, shorten_agent
from trilha.access.sessions.schema import Account, NewSession
from trilha.core.database import Tx
from trilha.core.errors import Unauthenticated
from trilha.core.types import Timestamp
from trilha.core.web.request import Request
from trilha.platform.audit import queries as audit
from trilha.platform.mail import outbox
from trilha.platform.mail.catalogue import NewSignIn
from trilha.platform.mail.schema import Recipient


class WayIn(Struct, frozen=True, kw_only=True):
    """A sign-in by a company's provider: the connection, the subject, and the provider's session.

    `ends_at` is when the provider's session ends.
    """

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
    by_link: bool = False,
    passkey_id: UUID | None = None,
) -> NewSession:
    """Starts a session; without a `way`, a passkey and not `by_link`, by password. `address` is the server's
    own. A passkey stands for the second factor too.

    Raises Unauthenticated if the person was suspended, or has a new password, since the lookup.
    """
    token, agent = new_token(), shorten_agent(request.header(b"user-agent") or "")
    second = "passed" if passkey_id is not None else "due" if account.has_authenticator else "none"
    session = await queries.insert(tx, account, tx.keyring.fingerprint(token), token, second, agent)
    if session is None:
        raise Unauthenticated("invalid_login")
    detail: dict[str, Any] = {}
    if way is not None:
        session = await queries.note_way_in(
            tx, session, way.connection_id, way.subject, way.session_index, way.ends_at
        )
        detail["connection_id"] = way.connection_id
    if passkey_id is not None:
        detail["passkey_id"] = passkey_id
    if by_link:
        await queries.note_link(tx, session.id)
        detail["launch_link"] = True
    await queries.note_login(tx, account.id)
    await audit.record(tx, "session.started", account.id, device=device(agent), **detail)
    if not known_browser:
        await _notify(tx, account, request, address, device(agent))
    return session


async def _notify(tx: Tx, account: Account, request: Request, address: str, device_name: str) -> None:
    message = NewSignIn(
        at=Timestamp.of(tx.now), address=request.source, device=device_name, link=f"{address}/learn/security"
    )
    await outbox.send(tx, to=recipient(account), message=message)


def recipient(account: Account) -> Recipient:
    return Recipient(account.email, account.name, account.locale, account.time_zone, account.id)
