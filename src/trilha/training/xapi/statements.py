"""Turns the JSON of a statement into what is stored of it."""

import hashlib
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import msgspec
from msgspec import Struct, field

from trilha.core.types import Timestamp
from trilha.training.xapi import decoding
from trilha.training.xapi.errors import refuse
from trilha.training.xapi.identifiers import activity_key, agent_key, verb_key
from trilha.training.xapi.times import cut_duration, is_utc, parse_timestamp, to_utc
from trilha.training.xapi.validation import FIRST, SECOND, VOIDING_VERB

_CANONICAL = msgspec.json.Encoder(order="deterministic")
_ASSIGNED_PROPERTIES = ("id", "stored", "timestamp", "version", "authority")
_BLANKS = b" \t\r\n"


class ReceivedStatement(Struct, frozen=True):
    """A valid statement as it was received: its JSON, and the same as plain values."""

    text: bytes
    value: dict[str, Any]


class NewStatement(Struct, frozen=True):
    """A statement that is about to be stored. Keys are those of `identifiers`.

    `content` is its JSON with all properties but `stored`. `references` are the keys of all its agents and
    activities, and whether each is the actor or the object. `definitions` are by the IRIs of activities.
    `names_id`: the client has chosen the id.
    """

    id: UUID
    content: bytes
    digest: bytes
    verb: UUID
    references: Mapping[UUID, bool]
    actor: UUID | None = None
    sent_at: str | None = None
    registration: UUID | None = None
    refers_to: UUID | None = None
    voids: bool = False
    definitions: Mapping[str, dict[str, Any]] = {}
    activities: frozenset[str] = frozenset()
    agents: Mapping[UUID, dict[str, Any]] = {}
    attachments: list[str] = field(default_factory=list)
    names_id: bool = True


def read_statement(text: bytes, *, is_second: bool) -> ReceivedStatement:
    """Decodes and checks a statement. Raises ApiError."""
    value = decoding.decode(text)
    (SECOND if is_second else FIRST).check_statement(value)
    return ReceivedStatement(text, value)


def build_statement(
    received: ReceivedStatement,
    authority: Mapping[str, Any],
    now: datetime,
    *,
    is_second: bool,
    id: UUID | None = None,
    sent: Collection[str] = (),
) -> NewStatement:
    """Adds what the server assigns. `id` is that of the address, if it has one. `sent` are the hashes of the
    attachments in the request: a hash alone must not open what another client has sent.
    """
    value = received.value
    statement_id = UUID(value["id"]) if "id" in value else id or uuid4()
    assigned = {}
    if "id" not in value:
        assigned["id"] = f'"{statement_id}"'.encode()
    if "timestamp" not in value:
        assigned["timestamp"] = f'"{Timestamp.of(now)}"'.encode()
    elif is_second and not is_utc(value["timestamp"]):
        assigned["timestamp"] = f'"{to_utc(value["timestamp"])}"'.encode()
    if "version" not in value:
        assigned["version"] = b'"2.0.0"' if is_second else b'"1.0.0"'
    assigned["authority"] = msgspec.json.encode(authority)
    facets = Facets(value | {"authority": authority})
    context = value.get("context", {})
    reference = value["object"] if value["object"].get("objectType") == "StatementRef" else None
    return NewStatement(
        id=statement_id,
        content=_write_content(received, assigned),
        digest=digest_of(value),
        verb=verb_key(value["verb"]["id"]),
        references=facets.references,
        actor=agent_key(value["actor"]),
        sent_at=value.get("timestamp"),
        registration=UUID(context["registration"]) if "registration" in context else None,
        refers_to=UUID(reference["id"]) if reference else None,
        voids=value["verb"]["id"] == VOIDING_VERB,
        definitions=facets.definitions,
        activities=frozenset(facets.activities),
        agents=facets.agents,
        attachments=[sha2 for each in _list_attachments(value) if (sha2 := each["sha2"].lower()) in sent],
        names_id="id" in value or id is not None,
    )


def _write_content(received: ReceivedStatement, assigned: Mapping[str, bytes]) -> bytes:
    """Returns the statement as it was sent, with the properties that the server assigns."""
    value = received.value
    thing = value["object"]
    in_thing = thing.get("objectType") == "SubStatement" and _has_single_activities(thing)
    if not (in_thing or _has_single_activities(value) or "stored" in value or assigned.keys() & value.keys()):
        # Nothing is replaced, so the text need not be taken apart.
        return received.text.rstrip(_BLANKS)[:-1] + b"," + join_members(assigned)[1:]
    members = decoding.split_members(received.text)
    members.pop("stored", None)
    if _has_single_activities(value):
        members["context"] = _list_activities(members["context"])
    if in_thing:
        inner = decoding.split_members(members["object"])
        members["object"] = join_members(inner | {"context": _list_activities(inner["context"])})
    return join_members(members | dict(assigned))


def join_members(members: Mapping[str, bytes]) -> bytes:
    return b"{" + b",".join(msgspec.json.encode(name) + b":" + raw for name, raw in members.items()) + b"}"


def _has_single_activities(event: dict[str, Any]) -> bool:
    activities = event.get("context", {}).get("contextActivities", {})
    return any(isinstance(each, dict) for each in activities.values())


def _list_activities(context: bytes) -> bytes:
    """Puts single context activities in arrays, as they are returned, and leaves the rest as it was sent."""
    members = decoding.split_members(context)
    activities = {
        name: b"[" + raw + b"]" if raw.startswith(b"{") else raw
        for name, raw in decoding.split_members(members["contextActivities"]).items()
    }
    return join_members(members | {"contextActivities": join_members(activities)})


