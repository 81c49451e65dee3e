"""What can be done to selected courses."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.access.permissions.roles import Permission
from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.kit import N_, NN_
from trilha.people.users.reach import Reach
from trilha.training.courses import actions, queries
from trilha.training.courses.lists import COURSE_ROWS
from trilha.training.courses.schema import CoursePatch, ListedCourse
from trilha.web.panel.bulk.actions import (
    BulkAction,
    Context,
    LeftAsIs,
    States,
    Targets,
    declare,
    one_by_one,
    undo_one_by_one,
)
from trilha.web.panel.view import PanelView

P = Permission


def find_teacher(reach: Reach) -> UUID | None:
    return reach.user_id if reach.role == "instrutor" else None


TARGETS = Targets(COURSE_ROWS, lambda row: row.title, lambda context: find_teacher(context.reach))


async def _read(tx: Tx, context: Context, ids: Sequence[UUID]) -> States:
    return await queries.lock_statuses_and_tags(tx, ids)


def _skip_published(context: Context, row: ListedCourse) -> str | None:
    return "already_published" if row.status == "PUBLISHED" else None


def _skip_archived(context: Context, row: ListedCourse) -> str | None:
    return {"ARCHIVED": "already_archived", "DRAFT": "course_is_draft"}.get(row.status)


async def _publish(tx: Tx, context: Context, row: ListedCourse) -> None:
    await actions.publish(tx, row.id)


async def _archive(tx: Tx, context: Context, row: ListedCourse) -> None:
    await actions.archive(tx, row.id)


async def _restore(tx: Tx, context: Context, id: UUID, before: Any) -> None:
    await actions.restore(tx, id)


class TagOptions(Struct, frozen=True):
    tag: str = ""


async def _choose_tag(tx: Tx, view: PanelView, form: TagOptions) -> Mapping[str, Any]:
    """Raises Invalid (required, too_long)."""
    tag = " ".join(form.tag.split())
    if not tag:
        raise invalid("tag", "required")
    if len(tag) > 50 or "," in tag:
        raise invalid("tag", "too_long")
    return {"tag": tag}


async def _add_tag(tx: Tx, context: Context, row: ListedCourse) -> None:
    tags = list((await queries.get_authored(tx, row.id)).tags)
    if context.options["tag"] in tags:
        raise LeftAsIs("already_tagged")
    await actions.change(tx, row.id, CoursePatch(tags=[*tags, context.options["tag"]]))


async def _restore_tags(tx: Tx, context: Context, id: UUID, before: Any) -> None:
    await actions.change(tx, id, CoursePatch(tags=before["tags"]))


PUBLISH = declare(
    BulkAction(
        name="courses/publish",
        targets=TARGETS,
        permission=P.COURSES_WRITE,
        label=N_("Publish"),
        icon="circle-check",
        question=NN_("Publish %(num)s course?", "Publish %(num)s courses?"),
        consequence=N_("People can be enrolled in them. Courses without a required module are skipped."),
        button=N_("Publish courses"),
        done=NN_("%(num)s course was published.", "%(num)s courses were published."),
        skip=_skip_published,
        act=one_by_one(_publish),
    )
)
ARCHIVE = declare(
    BulkAction(
        name="courses/archive",
        targets=TARGETS,
        permission=P.COURSES_WRITE,
        label=N_("Archive"),
        icon="archive",
        question=NN_("Archive %(num)s course?", "Archive %(num)s courses?"),
        consequence=N_("Nobody can be enrolled in them any more. People who are enrolled may finish."),
        button=N_("Archive courses"),
        done=NN_("%(num)s course was archived.", "%(num)s courses were archived."),
        skip=_skip_archived,
        act=one_by_one(_archive),
        read=_read,
        undo=undo_one_by_one(_restore),
    )
)
ADD_TAG = declare(
    BulkAction(
        name="courses/add-tag",
        targets=TARGETS,
        permission=P.COURSES_WRITE,
        label=N_("Add tag"),
        icon="tag",
        question=NN_("Add a tag to %(num)s course?", "Add a tag to %(num)s courses?"),
        consequence=N_("The tag is added to those that the courses have."),
        button=N_("Add tag"),
        done=NN_("%(num)s course has the tag now.", "%(num)s courses have the tag now."),
        options=TagOptions,
        fields="panel/courses/_tag_fields.html",
        choose=_choose_tag,
        act=one_by_one(_add_tag),
        read=_read,
        undo=undo_one_by_one(_restore_tags),
    )
)
ACTIONS = (PUBLISH, ARCHIVE, ADD_TAG)
