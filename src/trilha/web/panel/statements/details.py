"""What the page of one statement shows: facts, context and attachments, each bounded."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from markupsafe import Markup
from msgspec import Struct

from trilha.access.permissions.roles import Permission
from trilha.access.xapi_keys import queries as xapi_keys
from trilha.core.database import Tx
from trilha.core.lists import find_rows
from trilha.core.types import Timestamp
from trilha.kit import N_, formats
from trilha.training.enrollments.lists import ENROLLMENT_ROWS
from trilha.training.xapi import queries
from trilha.training.xapi.schema import Record
from trilha.training.xapi.times import parse_timestamp
from trilha.training.xapi.validation import is_uuid
from trilha.web.panel.audit.words import ACTORS
from trilha.web.panel.lists import address
from trilha.web.panel.reach import reach_of
from trilha.web.panel.statements import texts
from trilha.web.panel.statements.names import Members, Names, list_activities, list_agents, load_names
from trilha.web.panel.statements.sentences import Wording
from trilha.web.panel.view import HOME, PanelView

MAX_DOWNLOAD = 5 * 1024 * 1024
# How many of the same kind a page shows.
_MAX_EACH = 20
_MICROSECONDS = 1_000_000
# Years that the calendar of every time zone has.
_YEARS = range(1900, 2200)
Fact = tuple[str, str | Markup]
# Types of activities in words, by the ends of their IRIs.
_TYPES: Mapping[str, str] = {
    "course": N_("Course"),
    "module": N_("Module"),
    "lesson": N_("Lesson"),
    "block": N_("Block"),
    "assessment": N_("Assessment"),
    "question": N_("Question"),
    "interaction": N_("Question"),
    "cmi.interaction": N_("Question"),
    "media": N_("Media"),
    "video": N_("Video"),
    "simulation": N_("Simulation"),
    "performance": N_("Performance"),
    "meeting": N_("Meeting"),
    "file": N_("File"),
}
# Types of attachments that may be downloaded, with the ends of file names.
_ENDINGS: Mapping[str, str] = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "audio/mpeg": "mp3",
    "audio/wav": "wav",
    "audio/ogg": "ogg",
    "audio/mp4": "m4a",
    "video/mp4": "mp4",
    "video/webm": "webm",
    "application/pdf": "pdf",
    "application/json": "json",
    "text/plain": "txt",
    "text/csv": "csv",
}
_CONTEXT_ACTIVITIES = {
    "parent": N_("Part of"),
    "grouping": N_("Group"),
    "category": N_("Category"),
    "other": N_("Other activities"),
}


def find_received_time(record: Record) -> Timestamp:
    """Returns when the server has stored a statement."""
    return Timestamp.of(datetime.fromtimestamp(record.stored / _MICROSECONDS, UTC))


def describe_type(event: Members, view: PanelView) -> str:
    """Returns the type of the object in words, or nothing."""
    kind = event["object"].get("definition", {}).get("type", "")
    if not kind and event["object"].get("definition", {}).get("interactionType"):
        kind = "interaction"
    end = kind.rstrip("/").rpartition("/")[2].lower()
    if end in _TYPES:
        return view.say(_TYPES[end])
    return texts.humanize_iri(kind) if kind else ""


def find_ending(content_type: str) -> str:
    """Returns the end of the name of a file, or nothing if it may not be downloaded."""
    return _ENDINGS.get(content_type.partition(";")[0].strip().lower(), "")


async def load_all_names(tx: Tx, base: str, event: Members) -> Names:
    """Loads the names of everything that the page of a statement shows."""
    context = event.get("context", {})
    agents = [*list_agents(event), *(context[name] for name in ("instructor", "team") if name in context)]
    activities = list(list_activities(event))
    for each in context.get("contextActivities", {}).values():
        activities += (each if isinstance(each, list) else [each])[:_MAX_EACH]
    return await load_names(tx, base, agents, activities)


async def list_facts(tx: Tx, wording: Wording, record: Record, event: Members) -> list[Fact]:
    """Lists who did what, with which result, and how the server learned of it. Values may be links."""
    view, say = wording.view, wording.view.say
    result = event.get("result", {})
    return [
        (say(N_("Person")), _link_person(wording, event["actor"])),
        (say(N_("Verb")), _link_filter(wording.name_verb(event["verb"]), verb=event["verb"]["id"])),
        (say(N_("Object")), _link_object(wording, event["object"])),
        (say(N_("Score")), wording.describe_score(result)),
        (say(N_("Success")), _say_boolean(view, result.get("success"))),
        (say(N_("Completion")), _say_boolean(view, result.get("completion"))),
        (say(N_("Duration")), result.get("duration", "")),
        (say(N_("Response")), texts.shorten(str(result.get("response", "")), 500)),
        (say(N_("Done on")), _format_time(view, event.get("timestamp", ""))),
        (say(N_("Received at")), formats.moment(view.page, find_received_time(record))),
        (say(N_("Sent by")), await _name_sender(tx, view, event.get("authority", {}))),
        (say(N_("Enrollment")), await _link_enrollment(tx, view, record.registration)),
        (say(N_("ID")), str(record.id)),
        (say(N_("xAPI version")), event.get("version", "")),
    ]


def list_context(wording: Wording, event: Members) -> list[Fact]:
    """Lists the context of a statement, without what is empty."""
    context, view = event.get("context", {}), wording.view
    facts: list[Fact] = []
    for name, label in (("instructor", N_("Instructor")), ("team", N_("Team"))):
        if name in context:
            facts.append((view.say(label), _link_person(wording, context[name])))
    for name, label in (
        ("platform", N_("Platform")),
        ("language", N_("Language")),
        ("revision", N_("Revision")),
    ):
        if name in context:
            facts.append((view.say(label), texts.shorten(str(context[name]))))
    activities = context.get("contextActivities", {})
    for name, label in _CONTEXT_ACTIVITIES.items():
        each = activities.get(name, [])
        links = [
            _link_filter(wording.name_activity(one), activity=one["id"])
            for one in (each if isinstance(each, list) else [each])[:_MAX_EACH]
        ]
        if links:
            facts.append((view.say(label), Markup("<br>").join(links)))
    if extensions := list(context.get("extensions", {}).items())[:_MAX_EACH]:
        words = [f"{texts.humanize_iri(name)}: {texts.shorten(str(value))}" for name, value in extensions]
        facts.append((view.say(N_("Extensions")), Markup("<br>").join(words)))
    return facts


def _link(text: str, href: str) -> Markup:
    return Markup('<a href="{}">{}</a>').format(href, text)


class _ListFilter(Struct, frozen=True):
    verb: str | None = None
    activity: str | None = None


def _link_filter(text: str, **chosen: str) -> Markup:
    """Returns a link to the list with a filter, and the IRI below it."""
    (iri,) = chosen.values()
    link = _link(text, address(f"{HOME}/statements", _ListFilter(**chosen)))
    return link + Markup('<br><span class="meta breaks">{}</span>').format(texts.shorten(iri, 300))


def _link_person(wording: Wording, agent: Members) -> str | Markup:
    name = wording.name_agent(agent)
    if (person := wording.names.find_person(agent)) is None:
        return name
    records = _link(wording.view.say(N_("See learning records")), f"{HOME}/statements?person={person.id}")
    return _link(name, f"{HOME}/people/{person.id}") + Markup(" · ") + records


def _link_object(wording: Wording, thing: Members) -> str | Markup:
    kind = thing.get("objectType", "Activity")
    name = wording.name_object(thing)
    if kind == "Activity":
        return _link_filter(name, activity=thing["id"])
    if kind == "StatementRef" and is_uuid(thing["id"]):
        return _link(name, f"{HOME}/statements/{thing['id'].lower()}")
    return _link_person(wording, thing) if kind in ("Agent", "Group") else name


def _say_boolean(view: PanelView, value: object) -> str:
    return "" if value is None else view.say(N_("Yes") if value else N_("No"))


def _format_time(view: PanelView, text: str) -> str | Markup:
    """Formats a client's time, or returns its text if it is of another age."""
    micros = parse_timestamp(text)
    if micros is None or not text[:4].isdecimal() or int(text[:4]) not in _YEARS:
        return text[:60]
    return formats.moment(view.page, Timestamp.of(datetime.fromtimestamp(micros / _MICROSECONDS, UTC)))


