"""The resources for statements, agents and activities, and about the store itself."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

import msgspec
from msgspec import Struct, structs

from trilha.core.database import Database, Tx
from trilha.core.errors import ApiError, Forbidden, NotFound
from trilha.core.web.answers import WrittenAnswer
from trilha.core.web.callers import PUBLIC, Caller
from trilha.core.web.request import Request
from trilha.core.web.routes import AnyQuery, RawBody, Routes
from trilha.training.xapi import answers, multipart, queries
from trilha.training.xapi.access import (
    POSTS,
    READS,
    WRITES,
    BaseAddress,
    Confinement,
    LaunchHost,
    build_authority,
    check_scope,
    find_confinement,
)
from trilha.training.xapi.actions import Submission, get_consistent_time
from trilha.training.xapi.calls import FIRST_VERSION, MAX_BODY, SECOND_VERSION, Call, check_version, read_call
from trilha.training.xapi.errors import refuse
from trilha.training.xapi.formats import parse_languages, write_statements
from trilha.training.xapi.freshness import keep_fresh
from trilha.training.xapi.identifiers import IDENTIFIERS, activity_key, agent_key, verb_key
from trilha.training.xapi.multipart import Part
from trilha.training.xapi.pages import cut_page
from trilha.training.xapi.parameters import Parameters
from trilha.training.xapi.receiving import read_submission
from trilha.training.xapi.schema import Attachment, StatementFilter, StoredStatement
from trilha.training.xapi.writer import StatementWriter

routes = Routes("Experience API", "Statements, and what they are about.")

MAX_PAGE, DEFAULT_PAGE = 500, 100
MAX_FETCH = 64 * 1024
_ONE = ("statementId", "voidedStatementId")
_MANY = (
    *("agent", "verb", "activity", "registration", "related_activities", "related_agents", "since", "until"),
    *("limit", "ascending", "cursor"),
)
_FORMS = ("exact", "ids", "canonical")


class XapiBody(RawBody, frozen=True):
    """A body that is read later: its form depends on the Content-Type."""


@routes.get("/about", access=PUBLIC)
async def get_about(query: AnyQuery) -> WrittenAnswer[Any]:
    """Return the supported versions."""
    return answers.json({"version": [FIRST_VERSION, SECOND_VERSION]})


@routes.post("/fetch/{code}", access=PUBLIC, max_body=MAX_FETCH)
async def fetch_token(
    caller: Caller, query: AnyQuery, data: XapiBody, host: LaunchHost, code: str
) -> WrittenAnswer[Any]:
    """Give content its token, once (cmi5 8.2). Errors have the status 200 too."""
    credential = caller.credential
    # A token of the same session does not give out another one.
    is_expired = isinstance(caller.failure, ApiError) and caller.failure.code == "credential_expired"
    if credential is None or credential.scopes or (caller.failure is not None and not is_expired):
        return answers.json({"error-code": "2", "error-text": "This address is unknown."})
    session_id = UUID(credential.detail["session"])
    token = None if is_expired else await host.give_token(credential.tenant_id, session_id)
    if token is None:
        return answers.json(
            {"error-code": "1", "error-text": "This address was used before, or has expired."}
        )
    return answers.json({"auth-token": token})


@routes.put("/statements", access=WRITES, max_body=MAX_BODY)
async def put_statement(
    request: Request,
    caller: Caller,
    query: AnyQuery,
    data: XapiBody,
    writer: StatementWriter,
    base: BaseAddress,
    database: Database,
    host: LaunchHost,
) -> WrittenAnswer[Any]:
    """Store one statement with the given id."""
    call = await read_call(request)
    return await _store_one(call, data.content, caller, writer, base, database, host)


@routes.post("/statements", access=POSTS, max_body=MAX_BODY)
async def post_statements(
    request: Request,
    caller: Caller,
    query: AnyQuery,
    data: XapiBody,
    writer: StatementWriter,
    base: BaseAddress,
    database: Database,
    host: LaunchHost,
) -> WrittenAnswer[Any]:
    """Store one or more statements."""
    call = await read_call(request)
    check_scope(caller, call.method)
    if call.method == "GET":
        async with database.transaction(caller.tenant_id, read_only=True) as tx:
            return await _read_consistently(tx, request, caller)
    content = data.content if call.content is None else call.content
    if call.method == "PUT":
        return await _store_one(call, content, caller, writer, base, database, host)
    if call.method != "POST":
        raise refuse("invalid_xapi_parameter", "Statements cannot be deleted.")
    check_version(call)
    call.read_parameters()
    authority = build_authority(caller, base)
    submission = await read_submission(call, content, authority, database.clock())
    await _store(caller, submission, writer, host)
    return answers.json([str(each.id) for each in submission.statements])


async def _store_one(
    call: Call,
    content: bytes,
    caller: Caller,
    writer: StatementWriter,
    base: BaseAddress,
    database: Database,
    host: LaunchHost,
) -> WrittenAnswer[Any]:
    check_version(call)
    statement_id = call.read_parameters("statementId").uuid("statementId")
    authority = build_authority(caller, base)
    submission = await read_submission(call, content, authority, database.clock(), statement_id=statement_id)
    await _store(caller, submission, writer, host)
    return answers.no_content()


async def _store(caller: Caller, submission: Submission, writer: StatementWriter, host: LaunchHost) -> None:
    """Raises Forbidden if a launch sends statements of others, or after its end."""
    if (confinement := find_confinement(caller)) is None:
        await writer.write(caller.tenant_id, submission)
        return
    for each in submission.statements:
        confinement.check(each.actor, each.registration)
    await host.store(caller.tenant_id, confinement.session, submission)


@routes.get("/statements", access=READS, prepare=keep_fresh)
async def get_statements(
    tx: Tx, request: Request, caller: Caller, query: AnyQuery, prepared: None
) -> WrittenAnswer[Any]:
    """Return one statement by its id, or a page of those that match."""
    return await _read_consistently(tx, request, caller)


async def _read_consistently(tx: Tx, request: Request, caller: Caller) -> WrittenAnswer[Any]:
    """Reads statements, and says up to which time they are complete, in refusals too."""
    name, value = answers.build_consistent_header(await get_consistent_time(tx))
    try:
        answer = await _read(tx, await read_call(request), find_confinement(caller))
    except ApiError as failure:
        failure.headers = failure.headers | {name.decode(): value.decode()}
        raise
    answer.headers.append((name, value))
    return answer


class _Shape(Struct, frozen=True):
    """How statements are returned."""

    form: str
    with_attachments: bool
    languages: list[str]


async def _read(tx: Tx, call: Call, confinement: Confinement | None) -> WrittenAnswer[Any]:
    check_version(call)
    parameters = call.read_parameters(*_ONE, *_MANY, "format", "attachments")
    shape = _Shape(
        parameters.choice("format", *_FORMS),
        parameters.boolean("attachments"),
        parse_languages(call.headers.get("accept-language", "")),
    )
    if parameters.names & set(_ONE):
        return await _read_one(tx, parameters, shape, confinement)
    return await _read_page(tx, call, parameters, shape, confinement)


async def _read_one(
    tx: Tx, parameters: Parameters, shape: _Shape, confinement: Confinement | None
) -> WrittenAnswer[Any]:
    if len(parameters.names - {"format", "attachments"}) > 1:
        raise refuse("invalid_xapi_parameter", "With an id, only format and attachments are allowed.")
    is_voided = "voidedStatementId" in parameters
    statement_id = parameters.uuid("voidedStatementId" if is_voided else "statementId")
    row = await queries.find_statement(tx, statement_id, is_voided=is_voided)
    if row is None:
        raise NotFound("statement_not_found")
    if confinement is not None and not _is_of(row, confinement):
        raise Forbidden("outside_of_launch")
    (text,) = await write_statements(tx, [row], shape.form, shape.languages)
    answer = await _wrap(tx, text, [row], shape)
    answer.headers.append(answers.build_modified_header(row.stored))
    return answer


def _is_of(row: StoredStatement, confinement: Confinement) -> bool:
    """Returns whether a launch may read a statement. Those that only name the learner are of others."""
    statement = msgspec.json.decode(row.content)
    registration = statement.get("context", {}).get("registration")
    return (
        agent_key(statement["actor"]) == confinement.agent
        and registration is not None
        and UUID(registration) == confinement.registration
    )


async def _read_page(
    tx: Tx, call: Call, parameters: Parameters, shape: _Shape, confinement: Confinement | None
) -> WrittenAnswer[Any]:
    search = _read_filter(parameters)
    if confinement is not None:
        confinement.check(search.agent or confinement.agent, search.registration or confinement.registration)
        own = {"agent": confinement.agent, "registration": confinement.registration}
        search = structs.replace(search, **own, related_agents=False, follows_references=False)
    rows = await queries.list_statements(tx, search)
    page = cut_page(rows[: search.limit], await _list_sizes(tx, rows, shape))
    shown = page if confinement is None else [row for row in page if _is_of(row, confinement)]
    texts = await write_statements(tx, shown, shape.form, shape.languages)
    more = ""
    if len(page) < len(rows):
        following = {**call.parameters, "cursor": str(page[-1].stored)}
        more = f"{answers.PREFIX}/statements?{urlencode(following)}"
    body = b'{"statements":[' + b",".join(texts) + b'],"more":' + msgspec.json.encode(more) + b"}"
    answer = await _wrap(tx, body, shown, shape)
    if shown:
        newest = max(shown[0].stored, shown[-1].stored)
        answer.headers.append(answers.build_modified_header(newest))
    return answer


def _read_filter(parameters: Parameters) -> StatementFilter:
    agent = parameters.agent("agent", or_group=True) if "agent" in parameters else None
    verb, activity = parameters.find_iri("verb"), parameters.find_iri("activity")
    return StatementFilter(
        agent=agent_key(agent) if agent else None,
        verb=verb_key(verb) if verb else None,
        activity=activity_key(activity) if activity else None,
        registration=parameters.find_uuid("registration"),
        related_agents=parameters.boolean("related_agents"),
        related_activities=parameters.boolean("related_activities"),
        since=parameters.find_time("since"),
        until=parameters.find_time("until"),
        # 0 asks for as many as possible.
        limit=min(parameters.number("limit", DEFAULT_PAGE) or MAX_PAGE, MAX_PAGE),
        ascending=parameters.boolean("ascending"),
        after=_read_cursor(parameters),
    )


def _read_cursor(parameters: Parameters) -> int | None:
    if "cursor" not in parameters:
        return None
    text = parameters.text("cursor", 18)
    if not text.isascii() or not text.isdecimal():
        raise refuse("invalid_xapi_parameter", "The cursor is not one of this server.")
    return int(text)


async def _list_sizes(tx: Tx, rows: list[StoredStatement], shape: _Shape) -> dict[str, int]:
    sums = {sha2 for row in rows for sha2 in row.attachments or ()}
    return await queries.list_attachment_sizes(tx, sums) if shape.with_attachments and sums else {}


async def _wrap(tx: Tx, text: bytes, rows: list[StoredStatement], shape: _Shape) -> WrittenAnswer[Any]:
    """Returns the JSON, with attachments as one of several parts."""
    if not shape.with_attachments:
        return WrittenAnswer(200, text, [answers.JSON_TYPE])
    sums = {sha2 for row in rows for sha2 in row.attachments or ()}
    attachments = await queries.list_attachments(tx, sums) if sums else []
    parts = [Part({"Content-Type": "application/json"}, text), *map(_build_part, attachments)]
    boundary = uuid4().hex
    content_type = f"{multipart.MULTIPART}; boundary={boundary}".encode()
    return WrittenAnswer(200, multipart.join_parts(parts, boundary), [(b"content-type", content_type)])


def _build_part(attachment: Attachment) -> Part:
    headers = {
        "Content-Type": attachment.content_type,
        "Content-Transfer-Encoding": "binary",
        "X-Experience-API-Hash": attachment.sha2,
    }
    return Part(headers, attachment.content)


@routes.get("/activities", access=READS)
async def get_activity(tx: Tx, request: Request, caller: Caller, query: AnyQuery) -> WrittenAnswer[Any]:
    """Return an activity with all texts of its definition."""
    find_confinement(caller)
    return await _read_activity(tx, await read_call(request))


@routes.post("/activities", access=POSTS, max_body=MAX_BODY)
async def post_activity(
    tx: Tx, request: Request, caller: Caller, query: AnyQuery, data: XapiBody
) -> WrittenAnswer[Any]:
    """Read an activity in the alternate syntax."""
    call = await read_call(request)
    check_scope(caller, call.method)
    if call.method != "GET":
        raise refuse("invalid_xapi_parameter", "Activities can only be read.")
    find_confinement(caller)
    return await _read_activity(tx, call)


async def _read_activity(tx: Tx, call: Call) -> WrittenAnswer[Any]:
    check_version(call)
    iri = call.read_parameters("activityId").iri("activityId")
    rows = await queries.list_activities(tx, [activity_key(iri)])
    activity: dict[str, Any] = {"objectType": "Activity", "id": iri}
    if rows and (definition := msgspec.json.decode(rows[0].definition)):
        activity["definition"] = definition
    return answers.json(activity)


@routes.get("/agents", access=READS)
async def get_person(tx: Tx, request: Request, caller: Caller, query: AnyQuery) -> WrittenAnswer[Any]:
    """Return what is known of an agent, as a Person."""
    return await _read_person(tx, await read_call(request), find_confinement(caller))


@routes.post("/agents", access=POSTS, max_body=MAX_BODY)
async def post_person(
    tx: Tx, request: Request, caller: Caller, query: AnyQuery, data: XapiBody
) -> WrittenAnswer[Any]:
    """Read a Person in the alternate syntax."""
    call = await read_call(request)
    check_scope(caller, call.method)
    if call.method != "GET":
        raise refuse("invalid_xapi_parameter", "Agents can only be read.")
    return await _read_person(tx, call, find_confinement(caller))


async def _read_person(tx: Tx, call: Call, confinement: Confinement | None) -> WrittenAnswer[Any]:
    check_version(call)
    agent = call.read_parameters("agent").agent("agent")
    key = agent_key(agent)
    assert key is not None
    if confinement is not None:
        confinement.check(key, confinement.registration)
    names = {agent["name"]: None} if agent.get("name") else {}
    newest = await queries.list_statements(tx, StatementFilter(agent=key, limit=10))
    for row in newest:
        names |= dict.fromkeys(_find_names(msgspec.json.decode(row.content), key))
    person: dict[str, Any] = {"objectType": "Person"}
    if names:
        person["name"] = list(names)
    return answers.json(person | {name: [agent[name]] for name in IDENTIFIERS if name in agent})


def _find_names(statement: dict[str, Any], key: UUID) -> list[str]:
    """Returns the names under which the statement has this agent, as its actor or object."""
    candidates = [statement["actor"], statement["object"]]
    candidates += [each for actor in candidates for each in actor.get("member", ())]
    return [
        each["name"]
        for each in candidates
        if each.get("objectType", "Agent") == "Agent" and each.get("name") and agent_key(each) == key
    ]
