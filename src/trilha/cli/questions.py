"""trilha question …"""

from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import click

from trilha.cli.input import read_bytes
from trilha.cli.output import as_json, in_tenant, local_operator, run, show, tenant_id
from trilha.core.database import Database
from trilha.core.file_store import open_file_store
from trilha.runtime import logins_of, open_database
from trilha.settings import Settings
from trilha.training.question_bank import importing
from trilha.training.question_bank.importing import MissingAlt
from trilha.training.question_bank.parsing.reading import QuestionFiles
from trilha.training.question_bank.parsing.schema import MAX_BYTES
from trilha.training.question_bank.schema import ImportResult
from trilha.training.question_bank.tags import split

_ALT = MissingAlt("Imagem sem descrição", "imagem sem descrição")


@click.group()
def question() -> None:
    """The question bank."""


@question.command("import")
@in_tenant
@click.option(
    "--file",
    "path",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    help="A file in GIFT, Moodle XML or the format of the template for spreadsheets.",
)
@click.option("--tags", default="", help="Tags for all questions, separated by commas.")
@as_json
def import_questions(tenant: str, path: Path, tags: str, as_json: bool) -> None:
    """Add the questions of a file to the question bank. Questions with problems are left out."""
    content = read_bytes(path, MAX_BYTES)

    async def work(settings: Settings, url: str) -> ImportResult:
        logins = logins_of(settings, url)
        async with open_database(settings, logins) as database:
            key = await tenant_id(database, tenant)
            return await _import(settings, database, key, path.name, content, split(tags))

    show(run(work), as_json)


async def _import(
    settings: Settings, database: Database, tenant: UUID, name: str, content: bytes, tags: Sequence[str]
) -> ImportResult:
    readers = QuestionFiles(settings.scratch)
    try:
        parsed = await readers.read(tenant, name, content)
    finally:
        await readers.close()
    files = open_file_store(settings.files_url, settings.data_dir / "files")
    async with database.transaction(tenant, read_only=True) as tx:
        checked = importing.check(parsed, tx.today)
    async with (
        importing.store_pictures(files, database, tenant, checked) as stored,
        database.transaction(tenant, actor=local_operator()) as tx,
    ):
        return await importing.add(tx, checked, stored, None, tags, _ALT)
