"""What changes in rows on their way: values are encrypted again, and keyed hashes are computed again."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from trilha.core.database import Connection
from trilha.core.resealing.columns import SealedColumn
from trilha.core.secrets import Keyring, UnreadableSecret
from trilha.core.types import Timestamp
from trilha.platform.tenants.operator import TenantError
from trilha.training.learning.evidence.log import hash_entry
from trilha.training.learning.evidence.schema import Entry

Row = dict[str, Any]


class Resealing:
    """Encrypts the values of columns with the keys of another keyring."""

    def __init__(
        self, tenant_id: UUID, columns: Sequence[SealedColumn], source: Keyring, target: Keyring
    ) -> None:
        self._tenant_id = tenant_id
        self._source = source
        self._target = target
        self._columns: dict[str, list[SealedColumn]] = {}
        for column in columns:
            self._columns.setdefault(column.table, []).append(column)

    def has_columns(self, table: str) -> bool:
        return table in self._columns

    def change(self, table: str, row: Row) -> dict[str, str]:
        """Encrypts a row's values again, and returns their plain texts by column. Raises TenantError."""
        texts = {}
        for column in self._columns.get(table, ()):
            if (sealed := row.get(column.column)) is not None:
                context = (self._tenant_id, *column.context(row))
                try:
                    text = self._source.open(parse_bytes(sealed), *context)
                except UnreadableSecret as error:
                    raise TenantError(f"A value does not open ({column.kind}: {error}).") from None
                texts[column.column] = text
                row[column.column] = format_bytes(self._target.seal(text, *context))
        return texts


class ImportedRows:
    """Changes rows for this installation, table by table, in the order of the archive."""

    def __init__(self, tenant_id: UUID, keyring: Keyring, resealing: Resealing, owner: Connection) -> None:
        self._tenant_id = tenant_id
        self._keyring = keyring
        self._resealing = resealing
        self._owner = owner
        self._last: tuple[str, int, bytes] = ("", 0, b"")
        self._changes: Mapping[str, Callable[[Row, dict[str, str]], Row | None]] = {
            "users": self._change_user,
            "scim_token_secrets": self._change_scim_secret,
            "webhook_endpoints": self._pause_webhook,
            "webhook_queues": self._empty_queue,
            "learning_log": self._link_entry,
        }

    async def change(self, table: str, rows: list[Row]) -> list[Row]:
        """Returns the rows to insert. Raises TenantError."""
        change, changed = self._changes.get(table), []
        for row in rows:
            texts = self._resealing.change(table, row)
            kept = change(row, texts) if change else row
            changed += [] if kept is None else [kept]
        if table == "learning_heads":
            await self._copy_hashes(changed, "number", "hash")
        if table == "certificates":
            await self._copy_hashes(changed, "evidence_number", "evidence_hash")
        return changed

    def _change_user(self, row: Row, texts: dict[str, str]) -> Row:
        if cpf := texts.get("cpf_sealed"):
            fingerprint = self._keyring.mac(b"cpf", self._tenant_id.bytes, cpf.encode())
            row["cpf_fingerprint"] = format_bytes(fingerprint)
        return row

    def _change_scim_secret(self, row: Row, texts: dict[str, str]) -> Row | None:
        """Drops a secret that is not stored encrypted: its hash cannot be computed again."""
        if (secret := texts.get("sealed")) is None:
            return None
        row["fingerprint"] = format_bytes(self._keyring.fingerprint(secret))
        return row

    def _pause_webhook(self, row: Row, _: dict[str, str]) -> Row:
        row["active"] = False
        return row

    def _empty_queue(self, row: Row, _: dict[str, str]) -> Row:
        return row | {"due_at": None, "holder": None, "held_until": None}

    def _link_entry(self, row: Row, _: dict[str, str]) -> Row:
        """Computes the chain of hashes with this installation's key. Its source was verified."""
        enrollment, number, before = self._last
        if row["enrollment_id"] != enrollment:
            enrollment, number, before = row["enrollment_id"], 0, b""
        if row["number"] != number + 1:
            raise TenantError(f"The log of enrollment {enrollment} is not whole.")
        at = Timestamp.of(datetime.fromisoformat(row["at"]))
        entry = Entry(row["number"], row["kind"], row["launch_id"], at, row["detail"], b"")
        hash = hash_entry(self._keyring, UUID(enrollment), entry, before)
        self._last = (enrollment, row["number"], hash)
        row["hash"] = format_bytes(hash)
        return row

    async def _copy_hashes(self, rows: Sequence[Row], number: str, hash: str) -> None:
        """Sets the hashes of the log's entries that rows name. Those of removed logs stay as they are."""
        named = [row for row in rows if row[number]]
        found = await self._owner.rows(
            """
            SELECT enrollment_id, number, hash FROM learning_log
            WHERE tenant_id = :tenant_id AND (enrollment_id, number) IN (
                  SELECT * FROM unnest(:enrollments::uuid[], :numbers::bigint[]))
            """,
            tenant_id=self._tenant_id,
            enrollments=[UUID(row["enrollment_id"]) for row in named],
            numbers=[row[number] for row in named],
        )
        hashes = {(str(each["enrollment_id"]), each["number"]): each["hash"] for each in found}
        for row in named:
            if (entry := hashes.get((row["enrollment_id"], row[number]))) is not None:
                row[hash] = format_bytes(entry)


def parse_bytes(text: str) -> bytes:
    """Parses bytea as PostgreSQL writes it in JSON."""
    return bytes.fromhex(text.removeprefix("\\x"))


def format_bytes(content: bytes) -> str:
    return f"\\x{content.hex()}"
