"""Idempotency keys: a repeated POST returns the first response.

The response is stored in the transaction that did the work, so either both exist or neither. The first
call holds an advisory lock on the key; a second one fails at once instead of waiting.
"""

from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import Conflict, invalid
from trilha.core.jobs import TenantJob, oldest
from trilha.core.resealing.columns import SealedColumn

LIFETIME_HOURS = 24
_CONTEXT = "idempotency"
SEALED_RESPONSES = SealedColumn(
    kind="responses of idempotency keys",
    table="idempotency_keys",
    column="response",
    keys={"credential_id": "uuid", "key": "text"},
    context=lambda row: (_CONTEXT, row["credential_id"], row["key"]),
)


class StoredAnswer(Struct, frozen=True):
    """The status and body of a stored response; None for no body."""

    status: int
    body: bytes | None


class _Row(Struct, frozen=True):
    """A row with the request's MAC and the sealed response."""

    request: bytes
    status: int
    response: bytes | None


class IdempotencyKey:
    """A key of one credential, for one request."""

    def __init__(self, tx: Tx, credential_id: UUID, key: str, request: bytes) -> None:
        self._tx = tx
        self._credential_id = credential_id
        self._key = key
        self._request = tx.keyring.mac(b"idempotent-request", request)

    async def claim(self) -> StoredAnswer | None:
        """Returns the stored response, or None if this request must do the work.

        Raises Conflict: idempotency_in_progress, idempotency_key_reused.
        """
        lock = self._tx.keyring.mac(
            b"idempotency-lock", self._tx.tenant_id.bytes, self._credential_id.bytes, self._key.encode()
        )
        if not await self._tx.claim(int.from_bytes(lock[:8], signed=True)):
            raise Conflict("idempotency_in_progress")
        stored = await self._tx.find(
            _Row,
            """
            SELECT request, status, response FROM idempotency_keys
            WHERE tenant_id = :tenant AND credential_id = :credential_id AND key = :key AND expires_at > :now
            """,
            credential_id=self._credential_id,
            key=self._key,
        )
        if stored is None:
            return None
        if stored.request != self._request:
            raise Conflict("idempotency_key_reused")
        body = stored.response and self._tx.keyring.open(stored.response, *self._context).encode()
        return StoredAnswer(stored.status, body)

    async def keep(self, answer: StoredAnswer) -> None:
        sealed = answer.body and self._tx.keyring.seal(answer.body.decode(), *self._context)
        await self._tx.execute(
            """
            INSERT INTO idempotency_keys
                (tenant_id, credential_id, key, request, status, response, expires_at)
            VALUES (:tenant, :credential_id, :key, :request, :status, :response,
                    CAST(:now AS timestamptz) + :hours * interval '1 hour')
            ON CONFLICT (tenant_id, credential_id, key) DO UPDATE
            SET request = excluded.request, status = excluded.status, response = excluded.response,
                expires_at = excluded.expires_at
            """,
            credential_id=self._credential_id,
            key=self._key,
            request=self._request,
            status=answer.status,
            response=sealed,
            hours=LIFETIME_HOURS,
        )

    @property
    def _context(self) -> tuple[object, ...]:
        return (self._tx.tenant_id, _CONTEXT, self._credential_id, self._key)


def check_key(key: str) -> str:
    """Raises Invalid unless the key has 1 to 255 printable ASCII characters."""
    if not (1 <= len(key) <= 255 and key.isascii() and key.isprintable()):
        raise invalid("Idempotency-Key", "invalid_idempotency_key")
    return key


async def prune(tx: Tx, limit: int = 1000) -> int:
    """Deletes stored responses older than a day, up to a limit."""
    return await tx.execute(
        """
        WITH old AS (
            SELECT credential_id, key FROM idempotency_keys
            WHERE tenant_id = :tenant AND expires_at < :now LIMIT :limit)
        DELETE FROM idempotency_keys AS stored USING old
        WHERE stored.tenant_id = :tenant AND stored.credential_id = old.credential_id
          AND stored.key = old.key
        """,
        limit=limit,
    )


PRUNE = TenantJob(
    name="prune idempotency keys",
    due=oldest("idempotency_keys", "expires_at < :now", "expires_at"),
    batch=prune,
    rest=60,
)
