"""/admin/enrollments/{id}/flags: a sign of unusual learning is looked at and dismissed."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.enrollments import queries
from trilha.learning.reviews import actions as reviews
from trilha.learning.reviews import queries as review_queries
from trilha.learning.reviews.schema import FlagKind, ReviewFlag
from trilha.pages import N_
from trilha.panel.enrollments import review_words
from trilha.panel.enrollments.pages import ADDRESS
from trilha.panel.reach import reach_of
from trilha.panel.view import PanelView
from trilha.sessions.permissions import Permission, may

routes = Routes("Signs of unusual learning", "They change nothing; somebody looks at them.")
DISMISS = may(Permission.FLAGS_DISMISS)


class Reason(Struct, frozen=True):
    reason: Annotated[str, Meta(min_length=1, max_length=500, extra_json_schema=STORABLE)]


@routes.get("/enrollments/{enrollment_id}/flags/{module_id}/{kind}/dismiss", access=DISMISS)
async def ask_reason(
    tx: Tx,
    view: PanelView,
    enrollment_id: UUID,
    module_id: UUID,
    kind: str,
    refusal: Refusal | None = None,
) -> Html:
    """Ask why it is nothing to worry about."""
    enrollment = await queries.get_listed(tx, enrollment_id, reach_of(view))
    flag = await _get_open(tx, enrollment_id, module_id, kind)
    return view.form(
        "panel/enrollments/dismiss.html",
        refusal,
        {},
        enrollment=enrollment,
        flag=flag,
        title=review_words.TITLES[flag.kind],
        told=review_words.told(view, flag),
    )


async def _get_open(tx: Tx, enrollment_id: UUID, module_id: UUID, kind: str) -> ReviewFlag:
    """Raises NotFound."""
    for each in await review_queries.list_flags(tx, enrollment_id):
        if (each.module_id, each.kind, each.dismissed_at) == (module_id, kind, None):
            return each
    raise NotFound("review_flag_not_found")


@routes.post(
    "/enrollments/{enrollment_id}/flags/{module_id}/{kind}/dismiss", access=DISMISS, refused=ask_reason
)
async def dismiss_flag(
    tx: Tx, view: PanelView, enrollment_id: UUID, module_id: UUID, kind: str, form: Reason
) -> Answer:
    """Dismiss it; the enrollment is as it was."""
    await queries.get_listed(tx, enrollment_id, reach_of(view))
    if not (reason := form.reason.strip()):
        raise invalid("reason", "required")
    known: FlagKind = (await _get_open(tx, enrollment_id, module_id, kind)).kind
    await reviews.dismiss_flag(tx, enrollment_id, module_id, known, view.viewer.user_id, reason)
    return view.lead(f"{ADDRESS}/{enrollment_id}", N_("The sign was dismissed, with your reason."))
