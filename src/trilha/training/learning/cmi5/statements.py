"""The statements that the platform itself stores about a session (cmi5 sections 9.3 and 9.6)."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import msgspec

from trilha.core.types import Timestamp
from trilha.training.learning.cmi5.rules import CATEGORY, MASTERY_SCORE, MOVE_ON_CATEGORY, SESSION_ID
from trilha.training.learning.cmi5.schema import LaunchMode
from trilha.training.learning.launches.schema import LoadedUnit
from trilha.training.xapi.statements import NewStatement, build_statement, read_statement

_ADL = "https://w3id.org/xapi/adl/verbs"
_CONTEXT = "https://w3id.org/xapi/cmi5/context/extensions"
_REASON = "https://w3id.org/xapi/cmi5/result/extensions/reason"
_TYPES = {
    "BLOCK": "https://w3id.org/xapi/cmi5/activitytype/block",
    "COURSE": "https://w3id.org/xapi/cmi5/activitytype/course",
}


def build_actor(base: str, user_id: UUID) -> dict[str, Any]:
    return {"objectType": "Agent", "account": {"homePage": base, "name": str(user_id)}}


def build_activity_id(base: str, module_id: UUID) -> str:
    """Returns the activity of a module, the same in every launch. It is not the publisher's id (8.1.5)."""
    return f"{base}/activities/modules/{module_id}"


def build_context_template(publisher_id: str, session_id: UUID) -> dict[str, Any]:
    """Returns the contextTemplate of LMS.LaunchData (10.2.1)."""
    return {
        "contextActivities": {"grouping": [{"objectType": "Activity", "id": publisher_id}]},
        "extensions": {SESSION_ID: str(session_id)},
    }


class StatementBuilder:
    """Builds the statements about one learner and one registration, for one session."""

    def __init__(self, base: str, user_id: UUID, registration: UUID, session_id: UUID, now: datetime) -> None:
        self._base = base
        self._actor = build_actor(base, user_id)
        self._registration = registration
        self._session_id = session_id
        self._now = now

    def build_launched(
        self, loaded: LoadedUnit, activity: str, mode: LaunchMode, address: str
    ) -> NewStatement:
        unit = loaded.unit
        extensions: dict[str, Any] = {
            f"{_CONTEXT}/launchmode": mode,
            f"{_CONTEXT}/launchurl": address,
            f"{_CONTEXT}/moveon": unit.move_on,
        }
        if unit.mastery_score is not None:
            extensions[MASTERY_SCORE] = unit.mastery_score
        if unit.launch_parameters:
            extensions[f"{_CONTEXT}/launchparameters"] = unit.launch_parameters
        verb = ("http://adlnet.gov/expapi/verbs/launched", "launched")
        definition = {"name": {"und": loaded.item.title}} if loaded.item.title else {}
        return self._build(
            verb, {"id": activity, "definition": definition}, loaded.item.identifier, extensions=extensions
        )

    def build_abandoned(self, activity: str, publisher_id: str, length: timedelta) -> NewStatement:
        result = {"duration": f"PT{max(0.0, length.total_seconds()):.2f}S"}
        return self._build((f"{_ADL}/abandoned", "abandoned"), {"id": activity}, publisher_id, result=result)

    def build_waived(self, activity: str, publisher_id: str, reason: str) -> NewStatement:
        result = {"success": True, "completion": True, "extensions": {_REASON: reason}}
        verb = ("https://w3id.org/xapi/adl/verbs/waived", "waived")
        return self._build(verb, {"id": activity}, publisher_id, result=result, counts=True)

    def build_satisfied(self, kind: str, publisher_id: str, container_id: UUID) -> NewStatement:
        """`container_id` is the id of the package, by which the block or course gets an id of its own."""
        name = "course" if kind == "COURSE" else f"blocks/{_shorten(publisher_id)}"
        thing = {
            "id": f"{self._base}/activities/packages/{container_id}/{name}",
            "definition": {"type": _TYPES[kind]},
        }
        return self._build((f"{_ADL}/satisfied", "satisfied"), thing, publisher_id)

    def _build(
        self,
        verb: tuple[str, str],
        thing: Mapping[str, Any],
        publisher_id: str,
        *,
        result: Mapping[str, Any] | None = None,
        extensions: Mapping[str, Any] | None = None,
        counts: bool = False,
    ) -> NewStatement:
        context = build_context_template(publisher_id, self._session_id)
        context["registration"] = str(self._registration)
        context["extensions"] |= dict(extensions or {})
        categories = [CATEGORY, *([MOVE_ON_CATEGORY] if counts else [])]
        context["contextActivities"]["category"] = [
            {"objectType": "Activity", "id": each} for each in categories
        ]
        value = {
            "id": str(uuid4()),
            "actor": self._actor,
            "verb": {"id": verb[0], "display": {"en": verb[1]}},
            "object": {"objectType": "Activity", **{name: each for name, each in thing.items() if each}},
            **({"result": dict(result)} if result else {}),
            "context": context,
            "timestamp": str(Timestamp.of(self._now)),
        }
        received = read_statement(msgspec.json.encode(value), is_second=False)
        authority = {"objectType": "Agent", "account": {"homePage": self._base, "name": "trilha"}}
        return build_statement(received, authority, self._now, is_second=False)


def _shorten(identifier: str) -> str:
    return sha256(identifier.encode()).hexdigest()[:32]
