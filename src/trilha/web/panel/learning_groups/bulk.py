"""What can be done to selected learning groups."""

from trilha.access.permissions.roles import Permission
from trilha.core.database import Tx
from trilha.kit import N_, NN_
from trilha.people.learning_groups import actions
from trilha.people.learning_groups.lists import GROUPS
from trilha.people.learning_groups.schema import LearningGroup
from trilha.web.panel.bulk.actions import BulkAction, Context, Targets, declare, one_by_one

TARGETS = Targets(GROUPS, lambda row: row.name, lambda context: None)


async def _delete(tx: Tx, context: Context, row: LearningGroup) -> None:
    await actions.delete(tx, row.id)


DELETE = declare(
    BulkAction(
        name="groups/delete",
        targets=TARGETS,
        permission=Permission.GROUPS_WRITE,
        label=N_("Delete groups"),
        icon="trash-2",
        kind="danger",
        question=NN_("Delete %(num)s group?", "Delete %(num)s groups?"),
        consequence=N_("Their members keep their accounts, enrollments and certificates."),
        button=N_("Delete groups"),
        done=NN_("%(num)s group was deleted.", "%(num)s groups were deleted."),
        act=one_by_one(_delete),
    )
)
ACTIONS = (DELETE,)
