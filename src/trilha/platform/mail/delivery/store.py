"""Writes messages as sealed .eml files to the file store, as long as no mail server is configured.

Every node reads what another one has written. The messages contain links that set passwords.
"""

from datetime import datetime
from uuid import UUID

from obstore.exceptions import BaseError

from trilha.core.file_store import FileStore
from trilha.core.resealing.files import SealedKind
from trilha.core.sealed_files import SealedFiles
from trilha.core.secrets import Keyring
from trilha.core.types import Timestamp
from trilha.platform.mail.delivery.folder import name_file, parse_text
from trilha.platform.mail.schema import Mail, SendResult

_NAME = "mail"


def key(id: UUID, created_at: datetime) -> str:
    return f"{_NAME}/{name_file(id, created_at)}"


SEALED_FILES = SealedKind(
    name=_NAME,
    select="""
        SELECT id, created_at FROM mail_messages
        WHERE tenant_id = :tenant AND id > :after AND status = 'SENT'
        ORDER BY id LIMIT :limit FOR NO KEY UPDATE
        """,
    key=lambda _, row: key(row["id"], Timestamp(row["created_at"]).moment()),
    may_be_missing=True,
)


class StoreTransport:
    """The .eml files of a file store."""

    def __init__(self, store: FileStore, keyring: Keyring) -> None:
        self._store = store
        self._files = SealedFiles(store, keyring)

    @property
    def place(self) -> str:
        return f"the folder {_NAME} in the file store"

    async def send(self, mail: Mail) -> SendResult:
        try:
            await self._files.put(key(mail.id, mail.created_at), mail.content)
        except (OSError, BaseError):
            return SendResult(error="folder_not_writable")
        return SendResult()

    async def close(self) -> None:
        """Does nothing: no file stays open."""

    async def read_text(self, id: UUID, created_at: datetime) -> str | None:
        """Returns the plain text of a message, or None if it has no file. Raises UnreadableSecret."""
        try:
            pieces = [piece async for piece in self._files.read(key(id, created_at))]
        except FileNotFoundError:
            return None
        return parse_text(b"".join(pieces))

    async def prune(self, before: datetime) -> int:
        """Deletes files last written before `before`, and returns how many."""
        count = 0
        async for keys in self._store.list_keys(_NAME, before=before):
            await self._store.delete(*keys)
            count += len(keys)
        return count
