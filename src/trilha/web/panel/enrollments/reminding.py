"""/admin/enrollments/remind: reminds the people of selected enrollments by hand."""

from collections import defaultdict
from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, structs

from trilha.core.database import Tx
from trilha.core.lists import find_rows, list_rows
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer
from trilha.core.web.routes import Routes
from trilha.kit import N_
from trilha.training.enrollments.lists import ENROLLMENT_ROWS
from trilha.training.enrollments.schema import EnrollmentSearch
from trilha.training.reminders import actions
from trilha.web.panel.enrollments.pages import ADDRESS, WRITE
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import PanelView

routes = Routes("Reminding of enrollments", "Reminds the people of selected enrollments.")
_PATH = f"{ADDRESS}/remind"
MAX_ENROLLMENTS = 1000
_MAX_COURSES = 10  # of one person


class ReminderForm(EnrollmentSearch, frozen=True, kw_only=True):
    """The selected enrollments, or all that match the filters. The first step asks for the text."""

    id: list[UUID] = []
    all: bool = False
    text: Annotated[str, Meta(max_length=2000, extra_json_schema=STORABLE)] | None = None
    step: Literal["ask", "send"] = "ask"


@routes.post("/enrollments/remind", access=WRITE)
async def remind(tx: Tx, view: PanelView, form: ReminderForm) -> Answer:
    """Asks for the text, or sends the reminders. Skips people who were reminded today."""
    if form.all:
        found = await list_rows(tx, ENROLLMENT_ROWS, form, reach_of(view), limit=MAX_ENROLLMENTS)
    else:
        found = await find_rows(tx, ENROLLMENT_ROWS, form.id[:MAX_ENROLLMENTS], reach_of(view))
    enrollments: defaultdict[UUID, list[UUID]] = defaultdict(list)
    for each in found:
        if each.status != "COMPLETED" and len(enrollments[each.user_id]) < _MAX_COURSES:
            enrollments[each.user_id].append(each.id)
    people = {user_id: ids for user_id, ids in enrollments.items() if ids}
    if form.step == "send":
        sent = await actions.remind_many(tx, people, form.text)
        message = N_("People reminded: %(sent)s. Skipped, because done or reminded today: %(rest)s.")
        return view.lead(ADDRESS, message, sent=sent, rest=len(enrollments) - sent)
    usual = EnrollmentSearch()
    filters = {
        name: value
        for name, value in structs.asdict(form).items()
        if hasattr(usual, name) and name not in ("cursor", "limit") and value != getattr(usual, name)
    }
    answer: Answer = view.form(
        "panel/requirements/remind.html",
        None,
        {},
        section=view.say(N_("Enrollments")),
        name="",
        people=len(people),
        ids=[] if form.all else [each.id for each in found],
        filters=filters | ({"all": "true"} if form.all else {}),
        address=_PATH,
        back=ADDRESS,
    )
    return answer
