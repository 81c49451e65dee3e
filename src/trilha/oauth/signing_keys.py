"""The keys that access tokens are signed with: made, published, used, and dropped.

A key is published before it signs, for as long as a verifier may keep the set it read; and it stays
published until the last token it signed is over. The private part is stored sealed.
"""

import math
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from joserfc.jwk import ECKey
from msgspec import Struct

from trilha.core.credentials import SYSTEM, Actor, CredentialRefused
from trilha.core.database import Database
from trilha.core.database.batcher import Batcher
from trilha.core.types import Timestamp
from trilha.oauth import unscoped
from trilha.oauth.schema import StoredSigningKey

ALGORITHM = "ES256"
TOKEN_LIFETIME = timedelta(hours=1)
# How long verifiers may keep the published set.
PUBLISHED_FOR = timedelta(minutes=15)
# How long this process believes what it read. A key of another process signs later than that.
_KEPT = timedelta(minutes=1)
# After a look for a key that does not exist, how long none is looked for: a token's `kid` may be made up.
_MISS_SECONDS = 1.0


class SigningKey(Struct, frozen=True):
    number: int
    kid: str
    signs_from: datetime
    key: Any

    @property
    def public(self) -> dict[str, Any]:
        return {**self.key.as_dict(private=False), "kid": self.kid, "use": "sig", "alg": ALGORITHM}


class SigningKeys:
    """The set as this process knows it, read anew now and then and whenever a key in it is missing."""

    def __init__(self, database: Database, actor: Actor = SYSTEM) -> None:
        self._database = database
        self._actor = actor  # who makes and drops keys, for the audit record
        self._keyring = database.keyring
        self._clock = database.clock
        self._keys: dict[str, SigningKey] = {}
        self._read_at: datetime | None = None
        self._missed_at = -math.inf
        self._batcher = Batcher(self._read)

    async def signing(self) -> SigningKey:
        """The newest whose time has come. The very first one is made here."""
        await self._refresh()
        while not self._keys:
            await self.add(after=timedelta())
        ready = [each for each in self._keys.values() if each.signs_from <= self._clock()]
        return max(ready or self._keys.values(), key=lambda each: each.number)

    async def find(self, kid: str) -> SigningKey | None:
        await self._refresh()
        if kid not in self._keys and time.monotonic() >= self._missed_at + _MISS_SECONDS:
            # Another process may just have made it.
            await self.reload()
            if kid not in self._keys:
                self._missed_at = time.monotonic()
        return self._keys.get(kid)

    async def published(self) -> list[dict[str, Any]]:
        await self.signing()
        return [each.public for each in sorted(self._keys.values(), key=lambda each: each.number)]

    async def list(self) -> list[SigningKey]:
        await self.reload()
        return sorted(self._keys.values(), key=lambda each: each.number)

    async def add(self, *, after: timedelta = PUBLISHED_FOR) -> None:
        """A new key, which signs after that time. Where another process made it first, that one stands."""
        await self.reload()
        number = max((each.number for each in self._keys.values()), default=0) + 1
        made = ECKey.generate_key("P-256", private=True)
        kid = made.thumbprint()
        now = self._clock()
        key = StoredSigningKey(
            number=number,
            kid=kid,
            private=self._keyring.seal(made.as_pem(private=True).decode(), "signing-key", kid),
            public=made.as_dict(private=False),
            signs_from=Timestamp.of(now + after),
            created_at=Timestamp.of(now),
        )
        async with self._database.unscoped() as statements:
            await unscoped.insert_signing_key(statements, key, self._actor)
        await self.reload()

    async def revoke(self, kid: str) -> SigningKey:
        """Drops it with all tokens that it signed. Raises CredentialRefused."""
        await self.reload()
        if kid not in self._keys:
            raise CredentialRefused("There is no signing key with this kid.")
        dropped = self._keys[kid]
        await self._delete(kid)
        return dropped

    async def rotate_by_age(self, age: timedelta) -> int:
        """Adds a key when the newest is older than that, and drops those whose tokens are all over."""
        keys = await self.list()
        if keys and keys[-1].signs_from <= self._clock() - age:
            await self.add()
            return 1
        over = self._clock() - TOKEN_LIFETIME - _KEPT
        # Superseded since before then: nothing that it signed is still good.
        dropped = [old for old, new in pairwise(keys) if new.signs_from <= over]
        for each in dropped:
            await self._delete(each.kid)
        return len(dropped)

    async def _refresh(self) -> None:
        if self._read_at is None or self._clock() >= self._read_at + _KEPT:
            await self.reload()

    async def reload(self) -> None:
        """Reads the set as it is now; never as it was before somebody asked."""
        await self._batcher.submit(None)

    async def _read(self, askers: Sequence[None]) -> Sequence[None]:
        async with self._database.unscoped() as statements:
            rows = await unscoped.list_signing_keys(statements)
        self._keys = {row.kid: self._keys.get(row.kid) or self._open(row) for row in rows}
        self._read_at = self._clock()
        return askers

    async def _delete(self, kid: str) -> None:
        async with self._database.unscoped() as statements:
            await unscoped.delete_signing_key(statements, kid, self._actor)

    def _open(self, row: StoredSigningKey) -> SigningKey:
        pem = self._keyring.open(row.private, "signing-key", row.kid)
        return SigningKey(row.number, row.kid, datetime.fromisoformat(row.signs_from), ECKey.import_key(pem))
