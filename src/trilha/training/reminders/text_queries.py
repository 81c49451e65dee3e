"""The SQL of a company's own texts of reminders."""

from trilha.core.database import Tx
from trilha.training.reminders.schema import ReminderText


async def list_texts(tx: Tx) -> list[ReminderText]:
    return await tx.list(
        ReminderText, "SELECT kind, locale, subject, text FROM reminder_texts WHERE tenant_id = :tenant"
    )


async def put(tx: Tx, new: ReminderText) -> None:
    """Inserts or replaces a text."""
    await tx.execute(
        """
        INSERT INTO reminder_texts (tenant_id, kind, locale, subject, text, updated_at)
        VALUES (:tenant, :kind, :locale, :subject, :text, :now)
        ON CONFLICT (tenant_id, kind, locale) DO UPDATE
        SET subject = excluded.subject, text = excluded.text, updated_at = excluded.updated_at
        """,
        kind=new.kind,
        locale=new.locale,
        subject=new.subject,
        text=new.text,
    )


async def delete(tx: Tx, kind: str, locale: str) -> None:
    await tx.execute(
        "DELETE FROM reminder_texts WHERE tenant_id = :tenant AND kind = :kind AND locale = :locale",
        kind=kind,
        locale=locale,
    )
