"""What can be done to selected certificates from elsewhere."""

from trilha.access.permissions.roles import Permission
from trilha.core.database import Tx
from trilha.kit import N_, NN_
from trilha.training.external_certificates import actions
from trilha.training.external_certificates.queries import WAITING, ListedCertificate
from trilha.web.panel.bulk.actions import BulkAction, Context, Targets, declare, one_by_one

TARGETS = Targets(WAITING, lambda row: f"{row.user_name}, {row.course_title}")


def _skip_own(context: Context, row: ListedCertificate) -> str | None:
    is_own = row.user_id == context.user_id and not context.reach.is_everyone
    return "yourself" if is_own else None


async def _accept(tx: Tx, context: Context, row: ListedCertificate) -> None:
    await actions.accept(tx, row)


ACCEPT = declare(
    BulkAction(
        name="external-certificates/accept",
        targets=TARGETS,
        permission=Permission.ENROLLMENTS_WRITE,
        label=N_("Accept"),
        icon="check",
        question=NN_("Accept %(num)s certificate?", "Accept %(num)s certificates?"),
        consequence=N_(
            "They count as completed on the day that each certificate names. Check the files first."
        ),
        button=N_("Accept certificates"),
        done=NN_("%(num)s certificate was accepted.", "%(num)s certificates were accepted."),
        skip=_skip_own,
        act=one_by_one(_accept),
    )
)
ACTIONS = (ACCEPT,)
