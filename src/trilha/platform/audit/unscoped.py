"""Audit records of what belongs to all tenants."""

from trilha.core.credentials import Actor
from trilha.core.database import Unscoped


async def record_for_all(unscoped: Unscoped, actor: Actor, action: str, target: str) -> None:
    """Adds a record inside the caller's `durable` block, together with the change."""
    await unscoped.execute(
        """
        INSERT INTO global_audit_records (action, target, actor_kind, actor, source, created_at)
        VALUES (:action, :target, :actor_kind, :actor, :source, :now)
        """,
        action=action,
        target=target,
        actor_kind=actor.kind,
        actor=actor.name,
        source=actor.source,
    )
