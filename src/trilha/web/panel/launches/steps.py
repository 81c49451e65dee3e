"""The steps of a cmi5 launch in the order of time: what the platform did, and what the content sent."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from operator import attrgetter
from uuid import UUID

import msgspec
from msgspec import Struct

from trilha.access.permissions.roles import Permission
from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.kit import N_, State
from trilha.training.learning.cmi5 import queries
from trilha.training.learning.cmi5.queries import LaunchedSession
from trilha.training.learning.cmi5.rules import SESSION_ID
from trilha.training.learning.cmi5.sessions import LAUNCH_DATA
from trilha.training.learning.cmi5.statements import build_activity_id
from trilha.training.learning.launches.history import PastLaunch
from trilha.training.xapi import record_queries
from trilha.training.xapi.documents import queries as documents
from trilha.training.xapi.documents.queries import Place
from trilha.training.xapi.identifiers import activity_key
from trilha.training.xapi.schema import Record
from trilha.training.xapi.times import count_microseconds
from trilha.web.panel.statements import texts
from trilha.web.panel.statements.pages import load_named_records
from trilha.web.panel.statements.sentences import Wording
from trilha.web.panel.view import HOME, PanelView

_MAX_SESSIONS = 50
_MAX_STATES = 50
_MICROSECONDS = 1_000_000
_MILLISECOND = 1_000  # in microseconds
# Statements by the last part of their verb's IRI.
_STATES: dict[str, State] = {
    "passed": "ok",
    "completed": "ok",
    "satisfied": "ok",
    "waived": "ok",
    "failed": "bad",
    "abandoned": "warn",
}


class Step(Struct, frozen=True):
    """A step at a time in microseconds since 1970. `href` is the page of a statement."""

    at: int
    title: str
    icon: str
    state: State | None = None
    note: str = ""
    href: str = ""

    @property
    def time(self) -> Timestamp:
        return Timestamp.of(datetime.fromtimestamp(self.at / _MICROSECONDS, UTC))


class Steps(Struct, frozen=True):
    """A page of steps. `after` is the time of its last statement if there are more, otherwise 0."""

    steps: Sequence[Step]
    after: int
    begins_at: int


async def load_steps(
    tx: Tx, view: PanelView, base: str, enrollment_id: UUID, launch: PastLaunch, after: int, limit: int
) -> Steps | None:
    """Returns the steps after a time, or None if the launch was not of cmi5 content."""
    sessions = await queries.list_launched_sessions(tx, enrollment_id, launch.id, _MAX_SESSIONS)
    if not sessions:
        return None
    first = sessions[0]
    begins_at = _count(first.started_at)
    # The statements of a session are stored in its transactions, so not before it begins. That time is
    # rounded to milliseconds.
    since = begins_at - _MILLISECOND
    records = await record_queries.list_session_records(tx, first.registration, since, after, limit + 1)
    is_cut = len(records) > limit
    records = records[:limit]
    end = records[-1].stored if is_cut else 2**62
    steps = [*_list_platform_steps(view, launch, sessions)]
    steps += await _list_states(tx, view, base, first, begins_at)
    steps = [each for each in steps if after < each.at <= end]
    steps += await _list_statements(tx, view, base, records, {str(each.id) for each in sessions})
    steps.sort(key=attrgetter("at"))
    opened_at = min(begins_at, _count(launch.started_at))
    return Steps(steps, end if is_cut else 0, opened_at)


def _count(moment: Timestamp) -> int:
    return count_microseconds(datetime.fromisoformat(moment))


def _list_platform_steps(
    view: PanelView, launch: PastLaunch, sessions: Sequence[LaunchedSession]
) -> Iterator[Step]:
    yield Step(_count(launch.started_at), view.say(N_("The learner opened the module")), "play")
    for session in sessions:
        mode = view.say(N_("Mode %(mode)s"), mode=session.mode)
        yield Step(
            _count(session.started_at), view.say(N_("A session of the content began")), "log-in", note=mode
        )
        if session.fetched_at:
            yield Step(_count(session.fetched_at), view.say(N_("The content fetched its token")), "key-round")
        if session.preferences_at:
            title = view.say(N_("The content read the learner's preferences"))
            yield Step(_count(session.preferences_at), title, "user-cog")
        if session.abandoned_at and not session.fetched_at:
            title = view.say(N_("The session ended before the content was loaded"))
            yield Step(_count(session.abandoned_at), title, "unplug", "warn")
    if launch.ended_at:
        yield Step(_count(launch.ended_at), view.say(N_("The learner closed the module")), "log-out")


async def _list_states(
    tx: Tx, view: PanelView, base: str, session: LaunchedSession, since: int
) -> list[Step]:
    """Lists when the content last wrote each of its states, if no later launch may have done that."""
    activity = activity_key(build_activity_id(base, session.module_id))
    place = Place("STATE", activity, session.agent, session.registration)
    names = await documents.list_names(tx, place, since - 1, _MAX_STATES)
    end = _count(session.next_at) if session.next_at else 2**62
    return [
        Step(
            each.updated,
            view.say(N_("The content stored its state “%(name)s”"), name=texts.shorten(each.name, 80)),
            "save",
            note=view.say(N_("last time")),
        )
        for each in names
        if each.name != LAUNCH_DATA and each.updated < end
    ]


async def _list_statements(
    tx: Tx, view: PanelView, base: str, records: Sequence[Record], sessions: set[str]
) -> list[Step]:
    own = [each for each in records if _find_session(each) in sessions]
    is_linked = view.may(Permission.AUDIT_READ)
    steps = []
    for row in await load_named_records(tx, own, base):
        end = row.event["verb"]["id"].rstrip("/").rpartition("/")[2]
        steps.append(
            Step(
                row.record.stored,
                Wording(view, row.names).describe(row.event),
                "message-square-text",
                _STATES.get(end, "info"),
                view.say(N_("Voided")) if row.record.is_voided else "",
                f"{HOME}/statements/{row.record.id}" if is_linked else "",
            )
        )
    return steps


def _find_session(record: Record) -> object:
    event = msgspec.json.decode(record.content)
    return event.get("context", {}).get("extensions", {}).get(SESSION_ID)
