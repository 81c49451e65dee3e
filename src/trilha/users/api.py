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
from trilha.users import actions, bulk, queries
from trilha.users.bulk_schema import BulkUsers, BulkUsersResult, is_password_given
from trilha.users.lists import USERS
from trilha.users.schema import (
    CreatedMeta,
    CreatedUser,
    NewUser,
    User,
    UserPatch,
    UserQuery,
    UserSearch,
)

routes = Routes("Users", "The people of the tenant.")
_EXISTING = {"existing_user_id": example_id("existing_user_id")}


@routes.get("/users", scope=Scope.USERS_READ)
async def list_users(tx: Tx, query: UserQuery) -> Page[User]:
    """List users, newest first; with `updated_since`, by their last change, oldest first."""
    return await fetch_page(tx, USERS, query)


async def _password(data: NewUser, caller: Caller) -> HashedPassword:
    return await hash_password(data.password, caller.tenant_id)


@routes.post(
    "/users",
    scope=Scope.USERS_WRITE,
    status=201,
    errors=["email_exists", "cpf_exists", "role_not_allowed", "unknown_business_unit"],
    details={"cpf_exists": _EXISTING},
    prepare=_password,
)
async def create_user(tx: Tx, data: NewUser, prepared: HashedPassword) -> CreatedUser:
    """Create a user. Without a password a temporary one is made and shown once, in `_meta`."""
    user = await actions.create(tx, data, prepared)
    return CreatedUser(user, CreatedMeta(prepared.temporary) if prepared.temporary else UNSET)


@routes.post("/users/search", scope=Scope.USERS_READ)
async def search_users(tx: Tx, data: UserSearch) -> Page[User]:
    """Find a user by CPF. A CPF stands in no address, as addresses are logged on their way."""
    return Page(await queries.list_by_cpf(tx, data.cpf), None, False, 100)


async def _passwords(data: BulkUsers, caller: Caller) -> dict[int, HashedPassword]:
    """Of the items that bring one of the right form, by index; the others are refused later."""
    given = {index: item["password"] for index, item in enumerate(data.users) if is_password_given(item)}
    return {index: await hash_password(each, caller.tenant_id) for index, each in given.items()}


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
    """Create and change up to 1000 users, matched by employee number, else by e-mail. A failed item stops no
    other; one that is as it is stored changes nothing."""
    return Envelope(await bulk.put(tx, data.users, prepared, invite=data.invite))


@routes.get("/users/{user_id}", scope=Scope.USERS_READ, errors=["user_not_found"])
async def get_user(tx: Tx, user_id: UUID, query: ItemQuery) -> Envelope[User]:
    """Read one user."""
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
        "privileged_user",
    ],
    details={"cpf_exists": _EXISTING},
)
async def update_user(tx: Tx, user_id: UUID, data: UserPatch) -> Envelope[User]:
    """Change members of a user. Those left out stay; null clears one. The old address is told of another."""
    return Envelope(await actions.update(tx, user_id, data))


@routes.post(
    "/users/{user_id}/suspend",
    scope=Scope.USERS_WRITE,
    status=204,
    errors=["user_not_found", "user_inactive", "last_admin"],
)
async def suspend_user(tx: Tx, user_id: UUID) -> None:
    """Suspend a user's access. Suspending a suspended user changes nothing."""
    await actions.suspend(tx, user_id)


@routes.post(
    "/users/{user_id}/reactivate",
    scope=Scope.USERS_WRITE,
    status=204,
    errors=["user_not_found", "user_inactive"],
)
async def reactivate_user(tx: Tx, user_id: UUID) -> None:
    """End a user's suspension."""
    await actions.reactivate(tx, user_id)
