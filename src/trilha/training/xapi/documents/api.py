"""The resources for states and profiles."""

import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import BadRequest, Forbidden, NotFound
from trilha.core.web.answers import WrittenAnswer
from trilha.core.web.callers import Caller
from trilha.core.web.request import Request
from trilha.core.web.routes import AnyQuery, RawBody, Routes
from trilha.training.xapi import answers, people
from trilha.training.xapi.access import (
    POSTS,
    READS,
    WRITES,
    Confinement,
    LaunchHost,
    check_scope,
    find_confinement,
)
from trilha.training.xapi.calls import MAX_BODY, Call, check_version, read_call
from trilha.training.xapi.documents import actions, queries
from trilha.training.xapi.documents.actions import MAX_DOCUMENT_BYTES, Demand, Preconditions
from trilha.training.xapi.documents.queries import Place
from trilha.training.xapi.errors import refuse
from trilha.training.xapi.identifiers import NIL, activity_key, agent_key
from trilha.training.xapi.parameters import Parameters

routes = Routes("Documents", "States and profiles of the Experience API.")

MAX_NAMES = 10_000
_CONTENT_TYPE = re.compile("[ -~]{1,200}")
_LONGEST_NAME = 1024  # bytes
_LAUNCH_DATA = "LMS.LaunchData"


class DocumentBody(RawBody, frozen=True):
    """The content of a document."""


class Resource(Struct, frozen=True):
    """One kind of documents. `name` is the parameter that names one, `keys` those that say whose it is."""

    kind: str
    name: str
    keys: tuple[str, ...]
    has_registration: bool = False
    deletes_all: bool = False

    def find_place(self, parameters: Parameters) -> Place:
        activity = agent = NIL
        if "activityId" in self.keys:
            activity = activity_key(parameters.iri("activityId"))
        if "agent" in self.keys:
            agent = _require(agent_key(self.find_agent(parameters)))
        registration = parameters.find_uuid("registration") if self.has_registration else None
        return Place(self.kind, activity, agent, registration)

    def find_agent(self, parameters: Parameters) -> dict[str, Any]:
        return parameters.agent("agent", or_group=True)

    @property
    def parameters(self) -> tuple[str, ...]:
        return (*self.keys, self.name, *(["registration"] if self.has_registration else []))


STATES = Resource("STATE", "stateId", ("activityId", "agent"), has_registration=True, deletes_all=True)
AGENT_PROFILES = Resource("AGENT_PROFILE", "profileId", ("agent",))
ACTIVITY_PROFILES = Resource("ACTIVITY_PROFILE", "profileId", ("activityId",))


def _require(key: UUID | None) -> UUID:
    assert key is not None
    return key


def _declare(path: str, resource: Resource, noun: str) -> None:
    """Declares the routes of one kind."""

    # Reading the learner's preferences is noted.
    @routes.get(path, access=READS, writes=resource.kind == AGENT_PROFILES.kind)
    async def get(
        tx: Tx, request: Request, caller: Caller, query: AnyQuery, host: LaunchHost
    ) -> WrittenAnswer[Any]:
        return await _answer(tx, resource, caller, await read_call(request), b"", host)

    @routes.put(path, access=WRITES, max_body=MAX_BODY)
    async def put(
        tx: Tx, request: Request, caller: Caller, query: AnyQuery, data: DocumentBody, host: LaunchHost
    ) -> WrittenAnswer[Any]:
        return await _answer(tx, resource, caller, await read_call(request), data.content, host)

    @routes.post(path, access=POSTS, max_body=MAX_BODY)
    async def post(
        tx: Tx, request: Request, caller: Caller, query: AnyQuery, data: DocumentBody, host: LaunchHost
    ) -> WrittenAnswer[Any]:
        call = await read_call(request)
        check_scope(caller, call.method)
        content = data.content if call.content is None else call.content
        return await _answer(tx, resource, caller, call, content, host)

    @routes.delete(path, access=WRITES)
    async def delete(
        tx: Tx, request: Request, caller: Caller, query: AnyQuery, host: LaunchHost
    ) -> WrittenAnswer[Any]:
        return await _answer(tx, resource, caller, await read_call(request), b"", host)

    _describe(get, "get", f"Return one {noun}, or the ids of all.")
    _describe(put, "put", f"Store a {noun}.")
    _describe(post, "post", f"Merge members into a {noun}.")
    _describe(delete, "delete", f"Delete a {noun}.")


def _describe(handler: Callable[..., Any], verb: str, text: str) -> None:
    noun = text.partition(" a ")[2] or text.partition("one ")[2]
    handler.__name__ = f"{verb}_{noun.partition(',')[0].rstrip('.').replace(' ', '_')}"
    handler.__doc__ = text


_declare("/activities/state", STATES, "state")
_declare("/activities/profile", ACTIVITY_PROFILES, "activity profile")
_declare("/agents/profile", AGENT_PROFILES, "agent profile")


