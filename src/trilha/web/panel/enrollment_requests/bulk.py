"""What can be done to selected requests for enrollment."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission
from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.types import STORABLE
from trilha.kit import N_, NN_
from trilha.training.enrollment_requests import actions
from trilha.training.enrollment_requests.lists import WAITING
from trilha.training.enrollment_requests.schema import ListedRequest
from trilha.web.panel.bulk.actions import BulkAction, Context, Targets, declare, one_by_one
from trilha.web.panel.view import PanelView

P = Permission
TARGETS = Targets(WAITING, lambda row: f"{row.user_name}, {row.course_title}")


class RejectionOptions(Struct, frozen=True):
    reason: Annotated[str, Meta(max_length=500, extra_json_schema=STORABLE)] = ""


def _skip_own(context: Context, row: ListedRequest) -> str | None:
    is_own = row.user_id == context.user_id and not context.reach.is_everyone
    return "yourself" if is_own else None


async def _choose_reason(tx: Tx, view: PanelView, form: RejectionOptions) -> Mapping[str, Any]:
    """Raises Invalid (required)."""
    if not form.reason.strip():
        raise invalid("reason", "required")
    return {"reason": form.reason.strip()}


async def _approve(tx: Tx, context: Context, row: ListedRequest) -> None:
    await actions.approve(tx, row.id, decided_by=context.user_id)


async def _reject(tx: Tx, context: Context, row: ListedRequest) -> None:
    await actions.reject(tx, row.id, context.options["reason"], decided_by=context.user_id)


APPROVE = declare(
    BulkAction(
        name="requests/approve",
        targets=TARGETS,
        permission=P.ENROLLMENTS_WRITE,
        label=N_("Approve"),
        icon="check",
        question=NN_("Approve %(num)s request?", "Approve %(num)s requests?"),
        consequence=N_("The people are enrolled without a due date and get a message."),
        button=N_("Approve requests"),
        done=NN_("%(num)s request was approved.", "%(num)s requests were approved."),
        skip=_skip_own,
        act=one_by_one(_approve),
    )
)
REJECT = declare(
    BulkAction(
        name="requests/reject",
        targets=TARGETS,
        permission=P.ENROLLMENTS_WRITE,
        label=N_("Refuse"),
        icon="x",
        kind="danger",
        question=NN_("Refuse %(num)s request?", "Refuse %(num)s requests?"),
        consequence=N_("The people get a message with the reason."),
        button=N_("Refuse requests"),
        done=NN_("%(num)s request was refused.", "%(num)s requests were refused."),
        options=RejectionOptions,
        fields="panel/enrollment_requests/_reason_fields.html",
        choose=_choose_reason,
        skip=_skip_own,
        act=one_by_one(_reject),
    )
)
ACTIONS = (APPROVE, REJECT)
