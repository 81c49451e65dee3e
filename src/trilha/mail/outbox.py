"""Writing e-mails into the running transaction: they are sent if, and only if, it commits."""

from collections.abc import Sequence
from uuid import UUID, uuid4

from trilha.core.database import Tx
from trilha.core.types import to_json
from trilha.mail import queries, rendering
from trilha.mail.catalogue import AnyMessage
from trilha.mail.queries import NewMessage
from trilha.mail.schema import Content, Recipient


async def send(tx: Tx, *, to: Recipient, message: AnyMessage) -> UUID:
    """The id of the message, which its Message-ID begins with."""
    (id,) = await send_all(tx, [(to, message)])
    return id


async def send_all(tx: Tx, messages: Sequence[tuple[Recipient, AnyMessage]]) -> list[UUID]:
    """One statement, however many. Sending none does nothing."""
    rows = [_row(tx, to, message) for to, message in messages]
    if rows:
        await queries.insert(tx, rows)
    return [row.id for row in rows]


def _row(tx: Tx, to: Recipient, message: AnyMessage) -> NewMessage:
    id = uuid4()
    content = to_json(Content(to.name, to.time_zone, message)).decode()
    return NewMessage(
        id=id,
        kind=message.kind(),
        locale=to.locale,
        to_email=to.email,
        subject=rendering.subject(message.kind(), to.locale),
        content=tx.keyring.seal(content, tx.tenant_id, "mail_messages", id),
        user_id=to.user_id,
    )
