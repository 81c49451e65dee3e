"""Assigns the people of an import to a learning path."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule
from trilha.core.types import Timestamp
from trilha.people.people_import.enrolling import Enroller, EnrollProblem, Outcome, Target
from trilha.people.users import queries as users
from trilha.training.learning_paths import advancing, queries
from trilha.training.learning_paths.schema import LearningPath


async def _check(tx: Tx, path_id: UUID) -> None:
    """Raises NotFound, and BusinessRule (learning_path_not_published)."""
    _require_published(await queries.get(tx, path_id))


def _require_published(path: LearningPath) -> None:
    if path.status != "PUBLISHED":
        raise BusinessRule("learning_path_not_published")


async def _assign(tx: Tx, target: Target, user_ids: Sequence[UUID]) -> Outcome:
    """Raises NotFound, and BusinessRule (learning_path_not_published)."""
    path = await queries.lock(tx, target.id)
    _require_published(path)
    active = {each.id for each in await users.list_profiles(tx, list(user_ids)) if each.status == "ACTIVE"}
    inactive = BusinessRule("user_not_active")
    problems = [
        EnrollProblem(each, inactive.code, inactive.message) for each in user_ids if each not in active
    ]
    due_at = Timestamp(target.due_at).moment() if target.due_at else None
    result = await advancing.assign_until(tx, path, sorted(active), due_at)
    problems += [EnrollProblem(each.user_id, each.code, each.message) for each in result.errors]
    return Outcome(len(result.added), len(active) - len(result.added), problems)


TO_PATH = Enroller(_check, _assign, lock=queries.lock)
