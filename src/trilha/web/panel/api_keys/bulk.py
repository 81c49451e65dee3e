"""What can be done to selected API keys."""

from trilha.access.api_keys import actions
from trilha.access.api_keys.lists import KEYS
from trilha.access.api_keys.schema import ApiKey
from trilha.access.permissions.roles import Permission
from trilha.core.credentials import CredentialRefused
from trilha.core.database import Tx
from trilha.kit import N_, NN_
from trilha.web.panel.bulk.actions import BulkAction, Context, LeftAsIs, Targets, declare, one_by_one

TARGETS = Targets(KEYS, lambda row: row.name, lambda context: None)


def _skip_revoked(context: Context, row: ApiKey) -> str | None:
    return "already_revoked" if row.revoked_at else None


async def _revoke(tx: Tx, context: Context, row: ApiKey) -> None:
    try:
        await actions.revoke(tx, row.id)
    except CredentialRefused:
        raise LeftAsIs("already_revoked") from None


REVOKE = declare(
    BulkAction(
        name="api-keys/revoke",
        targets=TARGETS,
        permission=Permission.KEYS_MANAGE,
        label=N_("Revoke keys"),
        icon="ban",
        kind="danger",
        question=NN_("Revoke %(num)s key?", "Revoke %(num)s keys?"),
        consequence=N_("Requests with these keys fail from now on."),
        button=N_("Revoke keys"),
        done=NN_("%(num)s key was revoked.", "%(num)s keys were revoked."),
        skip=_skip_revoked,
        act=one_by_one(_revoke),
    )
)
ACTIONS = (REVOKE,)
