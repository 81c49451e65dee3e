"""Changes that people make to their own profile."""

from uuid import UUID

from msgspec import UNSET
from msgspec.structs import replace

from trilha.core.database import Tx
from trilha.people.users import actions, queries
from trilha.people.users.schema import User, UserPatch
from trilha.platform.audit import queries as audit
from trilha.platform.mail.schema import Locale

# Once stored, only an administrator may correct them, because a certificate may already show them.
FIXED_MEMBERS = ("cpf", "birth_date")


async def complete_documents(tx: Tx, user_id: UUID, patch: UserPatch) -> User:
    """Like `actions.update`, but never replaces a stored value of `FIXED_MEMBERS`."""
    user = await queries.get_for_update(tx, user_id)
    fixed = {name: UNSET for name in FIXED_MEMBERS if getattr(user, name) is not None}
    return await actions.update(tx, user_id, replace(patch, **fixed))


async def find_locale(tx: Tx, user_id: UUID) -> str | None:
    sql = "SELECT locale FROM users WHERE tenant_id = :tenant AND id = :user_id"
    locale: str | None = await tx.value(sql, user_id=user_id)
    return locale


async def choose_locale(tx: Tx, user_id: UUID, locale: Locale | None) -> None:
    """Sets the language of pages and e-mails for this person; None means the tenant's language."""
    if await find_locale(tx, user_id) == locale:
        return
    await queries.update(tx, user_id, {"locale": locale})
    await audit.record(tx, "user.updated", user_id, changed=["locale"])
