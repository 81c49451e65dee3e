"""What can be done to selected learning paths, and to the people on one."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from trilha.access.permissions.roles import Permission
from trilha.core.database import Tx
from trilha.kit import N_, NN_
from trilha.training.learning_paths import actions, queries
from trilha.training.learning_paths.lists import PATHS, followers
from trilha.training.learning_paths.schema import Follower, ListedPath
from trilha.web.panel.bulk.actions import (
    BulkAction,
    Context,
    States,
    Targets,
    declare,
    one_by_one,
    undo_one_by_one,
)

P = Permission
TARGETS = Targets(PATHS, lambda row: row.title)
FOLLOWERS = Targets(lambda context: followers(_path_of(context)), lambda row: row.name)


def _path_of(context: Context) -> UUID:
    return UUID(context.options["path_id"])


async def _read(tx: Tx, context: Context, ids: Sequence[UUID]) -> States:
    return await queries.lock_statuses(tx, ids)


def _skip_published(context: Context, row: ListedPath) -> str | None:
    return "already_published" if row.status == "PUBLISHED" else None


def _skip_archived(context: Context, row: ListedPath) -> str | None:
    return {"ARCHIVED": "already_archived", "DRAFT": "course_is_draft"}.get(row.status)


async def _publish(tx: Tx, context: Context, row: ListedPath) -> None:
    await actions.publish(tx, row.id)


async def _archive(tx: Tx, context: Context, row: ListedPath) -> None:
    await actions.archive(tx, row.id)


async def _republish(tx: Tx, context: Context, id: UUID, before: Any) -> None:
    await actions.publish(tx, id)


async def _withdraw(tx: Tx, context: Context, row: Follower) -> None:
    await actions.withdraw(tx, _path_of(context), row.id)


PUBLISH = declare(
    BulkAction(
        name="paths/publish",
        targets=TARGETS,
        permission=P.PATHS_WRITE,
        label=N_("Publish"),
        icon="circle-check",
        question=NN_("Publish %(num)s path?", "Publish %(num)s paths?"),
        consequence=N_("They can be assigned. Paths without courses are skipped."),
        button=N_("Publish paths"),
        done=NN_("%(num)s path was published.", "%(num)s paths were published."),
        skip=_skip_published,
        act=one_by_one(_publish),
    )
)
ARCHIVE = declare(
    BulkAction(
        name="paths/archive",
        targets=TARGETS,
        permission=P.PATHS_WRITE,
        label=N_("Archive"),
        icon="archive",
        question=NN_("Archive %(num)s path?", "Archive %(num)s paths?"),
        consequence=N_("Nobody else is assigned. People on the paths may finish."),
        button=N_("Archive paths"),
        done=NN_("%(num)s path was archived.", "%(num)s paths were archived."),
        skip=_skip_archived,
        act=one_by_one(_archive),
        read=_read,
        undo=undo_one_by_one(_republish),
    )
)
WITHDRAW = declare(
    BulkAction(
        name="paths/withdraw",
        targets=FOLLOWERS,
        permission=P.PATHS_WRITE,
        label=N_("Remove from path"),
        icon="user-minus",
        question=NN_("Remove %(num)s person from the path?", "Remove %(num)s people from the path?"),
        consequence=N_("Current enrollments in its courses are kept. No further courses will open."),
        button=N_("Remove from path"),
        done=NN_("%(num)s person was removed from the path.", "%(num)s people were removed from the path."),
        act=one_by_one(_withdraw),
    )
)
ACTIONS = (PUBLISH, ARCHIVE)
