"""Reads the mails that wait to be sent."""

from typing import Any

from msgspec import json

from conftest import World


async def mailed(world: World, kind: str) -> list[dict[str, Any]]:
    """Returns the values of the messages of a kind, oldest first."""
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            SELECT id, content FROM mail_messages
            WHERE tenant_id = :tenant AND kind = :kind ORDER BY created_at, id
            """,
            kind=kind,
        )
        opened = [tx.keyring.open(row["content"], tx.tenant_id, "mail_messages", row["id"]) for row in rows]
    return [json.decode(each)["message"] for each in opened]
