"""Imports of modules, from the request to the modules of the course."""

from uuid import UUID, uuid4

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.errors import ApiError, Conflict, invalid
from trilha.core.outbound.guard import BlockedAddress, Guard
from trilha.core.resealing.columns import SealedColumn
from trilha.core.secrets import UnreadableSecret
from trilha.core.types import Title
from trilha.platform.audit import queries as audit
from trilha.training.courses import media, module_actions
from trilha.training.courses import queries as courses
from trilha.training.courses.imports import queries, rules
from trilha.training.courses.imports.files import ImportFile
from trilha.training.courses.imports.schema import ModuleImport, ModuleUpload, NewImport, OpenImport
from trilha.training.courses.media import StoredMedia
from trilha.training.courses.schema import ModuleCreate, NewModule
from trilha.training.scorm import actions as package_actions
from trilha.training.scorm import queries as packages
from trilha.training.scorm.package.report import clean_text

_CONTEXT = "module-imports"
SEALED_URLS = SealedColumn(
    kind="addresses of modules to import",
    table="module_imports",
    column="source_url",
    keys={"id": "uuid"},
    context=lambda row: (_CONTEXT, row["id"]),
)


async def start_with_file(tx: Tx, course_id: UUID, sent: ModuleUpload, file: ImportFile) -> ModuleImport:
    """Starts an import of a file that was sent. A document or video is added at once.

    Raises NotFound, Conflict (too_many_imports), and BusinessRule (quota_exceeded, too_many_modules).
    """
    new = NewImport(
        id=file.import_id,
        course_id=course_id,
        type=sent.type,
        title=sent.title,
        duration_minutes=sent.duration_minutes,
        required=sent.required,
        workload_kind=sent.workload_kind,
        delivery=sent.delivery,
        file_name=clean_text(file.name),
    )
    await _insert(tx, new, "RUNNING", "UNPACK")
    await receive(tx, new, file)
    return await queries.get(tx, new.id)


async def start_with_url(tx: Tx, course_id: UUID, sent: ModuleCreate, guard: Guard) -> ModuleImport:
    """Starts an import of a file that the worker fetches.

    Raises NotFound, Conflict (too_many_imports), and Invalid for an address that is not allowed.
    """
    assert sent.source_url is not None
    assert sent.type in ("SCORM", "CMI5", "DOCUMENT", "VIDEO")
    try:
        url = guard.parse(sent.source_url)
    except BlockedAddress as error:
        raise invalid("source_url", str(error)) from None
    import_id = uuid4()
    new = NewImport(
        id=import_id,
        course_id=course_id,
        type=sent.type,
        title=sent.title,
        duration_minutes=sent.duration_minutes,
        required=sent.required,
        workload_kind=sent.workload_kind,
        delivery=sent.delivery,
        file_name=rules.name_of_url(url),
        source_url=tx.keyring.seal(url, *_context(tx, import_id)),
    )
    await _insert(tx, new, "PENDING", "FETCH")
    return await queries.get(tx, import_id)


async def _insert(tx: Tx, new: NewImport, status: rules.ImportStatus, step: rules.Step) -> None:
    course = await courses.get(tx, new.course_id)
    await queries.lock_start(tx)
    if await queries.count_open(tx) >= rules.MAX_OPEN:
        raise Conflict("too_many_imports")
    await queries.insert(tx, new, status, step)
    await audit.record(tx, "course.import_started", course.id, course.slug, type=new.type)


async def open_url(tx: Tx, running: OpenImport) -> str | None:
    """Returns the address of the file. If no master key opens it, ends the import and returns None."""
    assert running.source_url is not None
    try:
        return tx.keyring.open(running.source_url, *_context(tx, running.id))
    except UnreadableSecret:
        await fail(tx, running, "address_unreadable")
        return None


def _context(tx: Tx, import_id: UUID) -> tuple[object, ...]:
    return (tx.tenant_id, _CONTEXT, import_id)


async def receive(tx: Tx, new: NewImport | OpenImport, file: ImportFile) -> None:
    """Adds a document or video to the course, or starts the import of a package. The import is in its second
    step.

    Raises NotFound, and BusinessRule (quota_exceeded, too_many_modules).
    """
    if not isinstance(file.stored, StoredMedia):
        await package_actions.start_import(tx, file.stored, file.name or "package.zip")
        return
    # Inserted before the course is locked: in the other order, two imports of the same bytes could deadlock.
    row = await media.insert(tx, file.stored)
    module = NewModule(
        title=Title(new.title),
        type=new.type,
        duration_minutes=new.duration_minutes,
        required=new.required,
        workload_kind=new.workload_kind,
        delivery=new.delivery,
        content={"file_id": str(row.id)},
    )
    await _add(tx, new, [module])


async def add_unpacked(tx: Tx, waiting: OpenImport) -> None:
    """Adds the parts of the import's package to the course, or ends the import as failed. `waiting` is
    locked.
    """
    package = await packages.find(tx, waiting.id)
    if package is not None and package.state != "READY":
        await fail(tx, waiting, "package_refused" if package.state == "REFUSED" else "package_failed")
        return
    try:
        async with tx.savepoint():
            modules = await module_actions.package_modules(
                tx,
                waiting.id,
                waiting.duration_minutes or 0,
                waiting.required,
                workload_kind=waiting.workload_kind,
                delivery=waiting.delivery,
            )
            if len(modules) == 1:
                modules = [structs.replace(modules[0], title=Title(waiting.title))]
            await _add(tx, waiting, modules)
    except ApiError as error:
        await fail(tx, waiting, rules.find_code(error))


async def _add(tx: Tx, new: NewImport | OpenImport, modules: list[NewModule]) -> None:
    added = await module_actions.add(tx, new.course_id, modules)
    await queries.finish(tx, new.id, module_ids=[module.id for module in added])


async def fail(tx: Tx, running: OpenImport, code: str) -> None:
    await queries.finish(tx, running.id, error={"code": code, "message": rules.find_message(code)})
