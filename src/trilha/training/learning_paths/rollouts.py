"""The SQL of rollouts, and of changes that may advance somebody on a path."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, columns_of
from trilha.training.learning_paths.schema import Progress, Rollout, RolloutKind

_COLUMNS = columns_of(Rollout)
# The people of each kind, by `user_id`.
_BELOW = """
    WITH RECURSIVE below AS (
        SELECT CAST(:unit_id AS uuid) AS id
        UNION
        SELECT unit.id FROM business_units AS unit JOIN below ON unit.parent_id = below.id
        WHERE unit.tenant_id = :tenant)
    SELECT id FROM below
    """
_PEOPLE: dict[RolloutKind, str] = {
    "PEOPLE": "SELECT user_id FROM unnest(:people::uuid[]) AS user_id WHERE :tenant::uuid IS NOT NULL",
    "GROUP": "SELECT user_id FROM learning_group_members WHERE tenant_id = :tenant AND group_id = :group_id",
    "UNIT": f"""SELECT id AS user_id FROM users
                WHERE tenant_id = :tenant AND business_unit_id = ANY(ARRAY({_BELOW}))""",  # noqa: S608
    "ASSIGNED": """SELECT user_id FROM learning_path_assignments
                   WHERE tenant_id = :tenant AND path_id = :path_id""",
}


async def insert(
    tx: Tx,
    path_id: UUID,
    kind: RolloutKind,
    *,
    people: Sequence[UUID] | None = None,
    group_id: UUID | None = None,
    unit_id: UUID | None = None,
) -> None:
    await tx.execute(
        """
        INSERT INTO learning_path_rollouts (tenant_id, path_id, kind, people, group_id, business_unit_id,
                                            actor_kind, actor, source, created_at)
        VALUES (:tenant, :path_id, :kind, :people, :group_id, :unit_id, :actor_kind, :actor, :source, :now)
        """,
        path_id=path_id,
        kind=kind,
        people=people,
        group_id=group_id,
        unit_id=unit_id,
        actor_kind=tx.actor.kind,
        actor=tx.actor.name,
        source=tx.actor.source,
    )


async def insert_of_audiences(tx: Tx, path_id: UUID) -> None:
    """Inserts a rollout for each group and unit of the path."""
    await tx.execute(
        """
        INSERT INTO learning_path_rollouts (tenant_id, path_id, kind, group_id, business_unit_id, actor_kind,
                                            actor, source, created_at)
        SELECT :tenant, path_id, CASE WHEN group_id IS NULL THEN 'UNIT' ELSE 'GROUP' END, group_id,
               business_unit_id, CAST(:actor_kind AS text), CAST(:actor AS text), CAST(:source AS text),
               CAST(:now AS timestamptz)
        FROM learning_path_audiences WHERE tenant_id = :tenant AND path_id = :path_id
        RETURNING tenant_id
        """,
        path_id=path_id,
        actor_kind=tx.actor.kind,
        actor=tx.actor.name,
        source=tx.actor.source,
    )


async def claim(tx: Tx) -> Rollout | None:
    """Claims the oldest unfinished rollout that no other process has."""
    return await tx.find(
        Rollout,
        f"""
        SELECT {_COLUMNS} FROM learning_path_rollouts
        WHERE tenant_id = :tenant AND finished_at IS NULL
        ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED
        """,  # noqa: S608
    )


async def count(tx: Tx, rollout: Rollout) -> int:
    total: int = await tx.value(
        f"SELECT count(*) FROM ({_PEOPLE[rollout.kind]}) AS everybody",  # noqa: S608
        **_params(rollout),
    )
    return total


async def list_next(tx: Tx, rollout: Rollout, limit: int) -> list[UUID]:
    rows = await tx.rows(
        f"""
        SELECT user_id FROM ({_PEOPLE[rollout.kind]}) AS everybody
        WHERE user_id > :last ORDER BY user_id LIMIT :limit
        """,  # noqa: S608
        last=rollout.last_user_id or UUID(int=0),
        limit=limit,
        **_params(rollout),
    )
    return [row["user_id"] for row in rows]


def _params(rollout: Rollout) -> dict[str, Any]:
    return {
        "people": rollout.people,
        "group_id": rollout.group_id,
        "unit_id": rollout.business_unit_id,
        "path_id": rollout.path_id,
    }


async def advance(tx: Tx, rollout: Rollout, total: int, taken: Sequence[UUID], *, finished: bool) -> None:
    """Stores that a rollout has handled `taken` people more."""
    await tx.execute(
        """
        UPDATE learning_path_rollouts
        SET total = GREATEST(:total, done + :taken), done = done + :taken, last_user_id = :last,
            finished_at = CASE WHEN :finished THEN CAST(:now AS timestamptz) END,
            people = CASE WHEN :finished THEN NULL ELSE people END
        WHERE tenant_id = :tenant AND id = :rollout_id
        """,
        rollout_id=rollout.id,
        total=total,
        taken=len(taken),
        last=taken[-1] if taken else rollout.last_user_id,
        finished=finished,
    )


async def find_progress(tx: Tx, path_id: UUID) -> Progress | None:
    """Returns None if no rollout is running."""
    return await tx.find(
        Progress,
        """
        SELECT count(*) AS rollouts, COALESCE(sum(done), 0)::bigint AS done,
               COALESCE(sum(total), 0)::bigint AS total, bool_and(total IS NOT NULL) AS counted
        FROM learning_path_rollouts
        WHERE tenant_id = :tenant AND path_id = :path_id AND finished_at IS NULL HAVING count(*) > 0
        """,
        path_id=path_id,
    )


class Change(Struct, frozen=True):
    path_id: UUID
    user_id: UUID
    joins: bool


async def take_changes(tx: Tx, limit: int) -> list[Change]:
    """Takes the oldest changes and deletes them in this transaction."""
    return await tx.list(
        Change,
        f"""
        DELETE FROM learning_path_changes WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM learning_path_changes WHERE tenant_id = :tenant
            ORDER BY created_at LIMIT :limit FOR UPDATE SKIP LOCKED)
        RETURNING {columns_of(Change)}
        """,  # noqa: S608
        limit=limit,
    )
