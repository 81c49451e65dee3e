"""Writes e-mails in the running transaction. They are sent if and only if it commits."""

from collections.abc import Sequence
from uuid import UUID, uuid4

from trilha.core.database import Tx
from trilha.core.resealing.columns import SealedColumn
from trilha.core.types import to_json
from trilha.platform.mail import queries, rendering
from trilha.platform.mail.catalogue import AnyMessage
from trilha.platform.mail.queries import NewMessage
from trilha.platform.mail.schema import Content, Recipient

_CONTEXT = "mail_messages"
SEALED_MESSAGES = SealedColumn(
    kind="e-mails that wait",
    table="mail_messages",
    column="content",
    keys={"id": "uuid"},
    context=lambda row: (_CONTEXT, row["id"]),
)


async def send(tx: Tx, *, to: Recipient, message: AnyMessage) -> UUID:
    """Sends a message and returns its id, which begins its Message-ID."""
    (id,) = await send_all(tx, [(to, message)])
    return id


async def send_all(tx: Tx, messages: Sequence[tuple[Recipient, AnyMessage]]) -> list[UUID]:
    """Sends messages with one statement. Does nothing without messages."""
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
        content=tx.keyring.seal(content, tx.tenant_id, _CONTEXT, id),
        user_id=to.user_id,
    )