async def _answer(
    tx: Tx,
    resource: Resource,
    caller: Caller,
    call: Call,
    content: bytes,
    host: LaunchHost,
) -> WrittenAnswer[Any]:
    check_version(call)
    is_read = call.method in ("GET", "HEAD")
    parameters = call.read_parameters(*resource.parameters, *(["since"] if is_read else []))
    place = resource.find_place(parameters)
    if (confinement := find_confinement(caller)) is not None:
        await _confine(tx, host, confinement, resource, place, parameters, is_read=is_read)
    if is_read:
        return await _read(tx, resource, place, parameters, call)
    preconditions = Preconditions(call.list_tags("if-match"), call.list_tags("if-none-match"))
    if call.method == "DELETE":
        return await _delete(tx, resource, place, parameters, preconditions)
    name = parameters.text(resource.name)
    if len(name.encode()) > _LONGEST_NAME:
        raise refuse("invalid_xapi_parameter", f"The {resource.name} may have {_LONGEST_NAME} bytes.")
    if len(content) > MAX_DOCUMENT_BYTES:
        raise BadRequest("payload_too_large")
    document = actions.build_document(tx, _read_type(call), content)
    if "agent" in resource.keys:
        await people.keep_agent(tx, place.agent, resource.find_agent(parameters))
    if call.method == "POST":
        await actions.post(tx, place, name, document, preconditions)
    else:
        if actions.is_json(document.content_type):
            actions.check_json(content)
        await actions.put(tx, place, name, document, preconditions, _find_demand(resource, call))
    return answers.no_content()


async def _confine(
    tx: Tx,
    host: LaunchHost,
    confinement: Confinement,
    resource: Resource,
    place: Place,
    parameters: Parameters,
    *,
    is_read: bool,
) -> None:
    """Raises Forbidden unless a launch may use these documents: it writes the states of its registration,
    except what the platform has stored for it, and reads the learner's profiles and those of activities.
    Notes that the learner's preferences were read.
    """
    if resource.kind == STATES.kind:
        confinement.check(place.agent, place.registration)
        # Without a name, all would be deleted.
        if not is_read and (
            resource.name not in parameters or parameters.text(resource.name) == _LAUNCH_DATA
        ):
            raise Forbidden("outside_of_launch")
    elif resource.kind == AGENT_PROFILES.kind and is_read:
        confinement.check(place.agent, confinement.registration)
        await host.note_preferences(tx, confinement.session)
    elif not is_read:
        raise Forbidden("outside_of_launch")
    # It may have ended since the request began.
    if not is_read and not await host.may_write(tx, confinement.session):
        raise Forbidden("outside_of_launch")


def _find_demand(resource: Resource, call: Call) -> Demand:
    """Version 1.0.3 demands a precondition of every profile and of no state, version 2.0.0 only of what is
    replaced.
    """
    if call.is_second:
        return Demand.REPLACING
    return Demand.NEVER if resource.kind == STATES.kind else Demand.ALWAYS


def _read_type(call: Call) -> str:
    """Returns the Content-Type. In the alternate syntax it is a field of a form, which may have anything."""
    content_type = call.content_type.strip() or "application/octet-stream"
    if not _CONTENT_TYPE.fullmatch(content_type):
        raise refuse("invalid_xapi_content", "The Content-Type is too long, or has unusual characters.")
    return content_type


async def _read(
    tx: Tx, resource: Resource, place: Place, parameters: Parameters, call: Call
) -> WrittenAnswer[Any]:
    if resource.name not in parameters:
        names = await queries.list_names(tx, place, parameters.find_time("since"), MAX_NAMES)
        newest = [answers.build_modified_header(max(each.updated for each in names))] if names else []
        return answers.json([each.name for each in names], newest)
    if "since" in parameters:
        raise refuse("invalid_xapi_parameter", f"since cannot be used with {resource.name}.")
    document = await queries.find(tx, place, parameters.text(resource.name))
    if document is None:
        raise NotFound("document_not_found")
    headers = [
        (b"content-type", document.content_type.encode()),
        (b"etag", f'"{document.etag}"'.encode()),
        answers.build_modified_header(document.updated),
        # Content of clients must not run in the server's origin.
        (b"content-security-policy", b"default-src 'none'; sandbox"),
    ]
    tags = call.list_tags("if-none-match")
    if "*" in tags or document.etag in tags:
        return WrittenAnswer(304, None, headers[1:])
    return WrittenAnswer(200, document.content, headers)


async def _delete(
    tx: Tx, resource: Resource, place: Place, parameters: Parameters, preconditions: Preconditions
) -> WrittenAnswer[Any]:
    if resource.name in parameters or not resource.deletes_all:
        await actions.delete(tx, place, parameters.text(resource.name), preconditions)
    else:
        await queries.delete_all(tx, place)
    return answers.no_content()
