"""A worker in its own process that a test kills: it renders what is due in a tenant and prints its progress.

`python mortal.py DATABASE_URL FOLDER TENANT`. Prints `rendering` before and `stored` after each file.
"""

import asyncio
import sys
from pathlib import Path
from typing import Any
from uuid import UUID

from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.file_store import FileStore
from trilha.core.secrets import Keyring
from trilha.training.certificates.pdf.jobs import RenderCertificates
from trilha.training.certificates.pdf.making import Maker
from trilha.training.certificates.pdf.press import Press
from trilha.training.certificates.signatures.signer import Signer


class Telling(FileStore):
    async def put(self, key: str, source: Path | bytes) -> None:
        print("rendering", flush=True)
        await super().put(key, source)
        print("stored", flush=True)


async def main(url: str, folder: Path, tenant_id: UUID) -> None:
    import obstore.store

    keyring = Keyring([b"k" * 32])
    database = Database(serving_urls(url, keyring), system_clock, keyring)
    await database.open()
    place = folder / "files"
    place.mkdir(exist_ok=True)
    files = Telling(lambda: obstore.store.LocalStore(place), place)
    scratch = folder / "scratch"
    maker = Maker(files, Press(scratch), Signer(scratch), "https://learn.example.com")
    job: Any = RenderCertificates(files, maker.prepare)
    while await job.run_in(database, tenant_id):
        pass


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), UUID(sys.argv[3])))
