"""/admin/statements: the list of learning records, one record, its JSON and its attachments."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import Meta, Struct, structs

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.lists import Count, list_rows
from trilha.core.moments import Day
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.pagination import ListQuery, Page
from trilha.core.web.routes import Routes
from trilha.kit import N_, NN_
from trilha.people.users import selection
from trilha.people.users.lists import PEOPLE
from trilha.people.users.reach import EVERYONE
from trilha.people.users.schema import PeopleQuery
from trilha.training.xapi import queries, record_queries
from trilha.training.xapi.access import BaseAddress
from trilha.training.xapi.formats import write_exact
from trilha.training.xapi.identifiers import activity_key, verb_key
from trilha.training.xapi.lists import RECORDS, RecordQuery
from trilha.training.xapi.schema import Record
from trilha.training.xapi.times import count_microseconds
from trilha.training.xapi.validation import is_iri, is_uuid
from trilha.web.panel import lists
from trilha.web.panel.choices import Choices
from trilha.web.panel.lists import SINCE, UNTIL, Action, Choice, Empty, Table
from trilha.web.panel.statements import details, texts
from trilha.web.panel.statements.names import Members, Names, load_sentence_names
from trilha.web.panel.statements.sentences import Wording
from trilha.web.panel.statements.verbs import VERBS
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Learning records", "What content and other programs have stated about learning (xAPI).")
ADDRESS = f"{HOME}/statements"
READ = may(Permission.AUDIT_READ)
_Iri = Annotated[str, Meta(max_length=2048, extra_json_schema=STORABLE)]
# The people who match a typed name, at most.
_MAX_PEOPLE = 20
_MAX_JSON = 100_000  # characters


class Filters(ListQuery, frozen=True, kw_only=True):
    """`q` is an e-mail address, a person's name, an IRI or an id. `since` and `until` are days, both
    included.
    """

    q: Annotated[str, Meta(max_length=2048, extra_json_schema=STORABLE)] | None = None
    verb: _Iri | None = None
    voided: Literal["no", "only"] | None = None
    person: UUID | None = None
    activity: _Iri | None = None
    registration: UUID | None = None
    since: Day | None = None
    until: Day | None = None


class NamedRecord(Struct, frozen=True):
    """A statement with the names of what it is about."""

    record: Record
    event: Members
    names: Names


async def _offer_verbs(tx: Tx, view: PanelView, chosen: str | None) -> Choices:
    options = {iri: view.say(words) for iri, words in VERBS.items()}
    if chosen:
        options.setdefault(chosen, texts.humanize_iri(chosen))
    return Choices([(iri, words[:1].upper() + words[1:]) for iri, words in options.items()])


def decode(record: Record) -> dict[str, Any]:
    event: dict[str, Any] = msgspec.json.decode(record.content)
    return event


async def load_named_records(tx: Tx, records: Sequence[Record], base: str) -> list[NamedRecord]:
    """Adds what the sentences about some statements need."""
    events = [decode(each) for each in records]
    names = await load_sentence_names(tx, base, events)
    return [NamedRecord(record, event, names) for record, event in zip(records, events, strict=True)]


def _describe(view: PanelView, row: NamedRecord) -> str:
    return Wording(view, row.names).describe(row.event)


STATEMENTS_TABLE = Table(
    listing=RECORDS,
    path=ADDRESS,
    title=N_("Learning records"),
    lead=N_("What courses, simulators and other programs have reported about learning (xAPI), newest first."),
    search=N_("Search by person, e-mail, activity or ID"),
    choices=[
        Choice(name="verb", label=N_("Any verb"), options=_offer_verbs),
        Choice(
            name="voided",
            label=N_("Voided or not"),
            options={"no": N_("Not voided"), "only": N_("Voided only")},
            more=True,
        ),
    ],
    days=[SINCE, UNTIL],
    row="panel/statements/_row.html",
    values={"received": details.find_received_time, "describe_type": details.describe_type},
    columns=[N_("Learning record"), N_("Activity type"), N_("Received at")],
    counted=NN_("%(num)s learning record", "%(num)s learning records"),
    actions=[
        Action(N_("xAPI keys"), f"{HOME}/xapi-keys", "key-square", Permission.KEYS_MANAGE),
        Action(N_("xAPI pipes"), f"{HOME}/xapi-pipes", "forward", Permission.WEBHOOKS_MANAGE),
    ],
    empty=Empty(
        N_("No learning records yet"),
        N_("cmi5 courses and programs with an xAPI key send them. Each one appears here."),
        "message-square-text",
    ),
)


@routes.get("/statements", access=READ)
async def list_statements(tx: Tx, view: PanelView, query: Filters, base: BaseAddress) -> Answer:
    """Lists learning records, newest first. Redirects to the record if `q` is its id."""
    typed = query.q.strip() if query.q else ""
    if is_uuid(typed) and await record_queries.find_record(tx, UUID(typed)):
        return view.lead(f"{ADDRESS}/{UUID(typed)}")
    search = await _build_search(tx, view, query, typed)
    nothing = search.agents == []
    table = structs.replace(
        STATEMENTS_TABLE,
        load=partial(load_named_records, base=base),
        values={**STATEMENTS_TABLE.values, "describe": partial(_describe, view)},
    )
    return await lists.show(
        tx,
        view,
        table,
        query,
        list_query=search,
        results=lists.Results(Page[Any]([], None, False, query.limit), Count(0)) if nothing else None,
        named=await _name_filters(tx, view, query),
    )


async def _build_search(tx: Tx, view: PanelView, query: Filters, typed: str) -> RecordQuery:
    zone = view.page.time_zone
    search = RecordQuery(
        activity=activity_key(query.activity) if query.activity else None,
        registration=query.registration,
        verb=verb_key(query.verb) if query.verb else None,
        voided=query.voided,
        since=count_microseconds(query.since.begin(zone).moment()) if query.since else None,
        until=count_microseconds(query.until.end(zone).moment()) if query.until else None,
    )
    if query.person is not None:
        people = await selection.find_by_ids(tx, [query.person], EVERYONE)
        emails = [each.email for each in people if each.email]
        search = structs.replace(search, agents=await record_queries.list_agents(tx, emails, [query.person]))
    return await _add_typed(tx, search, typed) if typed else search


async def _add_typed(tx: Tx, search: RecordQuery, typed: str) -> RecordQuery:
    """Adds a typed id of an enrollment, IRI of a verb or an activity, e-mail address, or name of a person."""
    if is_uuid(typed):
        return structs.replace(search, registration=UUID(typed))
    if is_iri(typed):
        is_verb = search.verb is None and await record_queries.is_verb(tx, verb_key(typed))
        if is_verb:
            return structs.replace(search, verb=verb_key(typed))
        return structs.replace(search, activity=activity_key(typed))
    people: Sequence[Any] = []
    if "@" in typed:
        people = await selection.find_by_emails(tx, [typed.lower()], EVERYONE)
    else:
        people = await list_rows(tx, PEOPLE, PeopleQuery(q=typed[:200]), EVERYONE, limit=_MAX_PEOPLE)
    emails = {each.email for each in people if each.email} | ({typed.lower()} if "@" in typed else set())
    agents = await record_queries.list_agents(tx, emails, [each.id for each in people])
    if search.agents is not None:
        agents = [each for each in agents if each in search.agents]
    return structs.replace(search, agents=agents)


async def _name_filters(tx: Tx, view: PanelView, query: Filters) -> Mapping[str, str]:
    """Describes the filters that have no field on the page."""
    named = {}
    if query.person is not None:
        people = await selection.find_by_ids(tx, [query.person], EVERYONE)
        named["person"] = people[0].name if people else view.say(N_("Another one"))
    if query.activity:
        text = texts.humanize_iri(query.activity)
        named["activity"] = view.say(N_("Activity: %(name)s"), name=text)
    if query.registration is not None:
        named["registration"] = view.say(N_("Enrollment: %(id)s"), id=str(query.registration)[:8])
    return named


async def _get_record(tx: Tx, statement_id: UUID) -> Record:
    record = await record_queries.find_record(tx, statement_id)
    if record is None:
        raise NotFound("route_not_found")
    return record


@routes.get("/statements/{statement_id}", access=READ)
async def show_statement(tx: Tx, view: PanelView, statement_id: UUID, base: BaseAddress) -> Html:
    """Shows one record: its sentence, what it states, its attachments, and its JSON."""
    record = await _get_record(tx, statement_id)
    event = decode(record)
    names = await details.load_all_names(tx, base, event)
    wording = Wording(view, names)
    text = texts.mask(msgspec.json.format(write_exact(record), indent=2).decode())
    return view.show(
        "panel/statements/statement.html",
        record=record,
        sentence=wording.describe(event),
        facts=await details.list_facts(tx, wording, record, event),
        context=details.list_context(wording, event),
        attachments=await details.list_attachments(tx, view, record, event),
        referring=await load_named_records(tx, await record_queries.list_referring(tx, record.id), base),
        target=await record_queries.find_record(tx, record.refers_to) if record.refers_to else None,
        describe=partial(_describe, view),
        received=details.find_received_time,
        text=text[:_MAX_JSON],
        is_cut=len(text) > _MAX_JSON,
    )


@routes.get("/statements/{statement_id}/json", access=READ)
async def download_statement(tx: Tx, view: PanelView, statement_id: UUID) -> Answer:
    """Downloads a record as JSON, as it was received."""
    record = await _get_record(tx, statement_id)
    headers = [
        (b"content-type", b"application/json"),
        (b"content-disposition", f'attachment; filename="statement-{record.id}.json"'.encode()),
    ]
    return Answer(200, texts.mask(write_exact(record).decode()).encode(), headers)


@routes.get("/statements/{statement_id}/attachments/{sha2}", access=READ)
async def download_attachment(tx: Tx, view: PanelView, statement_id: UUID, sha2: str) -> Answer:
    """Downloads an attachment, if it is small and of a harmless type."""
    record = await _get_record(tx, statement_id)
    if sha2 not in (record.attachments or ()):
        raise NotFound("route_not_found")
    sizes = await queries.list_attachment_sizes(tx, [sha2])
    if sizes.get(sha2, details.MAX_DOWNLOAD + 1) > details.MAX_DOWNLOAD:
        raise NotFound("route_not_found")
    (attachment,) = await queries.list_attachments(tx, [sha2])
    ending = details.find_ending(attachment.content_type)
    if not ending:
        raise NotFound("route_not_found")
    headers = [
        (b"content-type", b"application/octet-stream"),
        (b"content-disposition", f'attachment; filename="attachment-{sha2[:12]}.{ending}"'.encode()),
    ]
    return Answer(200, attachment.content, headers)
