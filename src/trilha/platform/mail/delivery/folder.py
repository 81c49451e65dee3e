"""Writes messages as .eml files to a folder, as long as no mail server is configured. Only the owner can
read them.
"""

import asyncio
import os
from datetime import datetime
from email import message_from_bytes
from email.policy import SMTPUTF8
from pathlib import Path
from uuid import UUID

from trilha.core.files import make_folder, open_own, why_not_ours
from trilha.platform.mail.schema import Mail, SendResult

_NAME = "mail"


def name_file(id: UUID, created_at: datetime) -> str:
    """Names the file of a message. Sorted by name, files are in the order in which messages were created."""
    return f"{created_at:%Y%m%d-%H%M%S}-{id}.eml"


def parse_text(raw: bytes) -> str | None:
    """Returns the plain text of an .eml file, or None if it has none."""
    part = message_from_bytes(raw, policy=SMTPUTF8).get_body(("plain",))
    return None if part is None else str(part.get_content())


class FolderTransport:
    """The .eml files of one data folder."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / _NAME

    @property
    def place(self) -> str:
        return f"the folder {self._folder}"

    async def send(self, mail: Mail) -> SendResult:
        try:
            await asyncio.to_thread(self._write, mail)
        except OSError:
            return SendResult(error="folder_not_writable")
        return SendResult()

    async def close(self) -> None:
        """Does nothing: no file stays open."""

    def path(self, id: UUID, created_at: datetime) -> Path:
        return self._folder / name_file(id, created_at)

    async def read_text(self, id: UUID, created_at: datetime) -> str | None:
        """Returns the plain text of a message, or None if it has no file."""
        try:
            raw = await asyncio.to_thread(self.path(id, created_at).read_bytes)
        except FileNotFoundError:
            return None
        return parse_text(raw)

    async def prune(self, before: datetime) -> int:
        """Deletes files last written before `before`, and returns how many."""
        return await asyncio.to_thread(self._prune, before)

    def _prune(self, before: datetime) -> int:
        if not self._folder.is_dir():
            return 0
        old = [each for each in self._folder.glob("*.eml") if each.stat().st_mtime < before.timestamp()]
        for each in old:
            each.unlink(missing_ok=True)
        return len(old)

    def _write(self, mail: Mail) -> None:
        make_folder(self._folder, 0o700)
        if why_not_ours(self._folder):
            raise PermissionError
        path = self.path(mail.id, mail.created_at)
        draft = path.with_suffix(".part")
        with os.fdopen(open_own(draft, os.O_CREAT | os.O_WRONLY | os.O_TRUNC), "wb") as file:
            file.write(mail.content)
        draft.replace(path)
