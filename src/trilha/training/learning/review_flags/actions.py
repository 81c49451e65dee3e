"""Flags unusual learning, and dismisses flags that a person has looked at."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.platform.audit import queries as audit
from trilha.training.learning.review_flags import queries, rules
from trilha.training.learning.review_flags.schema import FlagKind, ModuleFlag, Observation, TimeClaim

# Each enrollment may bring a state of 64 KiB for each of its modules.
_BATCH = 20


async def check_waiting(tx: Tx) -> int:
    """Checks a batch of the enrollments that wait for it; returns how many."""
    waiting = await queries.take_waiting(tx, _BATCH)
    if waiting:
        enrollments = sorted(set(waiting))
        await queries.store_observations(tx, enrollments)
        await _flag_unusual(tx, enrollments)
    return len(waiting)


async def _flag_unusual(tx: Tx, enrollments: Sequence[UUID]) -> None:
    found: list[ModuleFlag] = []
    common: list[UUID] = []
    for row in await queries.list_comparisons(tx, enrollments):
        flags = rules.find_flags(_build_observation(row))
        found += [(row["enrollment_id"], row["module_id"], flag) for flag in flags]
        # Nobody knows who copied from whom, so both get the flag.
        same = [flag for flag in flags if flag.kind == "SAME_STATE"]
        found += [(other, row["module_id"], flag) for flag in same for other in row["alike"]]
        if len(row["alike"]) > rules.MAX_ALIKE:
            common += row["alike"]
    await queries.replace_flags(tx, enrollments, found)
    await queries.delete_common_flags(tx, common)


def _build_observation(row: Any) -> Observation:
    return Observation(
        score=row["score"],
        answers=row["answers"],
        others_answer=row["others_answer"],
        seconds=row["seconds"],
        others=row["others"],
        alike=len(row["alike"]),
        claims=[TimeClaim(said, lasted) for said, lasted in row["claims"]],
    )


async def dismiss_flag(
    tx: Tx, enrollment_id: UUID, module_id: UUID, kind: FlagKind, user_id: UUID, reason: str
) -> None:
    """Dismisses an open flag. Raises NotFound (review_flag_not_found)."""
    if not await queries.dismiss_flag(tx, enrollment_id, module_id, kind, user_id, reason):
        raise NotFound("review_flag_not_found")
    # The audit log is never erased. It holds no reason, because a reason may name people.
    await audit.record(tx, "review_flag.dismissed", enrollment_id, "", module_id=module_id, kind=kind)
