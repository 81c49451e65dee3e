"""What can be done to selected requests for a new due date."""

from trilha.access.permissions.roles import Permission
from trilha.core.database import Tx
from trilha.kit import N_, NN_
from trilha.training.enrollments import extensions
from trilha.training.enrollments.extension_queries import WAITING, ListedRequest
from trilha.web.panel.bulk.actions import BulkAction, Context, Targets, declare, one_by_one
from trilha.web.panel.enrollments.bulk import ExtendOptions, choose_days, offer_days

P = Permission
TARGETS = Targets(WAITING, lambda row: f"{row.user_name}, {row.course_title}")


def _skip_own(context: Context, row: ListedRequest) -> str | None:
    is_own = row.user_id == context.user_id and not context.reach.is_everyone
    return "yourself" if is_own else None


async def _grant(tx: Tx, context: Context, row: ListedRequest) -> None:
    await extensions.grant(tx, row.id, context.options["days"])


async def _refuse(tx: Tx, context: Context, row: ListedRequest) -> None:
    await extensions.refuse(tx, row.id)


GRANT = declare(
    BulkAction(
        name="extensions/grant",
        targets=TARGETS,
        permission=P.ENROLLMENTS_WRITE,
        label=N_("Grant"),
        icon="check",
        question=NN_(
            "Grant %(num)s request for a new due date?", "Grant %(num)s requests for a new due date?"
        ),
        consequence=N_(
            "The enrollments reopen with their progress, for the days that you choose from today."
        ),
        button=N_("Grant requests"),
        done=NN_("%(num)s enrollment is open again.", "%(num)s enrollments are open again."),
        options=ExtendOptions,
        fields="panel/enrollments/_extend_fields.html",
        offer=offer_days,
        choose=choose_days,
        skip=_skip_own,
        act=one_by_one(_grant),
    )
)
REFUSE = declare(
    BulkAction(
        name="extensions/refuse",
        targets=TARGETS,
        permission=P.ENROLLMENTS_WRITE,
        label=N_("Refuse"),
        icon="x",
        kind="danger",
        question=NN_(
            "Refuse %(num)s request for a new due date?", "Refuse %(num)s requests for a new due date?"
        ),
        consequence=N_("The enrollments stay expired."),
        button=N_("Refuse requests"),
        done=NN_("%(num)s request was refused.", "%(num)s requests were refused."),
        act=one_by_one(_refuse),
    )
)
ACTIONS = (GRANT, REFUSE)
