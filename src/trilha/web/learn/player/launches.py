"""The calls of the player's script: it hands in held work, then creates a launch."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.access.sessions.identity import HELD_WORK, LAUNCH
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer, json_answer
from trilha.core.web.request import Request
from trilha.core.web.routes import RawBody, Routes
from trilha.training.learning.held_work import actions as held_work
from trilha.training.learning.launches import queries as launch_queries
from trilha.training.learning.launches.actions import launch
from trilha.training.learning.launches.schema import LaunchClient
from trilha.training.learning.player_reports.schema import ReportKind
from trilha.web.learn.player.held_work_messages import describe_unapplied
from trilha.web.learn.view import LearnView
from trilha.web.player import outer_page
from trilha.web.player.origin import ContentOrigin

routes = Routes("Launches", "The calls of the player's script.")


class HeldWork(Struct, frozen=True):
    """A held report. `origin` is the origin whose storage held it, as the browser states."""

    launch: UUID
    kind: ReportKind
    origin: Annotated[str, Meta(max_length=300)]


class HeldWorkTaken(Struct, frozen=True):
    """`problem` tells the learner what was not applied, and why; empty if all of it was."""

    outcome: str
    problem: str


@routes.post(
    "/held",
    access=may(Permission.LEARN),
    rate_limit=HELD_WORK,
    max_body=held_work.MAX_BYTES,
    errors=["launch_not_found"],
)
async def take_held_work(
    tx: Tx, view: LearnView, request: Request, origin: ContentOrigin, query: HeldWork, data: RawBody
) -> Answer:
    """Apply a report that the browser had stored, under the launch that made it.

    It must come from the origin of that launch's content, so that no package sends work for another one.
    """
    context = await held_work.get_context(tx, view.viewer.user_id, query.launch)
    if query.origin != outer_page.get_content_origin(origin, request, tx.tenant_id, context.sha256):
        raise NotFound("launch_not_found")
    result = await held_work.apply_held_report(tx, query.launch, query.kind, data.content)
    module = await launch_queries.get_module_title(tx, query.launch)
    return json_answer(200, HeldWorkTaken(result.outcome, describe_unapplied(view, module, result)))


class LaunchMade(Struct, frozen=True):
    """A new launch. `address` is the frame's, `origin` its origin; in a `review` nothing counts."""

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
    """Create a launch of the module. It ends with the session, or when the module is opened again."""
    viewer = view.viewer
    client = LaunchClient(request.source, request.header(b"user-agent") or "", viewer.session_id)
    opened = await launch(tx, viewer.user_id, enrollment_id, module_id, client)
    context = await launch_queries.find_context(tx, opened.launch_id)
    assert context is not None
    content = outer_page.get_content_origin(origin, request, tx.tenant_id, context.sha256)
    address = outer_page.build_address(content, opened.token, view.page)
    return json_answer(200, LaunchMade(address, content, context.attempt_id, opened.review))
