"""Where the people of an import are enrolled: the fields of the form, and the words on the pages."""

from contextlib import suppress

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.core.types import Timestamp
from trilha.kit import N_
from trilha.people.people_import import enrolling as enrollers
from trilha.people.people_import.enrolling import Target
from trilha.people.people_import.schema import Import
from trilha.training.courses import queries as courses
from trilha.training.learning_paths import queries as paths
from trilha.web.panel.days import end_of_day
from trilha.web.panel.people_import.forms import Upload
from trilha.web.panel.view import HOME, PanelView

SENTENCES = {
    "invalid_uuid": N_("Choose one of the options."),
    "invalid_value": N_("Choose a course or a learning path, not both."),
    "not_in_future": N_("Choose a day in the future."),
    "course_not_published": N_("This course is not published. Publish it to enroll people."),
    "learning_path_not_published": N_("This learning path is not published. Publish it to assign people."),
}


class Destination(Struct, frozen=True):
    """The course or path of an import. `title` is empty if it no longer exists."""

    title: str
    href: str


async def read_target(tx: Tx, view: PanelView, form: Upload) -> Target | None:
    """Raises NotFound, Invalid, and BusinessRule (course_not_published, learning_path_not_published)."""
    if form.course_id and form.path_id:
        raise invalid("path_id", "invalid_value")
    due_at = end_of_day(form.due_on, view, "due_on")
    if due_at is not None and due_at <= Timestamp.of(tx.now):
        raise invalid("due_on", "not_in_future")
    enroll_id = form.course_id or form.path_id
    if enroll_id is None:
        return None
    target = Target("course" if form.course_id else "path", enroll_id, due_at, form.people == "new")
    await enrollers.get(target.kind).check(tx, enroll_id)
    return target


async def describe(tx: Tx, running: Import) -> Destination | None:
    """Returns None for an import that only imports people."""
    if running.enroll_kind is None or running.enroll_id is None:
        return None
    folder = "courses" if running.enroll_kind == "course" else "paths"
    title = ""
    with suppress(NotFound):
        found = await (courses.get if running.enroll_kind == "course" else paths.get)(tx, running.enroll_id)
        title = found.title
    return Destination(title, f"{HOME}/{folder}/{running.enroll_id}")
