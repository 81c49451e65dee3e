"""/admin/enrollments/{id}/flags: a sign of unusual learning is looked at and dismissed."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.core.types import STORABLE
from trilha.core.web.callers import Caller
from trilha.core.web.routes import Routes
from trilha.enrollments import queries
from trilha.enrollments.schema import ListedEnrollment
from trilha.learning.reviews import actions as reviews
from trilha.learning.reviews import queries as review_queries
from trilha.learning.reviews.schema import FlagKind, ReviewFlag
from trilha.pages import N_
from trilha.panel.confirm import Confirmation, Subject
from trilha.panel.enrollments import review_words
from trilha.panel.enrollments.pages import ADDRESS
from trilha.panel.reach import reach_of
from trilha.panel.view import PanelView
from trilha.sessions.permissions import Permission, may
from trilha.sessions.viewer import viewer_of

routes = Routes("Signs of unusual learning", "They change nothing; somebody looks at them.")


class Reason(Confirmation, frozen=True, kw_only=True):
    reason: Annotated[str, Meta(min_length=1, max_length=500, extra_json_schema=STORABLE)]


class OpenFlag(Struct, frozen=True):
    """A flag that is not dismissed, with its enrollment."""

    enrollment: ListedEnrollment
    flag: ReviewFlag


async def _get_open(tx: Tx, view: PanelView, enrollment_id: UUID, module_id: UUID, kind: str) -> OpenFlag:
    """Raises NotFound."""
    enrollment = await queries.get_listed(tx, enrollment_id, reach_of(view))
    for flag in await review_queries.list_flags(tx, enrollment_id):
        if (flag.module_id, flag.kind, flag.dismissed_at) == (module_id, kind, None):
            return OpenFlag(enrollment, flag)
    raise NotFound("review_flag_not_found")


async def _describe(tx: Tx, view: PanelView, found: OpenFlag) -> dict[str, object]:
    about = (found.enrollment.user_name, found.enrollment.course_title, found.flag.module_title)
    sign = view.say(review_words.TITLES[found.flag.kind])
    return {"sign": sign, "finding": review_words.told(view, found.flag), "about": " · ".join(about)}


async def _dismiss(
    tx: Tx, enrollment_id: UUID, module_id: UUID, kind: FlagKind, form: Reason, caller: Caller
) -> None:
    if not (reason := form.reason.strip()):
        raise invalid("reason", "required")
    await reviews.dismiss_flag(tx, enrollment_id, module_id, kind, viewer_of(caller).user_id, reason)


FLAGS = Subject(
    routes=routes,
    path="/enrollments/{enrollment_id}/flags/{module_id}/{kind}",
    access=may(Permission.FLAGS_DISMISS),
    get=_get_open,
    types={"kind": str},
    name=lambda found: found.flag.kind,
    trail=lambda view, found: [(found.enrollment.user_name, f"{ADDRESS}/{found.enrollment.id}")],
)
FLAGS.ask(
    "dismiss",
    _dismiss,
    N_("Dismiss: %(sign)s"),
    ["%(finding)s", "%(about)s"],
    N_("Dismiss"),
    N_("The sign was dismissed, with your reason."),
    kind="primary",
    values=_describe,
    form=Reason,
    needs=Caller,
    template="panel/enrollments/dismiss.html",
)
