"""/admin/enrollments/{id}/flags: dismisses a review flag, with a reason."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.access.permissions.viewer import viewer_of
from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.core.types import STORABLE
from trilha.core.web.callers import Caller
from trilha.core.web.routes import Routes
from trilha.kit import N_
from trilha.training.enrollments import queries
from trilha.training.enrollments.schema import ListedEnrollment
from trilha.training.learning.review_flags import actions as reviews
from trilha.training.learning.review_flags import queries as review_queries
from trilha.training.learning.review_flags.schema import FlagKind, ReviewFlag
from trilha.web.panel.confirm import Confirmation, Subject
from trilha.web.panel.enrollments import review_words
from trilha.web.panel.enrollments.pages import ADDRESS
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import PanelView

routes = Routes("Review flags", "Flags change no result; somebody looks at them.")


class Reason(Confirmation, frozen=True, kw_only=True):
    reason: Annotated[str, Meta(min_length=1, max_length=500, extra_json_schema=STORABLE)]


class OpenFlag(Struct, frozen=True):
    """A flag that is not dismissed, with its enrollment."""

    enrollment: ListedEnrollment
    flag: ReviewFlag


async def _get_open_flag(
    tx: Tx, view: PanelView, enrollment_id: UUID, module_id: UUID, kind: str
) -> OpenFlag:
    """Raises NotFound if there is no such flag or it was dismissed."""
    enrollment = await queries.get_listed(tx, enrollment_id, reach_of(view))
    for flag in await review_queries.list_flags(tx, enrollment_id):
        if (flag.module_id, flag.kind, flag.dismissed_at) == (module_id, kind, None):
            return OpenFlag(enrollment, flag)
    raise NotFound("review_flag_not_found")


async def _describe(tx: Tx, view: PanelView, open_flag: OpenFlag) -> dict[str, object]:
    about = (open_flag.enrollment.user_name, open_flag.enrollment.course_title, open_flag.flag.module_title)
    sign = view.say(review_words.TITLES[open_flag.flag.kind])
    return {
        "sign": sign,
        "finding": review_words.describe_flag(view, open_flag.flag),
        "about": " · ".join(about),
    }


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
    get=_get_open_flag,
    types={"kind": str},
    name=lambda open_flag: open_flag.flag.kind,
    trail=lambda view, open_flag: [(open_flag.enrollment.user_name, f"{ADDRESS}/{open_flag.enrollment.id}")],
)
FLAGS.ask(
    "dismiss",
    _dismiss,
    N_("Dismiss flag: %(sign)s"),
    ["%(finding)s", "%(about)s"],
    N_("Dismiss"),
    N_("The flag was dismissed."),
    kind="primary",
    values=_describe,
    form=Reason,
    needs=Caller,
    template="panel/enrollments/dismiss.html",
)
