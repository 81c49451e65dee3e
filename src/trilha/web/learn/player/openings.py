"""What the scripts of a module's pages need to send the work that a browser holds."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.training.learning.launches import queries as launch_queries
from trilha.web.learn.view import LearnView
from trilha.web.player import outer_page
from trilha.web.player.origin import ContentOrigin

# A module's package may be replaced; a browser that was offline may hold work at the earlier one's origin.
_MAX_HOSTS = 5


class Opening(Struct, frozen=True):
    """What the page's script needs.

    `origins` may hold work of the person `user_id`, and the frame may show `frames`. `launches` is where a
    launch is created, or empty if the module does not open.
    """

    user_id: UUID
    origins: Sequence[str]
    frames: Sequence[str] = ()
    launches: str = ""


async def list_origins(
    tx: Tx, view: LearnView, origin: ContentOrigin, module_ids: Sequence[UUID]
) -> Sequence[str]:
    """Returns the content origins at which this person's browser may hold work of these modules."""
    packages = await launch_queries.list_opened_packages(tx, view.viewer.user_id, module_ids, _MAX_HOSTS)
    return [outer_page.get_content_origin(origin, view.request, tx.tenant_id, each) for each in packages]