async def _name_sender(tx: Tx, view: PanelView, authority: Members) -> str | Markup:
    """Names the credential that a statement was sent with."""
    kind, _, name = str(authority.get("account", {}).get("name", "")).partition(":")
    if kind == "trilha":
        return "Trilha"
    label = view.say(ACTORS[kind]) if kind in ACTORS else ""
    if kind != "xapi_key" or not is_uuid(name):
        return label
    key = await xapi_keys.find(tx, UUID(name))
    if key is None:
        return label
    may_see = view.may(Permission.KEYS_MANAGE)
    return _link(key.name, f"{HOME}/xapi-keys/{key.id}") if may_see else key.name


async def _link_enrollment(tx: Tx, view: PanelView, registration: UUID | None) -> str | Markup:
    if registration is None:
        return ""
    rows: Sequence[Any] = await find_rows(tx, ENROLLMENT_ROWS, [registration], reach_of(view))
    if not rows:
        return str(registration)
    title = f"{rows[0].user_name}, {rows[0].course_title}"
    return _link(title, f"{HOME}/enrollments/{registration}")


class AttachmentRow(Struct, frozen=True):
    """An attachment in words. Without `href`, it cannot be downloaded here."""

    name: str
    usage: str
    content_type: str
    size: str
    href: str


async def list_attachments(tx: Tx, view: PanelView, record: Record, event: Members) -> list[AttachmentRow]:
    """Lists the first attachments that a statement describes."""
    described = list(event.get("attachments", ()))
    if event["object"].get("objectType") == "SubStatement":
        described += event["object"].get("attachments", ())
    described = described[:_MAX_EACH]
    stored = set(record.attachments or ())
    sizes = await queries.list_attachment_sizes(tx, stored) if stored else {}
    rows = []
    for each in described:
        sha2 = each["sha2"].lower()
        is_offered = sizes.get(sha2, MAX_DOWNLOAD + 1) <= MAX_DOWNLOAD and find_ending(each["contentType"])
        rows.append(
            AttachmentRow(
                name=texts.shorten(texts.find_any_text(each.get("display"), view.locale))
                or view.say(N_("Attachment")),
                usage=texts.humanize_iri(each["usageType"]),
                content_type=texts.shorten(each["contentType"], 100),
                size=formats.size(view.page, min(each["length"], 2**53)),
                href=f"{HOME}/statements/{record.id}/attachments/{sha2}" if is_offered else "",
            )
        )
    return rows
