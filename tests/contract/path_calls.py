"""Calls that return the error codes of learning paths and review flags. Only pages do."""

from collections.abc import Mapping
from uuid import uuid4

from contract.quiz_calls import Act
from trilha.core.database import Tx
from trilha.training.courses.schema import CourseSlug
from trilha.training.learning.review_flags import actions as reviews
from trilha.training.learning_paths import actions
from trilha.training.learning_paths.schema import NewPath

_PATH = NewPath(title="Integração", slug=CourseSlug("integracao"))


async def _twice_the_same_slug(tx: Tx) -> None:
    for _ in range(2):
        await actions.create(tx, _PATH)


async def _publish_an_empty_one(tx: Tx) -> None:
    await actions.publish(tx, (await actions.create(tx, _PATH)).id)


async def _archive_a_draft(tx: Tx) -> None:
    await actions.archive(tx, (await actions.create(tx, _PATH)).id)


async def _assign_a_draft(tx: Tx) -> None:
    await actions.assign_people(tx, (await actions.create(tx, _PATH)).id, [uuid4()])


async def _add_51_courses(tx: Tx) -> None:
    await actions.set_courses(tx, (await actions.create(tx, _PATH)).id, [uuid4() for _ in range(51)])


async def _dismiss_nothing(tx: Tx) -> None:
    await reviews.dismiss_flag(tx, uuid4(), uuid4(), "TOO_FAST", uuid4(), "")


PATH_ACTS: Mapping[str, Act] = {
    "learning_path_not_found": lambda tx: actions.withdraw(tx, uuid4(), uuid4()),
    "learning_path_slug_exists": _twice_the_same_slug,
    "learning_path_without_courses": _publish_an_empty_one,
    "learning_path_is_draft": _archive_a_draft,
    "learning_path_not_published": _assign_a_draft,
    "too_many_courses": _add_51_courses,
    "review_flag_not_found": _dismiss_nothing,
}
