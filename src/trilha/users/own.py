"""What people change of themselves."""

from uuid import UUID

from msgspec import UNSET
from msgspec.structs import replace

from trilha.audit import queries as audit
from trilha.core.database import Tx
from trilha.mail.schema import Locale
from trilha.users import actions, queries
from trilha.users.schema import User, UserPatch

# Once on record, they are corrected by who manages people: a certificate may have been issued to them.
FIXED = ("cpf", "birth_date")


async def complete_documents(tx: Tx, user_id: UUID, patch: UserPatch) -> User:
    """As `actions.update`, but that what is on record of `FIXED` stays as it is."""
    user = await queries.get_for_update(tx, user_id)
    fixed = {name: UNSET for name in FIXED if getattr(user, name) is not None}
    return await actions.update(tx, user_id, replace(patch, **fixed))


async def find_locale(tx: Tx, user_id: UUID) -> str | None:
    sql = "SELECT locale FROM users WHERE tenant_id = :tenant AND id = :user_id"
    locale: str | None = await tx.value(sql, user_id=user_id)
    return locale


async def choose_locale(tx: Tx, user_id: UUID, locale: Locale | None) -> None:
    """The language that pages and e-mails speak to this person; None for that of the tenant."""
    if await find_locale(tx, user_id) == locale:
        return
    await queries.update(tx, user_id, {"locale": locale})
    await audit.record(tx, "user.updated", user_id, changed=["locale"])
