"""People chosen many at once, for what is then done to all of them. Who is out of reach is nobody."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.users.reach import Reach
from trilha.users.schema import User


class Chosen(Struct, frozen=True):
    id: UUID
    email: str
    name: str


async def find_by_emails(tx: Tx, emails: Collection[str], reach: Reach) -> list[Chosen]:
    """`emails` are as they are stored. Erased people have none."""
    return await _find(tx, "email = ANY(:emails)", reach, emails=list(emails))


async def find_by_ids(tx: Tx, user_ids: Collection[UUID], reach: Reach) -> list[Chosen]:
    return await _find(tx, "id = ANY(:ids)", reach, ids=list(user_ids))


async def get_within(tx: Tx, user_id: UUID, reach: Reach) -> User:
    """Raises NotFound, also for who is out of reach."""
    condition, params = reach.condition("person")
    user = await tx.find(
        User,
        f"""
        SELECT {columns_of(User)} FROM users AS person
        WHERE tenant_id = :tenant AND id = :user_id AND {condition}
        """,  # noqa: S608
        user_id=user_id,
        **params,
    )
    if user is None:
        raise NotFound("user_not_found")
    return user


async def is_within(tx: Tx, user_id: UUID, reach: Reach) -> bool:
    return bool(await find_by_ids(tx, [user_id], reach))


async def _find(tx: Tx, which: str, reach: Reach, **params: Any) -> list[Chosen]:
    condition, more = reach.condition("person")
    return await tx.list(
        Chosen,
        f"""
        SELECT id, email, name FROM users AS person
        WHERE tenant_id = :tenant AND {which} AND {condition} ORDER BY name_key, id
        """,  # noqa: S608
        **params,
        **more,
    )
