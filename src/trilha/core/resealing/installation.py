"""Encrypts everything of an installation again with the newest master key, and forgets the older ones.

The work can be interrupted anywhere and continued later: the ciphertexts name their keys, and the files that
are left are on a list in the database.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Database, logins, master_keys
from trilha.core.resealing.columns import (
    InstallationColumn,
    SealedColumn,
    count_by_key,
    count_in_installation,
    reseal_batch,
    reseal_in_installation,
)
from trilha.core.resealing.files import ResealFiles, SealedKind, list_tenant_files
from trilha.core.secrets import KEY_ID_BYTES, Keyring

# Rows that were skipped because they were being changed, or were copied meanwhile, are left for more passes.
_PASSES = 10
_PAUSE_SECONDS = 0.5
HASH_KEYS = InstallationColumn(
    kind="keys of hashes",
    table="hash_keys",
    column="sealed",
    key="purpose",
    context=lambda row: ("hash_keys", row["purpose"]),
)
Report = Callable[[str], None]


class ResealingError(RuntimeError):
    """Not everything can be encrypted again. The message is one sentence for the operator."""


class KeyUse(Struct, frozen=True):
    """How many values of a kind are encrypted with a master key. `state` is newest, older or missing."""

    kind: str
    key: str
    state: str
    values: int


class Process(Struct, frozen=True):
    """A running process, and the id of the master key with which it encrypts."""

    kind: str
    process: str
    key: str


class KeyStatus(Struct, frozen=True):
    """What is encrypted with which key. `recorded` are the keys that must be at hand; `files_left` counts the
    lists of tenants' files that wait to be encrypted again.
    """

    recorded: list[str]
    uses: list[KeyUse]
    files_left: int
    processes: list[Process]


class Installation:
    """Everything that is encrypted. `owner` is a connection of the database's owner. With `with_logins`, the
    passwords of the serving logins derive from the master key.
    """

    def __init__(
        self,
        database: Database,
        owner: Any,
        files: ResealFiles,
        kinds: Sequence[SealedKind],
        columns: Sequence[SealedColumn],
        own_columns: Sequence[InstallationColumn],
        *,
        with_logins: bool,
    ) -> None:
        self._database = database
        self._owner = owner
        self._files = files
        self._kinds = kinds
        self._columns = columns
        self._own_columns = (*own_columns, HASH_KEYS)
        self._with_logins = with_logins

    @property
    def _keyring(self) -> Keyring:
        return self._database.keyring

    async def load_status(self) -> KeyStatus:
        counts: dict[str, Counter[bytes]] = {}
        for sealed in self._columns:
            counts[sealed.kind] = Counter()
        for tenant_id in await self._list_tenants():
            async with self._database.transaction(tenant_id, read_only=True) as tx:
                for sealed in self._columns:
                    counts[sealed.kind].update(await count_by_key(tx, sealed))
        for own in self._own_columns:
            counts[own.kind] = Counter(await count_in_installation(self._owner, own))
        if self._with_logins:
            counts["database passwords"] = await self._count_passwords()
        return KeyStatus(
            recorded=[key.hex() for key in await self._list_recorded()],
            uses=[
                KeyUse(kind, key.hex(), self._state(key), count)
                for kind, keys in counts.items()
                for key, count in sorted(keys.items())
            ],
            files_left=await self._count_file_lists(),
            processes=await self._list_processes(),
        )

    async def reseal(self, report: Report) -> list[str]:
        """Encrypts everything with the newest key, and returns the ids of the keys that may be thrown away.

        Raises ResealingError, LoginError.
        """
        await self._check_processes()
        await self._list_files()
        for own in self._own_columns:
            async with self._owner.transaction():
                await reseal_in_installation(self._owner, self._keyring, own)
        if self._with_logins:
            await logins.change_passwords(self._owner, self._keyring)
        for _ in range(_PASSES):
            await self._reseal_columns(report)
            if not await self._list_older_uses():
                break
            await asyncio.sleep(_PAUSE_SECONDS)
        await self._reseal_files(report)
        return await self._forget_older_keys()

    async def _reseal_columns(self, report: Report) -> None:
        tenants = await self._list_tenants()
        for sealed in self._columns:
            count = sum([await self._reseal_column(tenant_id, sealed) for tenant_id in tenants])
            if count:
                report(f"{sealed.kind}: {count}")

    async def _reseal_column(self, tenant_id: UUID, sealed: SealedColumn) -> int:
        count, after = 0, None
        while True:
            async with self._database.transaction(tenant_id) as tx:
                batch = await reseal_batch(tx, sealed, after)
            count, after = count + batch.count, batch.after
            if after is None:
                return count

    async def _list_files(self) -> None:
        """Puts all files on the list, once for each newest key: the worker shortens it, too."""
        row = "number = (SELECT number FROM master_keys WHERE substr(sealed, 1, 4) = $1)"
        if await self._owner.fetchval(
            f"SELECT files_listed_at FROM master_keys WHERE {row}",  # noqa: S608
            self._keyring.current,
        ):
            return
        if len(await self._list_recorded()) == 1:
            return
        for tenant_id in await self._list_tenants():
            async with self._database.transaction(tenant_id) as tx:
                await list_tenant_files(tx, self._kinds)
        await self._owner.execute(
            f"UPDATE master_keys SET files_listed_at = $2 WHERE {row}",  # noqa: S608
            self._keyring.current,
            self._database.clock(),
        )

    async def _reseal_files(self, report: Report) -> None:
        """Encrypts the listed files. A running worker takes some of them, too."""
        count = 0
        while await self._count_file_lists():
            done = 0
            for tenant_id in await self._list_tenants():
                while examined := await self._files.run_in(self._database, tenant_id):
                    done += examined
            count += done
            if not done:  # the worker holds the rest
                await asyncio.sleep(_PAUSE_SECONDS)
        if count:
            report(f"files: {count}")

    async def _forget_older_keys(self) -> list[str]:
        """Raises ResealingError if anything may still need an older key."""
        await self._check_processes()
        if older := await self._list_older_uses():
            kinds = ", ".join(f"{use.kind}: {use.values} with {use.key}" for use in older)
            raise ResealingError(f"These values still have an older key; run this again: {kinds}.")
        if waiting := await self._count_old_imports():
            raise ResealingError(
                f"{waiting} imports of people began with an older key; run this again when they have ended."
            )
        rows = await self._owner.fetch(
            "DELETE FROM master_keys WHERE substr(sealed, 1, 4) <> $1 RETURNING sealed", self._keyring.current
        )
        return [row["sealed"][:KEY_ID_BYTES].hex() for row in rows]

    async def _count_file_lists(self) -> int:
        async with self._database.unscoped() as unscoped:
            return int(await unscoped.value("SELECT count(*) FROM file_sealings"))

    async def _count_old_imports(self) -> int:
        """Counts the imports whose files were stored before all other files were listed."""
        async with self._database.unscoped() as unscoped:
            count = await unscoped.value(
                """
                SELECT count(*) FROM imports
                WHERE has_file AND created_at < (SELECT max(files_listed_at) FROM master_keys)
                """
            )
            return int(count)

    async def _list_older_uses(self) -> list[KeyUse]:
        return [use for use in (await self.load_status()).uses if use.state == "older"]

    async def _check_processes(self) -> None:
        """Raises ResealingError if a process still encrypts with another key."""
        stale = [each for each in await self._list_processes() if each.key != self._keyring.current.hex()]
        if stale:
            names = ", ".join(f"{each.kind} {each.process}" for each in stale)
            raise ResealingError(f"Restart these processes, which still encrypt with another key: {names}.")

    async def _list_processes(self) -> list[Process]:
        async with self._database.unscoped() as unscoped:
            return await unscoped.list(
                Process,
                """
                SELECT DISTINCT split_part(application_name, ' ', 2) AS kind,
                       split_part(application_name, ' ', 4) AS process,
                       split_part(application_name, ' ', 3) AS key
                FROM pg_stat_activity
                WHERE datname = current_database() AND application_name LIKE 'trilha %'
                      AND split_part(application_name, ' ', 2) IN ('serve', 'work')
                ORDER BY 1, 2
                """,
            )

    async def _list_tenants(self) -> list[UUID]:
        return [row["id"] for row in await self._owner.fetch("SELECT id FROM tenants ORDER BY id")]

    async def _list_recorded(self) -> list[bytes]:
        return [row["sealed"][:KEY_ID_BYTES] for row in await self._owner.fetch(master_keys.SELECT_KEYS)]

    async def _count_passwords(self) -> Counter[bytes]:
        """Counts the logins by the key of their password; b"" stands for a key that is not at hand."""
        rows = await self._owner.fetch("SELECT role, verifier FROM database_logins")
        return Counter(
            master_keys.find_key_of_password(self._keyring, row["role"], row["verifier"]) or b""
            for row in rows
        )

    def _state(self, key: bytes) -> str:
        if key == self._keyring.current:
            return "newest"
        return "older" if key in self._keyring.ids else "missing"
