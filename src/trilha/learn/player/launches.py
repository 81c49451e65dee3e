"""What the script of the player's page asks for: that held work is taken, and that a launch is made."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer, json_answer
from trilha.core.web.request import Request
from trilha.core.web.routes import RawBody, Routes
from trilha.learn.player.words import say_unapplied
from trilha.learn.view import LearnView
from trilha.learning.held_work import actions as held_work
from trilha.learning.launches import queries as launch_queries
from trilha.learning.launches.actions import launch
from trilha.learning.launches.schema import LaunchClient
from trilha.learning.reports.schema import ReportKind
from trilha.player import around
from trilha.player.origin import ContentOrigin
from trilha.sessions.identity import HELD, LAUNCH
from trilha.sessions.permissions import Permission, may

routes = Routes("Launches", "What the player's page asks for.")


class HeldWork(Struct, frozen=True):
    """`origin` is where the browser held it, as the browser itself says."""

    launch: UUID
    kind: ReportKind
    origin: Annotated[str, Meta(max_length=300)]


class HeldWorkTaken(Struct, frozen=True):
    """`problem` tells the learner what was not applied, and why; empty where nothing is to be told."""

    outcome: str
    problem: str


@routes.post(
    "/held",
    access=may(Permission.LEARN),
    rate_limit=HELD,
    max_body=held_work.MAX_BYTES,
    errors=["launch_not_found"],
)
async def take_held_work(
    tx: Tx, view: LearnView, request: Request, origin: ContentOrigin, query: HeldWork, data: RawBody
) -> Answer:
    """Takes a report that the browser had kept, under the launch that made it.

    Only from the origin of that launch's own content: no package sends work for another one's.
    """
    context = await held_work.get_context(tx, view.viewer.user_id, query.launch)
    if query.origin != around.origin_of(origin, request, tx.tenant_id, context.sha256):
        raise NotFound("launch_not_found")
    taken = await held_work.apply_held_report(tx, query.launch, query.kind, data.content)
    module = await launch_queries.get_module_title(tx, query.launch)
    return json_answer(200, HeldWorkTaken(taken.outcome, say_unapplied(view, module, taken)))


class LaunchMade(Struct, frozen=True):
    """`address` is for the frame, `origin` its origin. `review`: nothing that is done there counts."""

    address: str
    origin: str
    attempt: UUID
    review: bool


@routes.post(
    "/enrollments/{enrollment_id}/modules/{module_id}/launches",
    access=may(Permission.LEARN),
    rate_limit=LAUNCH,
    max_body=4096,
    errors=[
        "enrollment_not_found",
        "module_not_found",
        "enrollment_expired",
        "module_without_content",
        "module_locked",
    ],
)
async def make_launch(
    tx: Tx, view: LearnView, request: Request, origin: ContentOrigin, enrollment_id: UUID, module_id: UUID
) -> Answer:
    """Opens the module. It ends with the session, or when it is opened again."""
    viewer = view.viewer
    client = LaunchClient(request.source, request.header(b"user-agent") or "", viewer.session_id)
    launched = await launch(tx, viewer.user_id, enrollment_id, module_id, client)
    context = await launch_queries.find_context(tx, launched.launch_id)
    assert context is not None
    content = around.origin_of(origin, request, tx.tenant_id, context.sha256)
    address = around.address(content, launched.token, view.page)
    return json_answer(200, LaunchMade(address, content, context.attempt_id, launched.review))
