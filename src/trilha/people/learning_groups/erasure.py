"""The erasure of a person's memberships in learning groups."""

from uuid import UUID

from trilha.core.database import Tx


async def erase_person(tx: Tx, user_id: UUID) -> None:
    await tx.execute(
        "DELETE FROM learning_group_members WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )
