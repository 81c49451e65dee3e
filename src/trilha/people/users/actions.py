"""Changes to users."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID, uuid4

from msgspec import UNSET, Struct, structs

from trilha.core.database import Tx
from trilha.core.errors import Conflict, Forbidden
from trilha.core.passwords import HashedPassword
from trilha.core.types import Email, Timestamp
from trilha.people.custom_fields import queries as custom_fields
from trilha.people.custom_fields import values as custom_values
from trilha.people.custom_fields.schema import CustomField
from trilha.people.custom_fields.values import CheckedValues
from trilha.people.users import queries, sealing
from trilha.people.users.documents import cpf_fingerprint
from trilha.people.users.schema import NewUser, Role, Status, User, UserPatch
from trilha.platform.audit import queries as audit
from trilha.platform.events.catalogue import (
    UserCreated,
    UserDeleted,
    UserReactivated,
    UserRoleChanged,
    UserSuspended,
    UserUpdated,
)
from trilha.platform.events.outbox import emit
from trilha.platform.mail import daily_limits, outbox
from trilha.platform.mail.catalogue import EmailChanged, NewAddress
from trilha.platform.tenants.quotas import actions as quotas

_INTEGRATIONS = ("api_key", "access_token", "scim_token")
# Members that are stored unchanged; documents are stored masked and encrypted.
_PLAIN = ("department", "job_title", "business_unit_id", "employee_number", "hire_date")


async def create(
    tx: Tx, new: NewUser, password: HashedPassword | None, *, role: Role | None = None, invited: bool = True
) -> User:
    """Creates a user. `password` must be hashed before the transaction begins; without it, the user gets an
    invitation, unless `invited` is False because they sign in another way.

    `role` replaces that of `new`, and may be admin: only the operator and administrators may pass it. Raises
    Conflict (email_exists, cpf_exists), Invalid (unknown_business_unit) or BusinessRule (quota_exceeded).
    """
    fields = await custom_fields.load_fields(tx, new.custom_fields or {})
    values = _row(tx, new, password, fields) | ({"role": role} if role else {})
    values["invitation_due"] = values["invitation_due"] and invited
    user = await queries.insert(tx, values)
    while user is None:
        if await queries.has_email(tx, new.email):
            raise Conflict("email_exists")
        await queries.check_cpf_is_free(tx, values["cpf_fingerprint"])
        # The previous owner of the address or the CPF has changed it meanwhile, so we try again.
        user = await queries.insert(tx, values)
    await quotas.check_people(tx)
    await emit(tx, UserCreated(user_id=user.id, role=user.role, status=user.status))
    return user


class NewPerson(Struct, frozen=True):
    """A user to create. Without a password, the user gets an invitation to choose one."""

    user: NewUser
    password: HashedPassword | None = None


async def create_many(tx: Tx, people: Sequence[NewPerson]) -> list[User]:
    """Creates users with two statements, skipping those whose e-mail address or CPF is taken. Returns the new
    users.

    Raises Invalid (unknown_business_unit).
    """
    created = await insert_many(tx, people)
    await emit(tx, *(UserCreated(user_id=user.id, role=user.role, status=user.status) for user in created))
    return created


async def insert_many(tx: Tx, people: Sequence[NewPerson], *, invite: bool = True) -> list[User]:
    """Like `create_many`, without the events. With `invite`, users without a password get an invitation."""
    overrides = {} if invite else {"invitation_due": False}
    fields = await custom_fields.load_fields(
        tx, {key: None for each in people for key in each.user.custom_fields or {}}
    )
    return await queries.insert_many(
        tx, [_row(tx, person.user, person.password, fields) | overrides for person in people]
    )


def _row(
    tx: Tx, new: NewUser, password: HashedPassword | None, fields: Mapping[str, CustomField]
) -> dict[str, Any]:
    """Raises Invalid for a wrong custom field."""
    user_id = uuid4()
    values: dict[str, Any] = {
        "id": user_id,
        "email": new.email,
        "name": new.name,
        "role": new.role,
        "password_hash": password and password.hash,
        "must_change_password": password is not None and password.must_change,
        "invitation_due": password is None,
        "invitation_limited": daily_limits.is_limited(tx),
        # The integration that sets the password knows it, so the address proves nothing yet.
        "address_unconfirmed": password is not None and tx.actor.kind in _INTEGRATIONS,
        **{name: getattr(new, name) for name in _PLAIN},
    }
    for name in sealing.DOCUMENTS:
        values |= sealing.columns(tx, user_id, name, getattr(new, name))
    checked = custom_values.check(new.custom_fields or {}, fields)
    values["custom_fields_sealed"] = None
    return values | custom_values.build_columns(tx, user_id, {}, None, checked)


async def update(tx: Tx, user_id: UUID, patch: UserPatch) -> User:
    """Returns the updated user. A value that equals the stored one does not count as a change.

    Raises NotFound, Conflict (email_exists, cpf_exists, user_erased), Invalid (unknown_business_unit) or
    Forbidden (privileged_user).
    """
    user = await queries.get_for_update(tx, user_id)
    patch = await check_custom_fields(tx, patch)
    with_documents = any(getattr(patch, name) is not UNSET for name in (*sealing.DOCUMENTS, "custom_fields"))
    sealed = await queries.get_sealed_documents(tx, user_id) if with_documents else {}
    return await apply(tx, user, sealed, patch)


async def check_custom_fields(tx: Tx, patch: UserPatch) -> UserPatch:
    """Returns the patch with checked custom fields, as `apply` needs it. Raises Invalid."""
    if patch.custom_fields is UNSET:
        return patch
    fields = await custom_fields.load_fields(tx, patch.custom_fields)
    return structs.replace(patch, custom_fields=custom_values.check(patch.custom_fields, fields))


async def apply(tx: Tx, user: User, sealed: Mapping[str, bytes | None], patch: UserPatch) -> User:
    """Like `update`, for a locked user whose sealed documents are already loaded, and with checked custom
    fields.
    """
    changed = list_changed_members(tx, user, sealed, patch)
    if not changed:
        return user
    values = columns(tx, user, sealed, patch, changed)
    if "email" in changed:
        check_address_may_change(user)
        await leave_addresses(tx, [user.id])
    user = await queries.update(tx, user.id, values)
    await emit(tx, UserUpdated(user_id=user.id, changed=changed))
    return user


def columns(
    tx: Tx, user: User, sealed: Mapping[str, bytes | None], patch: UserPatch, changed: Sequence[str]
) -> dict[str, Any]:
    """Returns the columns in which the changed members are stored."""
    values: dict[str, Any] = {}
    for name in changed:
        value = getattr(patch, name)
        if isinstance(value, CheckedValues):
            before = user.custom_fields, sealed.get(name)
            values |= custom_values.build_columns(tx, user.id, *before, value)
        else:
            values |= _list_columns(tx, user.id, name, value)
    return values


def _list_columns(tx: Tx, user_id: UUID, name: str, value: Any) -> dict[str, Any]:
    if name == "email":
        return {"email": value, "email_changed_at": tx.now, "address_unconfirmed": True}
    return sealing.columns(tx, user_id, name, value) if name in sealing.DOCUMENTS else {name: value}


def check_address_may_change(user: User) -> None:
    """Raises Forbidden (privileged_user) unless the user is a learner.

    Whoever changes an address can have a password link sent to it, so integrations, identity providers and
    files may change only learners' addresses. A privileged address is changed by `set_address`, after
    confirmation.
    """
    if user.role != "learner":
        raise Forbidden("privileged_user")


async def leave_addresses(tx: Tx, user_ids: Sequence[UUID]) -> None:
    """Notifies these people at their current addresses and ends their sessions, before the addresses change.

    If an integration makes the change, addresses that nobody ever signed in with share a daily limit of
    notices: the integration may have chosen them itself.
    """
    notice = EmailChanged(at=Timestamp.of(tx.now))
    recipients = await queries.list_recipients(tx, user_ids)
    if daily_limits.is_limited(tx):
        unused = await queries.list_unused_addresses(tx, user_ids)
        admitted = await daily_limits.count_notices(tx, len(unused)) if unused else 0
        left_out = set(unused[admitted:])
        recipients = [to for to in recipients if to.user_id not in left_out]
    await outbox.send_all(tx, [(to, notice) for to in recipients])
    await queries.end_sessions_of(tx, user_ids)


async def set_address(tx: Tx, user_id: UUID, email: Email) -> User:
    """Sets a confirmed address, and notifies the person at both the old and the new one.

    `address_unconfirmed` does not change: the integration that chose the old address may also have chosen the
    password. Raises NotFound or Conflict (email_exists, user_erased).
    """
    await queries.get_for_update(tx, user_id)
    await leave_addresses(tx, [user_id])
    user = await queries.update(tx, user_id, {"email": email, "email_changed_at": tx.now})
    message = NewAddress(at=Timestamp.of(tx.now))
    await outbox.send_all(tx, [(to, message) for to in await queries.list_recipients(tx, [user_id])])
    await emit(tx, UserUpdated(user_id=user_id, changed=["email"]))
    return user


def list_changed_members(
    tx: Tx, user: User, sealed: Mapping[str, bytes | None], patch: UserPatch
) -> list[str]:
    """Returns the members of the patch that differ from the stored values."""
    names = [name for name in patch.__struct_fields__ if getattr(patch, name) is not UNSET]
    return [name for name in names if _is_changed(tx, user, sealed, name, getattr(patch, name))]


def _is_changed(tx: Tx, user: User, sealed: Mapping[str, bytes | None], name: str, value: Any) -> bool:
    if name in sealing.DOCUMENTS:
        return not sealing.is_same(tx, user.id, name, sealed[name], value)
    if isinstance(value, CheckedValues):
        return custom_values.is_changed(tx, user.id, user.custom_fields, sealed.get(name), value)
    return bool(value != getattr(user, name))


async def suspend(tx: Tx, user_id: UUID) -> None:
    """Suspends a user. Raises NotFound or Conflict (user_inactive, last_admin)."""
    await keep_an_admin(tx, user_id)
    if await _change_status(tx, user_id, "ACTIVE", "SUSPENDED"):
        await emit(tx, UserSuspended(user_id=user_id))


async def reactivate(tx: Tx, user_id: UUID) -> None:
    """Ends a suspension. Raises NotFound, Conflict (user_inactive) or BusinessRule (quota_exceeded)."""
    if await _change_status(tx, user_id, "SUSPENDED", "ACTIVE"):
        await quotas.check_people(tx)
        await emit(tx, UserReactivated(user_id=user_id))


async def _change_status(tx: Tx, user_id: UUID, before: Status, after: Status) -> bool:
    """Returns False if the user already has the status `after`."""
    if await queries.change_status(tx, user_id, before, after):
        return True
    user = await queries.get(tx, user_id)
    if user.status == "INACTIVE":
        raise Conflict("user_inactive")
    return False


async def deactivate(tx: Tx, user_id: UUID) -> User:
    """Sets the status INACTIVE of a person who has left, and ends their sessions.

    Raises NotFound or Conflict (last_admin).
    """
    await keep_an_admin(tx, user_id)
    user = await _set(tx, user_id, "status", "INACTIVE")
    await queries.end_sessions(tx, user_id)
    return user


async def erase(tx: Tx, user_id: UUID) -> None:
    """Overwrites everything that identifies the user. The row remains, INACTIVE for good. Raises NotFound.

    Erasing an erased user changes nothing. `personal_data.actions` erases the data of other features.
    """
    if await queries.erase(tx, user_id):
        await queries.remove_from_managers(tx, user_id)
        await queries.remove_from_teachers(tx, user_id)
        await emit(tx, UserDeleted(user_id=user_id))
    else:
        await queries.get(tx, user_id)


async def activate(tx: Tx, user_id: UUID) -> User:
    """Reactivates a person who had left. Raises NotFound, Conflict (user_suspended) or BusinessRule
    (quota_exceeded).
    """
    user = await queries.get_for_update(tx, user_id)
    if user.status == "SUSPENDED":
        raise Conflict("user_suspended")
    activated = await _set(tx, user_id, "status", "ACTIVE")
    if user.status != "ACTIVE":
        await quotas.check_people(tx)
    return activated


async def change_role(tx: Tx, user_id: UUID, role: Role) -> User:
    """Changes the role. Raises NotFound or Conflict (last_admin, address_unconfirmed)."""
    if role != "admin":
        await keep_an_admin(tx, user_id)
    user = await queries.get_for_update(tx, user_id)
    if user.role == role:
        return user
    if role != "learner" and await queries.is_address_unconfirmed(tx, user_id):
        raise Conflict("address_unconfirmed")
    changed = await queries.update(tx, user_id, {"role": role})
    if user.role == "gestor":
        await queries.remove_from_managers(tx, user_id)
    if user.role == "instrutor":
        await queries.remove_from_teachers(tx, user_id)
    await emit(tx, UserRoleChanged(user_id=user_id, role=role, previous_role=user.role))
    return changed


async def set_password(tx: Tx, user_id: UUID, password: HashedPassword) -> User:
    """Sets a password and ends the person's sessions. A temporary one must be changed at the next sign-in.

    Raises NotFound.
    """
    await queries.get_for_update(tx, user_id)
    values = {
        "password_hash": password.hash,
        "must_change_password": password.must_change,
        "invitation_due": False,
    }
    user = await queries.update(tx, user_id, values)
    await queries.end_sessions(tx, user_id)
    # The audit log is immutable, so it must not contain a name that may have to be erased.
    await audit.record(tx, "user.password_set", user_id, "", temporary=password.must_change)
    return user


async def invite(tx: Tx, user_id: UUID) -> None:
    """Sends a new invitation. Raises NotFound or Conflict (user_inactive, user_has_password)."""
    user = await queries.get_for_update(tx, user_id)
    if user.status != "ACTIVE":
        raise Conflict("user_inactive")
    if not await queries.mark_invited(tx, user_id, limited=daily_limits.is_limited(tx)):
        raise Conflict("user_has_password")
    await audit.record(tx, "user.invited", user_id, "")


async def _set(tx: Tx, user_id: UUID, name: str, value: str) -> User:
    user = await queries.get_for_update(tx, user_id)
    if getattr(user, name) == value:
        return user
    user = await queries.update(tx, user_id, {name: value})
    await emit(tx, UserUpdated(user_id=user_id, changed=[name]))
    return user


async def keep_an_admin(tx: Tx, user_id: UUID) -> None:
    """Raises Conflict (last_admin) if this user is the only active administrator who can sign in.

    Call it before locking the user: it locks all administrators in one order, so that two of them who remove
    each other's role can neither both succeed nor deadlock.
    """
    if await queries.lock_active_admins(tx, user_id) == [user_id]:
        raise Conflict("last_admin")


async def mark_cpfs(tx: Tx, limit: int = 500) -> int:
    """Adds the missing fingerprints of CPFs that were stored before fingerprints existed. Returns the number
    of rows.
    """
    rows = await queries.lock_unmarked_cpfs(tx, limit)
    for row in rows:
        cpf = sealing.open_cpf(tx, row["id"], row["cpf_sealed"])
        await queries.mark_cpf(tx, row["id"], cpf_fingerprint(tx, cpf))
    return len(rows)
