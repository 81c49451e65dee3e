"""Changes that a provider makes to a person."""

from typing import Any
from uuid import UUID

from msgspec import UNSET, Struct

from trilha.access.scim.answers import Resource
from trilha.access.scim.conditions import user_name_key
from trilha.access.scim.errors import build_error, not_found
from trilha.access.scim.user_input import UserInput
from trilha.access.scim.users import queries, rules
from trilha.access.scim.users.extension import ExtensionInput, convert_values
from trilha.access.scim.users.resources import resource
from trilha.access.scim.users.schema import ScimUser, StoredUser
from trilha.core.database import Tx
from trilha.people.custom_fields import queries as custom_fields
from trilha.people.custom_fields import values as custom_values
from trilha.people.users import actions as users
from trilha.people.users import queries as user_queries
from trilha.people.users.schema import JobTitle, NewUser, User, UserPatch
from trilha.platform.audit import queries as audit


class LockedUser(Struct, frozen=True):
    """A person, locked until the transaction ends."""

    user: User
    scim: StoredUser


class UserChange(Struct, frozen=True):
    """A person after a change, and the names of the changed attributes."""

    user: ScimUser
    changed: list[str]


async def lock(tx: Tx, user_id: UUID) -> LockedUser:
    """Locks and returns a person. Raises ScimError or NotFound."""
    user = await user_queries.get_for_update(tx, user_id)
    # Read after taking the lock, so that we see the previous holder's writes.
    stored = await queries.find_stored(tx, user_id)
    if stored is None:
        raise not_found("user")
    return LockedUser(user, stored)


async def create(tx: Tx, desired: UserInput) -> UserChange:
    """Creates a learner, or restores the same person if they were deleted, or are inactive with the same
    externalId.

    Raises ScimError or Conflict (email_exists).
    """
    rules.check(desired)
    owner = await queries.find_by_name(tx, desired.user_name)
    if owner is not None:
        has_same_id = desired.external_id is not None and owner.external_id == desired.external_id
        if not owner.is_deleted and not (owner.is_linked and not owner.is_active and has_same_id):
            raise build_error("uniqueness", "Another user already has this userName.")
        return await _revive(tx, owner.user_id, desired)
    enterprise = desired.enterprise or {}
    new = NewUser(
        email=rules.address(desired),
        name=rules.full_name(desired),
        department=enterprise.get("department"),
        job_title=JobTitle(desired.title) if desired.title is not None else None,
        employee_number=enterprise.get("employeeNumber"),
        **await _read_extension(tx, desired.extension),
    )
    user = await users.create(tx, new, None)
    if desired.active is False:
        await users.suspend(tx, user.id)
    await _save(tx, user, desired, {})
    return UserChange(await _get(tx, user.id), _list_set_attributes(desired))


async def _revive(tx: Tx, user_id: UUID, desired: UserInput) -> UserChange:
    user = await user_queries.get_for_update(tx, user_id)
    rules.check_not_admin(user.role)
    document = await queries.find_document(tx, user_id) or {}
    changed = await _change(tx, user, desired)
    if desired.active is not False and user.status != "ACTIVE":
        await users.reactivate(tx, user_id)
    await _save(tx, changed, desired, document)
    return UserChange(await _get(tx, user_id), _list_set_attributes(desired))


async def change(tx: Tx, locked: LockedUser, desired: UserInput, base: str) -> UserChange:
    """Brings a person to the desired state. A value that equals the stored one does not count as a change.

    Raises ScimError or Conflict (email_exists, user_inactive, user_erased).
    """
    before, user = locked.scim, locked.user
    rules.check_not_admin(before.role)
    rules.check(desired)
    if user_name_key(desired.user_name) != user_name_key(
        before.user_name
    ) and await queries.is_named_by_another(tx, user.id, desired.user_name):
        raise build_error("uniqueness", "Another user already has this userName.")
    document: dict[str, Any] | None = before.document
    changed_user = await _change(tx, user, desired)
    if desired.active is not None and desired.active != before.active:
        await (users.reactivate if desired.active else users.suspend)(tx, user.id)
    new_document = rules.document(desired, (document or {}).get("enterprise"))
    if _is_same(before, desired, document, new_document, changed_user, user):
        if desired.active in (None, before.active):
            return UserChange(before, [])
        return UserChange(await _get(tx, user.id), ["active"])
    await _save(tx, changed_user, desired, document or {})
    after = await _get(tx, user.id)
    changed = differences(resource(before, base), resource(after, base))
    if not changed and changed_user is not user:
        changed = ["customFields"]  # A personal one is masked before and after.
    if changed and changed_user is user and before.active == after.active:
        # Changes of attributes that `users` does not have emit no event, so we record them here.
        await audit.record(tx, "scim.user_updated", user.id, "", changed=changed)
    return UserChange(after, changed)


