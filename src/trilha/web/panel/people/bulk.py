"""What can be done to selected people, in the list of people and in that of a group's members."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.access.permissions.roles import Permission
from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.types import Timestamp
from trilha.kit import N_, NN_
from trilha.people.learning_groups import actions as groups
from trilha.people.learning_groups import queries as group_queries
from trilha.people.users import actions, queries
from trilha.people.users.lists import PEOPLE
from trilha.people.users.schema import Person
from trilha.training.courses import queries as courses
from trilha.training.enrollments import actions as enrollments
from trilha.training.enrollments import queries as enrollment_queries
from trilha.training.enrollments import restoring
from trilha.training.enrollments.schema import NewEnrollment
from trilha.training.learning_paths import actions as paths
from trilha.training.learning_paths import queries as path_queries
from trilha.web.panel import choices
from trilha.web.panel.bulk.actions import (
    BulkAction,
    Context,
    LeftAsIs,
    Reasons,
    States,
    Targets,
    declare,
    one_by_one,
    undo_one_by_one,
)
from trilha.web.panel.days import end_of_day
from trilha.web.panel.view import PanelView

TARGETS = Targets(PEOPLE, lambda row: row.name)
P = Permission


def _skip_inactive(context: Context, row: Person) -> str | None:
    return None if row.status == "ACTIVE" else "user_not_active"


# Suspending and ending a suspension


def _skip_suspension(context: Context, row: Person) -> str | None:
    if row.id == context.user_id:
        return "yourself"
    if row.role == "admin":
        return "administrator"
    return {"SUSPENDED": "already_suspended", "INACTIVE": "user_inactive"}.get(row.status)


def _skip_reactivation(context: Context, row: Person) -> str | None:
    return {"ACTIVE": "not_suspended", "INACTIVE": "user_inactive"}.get(row.status)


async def _suspend(tx: Tx, context: Context, row: Person) -> None:
    await actions.suspend(tx, row.id)


async def _reactivate(tx: Tx, context: Context, row: Person) -> None:
    await actions.reactivate(tx, row.id)


async def _read_status(tx: Tx, context: Context, ids: Sequence[UUID]) -> States:
    return await queries.lock_statuses(tx, ids)


async def _undo_suspension(tx: Tx, context: Context, id: UUID, before: Any) -> None:
    await actions.reactivate(tx, id)


async def _undo_reactivation(tx: Tx, context: Context, id: UUID, before: Any) -> None:
    await actions.suspend(tx, id)


SUSPEND = declare(
    BulkAction(
        name="people/suspend",
        targets=TARGETS,
        permission=P.PEOPLE_WRITE,
        label=N_("Suspend"),
        icon="user-x",
        kind="danger",
        question=NN_("Suspend %(num)s person?", "Suspend %(num)s people?"),
        consequence=N_(
            "They lose access now, until you end the suspension. Their certificates remain valid, and no "
            "data is lost."
        ),
        button=N_("Suspend people"),
        done=NN_("%(num)s person was suspended.", "%(num)s people were suspended."),
        skip=_skip_suspension,
        act=one_by_one(_suspend),
        read=_read_status,
        undo=undo_one_by_one(_undo_suspension),
    )
)
REACTIVATE = declare(
    BulkAction(
        name="people/reactivate",
        targets=TARGETS,
        permission=P.PEOPLE_WRITE,
        label=N_("End suspension"),
        icon="user-check",
        question=NN_("End the suspension of %(num)s person?", "End the suspension of %(num)s people?"),
        consequence=N_("They can sign in again and continue where they left off."),
        button=N_("End suspensions"),
        done=NN_("%(num)s person can sign in again.", "%(num)s people can sign in again."),
        skip=_skip_reactivation,
        act=one_by_one(_reactivate),
        read=_read_status,
        undo=undo_one_by_one(_undo_reactivation),
    )
)

# Invitations


def _skip_invitation(context: Context, row: Person) -> str | None:
    return _skip_inactive(context, row)


async def _invite(tx: Tx, context: Context, row: Person) -> None:
    await actions.invite(tx, row.id)


INVITE = declare(
    BulkAction(
        name="people/invite",
        targets=TARGETS,
        permission=P.PEOPLE_WRITE,
        label=N_("Send invitation again"),
        icon="mail",
        question=NN_(
            "Send the invitation to %(num)s person again?", "Send the invitation to %(num)s people again?"
        ),
        consequence=N_(
            "We e-mail each person a new link to choose a password. Earlier links stop working. People who "
            "have a password are skipped."
        ),
        button=N_("Send invitations"),
        done=NN_(
            "The invitation to %(num)s person is on its way.",
            "The invitations to %(num)s people are on their way.",
        ),
        skip=_skip_invitation,
        act=one_by_one(_invite),
    )
)

# Groups


class GroupOptions(Struct, frozen=True):
    group_id: UUID | None = None


async def _offer_groups(tx: Tx, view: PanelView, values: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"groups": await choices.groups(tx, view, values.get("group_id"))}


async def _choose_group(tx: Tx, view: PanelView, form: GroupOptions) -> Mapping[str, Any]:
    """Raises Invalid (required), NotFound."""
    if form.group_id is None:
        raise invalid("group_id", "required")
    await group_queries.get(tx, form.group_id)
    return {"group_id": str(form.group_id)}


def _group_of(context: Context) -> UUID:
    return UUID(context.options["group_id"])


async def _read_membership(tx: Tx, context: Context, ids: Sequence[UUID]) -> States:
    added_at = await group_queries.list_memberships(tx, _group_of(context), ids)
    return {id: {"added_at": added_at.get(id)} for id in ids}


async def _add_to_group(tx: Tx, context: Context, rows: Sequence[Person]) -> Reasons:
    ids = [row.id for row in rows]
    members = await group_queries.list_memberships(tx, _group_of(context), ids)
    await groups.add_members(tx, _group_of(context), [id for id in ids if id not in members])
    return dict.fromkeys(members, "already_member")


async def _remove_from_group(tx: Tx, context: Context, rows: Sequence[Person]) -> Reasons:
    ids = [row.id for row in rows]
    members = await group_queries.list_memberships(tx, _group_of(context), ids)
    await groups.remove_members(tx, _group_of(context), list(members))
    return {id: "not_member" for id in ids if id not in members}


async def _undo_adding(tx: Tx, context: Context, states: States) -> Reasons:
    await groups.remove_members(tx, _group_of(context), list(states))
    return {}


async def _undo_removal(tx: Tx, context: Context, states: States) -> Reasons:
    added_at = {id: Timestamp(before["added_at"]) for id, before in states.items()}
    await groups.restore_members(tx, _group_of(context), added_at)
    return {}


ADD_TO_GROUP = declare(
    BulkAction(
        name="people/add-to-group",
        targets=TARGETS,
        permission=P.GROUPS_WRITE,
        label=N_("Add to group"),
        icon="users-round",
        question=NN_("Add %(num)s person to a group?", "Add %(num)s people to a group?"),
        consequence=N_("If the group is assigned to a learning path, its new members follow the path too."),
        button=N_("Add to group"),
        done=NN_("%(num)s person was added to the group.", "%(num)s people were added to the group."),
        options=GroupOptions,
        fields="panel/people/_group_fields.html",
        offer=_offer_groups,
        choose=_choose_group,
        skip=_skip_inactive,
        act=_add_to_group,
        read=_read_membership,
        undo=_undo_adding,
    )
)
REMOVE_FROM_GROUP = declare(
    BulkAction(
        name="groups/remove",
        targets=TARGETS,
        permission=P.GROUPS_WRITE,
        label=N_("Remove from group"),
        icon="user-minus",
        question=NN_("Remove %(num)s person from the group?", "Remove %(num)s people from the group?"),
        consequence=N_("They keep their accounts, enrollments and certificates."),
        button=N_("Remove from group"),
        done=NN_("%(num)s person was removed from the group.", "%(num)s people were removed from the group."),
        act=_remove_from_group,
        read=_read_membership,
        undo=_undo_removal,
    )
)

# Courses and paths


class CourseOptions(Struct, frozen=True):
    course_id: UUID | None = None
    expires_at: date | None = None


async def _offer_courses(tx: Tx, view: PanelView, values: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"courses": await choices.courses(tx, view, values.get("course_id"), published=True)}


async def _choose_course(tx: Tx, view: PanelView, form: CourseOptions) -> Mapping[str, Any]:
    """Raises Invalid (required, invalid_value, invalid_date, not_in_future) and NotFound."""
    if form.course_id is None:
        raise invalid("course_id", "required")
    if (await courses.get(tx, form.course_id)).status != "PUBLISHED":
        raise invalid("course_id", "invalid_value")
    expires_at = end_of_day(form.expires_at, view, "expires_at")
    if expires_at is not None and expires_at <= Timestamp.of(tx.now):
        raise invalid("expires_at", "not_in_future")
    return {"course_id": str(form.course_id), "expires_at": expires_at}


def _course_of(context: Context) -> UUID:
    return UUID(context.options["course_id"])


async def _enroll(tx: Tx, context: Context, rows: Sequence[Person]) -> Reasons:
    expires_at = context.options["expires_at"]
    due = Timestamp(expires_at) if expires_at else None
    items = [NewEnrollment(user_id=row.id, course_id=_course_of(context), expires_at=due) for row in rows]
    created, errors = await enrollments.enroll_required(tx, items)
    enrolled = {each.user_id for each in created}
    reasons = {row.id: "already_enrolled" for row in rows if row.id not in enrolled}
    return reasons | {each.user_id: each.code for each in errors}


async def _read_current(tx: Tx, context: Context, ids: Sequence[UUID]) -> States:
    current = await restoring.read_current(tx, _course_of(context), ids)
    return {id: {"enrollment_id": str(current[id]) if id in current else None} for id in ids}


async def _undo_enrollment(tx: Tx, context: Context, id: UUID, before: Any) -> None:
    """Cancels the new enrollment unless the person has begun. Raises LeftAsIs."""
    current = (await restoring.read_current(tx, _course_of(context), [id]))[id]
    if (await enrollment_queries.get(tx, current)).status != "NOT_STARTED":
        raise LeftAsIs("enrollment_started")
    await enrollments.cancel(tx, current)
    if before["enrollment_id"]:
        await restoring.make_current(tx, UUID(before["enrollment_id"]))


ENROLL = declare(
    BulkAction(
        name="people/enroll",
        targets=TARGETS,
        permission=P.ENROLLMENTS_WRITE,
        label=N_("Enroll in course"),
        icon="graduation-cap",
        question=NN_("Enroll %(num)s person in a course?", "Enroll %(num)s people in a course?"),
        consequence=N_("People already enrolled in the course are skipped."),
        button=N_("Enroll people"),
        done=NN_("%(num)s person was enrolled.", "%(num)s people were enrolled."),
        options=CourseOptions,
        fields="panel/enrollments/_terms.html",
        offer=_offer_courses,
        choose=_choose_course,
        skip=_skip_inactive,
        act=_enroll,
        read=_read_current,
        undo=undo_one_by_one(_undo_enrollment),
    )
)


class PathOptions(Struct, frozen=True):
    path_id: UUID | None = None


async def _offer_paths(tx: Tx, view: PanelView, values: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"paths": await choices.paths(tx, view, values.get("path_id"))}


async def _choose_path(tx: Tx, view: PanelView, form: PathOptions) -> Mapping[str, Any]:
    """Raises Invalid (required, invalid_value), NotFound."""
    if form.path_id is None:
        raise invalid("path_id", "required")
    if (await path_queries.get(tx, form.path_id)).status != "PUBLISHED":
        raise invalid("path_id", "invalid_value")
    return {"path_id": str(form.path_id)}


async def _assign_path(tx: Tx, context: Context, rows: Sequence[Person]) -> Reasons:
    await paths.assign_people(tx, UUID(context.options["path_id"]), [row.id for row in rows])
    return {}


ASSIGN_PATH = declare(
    BulkAction(
        name="people/assign-path",
        targets=TARGETS,
        permission=P.PATHS_ASSIGN,
        label=N_("Assign learning path"),
        icon="route",
        question=NN_(
            "Assign a learning path to %(num)s person?", "Assign a learning path to %(num)s people?"
        ),
        consequence=N_("They are enrolled in the courses of the path within a few minutes."),
        button=N_("Assign path"),
        done=NN_("The path was assigned to %(num)s person.", "The path was assigned to %(num)s people."),
        options=PathOptions,
        fields="panel/people/_path_fields.html",
        offer=_offer_paths,
        choose=_choose_path,
        skip=_skip_inactive,
        act=_assign_path,
    )
)
ACTIONS = (ENROLL, ADD_TO_GROUP, SUSPEND, REACTIVATE, ASSIGN_PATH, INVITE)
