"""What can be done to selected OAuth clients."""

from trilha.access.oauth import actions
from trilha.access.oauth.lists import CLIENTS
from trilha.access.oauth.schema import KnownClient
from trilha.access.permissions.roles import Permission
from trilha.core.credentials import CredentialRefused
from trilha.core.database import Tx
from trilha.kit import N_, NN_
from trilha.web.panel.bulk.actions import BulkAction, Context, LeftAsIs, Targets, declare, one_by_one

TARGETS = Targets(CLIENTS, lambda row: row.name, lambda context: None)


def _skip_disabled(context: Context, row: KnownClient) -> str | None:
    return "already_disabled" if row.disabled_at else None


async def _disable(tx: Tx, context: Context, row: KnownClient) -> None:
    try:
        await actions.disable(tx, row.id)
    except CredentialRefused:
        raise LeftAsIs("already_disabled") from None


DISABLE = declare(
    BulkAction(
        name="oauth-clients/disable",
        targets=TARGETS,
        permission=Permission.KEYS_MANAGE,
        label=N_("Disable clients"),
        icon="ban",
        kind="danger",
        question=NN_("Disable %(num)s client?", "Disable %(num)s clients?"),
        consequence=N_("Their tokens stop working now, and they get no new ones until you enable them."),
        button=N_("Disable clients"),
        done=NN_("%(num)s client was disabled.", "%(num)s clients were disabled."),
        skip=_skip_disabled,
        act=one_by_one(_disable),
    )
)
ACTIONS = (DISABLE,)
