"""What can be done to a user."""

from typing import Any
from uuid import UUID, uuid4

from msgspec import UNSET

from trilha.core.database import Tx
from trilha.core.errors import Conflict
from trilha.core.passwords import HashedPassword
from trilha.events.catalogue import UserCreated, UserDeleted, UserReactivated, UserSuspended, UserUpdated
from trilha.events.outbox import emit
from trilha.users import queries
from trilha.users.schema import NewCnh, NewUser, Status, User, UserPatch

# Members that are stored as they are given, and those that are stored masked and encrypted.
_PLAIN = ("department", "job_title", "business_unit_id", "employee_number")
_DOCUMENTS = ("cpf", "phone", "birth_date", "cnh")


async def create(tx: Tx, new: NewUser, password: HashedPassword, *, role: str | None = None) -> User:
    """`password` is that of `new`, hashed before the transaction began. Raises Conflict (email_exists).

    `role` replaces that of `new`: only the operator may create administrators.
    """
    user_id = uuid4()
    values: dict[str, Any] = {
        "id": user_id,
        "email": new.email,
        "name": new.name,
        "role": role or new.role,
        "password_hash": password.hash,
        "must_change_password": password.temporary is not None,
        **{name: getattr(new, name) for name in _PLAIN},
    }
    for name in _DOCUMENTS:
        values |= _document(tx, user_id, name, getattr(new, name))
    user = await queries.insert(tx, values)
    if user is None:
        raise Conflict("email_exists")
    await emit(tx, UserCreated(user_id=user.id, role=user.role, status=user.status))
    return user


async def update(tx: Tx, user_id: UUID, patch: UserPatch) -> User:
    """The user afterwards. A value equal to the stored one is no change.

    Raises NotFound, and Conflict (user_erased).
    """
    user = await queries.get_for_update(tx, user_id)
    values: dict[str, Any] = {}
    changed = []
    for name in ("name", *_PLAIN):
        value = getattr(patch, name)
        if value is not UNSET and value != getattr(user, name):
            values[name] = value
            changed.append(name)
    for name in await _changed_documents(tx, user_id, patch):
        values |= _document(tx, user_id, name, getattr(patch, name))
        changed.append(name)
    if not changed:
        return user
    updated = await queries.update(tx, user_id, values)
    if updated is None:
        raise Conflict("user_erased")
    await emit(tx, UserUpdated(user_id=user_id, changed=changed))
    return updated


async def suspend(tx: Tx, user_id: UUID) -> None:
    """Raises NotFound, and Conflict (user_inactive)."""
    if await _change_status(tx, user_id, "ACTIVE", "SUSPENDED"):
        await emit(tx, UserSuspended(user_id=user_id))


async def reactivate(tx: Tx, user_id: UUID) -> None:
    """Raises NotFound, and Conflict (user_inactive)."""
    if await _change_status(tx, user_id, "SUSPENDED", "ACTIVE"):
        await emit(tx, UserReactivated(user_id=user_id))


async def _change_status(tx: Tx, user_id: UUID, before: Status, after: Status) -> bool:
    """False when the user has the status `after` already."""
    if await queries.change_status(tx, user_id, before, after):
        return True
    user = await queries.get(tx, user_id)
    if user.status == "INACTIVE":
        raise Conflict("user_inactive")
    return False


async def erase(tx: Tx, user_id: UUID) -> None:
    """Overwrites what tells who the user is; the row stays, INACTIVE for good. Raises NotFound.

    Erasing an erased user changes nothing. What else is kept of people is `personal_data.actions.erase`.
    """
    if await queries.erase(tx, user_id):
        await emit(tx, UserDeleted(user_id=user_id))
    else:
        await queries.get(tx, user_id)


def _document(tx: Tx, user_id: UUID, name: str, value: Any) -> dict[str, Any]:
    """The columns of one document: the masked form that is read, and the encrypted text."""
    if value is None:
        return {name: None, f"{name}_sealed": None}
    sealed = tx.keyring.seal(_plain_text(value), tx.tenant_id, "users", user_id, name)
    if isinstance(value, NewCnh):
        masked: Any = {
            "numero": value.numero.masked,
            "categoria": value.categoria,
            "validade": value.validade,
            "ear": value.ear,
        }
    else:
        masked = value.masked
    return {name: masked, f"{name}_sealed": sealed}


def _plain_text(value: Any) -> str:
    """What is encrypted of a document: every member, so that two that differ have different texts."""
    if isinstance(value, NewCnh):
        return "|".join((value.numero, value.categoria, value.validade, str(value.ear)))
    return str(value)


async def _changed_documents(tx: Tx, user_id: UUID, patch: UserPatch) -> list[str]:
    given = [name for name in _DOCUMENTS if getattr(patch, name) is not UNSET]
    if not given:
        return []
    stored = await queries.get_sealed_documents(tx, user_id)
    changed = []
    for name in given:
        value, sealed = getattr(patch, name), stored[name]
        before = sealed and tx.keyring.open(sealed, tx.tenant_id, "users", user_id, name)
        if before != (None if value is None else _plain_text(value)):
            changed.append(name)
    return changed
