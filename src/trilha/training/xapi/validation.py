"""The rules for statements (xAPI 1.0.3 part 2; IEEE 9274.1.1 section 4.2).

A statement is a plain JSON object whose size, depth and number of values are already limited: see `decoding`.
"""

import re
from collections.abc import Callable, Mapping, Set
from functools import lru_cache
from typing import Any, NoReturn

from trilha.training.xapi.errors import refuse
from trilha.training.xapi.identifiers import IDENTIFIERS
from trilha.training.xapi.times import is_duration, parse_timestamp

VOIDING_VERB = "http://adlnet.gov/expapi/verbs/voided"
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`\x00-\x20\x7f]+")
_MAILBOX = re.compile(r"mailto:[^@\s\x00-\x20]+@[^@\s\x00-\x20]+", re.IGNORECASE)
_SHA1 = re.compile(r"[0-9a-fA-F]{40}")
_SHA2 = re.compile(r"[0-9a-fA-F]{56}|[0-9a-fA-F]{64}|[0-9a-fA-F]{96}|[0-9a-fA-F]{128}")
_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
# It becomes a header of a part, so it has no line breaks.
_MEDIA_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+( *;[ -~]*)?", re.ASCII)
_LONGEST_MEDIA_TYPE = 200
# RFC 5646 section 2.1, with the private and the grandfathered tags
_LANGUAGE = re.compile(
    r"(?:[A-Za-z]{2,3}(?:-[A-Za-z]{3}){0,3}|[A-Za-z]{4}|[A-Za-z]{5,8})(?:-[A-Za-z]{4})?"
    r"(?:-(?:[A-Za-z]{2}|\d{3}))?(?:-(?:[A-Za-z0-9]{5,8}|\d[A-Za-z0-9]{3}))*"
    r"(?:-[0-9A-WY-Za-wy-z](?:-[A-Za-z0-9]{2,8})+)*(?:-[Xx](?:-[A-Za-z0-9]{1,8})+)?"
    r"|[Xx](?:-[A-Za-z0-9]{1,8})+"
    r"|[Ii]-[A-Za-z]{3,8}|en-GB-oed|sgn-(?:BE-FR|BE-NL|CH-DE)",
    re.ASCII,
)
_LONGEST_IRI, _LONGEST_LANGUAGE = 2048, 100
_AGENT = frozenset({"objectType", "name", *IDENTIFIERS})
_GROUP = _AGENT | {"member"}
_ACCOUNT = frozenset({"homePage", "name"})
_VERB = frozenset({"id", "display"})
_ACTIVITY = frozenset({"objectType", "id", "definition"})
_REFERENCE = frozenset({"objectType", "id"})
_COMPONENT = frozenset({"id", "description"})
_EVENT = frozenset({"actor", "verb", "object", "result", "context", "timestamp", "attachments"})
_STATEMENT = _EVENT | {"id", "stored", "authority", "version"}
_SUBSTATEMENT = _EVENT | {"objectType"}
_CONTEXT = frozenset(
    {
        *("registration", "instructor", "team", "contextActivities", "revision", "platform", "language"),
        *("statement", "extensions"),
    }
)
_CONTEXT_ACTIVITIES = frozenset({"parent", "grouping", "category", "other"})
_RESULT = frozenset({"score", "success", "completion", "response", "duration", "extensions"})
_SCORE = frozenset({"scaled", "raw", "min", "max"})
_ATTACHMENT = frozenset({"usageType", "display", "description", "contentType", "length", "sha2", "fileUrl"})
_COMPONENTS = {
    "choice": ("choices",),
    "sequencing": ("choices",),
    "likert": ("scale",),
    "matching": ("source", "target"),
    "performance": ("steps",),
    "true-false": (),
    "fill-in": (),
    "long-fill-in": (),
    "numeric": (),
    "other": (),
}
_LISTS = ("choices", "scale", "source", "target", "steps")
# Properties that only interactions have.
_INTERACTION = frozenset({"interactionType", "correctResponsesPattern", *_LISTS})
_DEFINITION = _INTERACTION | {"name", "description", "type", "moreInfo", "extensions"}


class Rules:
    """The rules of one version."""

    def __init__(self, *, is_second: bool) -> None:
        self._context_members = _CONTEXT | ({"contextAgents", "contextGroups"} if is_second else set())
        # Version 2 takes in statements that were recorded with version 1.
        self._versions = re.compile(r"[12]\.0(\.\d{1,9})?" if is_second else r"1\.0(\.\d{1,9})?", re.ASCII)

    def check_statement(self, statement: Any) -> None:
        """Raises ApiError (invalid_statement)."""
        at = "statement"
        _check_members(statement, _STATEMENT, at)
        if "id" in statement:
            check_uuid(statement["id"], f"{at}.id")
        if "stored" in statement:
            _check_timestamp(statement["stored"], f"{at}.stored")
        if "authority" in statement:
            self._check_authority(statement["authority"], f"{at}.authority")
        if "version" in statement:
            version = _check_text(statement["version"], f"{at}.version")
            if not self._versions.fullmatch(version):
                _refuse(f"{at}.version", "is not a version of this kind of request")
        self._check_event(statement, at)
        _check_voiding(statement, at)

    def _check_event(self, statement: dict[str, Any], at: str) -> None:
        """Checks the properties that statements and substatements share."""
        for name in ("actor", "verb", "object"):
            if name not in statement:
                _refuse(f"{at}.{name}", "is required")
        check_actor(statement["actor"], f"{at}.actor")
        _check_verb(statement["verb"], f"{at}.verb")
        kind = self._check_object(statement["object"], f"{at}.object", inner=at != "statement")
        if "result" in statement:
            _check_result(statement["result"], f"{at}.result")
        if "context" in statement:
            self._check_context(statement["context"], f"{at}.context", kind)
        if "timestamp" in statement:
            _check_timestamp(statement["timestamp"], f"{at}.timestamp")
        if "attachments" in statement:
            _check_each(statement["attachments"], f"{at}.attachments", _check_attachment)

    def _check_object(self, value: Any, at: str, *, inner: bool) -> str:
        """Returns the kind of the object."""
        _check_object(value, at)
        kind = value.get("objectType", "Activity")
        if kind == "Activity":
            check_activity(value, at)
        elif kind in ("Agent", "Group"):
            check_actor(value, at)
        elif kind == "StatementRef":
            _check_reference(value, at)
        elif kind == "SubStatement" and not inner:
            _check_members(value, _SUBSTATEMENT, at)
            self._check_event(value, at)
        else:
            _refuse(f"{at}.objectType", "is not a type of object that is allowed here")
        return str(kind)

    def _check_context(self, context: Any, at: str, kind: str) -> None:
        _check_members(context, self._context_members, at)
        for name, value in context.items():
            if check := _CONTEXT_CHECKS.get(name):
                check(value, f"{at}.{name}")
        for name in ("revision", "platform"):
            if name in context and kind != "Activity":
                _refuse(f"{at}.{name}", "is only allowed if the object is an activity")

    def _check_authority(self, authority: Any, at: str) -> None:
        check_actor(authority, at)
        if authority.get("objectType") == "Group":
            if any(name in authority for name in IDENTIFIERS):
                _refuse(at, "must be an agent or an anonymous group")
            if len(authority["member"]) != 2:
                _refuse(at, "must have exactly two members")


def _refuse(at: str, message: str) -> NoReturn:
    raise refuse("invalid_statement", f"{at} {message}.")


def _check_object(value: Any, at: str) -> None:
    if not isinstance(value, dict):
        _refuse(at, "must be an object")


def _check_members(value: Any, allowed: Set[str], at: str) -> None:
    _check_object(value, at)
    if not value.keys() <= allowed:
        name = min(value.keys() - allowed)
        _refuse(f"{at}.{name[:100]}", "is not a property of the Experience API")


def _check_text(value: Any, at: str) -> str:
    if not isinstance(value, str):
        _refuse(at, "must be text")
    return value


def _check_each(values: Any, at: str, check: Callable[[Any, str], object]) -> None:
    if not isinstance(values, list):
        _refuse(at, "must be an array")
    for number, value in enumerate(values):
        check(value, f"{at}.{number}")


def is_iri(text: str) -> bool:
    return len(text) <= _LONGEST_IRI and _matches_iri(text)


@lru_cache(4096)
def _matches_iri(text: str) -> bool:
    """Cached, because the same verbs and activities are in many statements."""
    return _IRI.fullmatch(text) is not None


def _check_iri(value: Any, at: str) -> None:
    if not isinstance(value, str) or not is_iri(value):
        _refuse(at, "must be an IRI")


def is_uuid(value: Any) -> bool:
    return isinstance(value, str) and _UUID.fullmatch(value) is not None


def check_uuid(value: Any, at: str) -> None:
    if not is_uuid(value):
        _refuse(at, "must be a UUID")


def _check_timestamp(value: Any, at: str) -> None:
    if parse_timestamp(_check_text(value, at)) is None:
        _refuse(at, "must be a timestamp, such as 2026-11-20T09:30:00.000Z")


def is_language(text: str) -> bool:
    return len(text) <= _LONGEST_LANGUAGE and _matches_language(text)


@lru_cache(1024)
def _matches_language(text: str) -> bool:
    return _LANGUAGE.fullmatch(text) is not None


def _check_language_map(value: Any, at: str) -> None:
    _check_object(value, at)
    for language, text in value.items():
        if not is_language(language):
            _refuse(f"{at}.{language[:100]}", "is not a language tag")
        _check_text(text, f"{at}.{language}")


def _check_extensions(value: Any, at: str) -> None:
    """Checks the names only; the values may be anything."""
    _check_object(value, at)
    for name in value:
        if not is_iri(name):
            _refuse(f"{at}.{name[:100]}", "must be an IRI")


def check_actor(actor: Any, at: str, *, only: str | None = None) -> None:
    """Checks an agent or a group; with `only`, that it is this one of them."""
    _check_object(actor, at)
    kind = actor.get("objectType", "Agent")
    if kind not in ("Agent", "Group") or (only and kind != only):
        _refuse(f"{at}.objectType", f"must be {only or 'Agent or Group'}")
    _check_members(actor, _GROUP if kind == "Group" else _AGENT, at)
    if "name" in actor:
        _check_text(actor["name"], f"{at}.name")
    names = [name for name in IDENTIFIERS if name in actor]
    if len(names) > 1 or (kind == "Agent" and not names):
        _refuse(at, "must have exactly one of mbox, mbox_sha1sum, openid and account")
    if names:
        _IDENTIFIER_CHECKS[names[0]](actor[names[0]], f"{at}.{names[0]}")
    if kind == "Group":
        if not names and not actor.get("member"):
            _refuse(f"{at}.member", "is required in a group without an identifier")
        if "member" in actor:
            _check_each(actor["member"], f"{at}.member", check_agent)


def check_agent(agent: Any, at: str) -> None:
    check_actor(agent, at, only="Agent")


def _check_group(group: Any, at: str) -> None:
    check_actor(group, at, only="Group")


def _check_mailbox(value: Any, at: str) -> None:
    if not isinstance(value, str) or len(value) > _LONGEST_IRI or not _MAILBOX.fullmatch(value):
        _refuse(at, "must have the form mailto:name@example.com")


def _check_sha1(value: Any, at: str) -> None:
    if not isinstance(value, str) or not _SHA1.fullmatch(value):
        _refuse(at, "must be a SHA-1 sum in hexadecimal digits")


def _check_account(account: Any, at: str) -> None:
    _check_members(account, _ACCOUNT, at)
    _check_iri(account.get("homePage"), f"{at}.homePage")
    _check_text(account.get("name"), f"{at}.name")


_IDENTIFIER_CHECKS: Mapping[str, Callable[[Any, str], None]] = {
    "mbox": _check_mailbox,
    "mbox_sha1sum": _check_sha1,
    "openid": _check_iri,
    "account": _check_account,
}


def _check_verb(verb: Any, at: str) -> None:
    _check_members(verb, _VERB, at)
    _check_iri(verb.get("id"), f"{at}.id")
    if "display" in verb:
        _check_language_map(verb["display"], f"{at}.display")


def check_activity(activity: Any, at: str) -> None:
    _check_members(activity, _ACTIVITY, at)
    if activity.get("objectType", "Activity") != "Activity":
        _refuse(f"{at}.objectType", "must be Activity")
    _check_iri(activity.get("id"), f"{at}.id")
    if "definition" in activity:
        _check_definition(activity["definition"], f"{at}.definition")


def _check_definition(definition: Any, at: str) -> None:
    _check_members(definition, _DEFINITION, at)
    for name, value in definition.items():
        if check := _DEFINITION_CHECKS.get(name):
            check(value, f"{at}.{name}")
    kind = definition.get("interactionType")
    if kind is None:
        if not _INTERACTION.isdisjoint(definition):
            _refuse(f"{at}.interactionType", "is required in the definition of an interaction")
        return
    if not isinstance(kind, str) or kind not in _COMPONENTS:
        _refuse(f"{at}.interactionType", "is not a type of interaction")
    for name in _LISTS:
        if name in definition:
            if name not in _COMPONENTS[kind]:
                _refuse(f"{at}.{name}", f"does not belong to the interaction type {kind}")
            _check_components(definition[name], f"{at}.{name}")


def _check_components(components: Any, at: str) -> None:
    _check_each(components, at, _check_component)
    if len({each["id"] for each in components}) < len(components):
        _refuse(at, "must have different ids")


def _check_component(component: Any, at: str) -> None:
    _check_members(component, _COMPONENT, at)
    if not _check_text(component.get("id"), f"{at}.id"):
        _refuse(f"{at}.id", "must not be empty")
    if "description" in component:
        _check_language_map(component["description"], f"{at}.description")


def _check_texts(values: Any, at: str) -> None:
    _check_each(values, at, _check_text)


_DEFINITION_CHECKS: Mapping[str, Callable[[Any, str], None]] = {
    "name": _check_language_map,
    "description": _check_language_map,
    "type": _check_iri,
    "moreInfo": _check_iri,
    "extensions": _check_extensions,
    "correctResponsesPattern": _check_texts,
}


def _check_reference(reference: Any, at: str) -> None:
    _check_members(reference, _REFERENCE, at)
    if reference.get("objectType") != "StatementRef":
        _refuse(f"{at}.objectType", "must be StatementRef")
    check_uuid(reference.get("id"), f"{at}.id")


def _check_result(result: Any, at: str) -> None:
    _check_members(result, _RESULT, at)
    if "score" in result:
        _check_score(result["score"], f"{at}.score")
    for name in ("success", "completion"):
        if name in result and not isinstance(result[name], bool):
            _refuse(f"{at}.{name}", "must be true or false")
    if "response" in result:
        _check_text(result["response"], f"{at}.response")
    if "duration" in result and not is_duration(_check_text(result["duration"], f"{at}.duration")):
        _refuse(f"{at}.duration", "must be a duration, such as PT1H30M")
    if "extensions" in result:
        _check_extensions(result["extensions"], f"{at}.extensions")


def _check_score(score: Any, at: str) -> None:
    _check_members(score, _SCORE, at)
    for name, value in score.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            _refuse(f"{at}.{name}", "must be a number")
    if not -1 <= score.get("scaled", 0) <= 1:
        _refuse(f"{at}.scaled", "must be between -1 and 1")
    least, most, raw = score.get("min"), score.get("max"), score.get("raw")
    if least is not None and most is not None and least >= most:
        _refuse(f"{at}.min", "must be less than max")
    if raw is not None and ((least is not None and raw < least) or (most is not None and raw > most)):
        _refuse(f"{at}.raw", "must be between min and max")


def _check_context_activities(value: Any, at: str) -> None:
    _check_members(value, _CONTEXT_ACTIVITIES, at)
    for name, activities in value.items():
        if isinstance(activities, list):
            _check_each(activities, f"{at}.{name}", check_activity)
        else:
            check_activity(activities, f"{at}.{name}")


def _check_context_agent(value: Any, at: str) -> None:
    _check_participant(value, at, "contextAgent", "agent", check_agent)


def _check_context_group(value: Any, at: str) -> None:
    _check_participant(value, at, "contextGroup", "group", _check_group)


def _check_participant(value: Any, at: str, kind: str, name: str, check: Callable[[Any, str], None]) -> None:
    _check_members(value, {"objectType", name, "relevantTypes"}, at)
    if value.get("objectType") != kind:
        _refuse(f"{at}.objectType", f"must be {kind}")
    check(value.get(name), f"{at}.{name}")
    if "relevantTypes" in value:
        _check_each(value["relevantTypes"], f"{at}.relevantTypes", _check_iri)
        if not value["relevantTypes"]:
            _refuse(f"{at}.relevantTypes", "must not be empty")


def _check_language(value: Any, at: str) -> None:
    if not is_language(_check_text(value, at)):
        _refuse(at, "must be a language tag")


_CONTEXT_CHECKS: Mapping[str, Callable[[Any, str], object]] = {
    "registration": check_uuid,
    "instructor": check_actor,
    "team": _check_group,
    "contextActivities": _check_context_activities,
    "contextAgents": lambda value, at: _check_each(value, at, _check_context_agent),
    "contextGroups": lambda value, at: _check_each(value, at, _check_context_group),
    "revision": _check_text,
    "platform": _check_text,
    "language": _check_language,
    "statement": _check_reference,
    "extensions": _check_extensions,
}


def _check_attachment(attachment: Any, at: str) -> None:
    _check_members(attachment, _ATTACHMENT, at)
    _check_iri(attachment.get("usageType"), f"{at}.usageType")
    _check_language_map(attachment.get("display"), f"{at}.display")
    if "description" in attachment:
        _check_language_map(attachment["description"], f"{at}.description")
    media_type = _check_text(attachment.get("contentType"), f"{at}.contentType")
    if len(media_type) > _LONGEST_MEDIA_TYPE or not _MEDIA_TYPE.fullmatch(media_type):
        _refuse(f"{at}.contentType", "must be a media type")
    length = attachment.get("length")
    if isinstance(length, bool) or not isinstance(length, int) or length < 0:
        _refuse(f"{at}.length", "must be a number of bytes")
    if not _SHA2.fullmatch(_check_text(attachment.get("sha2"), f"{at}.sha2")):
        _refuse(f"{at}.sha2", "must be a SHA-2 sum in hexadecimal digits")
    if "fileUrl" in attachment:
        _check_iri(attachment["fileUrl"], f"{at}.fileUrl")


def _check_voiding(statement: dict[str, Any], at: str) -> None:
    is_reference = statement["object"].get("objectType") == "StatementRef"
    if statement["verb"]["id"] == VOIDING_VERB and not is_reference:
        _refuse(f"{at}.object", "of a voiding statement must be a StatementRef")


FIRST, SECOND = Rules(is_second=False), Rules(is_second=True)
