"""/admin/sessions/{id}/attendance: the list of a session, made for a phone. It works without a connection."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Annotated
from uuid import UUID, uuid4

import msgspec
from msgspec import Meta, Struct

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.types import STORABLE, Timestamp, dec_hook
from trilha.core.web.answers import Answer, Html, json_answer
from trilha.core.web.routes import RawBody, Refusal, Routes
from trilha.kit import N_, formats
from trilha.training.classes.attendance_lists import marks, queries, signing
from trilha.training.classes.attendance_lists.schema import (
    ListedPerson,
    Mark,
    MarkResult,
    MarkSheet,
    MergedList,
)
from trilha.training.classes.schema import Reason
from trilha.training.signatures import drawings
from trilha.training.signatures import queries as signatures
from trilha.web.panel.class_sessions.access import (
    READ,
    SENTENCES,
    OpenSession,
    get_person,
    list_trail,
    list_trail_of_people,
    open_session,
)
from trilha.web.panel.reach import check_not_own, is_own
from trilha.web.panel.view import PanelView
from trilha.web.player.offline.switch import OfflineUse

routes = Routes("Attendance", "The attendance of a session.")
PER_PAGE = 500
METHODS = {"LIST": N_("List"), "QR": N_("QR code"), "SIGNATURE": N_("Signature")}
_WORKER = files(__package__).joinpath("worker.js").read_bytes()
_Cell = Annotated[str, Meta(max_length=10, extra_json_schema=STORABLE)]
_SENTENCES = SENTENCES | {
    "required": N_("Give a reason for the correction."),
    "invalid_number": N_("Enter minutes as a number."),
    "attendance_changed": N_("Somebody else changed this meanwhile. Check the marked people and save again."),
}


class ListQueryOfSession(Struct, frozen=True, kw_only=True):
    page: Annotated[int, Meta(ge=1, le=100)] = 1


class AttendanceForm(Struct, frozen=True, kw_only=True):
    """The rows of the list, in order. `before` are the minutes that the page showed. With `all_present`,
    people without recorded minutes get the whole session.
    """

    user_id: Annotated[list[UUID], Meta(max_length=PER_PAGE)] = []
    before: Annotated[list[_Cell], Meta(max_length=PER_PAGE)] = []
    minutes: Annotated[list[_Cell], Meta(max_length=PER_PAGE)] = []
    reason: Annotated[str, Meta(max_length=1000, extra_json_schema=STORABLE)] = ""
    all_present: bool = False


@routes.get("/attendance-worker.js", access=READ)
async def get_attendance_worker(offline: OfflineUse) -> Answer:
    """Return the script that keeps the pages of attendance on the device. If the installation has turned that
    off, the script removes what was kept.
    """
    content = _WORKER if offline.enabled else b"const OFF = true;\n" + _WORKER
    return Answer(200, content, [(b"content-type", b"text/javascript; charset=utf-8")])


@routes.get("/sessions/{class_session_id}/attendance", access=READ)
async def show_attendance(
    tx: Tx,
    view: PanelView,
    class_session_id: UUID,
    query: ListQueryOfSession,
    refusal: Refusal | None = None,
) -> Html:
    """Shows everybody with a place, and how many minutes they were there."""
    opened = await open_session(tx, view, class_session_id)
    return await _show(tx, view, opened, query.page, refusal=refusal)


async def _show(
    tx: Tx,
    view: PanelView,
    opened: OpenSession,
    page: int,
    *,
    refusal: Refusal | None = None,
    conflicts: dict[UUID, int] | None = None,
) -> Html:
    head = opened.head
    offset = (page - 1) * PER_PAGE
    people = await queries.list_people(tx, head, opened.reach, PER_PAGE + 1, offset)
    places, present = await queries.count_people(tx, head, opened.reach)
    answer = view.form(
        "panel/class_sessions/attendance.html",
        refusal,
        {},
        _SENTENCES,
        opened=opened,
        session=head,
        people=people[:PER_PAGE],
        page_number=page,
        has_more=len(people) > PER_PAGE,
        places=places,
        present=present,
        conflicts=conflicts or {},
        typed=_list_typed(refusal),
        has_started=head.starts_at <= Timestamp.of(tx.now),
        methods=METHODS,
        trail=list_trail(opened),
    )
    # For whom a browser keeps the page.
    answer.headers.append((b"x-trilha-person", str(view.viewer.user_id).encode()))
    return answer


def _list_typed(refusal: Refusal | None) -> dict[str, str]:
    """Returns the minutes of a refused form, by person."""
    if refusal is None:
        return {}
    ids, minutes = (refusal.values.get(name, ()) for name in ("user_id", "minutes"))
    if not isinstance(ids, list) or not isinstance(minutes, list):
        return {}
    return dict(zip(map(str, ids), map(str, minutes), strict=False))


@routes.post(
    "/sessions/{class_session_id}/attendance",
    access=READ,
    refused=show_attendance,
    max_body=512 * 1024,
)
async def save_attendance(
    tx: Tx, view: PanelView, class_session_id: UUID, query: ListQueryOfSession, form: AttendanceForm
) -> Answer | Html:
    """Records what was changed on the page. What others changed meanwhile stays, and is shown."""
    opened = await open_session(tx, view, class_session_id)
    sheet = _read_rows(view, form, opened.head.minutes)
    for each in sheet:
        check_not_own(view, each.user_id)
    seen = await _list_seen(tx, opened, sheet)
    results = await marks.merge(tx, opened.head, [each for each in sheet if each.user_id in seen])
    conflicts = {
        mark.user_id: mark.minutes
        for mark in sheet
        for result in results
        if result.id == mark.id and result.outcome == "CONFLICT"
    }
    for code in ("required", "out_of_range", "not_registered"):
        if any(each.code == code for each in results):
            raise invalid("reason" if code == "required" else "form", code)
    if conflicts:
        return await _show(tx, view, opened, query.page, conflicts=conflicts)
    recorded = sum(each.outcome == "RECORDED" for each in results)
    here = f"{opened.path}/attendance" + (f"?page={query.page}" if query.page > 1 else "")
    return view.lead(here, N_("The attendance was saved.") if recorded else N_("Nothing was changed."))


def _read_rows(view: PanelView, form: AttendanceForm, length: int) -> list[Mark]:
    """Returns a mark for each row that was changed. Raises Invalid."""
    if not len(form.user_id) == len(form.before) == len(form.minutes):
        raise invalid("minutes", "invalid_number")
    reason = Reason(form.reason) if form.reason.strip() else None
    rows = []
    for user_id, before, minutes in zip(form.user_id, form.before, form.minutes, strict=True):
        shown, typed = _read_number(before), _read_number(minutes)
        if form.all_present and shown is None and typed is None and not is_own(view, user_id):
            typed = length
        if typed is not None and typed != shown:
            rows.append(Mark(id=uuid4(), user_id=user_id, minutes=typed, before=shown, reason=reason))
    return rows


def _read_number(text: str) -> int | None:
    stripped = text.strip()
    if not stripped:
        return None
    if not (stripped.isascii() and stripped.isdigit()) or len(stripped) > 5:
        raise invalid("minutes", "invalid_number")
    return min(int(stripped), 20_000)


async def _list_seen(tx: Tx, opened: OpenSession, sheet: Sequence[Mark]) -> set[UUID]:
    """Returns those of these people whom the viewer sees."""
    ids = [each.user_id for each in sheet]
    if not ids or opened.sees_everybody:
        return set(ids)
    people = await queries.list_people(tx, opened.head, opened.reach, len(ids), ids=ids)
    return {each.user_id for each in people}


@routes.post("/sessions/{class_session_id}/attendance/marks", access=READ, max_body=512 * 1024)
async def merge_marks(
    tx: Tx, view: PanelView, class_session_id: UUID, query: ListQueryOfSession, data: RawBody
) -> Answer:
    """Merge the marks that a device kept. Return their results, and the people of the page with their minutes
    after that.
    """
    opened = await open_session(tx, view, class_session_id)
    try:
        sheet = msgspec.json.decode(data.content, type=MarkSheet, dec_hook=dec_hook).marks
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise invalid("body", "invalid_value") from error
    if any(each.marked_at is not None and each.marked_at.tzinfo is None for each in sheet):
        raise invalid("body", "invalid_value")
    own = [each for each in sheet if is_own(view, each.user_id)]
    sheet = [each for each in sheet if not is_own(view, each.user_id)]
    seen = await _list_seen(tx, opened, sheet)
    mine = [each for each in sheet if each.user_id in seen]
    results = await marks.merge(tx, opened.head, mine) if mine else []
    results += [
        MarkResult(each.id, "REFUSED", "not_registered") for each in sheet if each.user_id not in seen
    ]
    results += [MarkResult(each.id, "REFUSED", "own_attendance") for each in own]
    people = await queries.list_people(tx, opened.head, opened.reach, PER_PAGE, (query.page - 1) * PER_PAGE)
    return json_answer(200, MergedList(results, [_describe(view, each) for each in people]))


def _describe(view: PanelView, person: ListedPerson) -> ListedPerson:
    """Returns the person with the moment as the page shows it."""
    if person.recorded_at is None:
        return person
    text = formats.moment_text(view.page, person.recorded_at)
    return msgspec.structs.replace(person, recorded_at=text)


@routes.get("/sessions/{class_session_id}/attendance/{user_id}", access=READ)
async def show_person(tx: Tx, view: PanelView, class_session_id: UUID, user_id: UUID) -> Html:
    """Shows the attendance of one person: how it was recorded, their signature, and corrections."""
    opened = await open_session(tx, view, class_session_id)
    person = await get_person(tx, opened, user_id)
    found = await signatures.list_newest(tx, signing.PURPOSE, class_session_id, [user_id])
    signature = found.get(user_id)
    drawing = ""
    if signature and signature.content:
        drawing = drawings.draw(
            signature.content.strokes, view.say(N_("Signature of %(name)s"), name=person.name)
        )
    return view.show(
        "panel/class_sessions/person.html",
        opened=opened,
        session=opened.head,
        person=person,
        signature=signature,
        drawing=drawing,
        corrections=await queries.list_corrections(tx, class_session_id, user_id),
        methods=METHODS,
        trail=list_trail_of_people(view, opened),
    )
