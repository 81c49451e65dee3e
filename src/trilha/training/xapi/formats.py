"""The forms in which statements are returned: exact, ids and canonical."""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.training.xapi import queries
from trilha.training.xapi.identifiers import IDENTIFIERS, activity_key
from trilha.training.xapi.pages import PAGE_BYTES
from trilha.training.xapi.schema import Record, StoredStatement
from trilha.training.xapi.statements import Facets
from trilha.training.xapi.times import format_microseconds

# Each is looked for in each text, so that few are considered.
_MAX_LANGUAGES = 20
_MAX_PREFIXES = 5  # of a language tag
Convert = Callable[[dict[str, Any]], dict[str, Any]]


def write_exact(row: StoredStatement | Record) -> bytes:
    """Returns the statement as it was received, with what the server assigned."""
    stored = f',"stored":"{format_microseconds(row.stored)}"}}'
    return row.content[:-1].encode() + stored.encode()


async def write_statements(
    tx: Tx, rows: list[StoredStatement], form: str, languages: list[str]
) -> list[bytes]:
    exact = [write_exact(row) for row in rows]
    if form == "exact":
        return exact
    statements = [msgspec.json.decode(each) for each in exact]
    if form == "ids":
        return [msgspec.json.encode(reduce_event(each)) for each in statements]
    keys = {activity_key(iri) for each in statements for iri in Facets(each).activities}
    definitions = {
        row.key: msgspec.json.decode(row.definition) for row in await queries.list_activities(tx, keys)
    }
    canonical = Canonical(definitions, languages)
    return [msgspec.json.encode(canonical.convert(each)) for each in statements]


def reduce_event(event: dict[str, Any]) -> dict[str, Any]:
    """Returns a statement with only the identifiers of agents, activities and verbs."""
    reduced = event | {
        "actor": _reduce_actor(event["actor"]),
        "verb": {"id": event["verb"]["id"]},
        "object": _reduce_object(event["object"]),
    }
    if "authority" in event:
        reduced["authority"] = _reduce_actor(event["authority"])
    if "context" in event:
        reduced["context"] = _convert_context(event["context"], _reduce_actor, _reduce_activity)
    return reduced


def _reduce_object(thing: dict[str, Any]) -> dict[str, Any]:
    kind = thing.get("objectType", "Activity")
    if kind == "Activity":
        return _reduce_activity(thing)
    if kind in ("Agent", "Group"):
        return _reduce_actor(thing)
    return reduce_event(thing) if kind == "SubStatement" else thing


def _reduce_activity(activity: dict[str, Any]) -> dict[str, Any]:
    return {"id": activity["id"]}


def _reduce_actor(actor: dict[str, Any]) -> dict[str, Any]:
    reduced = {name: actor[name] for name in ("objectType", *IDENTIFIERS) if name in actor}
    if not any(name in actor for name in IDENTIFIERS):
        reduced["member"] = [_reduce_actor(each) for each in actor.get("member", ())]
    return reduced


def _convert_context(context: dict[str, Any], actor: Convert, activity: Convert) -> dict[str, Any]:
    context = dict(context)
    for name in ("instructor", "team"):
        if name in context:
            context[name] = actor(context[name])
    for name, inner in (("contextAgents", "agent"), ("contextGroups", "group")):
        if name in context:
            context[name] = [each | {inner: actor(each[inner])} for each in context[name]]
    if "contextActivities" in context:
        context["contextActivities"] = {
            name: [activity(each) for each in (value if isinstance(value, list) else [value])]
            for name, value in context["contextActivities"].items()
        }
    return context


def _leave(actor: dict[str, Any]) -> dict[str, Any]:
    return actor


class Canonical:
    """Replaces definitions by the store's own, and shows texts in one language only.

    The definitions add at most the size of a page: further activities are returned as they were sent.
    """

    def __init__(self, definitions: Mapping[UUID, dict[str, Any]], languages: list[str]) -> None:
        self._definitions = definitions
        self._languages = languages
        self._converted: dict[UUID, tuple[dict[str, Any], int]] = {}
        self._room = PAGE_BYTES

    def convert(self, event: dict[str, Any]) -> dict[str, Any]:
        converted = event | {"object": self._convert_object(event["object"])}
        if "display" in event["verb"]:
            converted["verb"] = event["verb"] | {"display": self.choose(event["verb"]["display"])}
        if "context" in event:
            converted["context"] = _convert_context(event["context"], _leave, self.convert_activity)
        if "attachments" in event:
            converted["attachments"] = [self._convert_texts(each) for each in event["attachments"]]
        return converted

    def _convert_object(self, thing: dict[str, Any]) -> dict[str, Any]:
        kind = thing.get("objectType", "Activity")
        if kind == "Activity":
            return self.convert_activity(thing)
        return self.convert(thing) if kind == "SubStatement" else thing

    def convert_activity(self, activity: dict[str, Any]) -> dict[str, Any]:
        key = activity_key(activity["id"])
        if self._definitions.get(key):
            definition, size = self._convert_stored(key)
            if size <= self._room:
                self._room -= size
                return activity | {"definition": definition}
        own = activity.get("definition")
        return activity | {"definition": self._convert_definition(own)} if own else activity

    def _convert_stored(self, key: UUID) -> tuple[dict[str, Any], int]:
        """Returns the store's definition in one language, and its size in bytes."""
        if key not in self._converted:
            definition = self._convert_definition(self._definitions[key])
            self._converted[key] = definition, len(msgspec.json.encode(definition))
        return self._converted[key]

    def _convert_definition(self, definition: dict[str, Any]) -> dict[str, Any]:
        converted = self._convert_texts(definition)
        for name in ("choices", "scale", "source", "target", "steps"):
            if name in converted:
                converted[name] = [self._convert_texts(each) for each in converted[name]]
        return converted

    def _convert_texts(self, value: dict[str, Any]) -> dict[str, Any]:
        maps = {
            name: self.choose(value[name]) for name in ("name", "description", "display") if name in value
        }
        return value | maps

    def choose(self, texts: dict[str, str]) -> dict[str, str]:
        """Returns the text in the best language (RFC 4647 section 3.4), otherwise the first."""
        lower: dict[str, str] = {}
        longer: dict[str, str] = {}  # by what they begin with
        for language in texts:
            lower[language.lower()] = language
            parts = language.lower().split("-", _MAX_PREFIXES)
            for count in range(1, len(parts)):
                longer.setdefault("-".join(parts[:count]), language)
        for wanted in self._languages:
            tag = wanted
            while tag:
                if tag in lower:
                    return {lower[tag]: texts[lower[tag]]}
                tag = tag.rpartition("-")[0]
            if wanted in longer:
                return {longer[wanted]: texts[longer[wanted]]}
        return dict(list(texts.items())[:1])


def parse_languages(header: str) -> list[str]:
    """Returns the language tags of Accept-Language in lower case, the best first."""
    weighted = []
    for number, each in enumerate(header[:1000].split(",")):
        tag, _, weight = each.strip().partition(";q=")
        try:
            quality = float(weight or 1)
        except ValueError:
            continue
        if tag and tag != "*" and quality > 0:
            weighted.append((-quality, number, tag.strip().lower()))
    return [tag for _, _, tag in sorted(weighted)[:_MAX_LANGUAGES]]
