"""/admin/sessions/{id}/list.pdf, and the scans of lists that people signed."""

import asyncio
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import Meta, Struct
from msgspec.structs import replace

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.file_store import FileStore
from trilha.core.sealed_files import SealedFiles
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html, Stream, TypedAnswer
from trilha.core.web.callers import Caller
from trilha.core.web.routes import Refusal, Routes
from trilha.core.web.uploads import UploadedFile
from trilha.kit import N_, formats
from trilha.platform.audit import queries as audit
from trilha.training.classes.attendance_lists import queries, scans
from trilha.training.classes.attendance_lists.paper.printing import AttendancePapers
from trilha.training.classes.attendance_lists.scans import NewScan
from trilha.training.classes.attendance_lists.schema import SessionHead
from trilha.training.classes.schema import Reason
from trilha.web.panel.class_sessions.access import READ, list_trail, open_whole_session
from trilha.web.panel.view import PanelView

routes = Routes("Attendance lists on paper", "Lists to print and sign, and their scans.")
_SENTENCES = {
    "scan_not_readable": N_("Choose a PDF, JPEG or PNG of up to 10 MB."),
    "too_many_scans": N_("This session has 20 scans already."),
    "too_short": N_("Give a reason."),
}


class _Pdf(TypedAnswer):
    __slots__ = ()
    media_type = "application/pdf"


class ScanForm(Struct, frozen=True, kw_only=True):
    file: UploadedFile | None = None


class RemovalForm(Struct, frozen=True, kw_only=True):
    reason: Annotated[str, Meta(max_length=1000, extra_json_schema=STORABLE)] = ""


@routes.get("/sessions/{class_session_id}/list.pdf", access=READ)
async def print_list(view: PanelView, papers: AttendancePapers, class_session_id: UUID) -> Answer:
    """Downloads the list with names, masked CPFs and space to sign."""
    async with view.changing() as tx:
        opened = await open_whole_session(tx, view, class_session_id)
        people = await queries.list_documents(tx, opened.head.class_id)
        await audit.record(
            tx, "attendance.list_printed", class_session_id, opened.head.title, class_id=opened.head.class_id
        )
    made = await papers.print(view.tenant_id, _build_paper(view, opened.head, people))
    name = f'attachment; filename="attendance-{class_session_id}.pdf"'
    return _Pdf(made, headers={"content-disposition": name})


def _build_paper(view: PanelView, head: SessionHead, people: list[tuple[str, str]]) -> dict[str, Any]:
    # The times are those of the place.
    page = replace(view.page, time_zone=head.time_zone)
    begin, end = (
        datetime.fromisoformat(each).astimezone(ZoneInfo(head.time_zone))
        for each in (head.starts_at, head.ends_at)
    )
    rest = formats.moment_text(page, head.ends_at)
    span = f"{formats.moment_text(page, head.starts_at)} – " + (
        rest.rpartition(" ")[2] if begin.date() == end.date() and view.locale == "pt-BR" else rest
    )
    return {
        "lang": view.locale[:2],
        "title": view.say(N_("Attendance list")),
        "company": view.viewer.tenant_name,
        "foot": f"{head.title} · {head.id}",
        "facts": [
            (view.say(N_("Course")), head.course),
            (view.say(N_("Class")), head.title),
            (view.say(N_("Session")), f"{span} ({formats.zone_name(page)})"),
            (view.say(N_("Workload")), formats.hours(page, head.minutes)),
            (view.say(N_("Room")), head.room or "–"),
            (view.say(N_("Instructors")), formats.join_words(page, head.instructors) or "–"),
        ],
        "header": ["", view.say(N_("Name")), "CPF", view.say(N_("Signature"))],
        "rows": [[str(number), name, cpf or "–", ""] for number, (name, cpf) in enumerate(people, 1)],
        "instructors_title": view.say(N_("Signatures of the instructors")),
        "instructors": head.instructors or [" "],
    }


@routes.get("/sessions/{class_session_id}/scans", access=READ)
async def list_scans(tx: Tx, view: PanelView, class_session_id: UUID, refusal: Refusal | None = None) -> Html:
    """Lists the scans of a session, with the form to upload one."""
    opened = await open_whole_session(tx, view, class_session_id)
    return view.form(
        "panel/class_sessions/scans.html",
        refusal,
        {},
        _SENTENCES,
        opened=opened,
        session=opened.head,
        scans=await queries.list_scans(tx, class_session_id),
        trail=list_trail(opened),
    )


async def _read(form: ScanForm, caller: Caller) -> NewScan:
    """Reads the file before the transaction begins. Raises Invalid (scan_not_readable)."""
    if form.file is None:
        raise invalid("file", "scan_not_readable")
    return await asyncio.to_thread(scans.read, form.file.path, form.file.size, form.file.filename)


@routes.post(
    "/sessions/{class_session_id}/scans",
    access=READ,
    max_body=scans.MAX_BYTES + 64 * 1024,
    prepare=_read,
    refused=list_scans,
)
async def upload_scan(
    tx: Tx, view: PanelView, files: FileStore, class_session_id: UUID, form: ScanForm, prepared: NewScan
) -> Answer:
    """Stores a scan of the signed list."""
    opened = await open_whole_session(tx, view, class_session_id)
    await scans.add(tx, files, opened.head, view.viewer.user_id, prepared)
    return view.lead(f"{opened.path}/scans", N_("The scan was uploaded."))


@routes.get("/sessions/{class_session_id}/scans/{scan_id}/download", access=READ)
async def download_scan(
    view: PanelView, files: FileStore, class_session_id: UUID, scan_id: UUID
) -> Stream[bytes]:
    """Downloads the file of a scan."""
    async with view.reading() as tx:
        await open_whole_session(tx, view, class_session_id)
        scan = await queries.get_scan(tx, class_session_id, scan_id)
        keyring, key = tx.keyring, scans.build_key(tx.tenant_id, scan_id)
    ending = scan.media_type.partition("/")[2]
    headers = {"content-disposition": f'attachment; filename="attendance-{scan_id}.{ending}"'}
    return Stream(SealedFiles(files, keyring).read(key), scan.media_type, headers=headers)


@routes.get("/sessions/{class_session_id}/scans/{scan_id}/remove", access=READ)
async def ask_to_remove_scan(
    tx: Tx, view: PanelView, class_session_id: UUID, scan_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Asks why a scan is removed."""
    opened = await open_whole_session(tx, view, class_session_id)
    return view.form(
        "panel/class_sessions/remove_scan.html",
        refusal,
        {},
        _SENTENCES,
        opened=opened,
        scan=await queries.get_scan(tx, class_session_id, scan_id),
        trail=[*list_trail(opened), (view.say(N_("Scans")), f"{opened.path}/scans")],
    )


@routes.post("/sessions/{class_session_id}/scans/{scan_id}/remove", access=READ, refused=ask_to_remove_scan)
async def remove_scan(
    tx: Tx, view: PanelView, files: FileStore, class_session_id: UUID, scan_id: UUID, form: RemovalForm
) -> Answer:
    """Removes the file of a scan. The reason stays."""
    opened = await open_whole_session(tx, view, class_session_id)
    if not form.reason.strip():
        raise invalid("reason", "too_short")
    await scans.remove(tx, files, opened.head, scan_id, Reason(form.reason))
    return view.lead(f"{opened.path}/scans", N_("The scan was removed."))
