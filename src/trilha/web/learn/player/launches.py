"""The call of the player's script that creates a launch."""

from uuid import UUID

from msgspec import Struct

from trilha.access.permissions.roles import Permission, may
from trilha.access.sessions.identity import LAUNCH
from trilha.core.database import Tx
from trilha.core.errors import BusinessRule
from trilha.core.web.answers import Answer, json_answer
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.training.enrollments.learner import find_languages
from trilha.training.identity import actions as identity
from trilha.training.learning.launches import queries as launch_queries
from trilha.training.learning.launches.actions import launch
from trilha.training.learning.launches.schema import LaunchClient
from trilha.training.learning.quizzes.offline import find_obstacle
from trilha.web.learn.view import LearnView
from trilha.web.player import outer_page
from trilha.web.player.offline.saving import TYPES
from trilha.web.player.offline.switch import OfflineUse
from trilha.web.player.origin import ContentOrigin

routes = Routes("Launches", "The player's script creates a launch.")


class LaunchMade(Struct, frozen=True):
    """A new launch. `address` is the frame's, `origin` its origin; in a `review` nothing counts.

    `offline`: the module also opens without a connection, once its page is saved.
    """

    address: str
    origin: str
    attempt: UUID
    review: bool
    offline: bool


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
        "identity_photo_required",
    ],
)
async def make_launch(
    tx: Tx,
    view: LearnView,
    request: Request,
    origin: ContentOrigin,
    offline: OfflineUse,
    enrollment_id: UUID,
    module_id: UUID,
) -> Answer:
    """Create a launch of the module. It ends with the session, or when the module is opened again."""
    viewer = view.viewer
    client = LaunchClient(request.source, request.header(b"user-agent") or "", viewer.session_id)
    if await identity.is_photo_due(tx, viewer.user_id, enrollment_id):
        raise BusinessRule("identity_photo_required")
    opened = await launch(tx, viewer.user_id, enrollment_id, module_id, client)
    context = await launch_queries.find_context(tx, opened.launch_id)
    assert context is not None
    content = outer_page.get_content_origin(origin, request, tx.tenant_id, context.sha256)
    languages = await find_languages(tx, enrollment_id, view.locale)
    assert languages is not None
    address = outer_page.build_address(
        content, opened.token, view.page, languages.own, languages.translation or ""
    )
    saved = (
        offline.enabled
        and opened.module_type in TYPES
        and not (opened.module_type == "QUIZ" and await find_obstacle(tx, module_id))
    )
    return json_answer(200, LaunchMade(address, content, context.attempt_id, opened.review, saved))
