"""Work of `trilha sso` beyond a single action."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

from trilha.access.sso import queries
from trilha.access.sso.oidc import actions as oidc
from trilha.access.sso.oidc import queries as oidc_queries
from trilha.access.sso.oidc.documents import Discovery
from trilha.access.sso.saml import queries as saml_queries
from trilha.access.sso.saml.actions import MetadataReader
from trilha.access.sso.schema import Connection
from trilha.cli.output import run, tenant_id
from trilha.core.database import Database
from trilha.core.errors import BusinessRule
from trilha.core.outbound.fetching import Fetcher
from trilha.runtime import logins_of, open_database
from trilha.settings import Settings

T = TypeVar("T")
# Metadata of one provider rarely reaches 1 MB; a larger file is something else.
_MAX_BYTES = 1024 * 1024


def with_database(slug: str, work: Callable[[Settings, Database, UUID], Awaitable[T]]) -> T:
    """Runs work that needs more than one transaction."""

    async def open_and_run(settings: Settings, url: str) -> T:
        async with open_database(settings, logins_of(settings, url)) as database:
            return await work(settings, database, await tenant_id(database, slug))

    return run(open_and_run)


def split_names(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]


def read_file(name: str) -> str:
    """Raises OSError, UnicodeError."""
    with Path(name).open("rb") as file:
        return file.read(_MAX_BYTES + 1).decode("utf-8-sig")


def connection_to_dict(connection: Connection) -> dict[str, Any]:
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
    """Returns what the provider publishes and whether it is sufficient. Raises NotFound."""
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
        return result | {"passed": False} | {name: told.get(name) for name in _DETAIL_FIELDS}
    return result | {"passed": True} | dict.fromkeys(_DETAIL_FIELDS)


_DETAIL_FIELDS = ("reason", "meaning", "expected", "received")