def _list_attachments(value: dict[str, Any]) -> list[dict[str, Any]]:
    inner = (
        value["object"].get("attachments", []) if value["object"].get("objectType") == "SubStatement" else []
    )
    return [*value.get("attachments", []), *inner]


def list_attachments(received: ReceivedStatement) -> list[dict[str, Any]]:
    """Returns the descriptions of all attachments, of the substatement too."""
    return _list_attachments(received.value)


class Facets:
    """The agents and activities of a statement, by which it is found."""

    def __init__(self, statement: dict[str, Any]) -> None:
        self.references: dict[UUID, bool] = {}
        self.activities: set[str] = set()
        self.agents: dict[UUID, dict[str, Any]] = {}
        self.definitions: dict[str, dict[str, Any]] = {}
        self._add_event(statement, is_direct=True)
        self._add_actor(statement["authority"], is_direct=False)

    def _add(self, key: UUID, *, is_direct: bool) -> None:
        self.references[key] = is_direct or self.references.get(key, False)

    def _add_actor(self, actor: dict[str, Any], *, is_direct: bool) -> None:
        for agent in (actor, *actor.get("member", ())):
            if (key := agent_key(agent)) is not None:
                self._add(key, is_direct=is_direct)
                self.agents[key] = agent

    def _add_activity(self, activity: dict[str, Any], *, is_direct: bool) -> None:
        iri = activity["id"]
        self._add(activity_key(iri), is_direct=is_direct)
        self.activities.add(iri)
        if definition := activity.get("definition"):
            self.definitions[iri] = merge_definitions(self.definitions.get(iri, {}), definition)

    def _add_event(self, event: dict[str, Any], *, is_direct: bool) -> None:
        self._add_actor(event["actor"], is_direct=is_direct)
        thing = event["object"]
        kind = thing.get("objectType", "Activity")
        if kind == "Activity":
            self._add_activity(thing, is_direct=is_direct)
        elif kind in ("Agent", "Group"):
            self._add_actor(thing, is_direct=is_direct)
        elif kind == "SubStatement":
            self._add_event(thing, is_direct=False)
        context = event.get("context", {})
        for name in ("instructor", "team"):
            if name in context:
                self._add_actor(context[name], is_direct=False)
        for each in (*context.get("contextAgents", ()), *context.get("contextGroups", ())):
            self._add_actor(each.get("agent") or each["group"], is_direct=False)
        for activity in list_context_activities(context):
            self._add_activity(activity, is_direct=False)


def list_context_activities(context: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for activities in context.get("contextActivities", {}).values():
        yield from activities if isinstance(activities, list) else [activities]


def merge_definitions(older: dict[str, Any], newer: dict[str, Any]) -> dict[str, Any]:
    """Returns the newer definition, with the texts in other languages and the extensions of the older one."""
    merged = older | newer
    for name in ("name", "description", "extensions"):
        if name in older and name in newer:
            merged[name] = older[name] | newer[name]
    return merged


def digest_of(statement: dict[str, Any]) -> bytes:
    """Returns the digest of what makes two statements the same (xAPI 1.0.3, part 2 section 2.3.1)."""
    return hashlib.sha256(_CANONICAL.encode(normalize(statement))).digest()


def normalize(statement: dict[str, Any]) -> dict[str, Any]:
    """Returns a statement without what the server assigns, and with one form of what has several."""
    return _normalize_event(
        {name: each for name, each in statement.items() if name not in _ASSIGNED_PROPERTIES}
    )


def _normalize_event(event: dict[str, Any]) -> dict[str, Any]:
    event = event | {"actor": _normalize_actor(event["actor"]), "object": _normalize_object(event["object"])}
    if duration := event.get("result", {}).get("duration"):
        event["result"] = event["result"] | {"duration": cut_duration(duration)}
    if "context" in event:
        event["context"] = _normalize_context(event["context"])
    if "timestamp" in event:
        event["timestamp"] = parse_timestamp(event["timestamp"])
    return event


def _normalize_object(thing: dict[str, Any]) -> dict[str, Any]:
    kind = thing.get("objectType", "Activity")
    if kind == "SubStatement":
        return _normalize_event(thing)
    return _normalize_actor(thing) if kind in ("Agent", "Group") else thing | {"objectType": kind}


def _normalize_actor(actor: dict[str, Any]) -> dict[str, Any]:
    actor = {"objectType": "Agent"} | actor
    if "member" in actor:
        # The order of members has no meaning.
        actor["member"] = sorted(map(_normalize_actor, actor["member"]), key=_CANONICAL.encode)
    return actor


def _normalize_context(context: dict[str, Any]) -> dict[str, Any]:
    context = dict(context)
    for name in ("instructor", "team"):
        if name in context:
            context[name] = _normalize_actor(context[name])
    if "contextActivities" in context:
        context["contextActivities"] = {
            name: [
                {"objectType": "Activity"} | each for each in (value if isinstance(value, list) else [value])
            ]
            for name, value in context["contextActivities"].items()
        }
    return context


def check_ids(statements: list[NewStatement]) -> None:
    """Raises ApiError if an id is used twice."""
    if len({each.id for each in statements}) < len(statements):
        raise refuse("invalid_statement", "Two statements of the request have the same id.")
