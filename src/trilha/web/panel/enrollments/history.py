"""The history of an enrollment, oldest first."""

from collections.abc import Iterator

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.kit import N_, State
from trilha.training.enrollments.enrollers import Enroller
from trilha.training.enrollments.schema import ListedEnrollment
from trilha.web.panel.enrollments.words import STATUSES


class HistoryEntry(Struct, frozen=True):
    """`title` is a msgid that may contain `%(name)s`; `score` and `progress` are from 0 to 100."""

    title: str
    at: Timestamp
    state: State | None
    icon: str
    name: str = ""
    progress: float | None = None
    score: float | None = None


_BY = {
    "session": N_("Enrolled by %(name)s"),
    "api_key": N_("Enrolled by the API key %(name)s"),
    "access_token": N_("Enrolled by the OAuth client %(name)s"),
}


def list_history(enrollment: ListedEnrollment, enroller: Enroller | None) -> Iterator[HistoryEntry]:
    by = enroller if enroller and enroller.actor_name and enroller.actor_kind in _BY else None
    title, name = (_BY[by.actor_kind], by.actor_name) if by else (N_("Enrolled"), "")
    yield HistoryEntry(title, enrollment.created_at, "info", "user-plus", name)
    if enrollment.started_at:
        yield HistoryEntry(N_("Started"), enrollment.started_at, "info", "play")
    status, changed = str(enrollment.status), enrollment.updated_at
    if status == "IN_PROGRESS" and enrollment.started_at and changed > enrollment.started_at:
        yield HistoryEntry(N_("Last progress"), changed, "info", "trending-up", progress=enrollment.progress)
    if enrollment.completed_at:
        yield HistoryEntry(
            STATUSES["COMPLETED"], enrollment.completed_at, "ok", "graduation-cap", score=enrollment.score
        )
    elif enrollment.expires_at and status == "EXPIRED":
        yield HistoryEntry(STATUSES["EXPIRED"], enrollment.expires_at, "warn", "calendar-x")
    elif enrollment.expires_at:
        yield HistoryEntry(N_("Due date"), enrollment.expires_at, None, "calendar-clock")
