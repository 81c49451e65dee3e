"""POST /v1/enrollments/{id}/launch"""

from uuid import UUID

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.web.routes import Envelope, Routes
from trilha.training.launch_links.actions import LinkMaker
from trilha.training.launch_links.schema import LaunchLink, NewLaunchLink

routes = Routes("Launch links", "Links with which a portal of your own opens a module for a learner.")


@routes.post(
    "/enrollments/{enrollment_id}/launch",
    scope=Scope.ENROLLMENTS_WRITE,
    status=201,
    errors=[
        "enrollment_not_found",
        "module_not_found",
        "privileged_user",
        "user_not_active",
        "enrollment_expired",
        "module_locked",
        "module_without_content",
        "invalid_url",
        "https_required",
    ],
)
async def create_launch_link(
    tx: Tx, enrollment_id: UUID, data: NewLaunchLink, links: LinkMaker
) -> Envelope[LaunchLink]:
    """Create a link that signs the learner in and opens a module. It works once, within 5 minutes. Only for
    users with the role `learner`.
    """
    return Envelope(await links.create(tx, enrollment_id, data))
