"""What a feature contributes to the application: one value in the `feature.py` of its folder."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from types import ModuleType
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.credentials import CredentialLookup
from trilha.core.database import Database, Reading, Tx
from trilha.core.jobs import Job
from trilha.core.resealing.columns import InstallationColumn, SealedColumn
from trilha.core.resealing.files import SealedKind
from trilha.core.secrets import Keyring
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Surface
from trilha.settings import Settings

# Removes whatever a feature stores about a person, in the transaction of the erasure. Erasing twice changes
# nothing.
Erasure = Callable[[Tx, UUID], Awaitable[None]]


# Runs beside the jobs until the event is set, for work that cannot wait for the next run of a job.
Loop = Callable[[Settings, Database, asyncio.Event], Coroutine[Any, Any, None]]


class ExportReader(Struct, frozen=True):
    """Reads the pages of an export, each in a transaction of its own, and makes links to files."""

    transaction: Reading
    address: str
    keyring: Keyring


class ExportPart(Struct, frozen=True):
    """A list in the export of personal data: `pages` yields a few rows at a time, each of the type `kind`."""

    name: str
    kind: type[Struct]
    pages: Callable[[ExportReader, UUID], AsyncIterator[Sequence[Any]]]


def _build_nothing(*_: object) -> Sequence[Any]:
    return ()


class Feature(Struct, frozen=True, kw_only=True):
    """Everything that one feature contributes. `name` is the name of its folder."""

    name: str
    errors: Sequence[ModuleType] = ()  # the modules that register its error codes
    v1: Sequence[Routes] = ()  # routes below /v1
    api: Sequence[Routes] = ()  # routes below /api
    # Surfaces with addresses of their own, such as the feature's files.
    build_surfaces: Callable[[Settings], Sequence[Surface]] = _build_nothing
    credentials: Sequence[CredentialLookup] = ()
    # The objects that handlers ask for by type.
    build_dependencies: Callable[[Settings, Database], Sequence[object]] = _build_nothing
    build_jobs: Callable[[Settings], Sequence[Job]] = _build_nothing  # what the worker repeats
    loops: Sequence[Loop] = ()
    # What is encrypted with the master key: files, columns of tenants' tables, and of other small tables.
    sealed_files: Sequence[SealedKind] = ()
    sealed_columns: Sequence[SealedColumn] = ()
    installation_columns: Sequence[InstallationColumn] = ()
    # Where the file store has a tenant's files: the prefixes of their keys.
    list_file_prefixes: Callable[[UUID], Sequence[str]] = _build_nothing
    erasures: Sequence[Erasure] = ()
    export: Sequence[ExportPart] = ()
