"""What a provider can do to a person."""

from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.audit import queries as audit
from trilha.core.database import Tx
from trilha.scim.answers import Resource
from trilha.scim.conditions import user_name_key
from trilha.scim.errors import not_found, refused
from trilha.scim.given import GivenUser
from trilha.scim.users import queries, rules
from trilha.scim.users.schema import ScimUser, StoredUser
from trilha.scim.users.writing import resource
from trilha.users import actions as users
from trilha.users import queries as user_queries
from trilha.users.schema import JobTitle, NewUser, User, UserPatch


class Locked(Struct, frozen=True):
    """A person whom nobody else changes until the transaction ends."""

    user: User
    scim: StoredUser


class Kept(Struct, frozen=True):
    """A person after a change, and the names of the attributes that it changed."""

    user: ScimUser
    changed: list[str]


async def lock(tx: Tx, user_id: UUID) -> Locked:
    """Raises ScimError, and NotFound."""
    user = await user_queries.get_for_update(tx, user_id)
    # What is read after the lock is what the last one who had it has written.
    found = await queries.find_stored(tx, user_id)
    if found is None:
        raise not_found("user")
    return Locked(user, found)


async def create(tx: Tx, given: GivenUser) -> Kept:
    """A learner. Who was deleted, or is inactive and has the same externalId, is revived: the same person.

    Raises ScimError, and Conflict (email_exists).
    """
    rules.check(given)
    bearer = await queries.find_by_name(tx, given.user_name)
    if bearer is not None:
        same = given.external_id is not None and bearer.external_id == given.external_id
        if not bearer.is_deleted and not (bearer.is_linked and not bearer.is_active and same):
            raise refused("uniqueness", "Another user has this userName.")
        return await _revive(tx, bearer.user_id, given)
    enterprise = given.enterprise or {}
    new = NewUser(
        email=rules.address(given),
        name=rules.full_name(given),
        department=enterprise.get("department"),
        job_title=JobTitle(given.title) if given.title is not None else None,
        employee_number=enterprise.get("employeeNumber"),
    )
    user = await users.create(tx, new, None)
    if given.active is False:
        await users.suspend(tx, user.id)
    await _save(tx, user, given, {})
    return Kept(await _get(tx, user.id), _named(given))


async def _revive(tx: Tx, user_id: UUID, given: GivenUser) -> Kept:
    user = await user_queries.get_for_update(tx, user_id)
    rules.check_not_admin(user.role)
    document = await queries.find_document(tx, user_id) or {}
    changed = await _change(tx, user, given)
    if given.active is not False and user.status != "ACTIVE":
        await users.reactivate(tx, user_id)
    await _save(tx, changed, given, document)
    return Kept(await _get(tx, user_id), _named(given))


async def change(tx: Tx, found: Locked, given: GivenUser, base: str) -> Kept:
    """Makes a person what is given. A value that is there already is no change.

    Raises ScimError, and Conflict (email_exists, user_inactive, user_erased).
    """
    before, user = found.scim, found.user
    rules.check_not_admin(before.role)
    rules.check(given)
    if user_name_key(given.user_name) != user_name_key(
        before.user_name
    ) and await queries.is_named_by_another(tx, user.id, given.user_name):
        raise refused("uniqueness", "Another user has this userName.")
    document: dict[str, Any] | None = before.document
    changed_user = await _change(tx, user, given)
    if given.active is not None and given.active != before.active:
        await (users.reactivate if given.active else users.suspend)(tx, user.id)
    wanted = rules.document(given, (document or {}).get("enterprise"))
    if _is_same(before, given, document, wanted, changed_user, user):
        if given.active in (None, before.active):
            return Kept(before, [])
        return Kept(await _get(tx, user.id), ["active"])
    await _save(tx, changed_user, given, document or {})
    after = await _get(tx, user.id)
    changed = differences(resource(before, base), resource(after, base))
    if changed and changed_user is user and before.active == after.active:
        # What users have no column for: no event tells of it.
        await audit.record(tx, "scim.user_updated", user.id, "", changed=changed)
    return Kept(after, changed)


def _is_same(
    before: ScimUser,
    given: GivenUser,
    document: dict[str, Any] | None,
    wanted: dict[str, Any],
    changed: User,
    user: User,
) -> bool:
    return (
        document is not None
        and changed is user
        and document == wanted
        and (before.user_name, before.external_id) == (given.user_name, given.external_id)
    )


async def _change(tx: Tx, user: User, given: GivenUser) -> User:
    """Of what `users` has; the same object where nothing is changed."""
    values: dict[str, Any] = {"name": rules.full_name(given), "job_title": given.title}
    if given.enterprise is not None:
        values["department"] = given.enterprise.get("department")
        values["employee_number"] = given.enterprise.get("employeeNumber")
    return await users.apply(tx, user, {}, UserPatch(email=rules.address(given, user.email), **values))


async def _save(tx: Tx, user: User, given: GivenUser, document: dict[str, Any]) -> None:
    values = {
        "user_name": given.user_name,
        "external_id": given.external_id,
        "document": rules.document(given, document.get("enterprise")),
        "seen_name": user.name,
        "seen_email": user.email,
    }
    await queries.save(tx, user.id, values)


async def delete(tx: Tx, found: Locked) -> list[str]:
    """For the provider the person is gone; here they are suspended. Raises ScimError."""
    before = found.scim
    rules.check_not_admin(before.role)
    if before.active:
        await users.suspend(tx, before.id)
    await queries.mark_deleted(tx, found.user)
    await audit.record(tx, "scim.user_deleted", before.id, "")
    return ["active"] if before.active else []


async def _get(tx: Tx, user_id: UUID) -> ScimUser:
    found = await queries.find(tx, user_id)
    assert found is not None
    return found


def _named(given: GivenUser) -> list[str]:
    """The attributes that a provider has given a value."""
    names = {
        "userName": given.user_name,
        "externalId": given.external_id,
        "name": given.name,
        "displayName": given.display_name,
        "title": given.title,
        "active": given.active is not None,
        "emails": given.emails,
        **(given.enterprise or {}),
    }
    return [name for name, value in names.items() if value]


def differences(before: Resource, after: Resource) -> list[str]:
    """The names of the attributes in which they differ, those of an extension one by one."""
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
