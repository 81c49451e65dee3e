"""The call of the player's script that hands in what the browser has held, before it creates a launch."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.access.sessions.identity import HELD_WORK
from trilha.core.database import Tx
from trilha.core.errors import Forbidden, NotFound
from trilha.core.web.answers import Answer, json_answer
from trilha.core.web.request import Request
from trilha.core.web.routes import RawBody, Routes
from trilha.training.learning.held_work import actions as held_work
from trilha.training.learning.launches import queries as launch_queries
from trilha.training.learning.player_reports.schema import ReportKind
from trilha.web.learn.player.held_work_messages import describe_unapplied
from trilha.web.learn.view import LearnView
from trilha.web.player import outer_page
from trilha.web.player.origin import ContentOrigin

routes = Routes("Held work", "The player's script hands in what the browser has held.")


class HeldWork(Struct, frozen=True, kw_only=True):
    """A held report. `origin` is the origin whose storage held it, as the browser states. `user` is the
    person for whom the sending page was made; somebody else may have signed in since.
    """

    launch: UUID
    user: UUID | None = None
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

    It must come from the origin of that launch's content, so that no package sends work for another one. If
    somebody else is signed in, it is refused with 403, so that the browser keeps it for its person.
    """
    if query.user not in (None, view.viewer.user_id):
        raise Forbidden("not_permitted")
    context = await held_work.get_context(tx, view.viewer.user_id, query.launch)
    if query.origin != outer_page.get_content_origin(origin, request, tx.tenant_id, context.sha256):
        raise NotFound("launch_not_found")
    result = await held_work.apply_held_report(tx, query.launch, query.kind, data.content)
    module = await launch_queries.get_module_title(tx, query.launch)
    return json_answer(200, HeldWorkTaken(result.outcome, describe_unapplied(view, module, result)))
