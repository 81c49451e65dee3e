"""Tells what happened from entries of logs, completed modules and events. No I/O, no clock."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID, uuid5

import msgspec

from trilha.training.platform_statements.schema import (
    CompletedModule,
    Happening,
    LogEntry,
    NamedActivity,
    Place,
    PublicEvent,
)

_NAMESPACE = UUID("6ab4a2f5-6c0a-4f0e-9f4b-2f6a1f3c9d10")
_VIDEO = "https://w3id.org/xapi/video/extensions"
_SESSION = f"{_VIDEO}/session-id"
# Documents and articles have no sessions: they are experienced, and completed.
_WITH_SESSIONS = ("SCORM", "VIDEO")
_OPENINGS = {
    **dict.fromkeys(_WITH_SESSIONS, "initialized"),
    **dict.fromkeys(("DOCUMENT", "ARTICLE"), "experienced"),
}
# What happens at the same moment, in the order in which it is told.
_ORDER = (
    *("registered", "attended", "initialized", "experienced", "played", "attempted", "passed", "failed"),
    *("completed", "paused", "terminated"),
)
_ALL_OF_VIDEO = ("time", "progress", "played-segments")


def build_id(*parts: object) -> UUID:
    """Returns the id of the statement about a happening, the same whenever it is derived."""
    return uuid5(_NAMESPACE, " ".join(map(str, parts)))


def sort(happened: Iterable[Happening]) -> list[Happening]:
    """Returns the oldest first. A course comes after its modules, and a certificate last."""

    def order(each: Happening) -> tuple[object, ...]:
        rank = _ORDER.index(each.verb) if each.verb in _ORDER else len(_ORDER)
        return each.at, each.thing[0] == "certificates", each.thing[0] == "courses", rank, each.id

    return sorted(happened, key=order)


def tell_entry(entry: LogEntry, modules: Mapping[UUID, NamedActivity]) -> Iterator[Happening]:
    """Yields what an entry of a log says of SCORM content, videos, documents and articles."""
    module = modules.get(entry.module_id) if entry.module_id else None
    if module is None or entry.launch_id is None:
        return
    detail = msgspec.json.decode(entry.detail)
    is_video = module.type == "VIDEO"

    def build(verb: str, *, once: bool = False, **members: Any) -> Happening:
        # What happens once in a launch has an id that does not depend on the entry.
        parts = (entry.launch_id, verb) if once else (entry.enrollment_id, entry.number, verb)
        return Happening(
            id=build_id(*parts),
            at=entry.at,
            verb=verb,
            thing=("modules", module.id),
            user_id=entry.user_id,
            course_id=entry.course_id,
            enrollment_id=entry.enrollment_id,
            extensions=_describe_session(entry, is_video=is_video),
            **members,
        )

    if entry.kind == "launched" and not detail.get("review") and module.type in _OPENINGS:
        yield build(_OPENINGS[module.type])
    is_applied = entry.kind in ("commit", "watched") and detail.get("outcome") == "APPLIED"
    if not is_applied or module.type not in _WITH_SESSIONS:
        return
    if is_video and detail.get("counted"):
        yield build("played", once=True, result=_describe_video(entry.attempt_data, ("time",)))
    if detail.get("final"):
        result = _describe_video(entry.attempt_data, _ALL_OF_VIDEO) if is_video else {}
        if is_video:
            yield build("paused", once=True, result=result)
        duration = {"duration": format_duration(entry.launch_seconds or 0)}
        yield build("terminated", once=True, result=result | duration)


def _describe_session(entry: LogEntry, *, is_video: bool) -> dict[str, Any]:
    if not is_video:
        return {}
    length = (entry.attempt_data or {}).get("length")
    return {_SESSION: str(entry.launch_id), **({f"{_VIDEO}/length": length} if length else {})}


def _describe_video(studied: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Returns the result of the video profile: where the person is, and what of the video was played."""
    studied = studied or {}
    ranges = studied.get("ranges") or []
    length = studied.get("length") or 0
    seconds = sum(end - start for start, end in ranges)
    values = {
        "time": round(studied.get("position") or 0, 3),
        "progress": round(min(1.0, seconds / length), 3) if length else 0.0,
        "played-segments": "[,]".join(f"{start:g}[.]{end:g}" for start, end in ranges),
    }
    return {"extensions": {f"{_VIDEO}/{name}": values[name] for name in names}}


def format_duration(seconds: float) -> str:
    return f"PT{max(0.0, seconds):.2f}S"


