"""What `trilha sso` does beside calling one action."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

from trilha.cli.output import run, tenant_id
from trilha.core.database import Database
from trilha.core.errors import BusinessRule
from trilha.core.outbound.fetching import Fetcher
from trilha.runtime import logins_of, opened
from trilha.settings import Settings
from trilha.sso import queries
from trilha.sso.oidc import actions as oidc
from trilha.sso.oidc import queries as oidc_queries
from trilha.sso.oidc.documents import Discovery
from trilha.sso.saml import queries as saml_queries
from trilha.sso.saml.actions import MetadataReader
from trilha.sso.schema import Connection

T = TypeVar("T")
# A document of 1 MB is long for metadata of one provider; a larger file is another one.
_MOST_BYTES = 1024 * 1024


def with_database(slug: str, work: Callable[[Settings, Database, UUID], Awaitable[T]]) -> T:
    """For what is not done in one transaction."""

    async def opened_in(settings: Settings, url: str) -> T:
        async with opened(settings, logins_of(settings, url)) as database:
            return await work(settings, database, await tenant_id(database, slug))

    return run(opened_in)


def named_in(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]


def read_file(name: str) -> str:
    """Raises OSError, UnicodeError."""
    with Path(name).open("rb") as file:
        return file.read(_MOST_BYTES + 1).decode("utf-8-sig")


def shown(connection: Connection) -> dict[str, Any]:
    return {
        "id": connection.id,
        "kind": connection.kind,
        "name": connection.name,
        "enabled": connection.enabled,
        "domains": connection.domains,
        "jit": connection.jit,
        "alerts": sorted(connection.alerts),
        "last_sign_in_at": connection.last_sign_in_at,
        "created_at": connection.created_at,
    }


async def check_provider(
    settings: Settings, database: Database, tenant_id: UUID, connection_id: UUID
) -> dict[str, Any]:
    """Whether the provider says of itself what it has to. Raises NotFound."""
    async with database.transaction(tenant_id, read_only=True) as tx:
        connection = await queries.get(tx, connection_id)
        by_oidc = connection.kind == "OIDC"
        issuer = (await oidc_queries.get(tx, connection_id)).issuer if by_oidc else ""
        url = None if by_oidc else (await saml_queries.get(tx, connection_id)).metadata_url
    fetcher = Fetcher(settings.guard)
    result = {"id": connection.id, "kind": connection.kind, "name": connection.name}
    try:
        if by_oidc:
            await oidc.look_up(Discovery(fetcher, settings.guard), tenant_id, issuer)
        elif url is not None:
            await MetadataReader(fetcher, settings.guard).look_up(tenant_id, None, url)
    except BusinessRule as failure:
        told = failure.detail or {}
        return result | {"passed": False} | {name: told.get(name) for name in _TOLD}
    return result | {"passed": True} | dict.fromkeys(_TOLD)


_TOLD = ("reason", "meaning", "expected", "received")
