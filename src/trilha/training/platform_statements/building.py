"""Builds statements. The record store checks them as it checks those of clients."""

from datetime import datetime
from typing import Any

import msgspec

from trilha.training.learning.cmi5.statements import build_activity_id, build_actor
from trilha.training.platform_statements.schema import Happening, NamedActivity, Titles
from trilha.training.xapi.statements import NewStatement, build_statement, read_statement

_ADL = "http://adlnet.gov/expapi/verbs"
_VIDEO_VERBS = "https://w3id.org/xapi/video/verbs"
VERBS = {
    name: f"{_ADL}/{name}"
    for name in (
        "initialized",
        "terminated",
        "completed",
        "passed",
        "failed",
        "attempted",
        "experienced",
        "registered",
        "attended",
    )
} | {
    "played": f"{_VIDEO_VERBS}/played",
    "paused": f"{_VIDEO_VERBS}/paused",
    "earned": "http://id.tincanapi.com/verb/earned",
}
_DISPLAYS = {
    "initialized": "iniciou",
    "terminated": "encerrou",
    "completed": "concluiu",
    "passed": "foi aprovado em",
    "failed": "foi reprovado em",
    "attempted": "tentou",
    "experienced": "abriu",
    "registered": "inscreveu-se em",
    "attended": "participou de",
    "played": "reproduziu",
    "paused": "pausou",
    "earned": "recebeu",
}
VIDEO_PROFILE = "https://w3id.org/xapi/video"
_TYPES = {
    "SCORM": "http://adlnet.gov/expapi/activities/lesson",
    "VIDEO": "https://w3id.org/xapi/video/activity-type/video",
    "DOCUMENT": "http://id.tincanapi.com/activitytype/document",
    "ARTICLE": "http://activitystrea.ms/schema/1.0/article",
    "QUIZ": "http://adlnet.gov/expapi/activities/assessment",
    "CLASS": "http://adlnet.gov/expapi/activities/meeting",
    "PRACTICE": "http://adlnet.gov/expapi/activities/performance",
    "CMI5": "http://adlnet.gov/expapi/activities/module",
}
_COURSE_TYPE = "http://adlnet.gov/expapi/activities/course"
_CLASS_TYPE = "http://adlnet.gov/expapi/activities/meeting"
_CERTIFICATE_TYPE = "https://www.opigno.org/en/tincan_registry/activity_type/certificate"


def build(base: str, happening: Happening, titles: Titles, now: datetime) -> NewStatement:
    """Raises ApiError if the record store would refuse the statement."""
    thing, is_video = _build_object(base, happening, titles)
    context: dict[str, Any] = {"platform": "Trilha"}
    if happening.enrollment_id is not None:
        context["registration"] = str(happening.enrollment_id)
    activities: dict[str, Any] = {}
    if happening.thing[0] != "courses" and happening.course_id is not None:
        activities["parent"] = [_build_course(base, titles, happening)]
    if is_video:
        activities["category"] = [{"objectType": "Activity", "id": VIDEO_PROFILE}]
    if activities:
        context["contextActivities"] = activities
    if happening.extensions:
        context["extensions"] = happening.extensions
    value = {
        "id": str(happening.id),
        "actor": build_actor(base, happening.user_id),
        "verb": {
            "id": VERBS[happening.verb],
            "display": {"en": happening.verb, "pt-BR": _DISPLAYS[happening.verb]},
        },
        "object": thing,
        **({"result": happening.result} if happening.result else {}),
        "context": context,
        "timestamp": happening.at,
    }
    received = read_statement(msgspec.json.encode(value), is_second=False)
    authority = {"objectType": "Agent", "account": {"homePage": base, "name": "trilha"}}
    return build_statement(received, authority, now, is_second=False)


def _build_object(base: str, happening: Happening, titles: Titles) -> tuple[dict[str, Any], bool]:
    """Returns the activity, and whether it is a video."""
    kind, id = happening.thing
    if kind == "courses":
        return _build_course(base, titles, happening), False
    if kind == "modules":
        module = titles.modules.get(id)
        type = module.type if module else None
        return _build_activity(
            build_activity_id(base, id), _TYPES[type] if type else None, module
        ), type == "VIDEO"
    if kind == "certificates":
        course = titles.courses.get(happening.course_id) if happening.course_id else None
        return _build_activity(f"{base}/activities/certificates/{id}", _CERTIFICATE_TYPE, course), False
    own_class = titles.classes.get(id) if kind == "classes" else None
    return _build_activity(f"{base}/activities/{kind}/{id}", _CLASS_TYPE, own_class), False


def _build_course(base: str, titles: Titles, happening: Happening) -> dict[str, Any]:
    assert happening.course_id is not None
    course = titles.courses.get(happening.course_id)
    return _build_activity(f"{base}/activities/courses/{happening.course_id}", _COURSE_TYPE, course)


def _build_activity(iri: str, type: str | None, named: NamedActivity | None) -> dict[str, Any]:
    definition: dict[str, Any] = {"type": type} if type else {}
    if named is not None:
        definition["name"] = {named.language: named.title}
    return {"objectType": "Activity", "id": iri, **({"definition": definition} if definition else {})}
