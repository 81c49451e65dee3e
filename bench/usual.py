"""The list of users written the usual way: FastAPI, pydantic, SQLAlchemy's ORM.

It does what ours does for the caller: the same API keys, the same limit counted in the same table, the
same tenancy (SET LOCAL, row-level security, and the tenant in the WHERE), the same page and members.
"""

import os
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, FastAPI, HTTPException, Query, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ConfigDict
from sqlalchemy import ForeignKeyConstraint, and_, select, text, tuple_
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, insert
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship
from sqlalchemy.types import DateTime, String

from trilha.core.secrets import load_keyring

WINDOW, LIMIT = 900, 10**9


class Base(DeclarativeBase):
    type_annotation_map = {datetime: DateTime(timezone=True)}


class TenantRow(Base):
    __tablename__ = "tenants"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    status: Mapped[str]


class ApiKeyRow(Base):
    __tablename__ = "api_keys"
    tenant_id: Mapped[UUID] = mapped_column(primary_key=True)
    id: Mapped[UUID] = mapped_column(primary_key=True)
    scopes: Mapped[list[str]] = mapped_column(ARRAY(String))
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class SecretRow(Base):
    __tablename__ = "api_key_secrets"
    __table_args__ = (
        ForeignKeyConstraint(["tenant_id", "api_key_id"], ["api_keys.tenant_id", "api_keys.id"]),
    )
    tenant_id: Mapped[UUID] = mapped_column(primary_key=True)
    fingerprint: Mapped[bytes] = mapped_column(primary_key=True)
    api_key_id: Mapped[UUID]
    expires_at: Mapped[datetime | None]
    key: Mapped[ApiKeyRow] = relationship(lazy="joined", innerjoin=True)


class WindowRow(Base):
    __tablename__ = "limit_windows"
    bucket: Mapped[str] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    hits: Mapped[int]
    ends_at: Mapped[datetime]


class UserRow(Base):
    __tablename__ = "users"
    tenant_id: Mapped[UUID] = mapped_column(primary_key=True)
    id: Mapped[UUID] = mapped_column(primary_key=True)
    email: Mapped[str]
    name: Mapped[str]
    role: Mapped[str]
    status: Mapped[str]
    department: Mapped[str | None]
    job_title: Mapped[str | None]
    business_unit_id: Mapped[UUID | None]
    employee_number: Mapped[str | None]
    cpf: Mapped[str | None]
    phone: Mapped[str | None]
    birth_date: Mapped[str | None]
    cnh: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    xp: Mapped[int]
    level: Mapped[int]
    last_login_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]


class User(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: UUID
    email: str
    name: str
    role: str
    status: str
    department: str | None
    job_title: str | None
    business_unit_id: UUID | None
    employee_number: str | None
    cpf: str | None
    phone: str | None
    birth_date: str | None
    cnh: dict[str, Any] | None
    xp: int
    level: int
    last_login_at: datetime | None
    created_at: datetime
    updated_at: datetime


class Page(BaseModel):
    data: list[User]
    next_cursor: str | None
    has_more: bool
    limit: int


def sessions(role: str, size: int, **options: Any) -> async_sessionmaker[AsyncSession]:
    engine = create_async_engine(
        # The socket's folder is in the query, which SQLAlchemy hands to asyncpg as it is.
        os.environ["TRILHA_DATABASE_URL"].replace("postgresql://", "postgresql+asyncpg://"),
        pool_size=size,
        max_overflow=0,
        connect_args={"server_settings": {"role": role, "timezone": "UTC"}},
        **options,
    )
    return async_sessionmaker(engine, expire_on_commit=False)


keyring = load_keyring(Path(os.environ["TRILHA_DATA_DIR"]) / "master.key")
# Each statement by itself: a counter's row is not held while the credential is looked up.
unscoped = sessions("trilha_unscoped", 5, isolation_level="AUTOCOMMIT")
app_sessions = sessions("trilha_app", 10)
bearer = HTTPBearer()


async def credential(
    request: Request,
    response: Response,
    sent: Annotated[HTTPAuthorizationCredentials, Depends(bearer)],
) -> ApiKeyRow:
    now = datetime.now(UTC)
    number = int(time.time()) // WINDOW
    assert request.client is not None
    async with unscoped() as session:
        counted = await session.scalar(
            insert(WindowRow)
            .values(
                bucket=f"usual:{request.client.host}",
                number=number,
                hits=1,
                ends_at=datetime.fromtimestamp((number + 1) * WINDOW, UTC),
            )
            .on_conflict_do_update(
                index_elements=[WindowRow.bucket, WindowRow.number], set_={"hits": WindowRow.hits + 1}
            )
            .returning(WindowRow.hits)
        )
        secret = await session.scalar(
            select(SecretRow)
            .join(TenantRow, and_(TenantRow.id == SecretRow.tenant_id, TenantRow.status == "ACTIVE"))
            .where(SecretRow.fingerprint == keyring.fingerprint(sent.credentials))
        )
    assert counted is not None
    if counted > LIMIT:
        raise HTTPException(429)
    response.headers["x-ratelimit-limit"] = str(LIMIT)
    response.headers["x-ratelimit-remaining"] = str(LIMIT - counted)
    response.headers["x-ratelimit-reset"] = str(WINDOW - int(time.time()) % WINDOW)
    if (
        secret is None
        or secret.key.revoked_at
        or any(end and end <= now for end in (secret.expires_at, secret.key.expires_at))
    ):
        raise HTTPException(401)
    if "users:read" not in secret.key.scopes:
        raise HTTPException(403)
    return secret.key


async def tenant_session(
    caller: Annotated[ApiKeyRow, Depends(credential)],
) -> AsyncIterator[AsyncSession]:
    async with app_sessions() as session, session.begin():
        await session.execute(text(f"SET LOCAL trilha.tenant = '{caller.tenant_id}'"))
        yield session


app = FastAPI()


@app.get("/v1/users")
async def list_users(
    session: Annotated[AsyncSession, Depends(tenant_session)],
    caller: Annotated[ApiKeyRow, Depends(credential)],
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    cursor: str | None = None,
) -> Page:
    query = select(UserRow).where(UserRow.tenant_id == caller.tenant_id)
    if cursor:
        at, _, id = urlsafe_b64decode(cursor).decode().partition(" ")
        query = query.where(
            tuple_(UserRow.created_at, UserRow.id) < tuple_(datetime.fromisoformat(at), UUID(id))
        )
    query = query.order_by(UserRow.created_at.desc(), UserRow.id.desc()).limit(limit + 1)
    rows = list(await session.scalars(query))
    shown, more = rows[:limit], len(rows) > limit
    key = f"{shown[-1].created_at.isoformat()} {shown[-1].id}" if more else ""
    return Page(
        data=[User.model_validate(row) for row in shown],
        next_cursor=urlsafe_b64encode(key.encode()).decode() if more else None,
        has_more=more,
        limit=limit,
    )


def make_app() -> FastAPI:
    return app
