"""/admin/people/import: a file is uploaded, its columns are checked, a dry run lists the problems, then
it is started.
"""

import asyncio
import codecs
from collections.abc import Sequence
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct, convert

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.spreadsheets import csv_lines
from trilha.core.web.answers import Answer, Csv, Html, Stream
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import MIB, Refusal, Routes
from trilha.kit import N_, NN_, formats
from trilha.people.custom_fields import queries as custom_fields
from trilha.people.custom_fields.schema import CustomField
from trilha.people.people_import import actions, missing_units, queries, report
from trilha.people.people_import.columns import choose_header, names_managers
from trilha.people.people_import.files import SAMPLE_BYTES, ImportFiles
from trilha.people.people_import.lists import IMPORTS
from trilha.people.people_import.rows import mask
from trilha.people.people_import.schema import Draft, Import, ImportFile, ImportQuery
from trilha.people.people_import.sheet import MAX_BYTES, Dialect, Sample, Sheet, read, sample
from trilha.people.people_import.workbooks import WorkbookReader
from trilha.web.panel import choices, lists
from trilha.web.panel.addresses import address
from trilha.web.panel.confirm import Button
from trilha.web.panel.lists import Action, Check, Column, Empty, Table
from trilha.web.panel.people_import import enrolling, forms, words, workbook_template
from trilha.web.panel.people_import.forms import ColumnsForm, DialectForm, Upload
from trilha.web.panel.view import PanelView

PATH = "/admin/people/import"
_ACCESS = may(Permission.PEOPLE_IMPORT)
_OPEN = ("DRAFT", "CHECKED")
_MAX_COUNTS = 20
routes = Routes("Imports of people", "People from a file.")


class ProblemQuery(ListQuery, frozen=True, kw_only=True):
    """`after` is the last line whose problems were shown."""

    after: int = 0


IMPORTS_TABLE = Table(
    listing=IMPORTS,
    path=PATH,
    title=N_("Imports of people"),
    crumbs=[(N_("People"), "/admin/people")],
    checks=[Check(name="failed", label=N_("With problems only"))],
    row="panel/people_import/_row.html",
    columns=[
        N_("File"),
        N_("Status"),
        Column(N_("Rows"), numeric=True),
        Column(N_("Created"), numeric=True),
        Column(N_("Updated"), numeric=True),
        Column(N_("With problems"), numeric=True),
        N_("Uploaded on"),
    ],
    counted=NN_("%(num)s import", "%(num)s imports"),
    actions=[Action(N_("Import people"), f"{PATH}/new", "upload", primary=True)],
    empty=Empty(
        N_("No imports yet"),
        N_(
            "Import people from a spreadsheet or a CSV file of your HR system. You see problems before"
            " anything changes."
        ),
        "file-spreadsheet",
    ),
)


@routes.get("/people/import", access=_ACCESS)
async def list_imports(tx: Tx, view: PanelView, query: ImportQuery) -> Html:
    """List past imports, newest first."""
    return await lists.show(tx, view, IMPORTS_TABLE, query)


class UploadQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The path or course that the form begins with."""

    path: UUID | None = None
    course: UUID | None = None


@routes.get("/people/import/new", access=_ACCESS)
async def show_upload(tx: Tx, view: PanelView, query: UploadQuery, refusal: Refusal | None = None) -> Html:
    """Ask for the file, and for where its people are enrolled."""
    begins = {"people": "all", "path_id": query.path or "", "course_id": query.course or ""}
    values = refusal.values if refusal else begins
    return view.form(
        "panel/people_import/new.html",
        refusal,
        begins=begins,
        sentences=enrolling.SENTENCES | {"required": N_("Choose a file.")},
        courses=await choices.courses(tx, view, values.get("course_id"), published=True),
        paths=await choices.paths(tx, view, values.get("path_id")),
    )


class TemplateQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: Literal["csv", "xlsx"] = "csv"


@routes.get("/people/import/template", access=_ACCESS)
async def download_template(tx: Tx, view: PanelView, query: TemplateQuery) -> Answer:
    """Download an empty file with every column, those of custom fields too."""
    header = [view.say(word) for word in forms.TEMPLATE]
    header += [choose_header(field) for field in await custom_fields.list_fields(tx)]
    if query.format == "xlsx":
        return workbook_template.build(view, header)
    written = codecs.BOM_UTF8 + csv_lines([header], formats.csv_separator(view.page)).encode()
    disposition = 'attachment; filename="people.csv"'
    return Csv(written, headers={"content-disposition": disposition})


@routes.post("/people/import/new", access=_ACCESS, max_body=MAX_BYTES + MIB, refused=show_upload)
async def upload(view: PanelView, form: Upload, files: ImportFiles, workbooks: WorkbookReader) -> Answer:
    """Store the file, and guess its format and columns."""
    if not form.file.size:
        raise invalid("file", "required")
    async with view.reading() as tx:
        target = await enrolling.read_target(tx, view, form)
        fields = await custom_fields.list_fields(tx)
    sent = await asyncio.to_thread(form.file.path.read_bytes)
    raw, dialect = await workbooks.read(view.tenant_id, sent)
    draft = await asyncio.to_thread(actions.look_at, raw, None, dialect, fields)
    path = await files.keep(view.tenant_id, raw)
    try:
        async with view.changing() as tx:
            made = await actions.upload(tx, draft, path, form.file.filename or "people.csv", target)
    except BaseException:
        await files.remove(path)
        raise
    return view.lead(f"{PATH}/{made.id}")


@routes.get("/people/import/{import_id}", access=_ACCESS)
async def show_import(
    tx: Tx,
    view: PanelView,
    import_id: UUID,
    query: ProblemQuery,
    files: ImportFiles,
    refusal: Refusal | None = None,
) -> Html:
    """Show the columns of an import, its progress, or its result."""
    found = await queries.get(tx, import_id)
    if found.state == "DRAFT":
        return await _show_columns(tx, view, files, found, refusal)
    if found.state in ("WAITING", "RUNNING"):
        target = await enrolling.describe(tx, found)
        return view.form("panel/people_import/progress.html", refusal, found=found, target=target)
    problems = await report.list_whole_lines(tx, import_id, query.after, query.limit)
    last = problems[-1].line if problems else 0
    more = bool(last and await queries.list_problems(tx, import_id, last, 1))
    parts: dict[str, Any] = {
        "found": found,
        "problems": problems,
        "words": words,
        "target": await enrolling.describe(tx, found),
        "missing_units": [],
        "max_units": missing_units.MAX_UNITS,
        "counts": [],
        "following": address(f"{PATH}/{import_id}", {"after": last}) if more else "",
    }
    if view.page.fragment and query.after:
        return view.show("panel/people_import/_problems.html", **parts)
    if problems:
        parts["counts"] = await queries.count_problems(tx, import_id, _MAX_COUNTS)
    if found.state == "CHECKED" and view.may(Permission.UNITS_WRITE):
        parts["missing_units"] = await missing_units.list_missing(tx, import_id)
    return view.form("panel/people_import/result.html", refusal, **parts)


@routes.get("/people/import/{import_id}/progress", access=_ACCESS)
async def show_progress(tx: Tx, view: PanelView, import_id: UUID) -> Answer:
    """Show the progress, and redirect to the result once it is done."""
    found = await queries.get(tx, import_id)
    if found.state in ("WAITING", "RUNNING") and view.page.fragment:
        return view.show("panel/people_import/_progress.html", found=found)
    return view.lead(f"{PATH}/{import_id}")


@routes.get("/people/import/{import_id}/columns", access=_ACCESS)
async def show_columns(
    tx: Tx, view: PanelView, import_id: UUID, files: ImportFiles, refusal: Refusal | None = None
) -> Answer:
    """Show the form that assigns the file's columns. It is available after a dry run, too."""
    found = await queries.get(tx, import_id)
    if found.state not in _OPEN:
        return view.lead(f"{PATH}/{import_id}")
    return await _show_columns(tx, view, files, found, refusal)


async def _show_columns(
    tx: Tx, view: PanelView, files: ImportFiles, running: Import, refusal: Refusal | None
) -> Html:
    kept = await queries.get_file(tx, running.id)
    dialect = convert(kept.dialect, Dialect)
    shown = await _sample(files, kept, dialect)
    sent = refusal.values.get("member") if refusal else None
    chosen = sent if isinstance(sent, list) else [kept.mapping.get(header, "") for header in shown.headers]
    chosen = [*chosen, *[""] * len(shown.headers)]
    fields = {field.key: field for field in await custom_fields.list_fields(tx)}
    columns = [
        (header, chosen[n], [mask(chosen[n], cell, fields) for cell in shown.cells[n]])
        for n, header in enumerate(shown.headers)
    ]
    ignored = [header for n, header in enumerate(shown.headers) if header and not chosen[n]]
    return view.form(
        "panel/people_import/columns.html",
        refusal,
        begins={"encoding": dialect.encoding, "separator": dialect.separator},
        is_workbook=dialect.source == "workbook",
        sentences={"invalid_value": N_("Two columns are said to be the same. Choose one of them.")},
        found=running,
        target=await enrolling.describe(tx, running),
        ignored=ignored,
        managers=next((header for header in ignored if names_managers(header)), ""),
        columns=columns,
        has_lost_zeros=any(chosen[n] == "employee_number" for n in dialect.number_columns),
        nameless=bool(columns) and "name" not in chosen,
        members=forms.MEMBERS,
        custom_members=forms.list_custom_members(fields.values(), chosen),
        encodings=forms.ENCODINGS,
        separators=forms.SEPARATORS,
    )


