"""A database cache of the connections' keys, shared by all processes.

A set is fetched again when it is stale or when a token names a key that is not in it: at most once a minute,
by one process, while the others wait for the result.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.oidc import queries, rules
from trilha.access.sso.oidc.documents import Discovery
from trilha.access.sso.oidc.keys import candidates
from trilha.access.sso.oidc.schema import Client, StoredKeys
from trilha.access.sso.oidc.tokens import Header
from trilha.core.database import Database

# Longer than the provider may take to answer.
_ASKING = timedelta(seconds=12)
_POLL_SECONDS, _POLLS = 0.2, 60


class KeyCache:
    def __init__(self, database: Database, discovery: Discovery) -> None:
        self._database = database
        self._discovery = discovery

    async def find(self, tenant_id: UUID, client: Client, header: Header) -> Sequence[Mapping[str, Any]]:
        """Returns the keys that may have signed a token with this header. Raises SignInRefused."""
        known = await self._find_keys(tenant_id, client)
        if known.is_fresh and (found := candidates(known.keys, header.kid, header.algorithm)):
            return found
        failure = await self._renew(tenant_id, client)
        known = await self._find_keys(tenant_id, client)
        if not known.is_usable:
            raise failure or SignInRefused("keys_unavailable", "keys of the last 24 hours", "none")
        if found := candidates(known.keys, header.kid, header.algorithm):
            return found
        names = ", ".join(str(key.get("kid", "without kid")) for key in known.keys)
        raise SignInRefused("key_unknown", names, f"{header.kid or 'without kid'} for {header.algorithm}")

    async def _renew(self, tenant_id: UUID, client: Client) -> SignInRefused | None:
        """Fetches the keys if they are due. Returns the reason if that failed."""
        async with self._database.transaction(tenant_id) as tx:
            claimed = await queries.claim_keys(tx, client.connection_id, tx.now - rules.KEYS_REST)
        if not claimed:
            await self._wait(tenant_id, client)
            return None
        try:
            keys, max_age = await self._discovery.read_keys(tenant_id, client.document.jwks_uri)
        except SignInRefused as failure:
            async with self._database.transaction(tenant_id) as tx:
                await queries.note_no_keys(tx, client.connection_id)
            return failure
        async with self._database.transaction(tenant_id) as tx:
            await queries.put_keys(tx, client.connection_id, keys, tx.now + rules.lifetime(max_age))
        return None

    async def _wait(self, tenant_id: UUID, client: Client) -> None:
        """Waits until the process that fetches the keys is done."""
        for _ in range(_POLLS):
            if not (await self._find_keys(tenant_id, client)).is_asked:
                return
            await asyncio.sleep(_POLL_SECONDS)

    async def _find_keys(self, tenant_id: UUID, client: Client) -> StoredKeys:
        async with self._database.transaction(tenant_id, read_only=True) as tx:
            usable, asked = tx.now - rules.KEYS_STALE, tx.now - _ASKING
            return await queries.find_keys(tx, client.connection_id, usable, asked)
