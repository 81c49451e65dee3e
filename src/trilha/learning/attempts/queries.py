"""The SQL of attempts, under the lock of their enrollment's head."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec

from trilha.core.database import Tx, columns_of, structs_of
from trilha.learning.attempts.schema import Attempt, LastAttempt
from trilha.scorm.runtime.interactions import Interaction


async def find_last_attempt(tx: Tx, enrollment_id: UUID, module_id: UUID) -> LastAttempt | None:
    rows = await tx.rows(
        f"""
        SELECT {columns_of(Attempt)}, cmi, (
            SELECT COALESCE(sum(l.credited_seconds), 0) FROM launches l
            WHERE l.tenant_id = :tenant AND l.attempt_id = attempts.id) AS seconds
        FROM attempts
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND module_id = :module_id
        ORDER BY number DESC LIMIT 1
        """,  # noqa: S608
        enrollment_id=enrollment_id,
        module_id=module_id,
    )
    if not rows:
        return None
    cmi = rows[0]["cmi"]
    return LastAttempt(
        structs_of(Attempt, rows)[0], None if cmi is None else msgspec.json.decode(cmi), rows[0]["seconds"]
    )


async def insert_attempt(tx: Tx, enrollment_id: UUID, module_id: UUID, number: int, **scorm: Any) -> Attempt:
    attempt = await tx.find(
        Attempt,
        f"""
        INSERT INTO attempts (tenant_id, enrollment_id, module_id, number, package_id, item, version,
                              settings, started_at)
        VALUES (:tenant, :enrollment_id, :module_id, :number, :package_id, :item, :version, :settings, :now)
        RETURNING {columns_of(Attempt)}
        """,  # noqa: S608
        enrollment_id=enrollment_id,
        module_id=module_id,
        number=number,
        **({"package_id": None, "item": None, "version": None, "settings": {}} | scorm),
    )
    assert attempt is not None
    return attempt


_COLUMN_TYPES = {"index": "int", "latency_seconds": "float8", "weighting": "float8"}

_COLUMNS = Interaction.__struct_fields__


async def store_interactions(tx: Tx, attempt_id: UUID, answers: Sequence[Interaction]) -> None:
    """Those that are new or differ. What is stored is compared where it is: it may be megabytes.

    An answer of an earlier launch comes again with every commit, and may have taken longer than the launch
    that it comes with: that is no change.
    """
    compared = [name for name in _COLUMNS if name not in ("index", "latency_seconds")]
    await tx.execute(
        f"""
        INSERT INTO interactions (tenant_id, attempt_id, {", ".join(_COLUMNS)}, updated_at)
        SELECT :tenant, :attempt_id, new.*, :now
        FROM unnest({", ".join(f":{name}::{_COLUMN_TYPES.get(name, 'text')}[]" for name in _COLUMNS)})
            AS new ({", ".join(_COLUMNS)})
        WHERE NOT EXISTS (
            SELECT FROM interactions old
            WHERE old.tenant_id = :tenant AND old.attempt_id = :attempt_id AND old.index = new.index
              AND (new.latency_seconds IS NULL OR new.latency_seconds = old.latency_seconds)
              AND ({", ".join(f"new.{name}" for name in compared)})
                  IS NOT DISTINCT FROM ({", ".join(f"old.{name}" for name in compared)}))
        ON CONFLICT (tenant_id, attempt_id, index) DO UPDATE SET
            {", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[1:])}, updated_at = excluded.updated_at
        """,  # noqa: S608
        attempt_id=attempt_id,
        **{name: [getattr(each, name) for each in answers] for name in _COLUMNS},
    )


async def find_attempt(tx: Tx, attempt_id: UUID) -> Attempt | None:
    return await tx.find(
        Attempt,
        f"SELECT {columns_of(Attempt)} FROM attempts WHERE tenant_id = :tenant AND id = :attempt_id",  # noqa: S608
        attempt_id=attempt_id,
    )
