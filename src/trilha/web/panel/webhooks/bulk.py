"""What can be done to selected deliveries of an endpoint."""

from uuid import UUID

from trilha.access.permissions.roles import Permission
from trilha.core.database import Tx
from trilha.kit import N_, NN_
from trilha.platform.webhooks import actions
from trilha.platform.webhooks.lists import DELIVERIES
from trilha.platform.webhooks.schema import Delivery
from trilha.web.panel.bulk.actions import BulkAction, Context, Targets, declare, one_by_one


def _webhook_of(context: Context) -> UUID:
    return UUID(context.options["webhook_id"])


TARGETS = Targets(DELIVERIES, lambda row: row.event_type, _webhook_of)


async def _retry(tx: Tx, context: Context, row: Delivery) -> None:
    await actions.retry(tx, _webhook_of(context), row.id)


RETRY = declare(
    BulkAction(
        name="deliveries/retry",
        targets=TARGETS,
        permission=Permission.WEBHOOKS_MANAGE,
        label=N_("Send again"),
        icon="rotate-cw",
        question=NN_("Send %(num)s delivery again?", "Send %(num)s deliveries again?"),
        consequence=N_(
            "Each starts a new cycle of attempts at the present address. The receiver may get an event twice."
        ),
        button=N_("Send again"),
        done=NN_("%(num)s delivery is sent again.", "%(num)s deliveries are sent again."),
        act=one_by_one(_retry),
    )
)
ACTIONS = (RETRY,)
