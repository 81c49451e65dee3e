"""The life of the keys that sign access tokens.

A key is published before it signs, for as long as a verifier may cache the set, and stays published until the
last token that it signed has expired. The private part is stored sealed.
"""

import math
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from joserfc.jwk import ECKey
from msgspec import Struct

from trilha.access.oauth import unscoped
from trilha.access.oauth.schema import StoredSigningKey
from trilha.core.credentials import SYSTEM, Actor, CredentialRefused
from trilha.core.database import Database
from trilha.core.database.batcher import Batcher
from trilha.core.resealing.columns import InstallationColumn
from trilha.core.types import Timestamp

ALGORITHM = "ES256"
TOKEN_LIFETIME = timedelta(hours=1)
# How long verifiers may cache the published set.
PUBLISHED_FOR = timedelta(minutes=15)
# How long this process caches the set. A new key of another process begins to sign later than that.
_CACHE_PERIOD = timedelta(minutes=1)
# The pause between lookups of unknown keys, because anybody can make up a token's `kid`.
_MISS_SECONDS = 1.0
_CONTEXT = "signing-key"
SEALED_KEYS = InstallationColumn(
    kind="keys that sign access tokens",
    table="signing_keys",
    column="private",
    key="number",
    context=lambda row: (_CONTEXT, row["kid"]),
)


class SigningKey(Struct, frozen=True):
    number: int
    kid: str
    signs_from: datetime
    key: Any

    @property
    def public(self) -> dict[str, Any]:
        return {**self.key.as_dict(private=False), "kid": self.kid, "use": "sig", "alg": ALGORITHM}


class SigningKeys:
    """This process's copy of the key set, reloaded periodically and when a key is missing."""

    def __init__(self, database: Database, actor: Actor = SYSTEM) -> None:
        self._database = database
        self._actor = actor  # recorded in the audit log for created and deleted keys
        self._keyring = database.keyring
        self._clock = database.clock
        self._keys: dict[str, SigningKey] = {}
        self._read_at: datetime | None = None
        self._missed_at = -math.inf
        self._batcher = Batcher(self._read)

    async def signing(self) -> SigningKey:
        """Returns the newest key that may sign already. Creates the very first key."""
        await self._refresh()
        while not self._keys:
            await self.add(after=timedelta())
        ready = [key for key in self._keys.values() if key.signs_from <= self._clock()]
        return max(ready or self._keys.values(), key=lambda key: key.number)

    async def find(self, kid: str) -> SigningKey | None:
        await self._refresh()
        if kid not in self._keys and time.monotonic() >= self._missed_at + _MISS_SECONDS:
            # Another process may have just created it.
            await self.reload()
            if kid not in self._keys:
                self._missed_at = time.monotonic()
        return self._keys.get(kid)

    async def list_public(self) -> list[dict[str, Any]]:
        await self.signing()
        return [key.public for key in sorted(self._keys.values(), key=lambda key: key.number)]

    async def list(self) -> list[SigningKey]:
        await self.reload()
        return sorted(self._keys.values(), key=lambda key: key.number)

    async def add(self, *, after: timedelta = PUBLISHED_FOR) -> None:
        """Creates a key that begins to sign `after` this period. If another process does so first, its key is
        used.
        """
        await self.reload()
        number = max((existing.number for existing in self._keys.values()), default=0) + 1
        new_key = ECKey.generate_key("P-256", private=True)
        kid = new_key.thumbprint()
        now = self._clock()
        key = StoredSigningKey(
            number=number,
            kid=kid,
            private=self._keyring.seal(new_key.as_pem(private=True).decode(), _CONTEXT, kid),
            public=new_key.as_dict(private=False),
            signs_from=Timestamp.of(now + after),
            created_at=Timestamp.of(now),
        )
        async with self._database.unscoped() as statements:
            await unscoped.insert_signing_key(statements, key, self._actor)
        await self.reload()

    async def revoke(self, kid: str) -> SigningKey:
        """Deletes a key and ends all tokens that it signed. Raises CredentialRefused."""
        await self.reload()
        if kid not in self._keys:
            raise CredentialRefused("There is no signing key with this kid.")
        dropped = self._keys[kid]
        await self._delete(kid)
        return dropped

    async def rotate_by_age(self, age: timedelta) -> int:
        """Adds a key if the newest is older than `age`, or else deletes keys whose tokens have all
        expired.
        """
        keys = await self.list()
        if keys and keys[-1].signs_from <= self._clock() - age:
            await self.add()
            return 1
        over = self._clock() - TOKEN_LIFETIME - _CACHE_PERIOD
        # Keys replaced before that moment: their last tokens have expired.
        dropped = [old for old, new in pairwise(keys) if new.signs_from <= over]
        for key in dropped:
            await self._delete(key.kid)
        return len(dropped)

    async def _refresh(self) -> None:
        if self._read_at is None or self._clock() >= self._read_at + _CACHE_PERIOD:
            await self.reload()

    async def reload(self) -> None:
        """Reloads the set, with all changes committed before this call."""
        await self._batcher.submit(None)

    async def _read(self, calls: Sequence[None]) -> Sequence[None]:
        async with self._database.unscoped() as statements:
            rows = await unscoped.list_signing_keys(statements)
        self._keys = {row.kid: self._keys.get(row.kid) or self._open(row) for row in rows}
        self._read_at = self._clock()
        return calls

    async def _delete(self, kid: str) -> None:
        async with self._database.unscoped() as statements:
            await unscoped.delete_signing_key(statements, kid, self._actor)

    def _open(self, row: StoredSigningKey) -> SigningKey:
        pem = self._keyring.open(row.private, _CONTEXT, row.kid)
        return SigningKey(row.number, row.kid, datetime.fromisoformat(row.signs_from), ECKey.import_key(pem))
