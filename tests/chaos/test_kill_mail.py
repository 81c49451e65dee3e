"""Kills the worker after the mail server received a message and before it answered. The message is sent again
with the same Message-ID.
"""

import asyncio
from email import message_from_bytes
from pathlib import Path

import asyncpg
import psutil
from aiosmtpd.smtp import Envelope

from mail_receiver import receiving_mail
from running import Running, running, wait_until
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.secrets import load_keyring
from trilha.platform.mail.catalogue import PasswordReset
from trilha.platform.mail.outbox import send
from trilha.platform.mail.schema import Recipient

RESET = PasswordReset(link="https://learn.test/reset/1", minutes=30)


def test_a_message_survives_the_worker(tmp_path: Path) -> None:
    asyncio.run(_survives(tmp_path))


async def _survives(folder: Path) -> None:
    killed: list[psutil.Process] = []

    async def kill(_: Envelope) -> str:
        for each in trilha.children("work"):
            each.kill()
            killed.append(each)
        return "250 OK"

    async with receiving_mail(kill, "250 OK") as receiver:
        url = f"smtp://127.0.0.1:{receiver.port}?from=learn@example.com"
        # A lease takes three times as long.
        with running(folder, TRILHA_SMTP_URL=url, TRILHA_SMTP_TIMEOUT="1") as trilha:
            id = await asyncio.to_thread(_written, trilha)
            await asyncio.to_thread(wait_until, lambda: len(receiver.mails) == 2)
            await asyncio.to_thread(wait_until, lambda: asyncio.run(_status(trilha)) == "SENT")
    assert killed
    assert len(receiver.mails) == 2
    first, second = (message_from_bytes(each.original_content or b"") for each in receiver.envelopes)
    assert first["Message-ID"] == second["Message-ID"] == f"<{id}@example.com>"


def _written(trilha: Running) -> str:
    tenant = trilha.command("tenant", "create", "--slug", "acme", "--name", "Acme")["id"]

    async def write() -> str:
        keyring = load_keyring(trilha.folder / "data" / "master.key")
        database = Database(serving_urls(_url(trilha), keyring), system_clock, keyring, size=1)
        await database.open()
        try:
            async with database.transaction(tenant) as tx:
                return str(await send(tx, to=Recipient("ana@example.com", "Ana", "en"), message=RESET))
        finally:
            await database.close()

    return asyncio.run(write())


async def _status(trilha: Running) -> str:
    connection = await asyncpg.connect(_url(trilha))
    try:
        return str(await connection.fetchval("SELECT status FROM mail_messages"))
    finally:
        await connection.close()


def _url(trilha: Running) -> str:
    lines = (trilha.folder / "data" / "postgres" / "postmaster.pid").read_text().splitlines()
    return f"postgresql://postgres@/postgres?host={lines[4]}"
