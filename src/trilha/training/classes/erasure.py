"""Erases a person from classes: their places become free, and reasons that may name them are removed."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.training.classes import registering, registration_queries


async def erase_person(tx: Tx, user_id: UUID) -> None:
    """Frees the places in classes that have not ended. Registrations in ended classes and attendance stay as
    evidence, without the reasons.
    """
    ended = await tx.rows(
        """
        SELECT r.id FROM class_registrations r JOIN classes c ON c.tenant_id = :tenant AND c.id = r.class_id
        WHERE r.tenant_id = :tenant AND r.user_id = :user_id AND r.cancelled_at IS NULL
          AND (c.ends_at <= :now OR c.cancelled_at IS NOT NULL)
        """,
        user_id=user_id,
    )
    kept = {row["id"] for row in ended}
    places = await registration_queries.list_open_of_user(tx, user_id)
    await registering.cancel_all(tx, [each for each in places if each.id not in kept])
    await tx.execute(
        """
        UPDATE class_registrations SET cancel_reason = NULL
        WHERE tenant_id = :tenant AND user_id = :user_id AND cancel_reason IS NOT NULL
        """,
        user_id=user_id,
    )
    await tx.execute(
        "DELETE FROM attendance_marks WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )
    await tx.execute(
        """
        UPDATE attendance_corrections SET reason = NULL
        WHERE tenant_id = :tenant AND user_id = :user_id AND reason IS NOT NULL
        """,
        user_id=user_id,
    )