def _is_same(
    before: ScimUser,
    desired: UserInput,
    document: dict[str, Any] | None,
    new_document: dict[str, Any],
    changed: User,
    user: User,
) -> bool:
    return (
        document is not None
        and changed is user
        and document == new_document
        and (before.user_name, before.external_id) == (desired.user_name, desired.external_id)
    )


async def _change(tx: Tx, user: User, desired: UserInput) -> User:
    """Updates the columns of `users`. Returns the same object if nothing changed."""
    values: dict[str, Any] = {"name": rules.full_name(desired), "job_title": desired.title}
    if desired.enterprise is not None:
        values["department"] = desired.enterprise.get("department")
        values["employee_number"] = desired.enterprise.get("employeeNumber")
    values |= await _read_extension(tx, desired.extension)
    sealed = await user_queries.get_sealed_documents(tx, user.id) if "custom_fields" in values else {}
    patch = UserPatch(email=rules.address(desired, user.email), **values)
    return await users.apply(tx, user, sealed, patch)


async def _read_extension(tx: Tx, extension: ExtensionInput) -> dict[str, Any]:
    """Returns the members of a person that the extension names. Raises Invalid for a wrong custom field."""
    members: dict[str, Any] = {}
    if extension.hire_date is not UNSET:
        members["hire_date"] = extension.hire_date
    fields = await custom_fields.load_fields(tx, extension.custom_fields)
    if values := convert_values(extension.custom_fields, fields):
        members["custom_fields"] = custom_values.check(values, fields)
    return members


async def _save(tx: Tx, user: User, desired: UserInput, document: dict[str, Any]) -> None:
    values = {
        "user_name": desired.user_name,
        "external_id": desired.external_id,
        "document": rules.document(desired, document.get("enterprise")),
        "seen_name": user.name,
        "seen_email": user.email,
    }
    await queries.save(tx, user.id, values)


async def delete(tx: Tx, locked: LockedUser) -> list[str]:
    """Deletes a person for the provider; here they are suspended. Raises ScimError."""
    before = locked.scim
    rules.check_not_admin(before.role)
    if before.active:
        await users.suspend(tx, before.id)
    await queries.mark_deleted(tx, locked.user)
    await audit.record(tx, "scim.user_deleted", before.id, "")
    return ["active"] if before.active else []


async def _get(tx: Tx, user_id: UUID) -> ScimUser:
    user = await queries.find(tx, user_id)
    assert user is not None
    return user


def _list_set_attributes(desired: UserInput) -> list[str]:
    """Returns the attributes that have a value."""
    names = {
        "userName": desired.user_name,
        "externalId": desired.external_id,
        "name": desired.name,
        "displayName": desired.display_name,
        "title": desired.title,
        "active": desired.active is not None,
        "emails": desired.emails,
        **(desired.enterprise or {}),
        "hireDate": desired.extension.hire_date or None,
        "customFields": desired.extension.custom_fields,
    }
    return [name for name, value in names.items() if value]


def differences(before: Resource, after: Resource) -> list[str]:
    """Returns the names of the attributes that differ; those of an extension one by one."""
    names: list[str] = []
    for name in dict.fromkeys((*after, *before)):
        one, other = before.get(name), after.get(name)
        if name in ("meta", "schemas") or one == other:
            continue
        if name.startswith("urn:"):
            names += differences(one or {}, other or {})
        else:
            names.append(name)
    return names