@routes.post("/people/import/{import_id}/dialect", access=_ACCESS, refused=show_columns)
async def change_dialect(
    tx: Tx, view: PanelView, import_id: UUID, form: DialectForm, files: ImportFiles
) -> Answer:
    """Read the file with another separator or encoding, and guess its columns again."""
    kept = await queries.lock_file(tx, import_id)
    if (dialect := form.dialect()) is None:
        raise invalid("separator", "invalid_value")
    fields = await custom_fields.list_fields(tx)
    draft = await _read_again(files, kept, None, dialect, fields)
    await actions.correct(tx, import_id, draft)
    return view.lead(f"{PATH}/{import_id}")


@routes.post("/people/import/{import_id}/columns", access=_ACCESS, refused=show_columns)
async def check_import(
    tx: Tx, view: PanelView, import_id: UUID, form: ColumnsForm, files: ImportFiles
) -> Answer:
    """Start the dry run with these columns."""
    kept = await queries.lock_file(tx, import_id)
    dialect = convert(kept.dialect, Dialect)
    shown = await _sample(files, kept, dialect)
    chosen = [member for member in form.member if member]
    if len(set(chosen)) < len(chosen):
        raise invalid("mapping", "invalid_value")
    draft = await _read_again(files, kept, form.mapping(shown.headers), dialect)
    await actions.correct(tx, import_id, draft)
    await actions.release(tx, import_id, dry_run=True)
    return view.lead(f"{PATH}/{import_id}")


async def _sample(files: ImportFiles, file: ImportFile, dialect: Dialect) -> Sample:
    """Returns an empty sample if the file is missing."""
    try:
        raw = await files.read(file.path, SAMPLE_BYTES)
    except FileNotFoundError:
        return Sample([], [])
    return await asyncio.to_thread(sample, raw, dialect)


async def _read_again(
    files: ImportFiles,
    file: ImportFile,
    mapping: dict[str, str] | None,
    dialect: Dialect,
    fields: Sequence[CustomField] = (),
) -> Draft:
    """Raises Invalid, also if the file is missing."""
    try:
        raw = await files.read(file.path)
    except FileNotFoundError:
        raise invalid("mapping", "unknown_header") from None
    return await asyncio.to_thread(actions.look_at, raw, mapping, dialect, fields)


@routes.post("/people/import/{import_id}/units", access=may(Permission.UNITS_WRITE), refused=show_import)
async def create_units(tx: Tx, view: PanelView, import_id: UUID, form: Button, files: ImportFiles) -> Answer:
    """Create the business units that the file names and the company does not have, and check it again."""
    kept = await queries.lock_file(tx, import_id)
    header = next((header for header, member in kept.mapping.items() if member == "business_unit"), None)
    created = 0
    if header is not None:
        created = await missing_units.create(tx, import_id, await _read_sheet(files, kept), header)
    await actions.release(tx, import_id, dry_run=True)
    if not created:
        message = N_("No unit was created. Correct the names in the file and send it again.")
        return view.lead(f"{PATH}/{import_id}", message, "warn")
    text = view.say_many(NN_("%(num)s unit was created.", "%(num)s units were created."), created)
    return view.lead_with_undo(f"{PATH}/{import_id}", text, "ok", "")


async def _read_sheet(files: ImportFiles, file: ImportFile) -> Sheet:
    """Raises Invalid, also if the file is missing."""
    try:
        raw = await files.read(file.path)
    except FileNotFoundError:
        raise invalid("mapping", "unknown_header") from None
    return await asyncio.to_thread(read, raw, convert(file.dialect, Dialect))


@routes.post("/people/import/{import_id}/start", access=_ACCESS, refused=show_import)
async def start_import(tx: Tx, view: PanelView, import_id: UUID, form: Button) -> Answer:
    """Start the import after its dry run."""
    found = await queries.get(tx, import_id)
    if found.state == "DRAFT":
        return view.lead(f"{PATH}/{import_id}")
    await actions.release(tx, import_id, dry_run=False)
    return view.lead(f"{PATH}/{import_id}")


@routes.get("/people/import/{import_id}/report", access=_ACCESS)
async def download_report(view: PanelView, import_id: UUID) -> Stream[bytes]:
    """Download the problems, line by line, as CSV."""
    async with view.reading() as tx:
        await queries.get(tx, import_id)
    wording = report.Wording(
        [view.say(word) for word in words.HEADER],
        lambda problem: view.say(words.message(problem)),
        formats.csv_separator(view.page),
    )
    disposition = 'attachment; filename="import-report.csv"'
    return Stream(
        report.stream(view.reading, import_id, wording),
        "text/csv; charset=utf-8",
        headers={"content-disposition": disposition},
    )
