"""/v1/users"""

from uuid import UUID

from msgspec import UNSET

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.passwords import HashedPassword, hash_password
from trilha.core.web.callers import Caller
from trilha.core.web.pagination import ItemQuery, Page
from trilha.core.web.routes import Envelope, Routes
from trilha.users import actions, queries
from trilha.users.schema import (
    CreatedMeta,
    CreatedUser,
    NewUser,
    User,
    UserPatch,
    UserQuery,
)

routes = Routes("Users", "The people of the tenant.")


@routes.get("/users", scope=Scope.USERS_READ)
async def list_users(tx: Tx, query: UserQuery) -> Page[User]:
    """List users, newest first; with `updated_since`, by their last change, oldest first."""
    return await queries.list_page(tx, query)


async def _password(data: NewUser, caller: Caller) -> HashedPassword:
    return await hash_password(data.password, caller.tenant_id)


@routes.post(
    "/users",
    scope=Scope.USERS_WRITE,
    status=201,
    errors=["email_exists", "cpf_exists", "role_not_allowed", "unknown_business_unit"],
    prepare=_password,
)
async def create_user(tx: Tx, data: NewUser, prepared: HashedPassword) -> CreatedUser:
    """Create a user. Without a password a temporary one is made and shown once, in `_meta`."""
    user = await actions.create(tx, data, prepared)
    return CreatedUser(user, CreatedMeta(prepared.temporary) if prepared.temporary else UNSET)


@routes.get("/users/{user_id}", scope=Scope.USERS_READ, errors=["user_not_found"])
async def get_user(tx: Tx, user_id: UUID, query: ItemQuery) -> Envelope[User]:
    """Read one user."""
    return Envelope(await queries.get(tx, user_id))


@routes.patch(
    "/users/{user_id}",
    scope=Scope.USERS_WRITE,
    errors=["user_not_found", "user_erased", "cpf_exists", "unknown_business_unit"],
)
async def update_user(tx: Tx, user_id: UUID, data: UserPatch) -> Envelope[User]:
    """Change members of a user. Those left out stay; null clears one."""
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