def tell_completion(completed: CompletedModule, module: NamedActivity) -> Happening:
    result: dict[str, Any] = {"completion": True}
    if completed.seconds:
        result["duration"] = format_duration(completed.seconds)
    if module.type == "VIDEO":
        result |= _describe_video(completed.attempt_data, _ALL_OF_VIDEO)
    return Happening(
        id=build_id(completed.enrollment_id, completed.module_id, "completed", completed.completed_at),
        at=completed.completed_at,
        verb="completed",
        thing=("modules", completed.module_id),
        user_id=completed.user_id,
        course_id=completed.course_id,
        enrollment_id=completed.enrollment_id,
        result=result,
    )


class Context(msgspec.Struct, frozen=True):
    """What events do not say themselves: registrations by id, and by class and person; classes, modules."""

    registrations: Mapping[UUID, Place]
    places: Mapping[tuple[UUID, UUID], Place]
    classes: Mapping[UUID, NamedActivity]
    modules: Mapping[UUID, NamedActivity]


def tell_event(event: PublicEvent, context: Context) -> Happening | None:
    """Returns what an event says, or None if no statement is about it."""
    teller = _TELLERS.get(event.type)
    return teller(event, context) if teller else None


def _build(event: PublicEvent, verb: str, thing: tuple[str, UUID], **members: Any) -> Happening:
    data = event.data
    ids = {name: UUID(data[name]) if data.get(name) else None for name in ("course_id", "enrollment_id")}
    values = {"at": event.created_at, "user_id": UUID(data["user_id"]), **ids} | members
    return Happening(id=build_id(event.id), verb=verb, thing=thing, **values)


def _tell_assessment(verb: str) -> Callable[[PublicEvent, Context], Happening | None]:
    def tell(event: PublicEvent, context: Context) -> Happening | None:
        module = context.modules.get(UUID(event.data["module_id"]))
        if module is None or module.type == "CMI5":  # its content says that itself
            return None
        result: dict[str, Any] = {} if verb == "attempted" else {"success": verb == "passed"}
        if event.data.get("score") is not None:
            result["score"] = build_score(event.data["score"])
        return _build(event, verb, ("modules", module.id), result=result)

    return tell


def build_score(percent: float) -> dict[str, float]:
    return {"scaled": round(percent / 100, 4), "raw": percent, "min": 0, "max": 100}


def _tell_practice(event: PublicEvent, context: Context) -> Happening | None:
    passed = event.data["result"] == "SATISFACTORY"
    thing = ("modules", UUID(event.data["module_id"]))
    return _build(event, "passed" if passed else "failed", thing, result={"success": passed})


def _tell_course(event: PublicEvent, context: Context) -> Happening | None:
    result: dict[str, Any] = {"completion": True}
    if event.data.get("score") is not None:
        result["score"] = build_score(event.data["score"])
    thing = ("courses", UUID(event.data["course_id"]))
    return _build(event, "completed", thing, at=event.data["completed_at"], result=result)


def _tell_certificate(event: PublicEvent, context: Context) -> Happening | None:
    thing = ("certificates", UUID(event.data["certificate_id"]))
    return _build(event, "earned", thing, at=event.data["issued_at"])


def _tell_registration(event: PublicEvent, context: Context) -> Happening | None:
    place = context.registrations.get(UUID(event.data["registration_id"]))
    thing = ("classes", UUID(event.data["class_id"]))
    return _build(event, "registered", thing, enrollment_id=place.enrollment_id if place else None)


def _tell_attendance(event: PublicEvent, context: Context) -> Happening | None:
    if not event.data["minutes"]:
        return None
    class_id = UUID(event.data["class_id"])
    place = context.places.get((class_id, UUID(event.data["user_id"])))
    own_class = context.classes.get(class_id)
    return _build(
        event,
        "attended",
        ("sessions", UUID(event.data["session_id"])),
        course_id=own_class.course_id if own_class else None,
        enrollment_id=place.enrollment_id if place else None,
        result={"duration": f"PT{event.data['minutes']}M"},
    )


_TELLERS: Mapping[str, Callable[[PublicEvent, Context], Happening | None]] = {
    "assessment.attempted": _tell_assessment("attempted"),
    "assessment.passed": _tell_assessment("passed"),
    "assessment.failed": _tell_assessment("failed"),
    "practice.assessed": _tell_practice,
    "enrollment.completed": _tell_course,
    "certificate.issued": _tell_certificate,
    "registration.created": _tell_registration,
    "attendance.recorded": _tell_attendance,
}
