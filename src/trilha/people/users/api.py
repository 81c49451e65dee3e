"""/v1/users"""

from uuid import UUID

from msgspec import UNSET

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.lists import fetch_page
from trilha.core.openapi.json_schema import example_id
from trilha.core.passwords import HashedPassword, hash_password
from trilha.core.web.callers import Caller
from trilha.core.web.pagination import ItemQuery, Page
from trilha.core.web.routes import MIB, Envelope, Routes
from trilha.people.users import actions, bulk, queries, rules
from trilha.people.users.bulk_schema import BulkUsers, BulkUsersResult, has_acceptable_password
from trilha.people.users.lists import USERS
from trilha.people.users.schema import (
    CreatedMeta,
    CreatedUser,
    NewUser,
    User,
    UserPatch,
    UserQuery,
    UserSearch,
)
from trilha.platform.tenants import queries as tenants

routes = Routes("Users", "People in the tenant's directory.")
_EXISTING = {"existing_user_id": example_id("existing_user_id")}


@routes.get("/users", scope=Scope.USERS_READ)
async def list_users(tx: Tx, query: UserQuery) -> Page[User]:
    """List users, newest first. With `updated_since`, users are ordered by their last change, oldest
    first.
    """
    return await fetch_page(tx, USERS, query)


async def _password(data: NewUser, caller: Caller) -> HashedPassword:
    return await hash_password(data.password, caller.tenant_id)


@routes.post(
    "/users",
    scope=Scope.USERS_WRITE,
    status=201,
    errors=[
        "email_exists",
        "cpf_exists",
        "role_not_allowed",
        "unknown_business_unit",
        "unknown_custom_field",
        "quota_exceeded",
    ],
    details={"cpf_exists": _EXISTING},
    prepare=_password,
)
async def create_user(tx: Tx, data: NewUser, prepared: HashedPassword) -> CreatedUser:
    """Create a user. If the request has no password, the response contains a temporary one in `_meta`, only
    this once.
    """
    if data.password is not None:
        rules.check_not_a_name(data.password, await tenants.list_names(tx))
    user = await actions.create(tx, data, prepared)
    return CreatedUser(user, CreatedMeta(prepared.temporary) if prepared.temporary else UNSET)


@routes.post("/users/search", scope=Scope.USERS_READ)
async def search_users(tx: Tx, data: UserSearch) -> Page[User]:
    """Find a user by CPF. The CPF is in the body because URLs end up in logs."""
    return Page(await queries.list_by_cpf(tx, data.cpf), None, False, 100)


async def _passwords(data: BulkUsers, caller: Caller) -> dict[int, HashedPassword]:
    """Hashes the valid passwords of the items, by index. Items with other passwords are refused later."""
    passwords = {
        index: item["password"] for index, item in enumerate(data.users) if has_acceptable_password(item)
    }
    return {index: await hash_password(password, caller.tenant_id) for index, password in passwords.items()}


@routes.put(
    "/users/bulk",
    scope=Scope.USERS_WRITE,
    errors=["too_many_passwords"],
    max_body=2 * MIB,
    prepare=_passwords,
)
async def put_users(
    tx: Tx, data: BulkUsers, prepared: dict[int, HashedPassword]
) -> Envelope[BulkUsersResult]:
    """Create or update up to 1000 users. Users are matched by employee number, then by e-mail address. An
    item that fails does not affect the others, and an item that equals the stored user changes nothing.
    """
    return Envelope(await bulk.put(tx, data.users, prepared, invite=data.invite))


@routes.get("/users/{user_id}", scope=Scope.USERS_READ, errors=["user_not_found"])
async def get_user(tx: Tx, user_id: UUID, query: ItemQuery) -> Envelope[User]:
    """Retrieve a user."""
    return Envelope(await queries.get(tx, user_id))


@routes.patch(
    "/users/{user_id}",
    scope=Scope.USERS_WRITE,
    errors=[
        "user_not_found",
        "user_erased",
        "email_exists",
        "cpf_exists",
        "unknown_business_unit",
        "unknown_custom_field",
        "privileged_user",
    ],
    details={"cpf_exists": _EXISTING},
)
async def update_user(tx: Tx, user_id: UUID, data: UserPatch) -> Envelope[User]:
    """Update a user. Members that are left out do not change; null clears one. If the e-mail address changes,
    the old address is notified.
    """
    return Envelope(await actions.update(tx, user_id, data))


@routes.post(
    "/users/{user_id}/suspend",
    scope=Scope.USERS_WRITE,
    status=204,
    errors=["user_not_found", "user_inactive", "last_admin"],
)
async def suspend_user(tx: Tx, user_id: UUID) -> None:
    """Suspend a user, which ends their sessions. Suspending a suspended user changes nothing."""
    await actions.suspend(tx, user_id)


@routes.post(
    "/users/{user_id}/reactivate",
    scope=Scope.USERS_WRITE,
    status=204,
    errors=["user_not_found", "user_inactive", "quota_exceeded"],
)
async def reactivate_user(tx: Tx, user_id: UUID) -> None:
    """End a user's suspension. The user can sign in again."""
    await actions.reactivate(tx, user_id)
