"""/admin/enrollments/{id}/modules/{id}/waive: waives a cmi5 module for a person."""

from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.web.routes import Routes
from trilha.kit import N_
from trilha.training.enrollments import queries
from trilha.training.learning.cmi5.waivers import Reason, waive
from trilha.training.learning.completion import overviews
from trilha.training.xapi.access import BaseAddress
from trilha.web.panel.confirm import Confirmation, Subject
from trilha.web.panel.enrollments.pages import ADDRESS, WRITE
from trilha.web.panel.reach import check_not_own, reach_of
from trilha.web.panel.view import PanelView

routes = Routes("Waivers", "Modules that a person need not take.")


class WaivedModule(Struct, frozen=True):
    """A module of an enrollment."""

    enrollment_id: UUID
    person: str
    title: str


class WaiverForm(Confirmation, frozen=True, kw_only=True):
    reason: Reason


async def _get_module(tx: Tx, view: PanelView, enrollment_id: UUID, module_id: UUID) -> WaivedModule:
    """Raises NotFound, also for modules that are not of cmi5, and Forbidden for the viewer's own."""
    enrollment = await queries.get_listed(tx, enrollment_id, reach_of(view))
    check_not_own(view, enrollment.user_id)
    overview = await overviews.get_overview(tx, enrollment_id, enrollment.course_id)
    for module in overview.modules:
        if module.id == module_id and module.type == "CMI5":
            return WaivedModule(enrollment_id, enrollment.user_name, module.title)
    raise NotFound("module_not_found")


async def _waive(tx: Tx, enrollment_id: UUID, module_id: UUID, form: WaiverForm, base: BaseAddress) -> None:
    await waive(tx, enrollment_id, module_id, form.reason, str(base))


MODULE = Subject(
    routes=routes,
    path="/enrollments/{enrollment_id}/modules/{module_id}",
    access=WRITE,
    get=_get_module,
    name=lambda module: module.title,
    trail=lambda view, module: [(module.person, f"{ADDRESS}/{module.enrollment_id}")],
)
MODULE.ask(
    "waive",
    _waive,
    N_("Waive “%(name)s” for %(person)s"),
    [
        N_("The module counts as completed from now on. This cannot be undone."),
        N_("The waiver and its reason are in the learning records, the evidence and the audit log."),
    ],
    N_("Waive module"),
    N_("“%(name)s” is waived for %(person)s."),
    kind="primary",
    form=WaiverForm,
    needs=BaseAddress,
    template="panel/enrollments/waive.html",
    sentences={
        "already_waived": N_("The module is already waived for this person."),
        "enrollment_expired": N_("The enrollment has expired. Enroll the person again first."),
        "too_short": N_("Enter the reason."),
        "too_long": N_("Enter at most 500 characters."),
    },
)
