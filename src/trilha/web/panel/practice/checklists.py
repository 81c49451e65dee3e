"""/admin/courses/{id}/modules/…: the checklist of a practical module, and adding one."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.types import Name, Title
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import MIB, Refusal, Routes
from trilha.kit import N_
from trilha.training.courses import module_actions
from trilha.training.courses.schema import (
    MAX_CHECKLIST,
    ChecklistChange,
    Minutes,
    ModulePatch,
    NewModule,
    build_checklist,
    read_checklist,
)
from trilha.web.panel.courses.authors import WRITE, get_changeable
from trilha.web.panel.courses.forms import Line
from trilha.web.panel.modules.pages import address, lock_module, show_module
from trilha.web.panel.practice.checklist_rows import BLANK_ROWS, SENTENCES, build_rows
from trilha.web.panel.view import PanelView

routes = Routes("Checklists", "What is rated in a practical part.")
_LONGEST_CRITERIA = 2000
_Texts = Annotated[list[str], Meta(max_length=MAX_CHECKLIST + BLANK_ROWS)]


class ChecklistForm(Struct, frozen=True, kw_only=True):
    """The lines of the checklist. A line without a title is left out."""

    qualification: Name | None = None
    item_id: _Texts = []
    item_title: _Texts = []
    item_criteria: _Texts = []

    def read_items(self) -> list[ChecklistChange]:
        """Raises Invalid (required, too_long, invalid_text)."""
        if not len(self.item_id) == len(self.item_title) == len(self.item_criteria):
            raise invalid("items", "invalid_value")
        lines = zip(self.item_id, self.item_title, self.item_criteria, strict=True)
        items = [_read_line(*each) for each in lines if each[1].strip()]
        if not items:
            raise invalid("items", "required")
        if len(items) > MAX_CHECKLIST:
            raise invalid("items", "too_long")
        return items


def _read_line(id: str, title: str, criteria: str) -> ChecklistChange:
    try:
        known = UUID(id) if id else None
        text = criteria.replace("\r\n", "\n").strip()
        if len(text) > _LONGEST_CRITERIA or "\x00" in text:
            raise ValueError
        return ChecklistChange(id=known, title=Title.parse(title.strip()), criteria=text)
    except ValueError:
        raise invalid("items", "invalid_text") from None


class NewPracticeForm(ChecklistForm, frozen=True, kw_only=True):
    title: Line
    duration_minutes: Minutes | None = None
    required: bool = False


@routes.get("/courses/{course_id}/modules/new/practice", access=WRITE)
async def new_practice(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows the form for a practical module."""
    course = await get_changeable(tx, view, course_id)
    begins: dict[str, object] = {"required": "true"}
    rows = build_rows([], refusal)
    return view.form("panel/practice/new.html", refusal, begins, SENTENCES, course=course, rows=rows)


@routes.post("/courses/{course_id}/modules/new/practice", access=WRITE, max_body=MIB, refused=new_practice)
async def add_practice(tx: Tx, view: PanelView, course_id: UUID, form: NewPracticeForm) -> Answer:
    """Adds a practical module with its checklist."""
    await get_changeable(tx, view, course_id)
    content = build_checklist(form.read_items(), form.qualification)
    new = NewModule(
        title=Title(form.title),
        type="PRACTICE",
        duration_minutes=form.duration_minutes,
        required=form.required,
        content=content,
    )
    (module,) = await module_actions.add(tx, course_id, [new])
    return view.lead(address(course_id, module.id), N_("The practice was added."))


@routes.post(
    "/courses/{course_id}/modules/{module_id}/checklist", access=WRITE, max_body=MIB, refused=show_module
)
async def save_checklist(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, form: ChecklistForm
) -> Answer:
    """Saves the checklist. Assessments that were begun keep the one they have."""
    module = await lock_module(tx, view, course_id, module_id)
    if module.type != "PRACTICE":
        raise invalid("items", "invalid_value")
    items = form.read_items()
    known = {each.id for each in read_checklist(module.content).items}
    content = build_checklist(items, form.qualification, known)
    await module_actions.change(tx, course_id, module_id, ModulePatch(content=content))
    return view.lead(address(course_id, module_id), N_("The checklist was saved."))
