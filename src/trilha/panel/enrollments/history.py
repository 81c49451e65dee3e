"""What happened to an enrollment, first to last."""

from collections.abc import Iterator

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.enrollments.enrollers import Enroller
from trilha.enrollments.schema import ListedEnrollment
from trilha.pages import N_, State
from trilha.panel.enrollments.words import STATUSES


class Happening(Struct, frozen=True):
    """`title` is a msgid, which may say `%(name)s`; `score` and `progress` are 0 to 100."""

    title: str
    at: Timestamp
    state: State | None
    icon: str
    name: str = ""
    progress: float | None = None
    score: float | None = None


_BY = {
    "session": N_("Enrolled by %(name)s"),
    "api_key": N_("Enrolled through the API, with the key %(name)s"),
    "access_token": N_("Enrolled through the API, by the client %(name)s"),
}


def history(enrollment: ListedEnrollment, enroller: Enroller | None) -> Iterator[Happening]:
    by = enroller if enroller and enroller.actor_name and enroller.actor_kind in _BY else None
    title, name = (_BY[by.actor_kind], by.actor_name) if by else (N_("Enrolled"), "")
    yield Happening(title, enrollment.created_at, "info", "user-plus", name)
    if enrollment.started_at:
        yield Happening(N_("Started"), enrollment.started_at, "info", "play")
    status, changed = str(enrollment.status), enrollment.updated_at
    if status == "IN_PROGRESS" and enrollment.started_at and changed > enrollment.started_at:
        yield Happening(N_("Last progress"), changed, "info", "trending-up", progress=enrollment.progress)
    if enrollment.completed_at:
        yield Happening(
            STATUSES["COMPLETED"], enrollment.completed_at, "ok", "graduation-cap", score=enrollment.score
        )
    elif enrollment.expires_at and status == "EXPIRED":
        yield Happening(STATUSES["EXPIRED"], enrollment.expires_at, "warn", "calendar-x")
    elif enrollment.expires_at:
        yield Happening(N_("Expires"), enrollment.expires_at, None, "calendar-clock")
