"""Launch links, and what a browser may do with them."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import STORABLE, Timestamp

_RETURN = Meta(
    min_length=1,
    max_length=2000,
    description="An HTTPS address of your portal. The player and the end of the module have a link to it.",
    examples=["https://portal.example.com/trainings"],
    extra_json_schema=STORABLE,
)


class NewLaunchLink(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Without `module_id`, the link opens the module to continue with."""

    module_id: UUID | None = None
    return_url: Annotated[str, _RETURN] | None = None


class LaunchLink(Struct, frozen=True):
    """A link that signs the learner in and opens the module, once, until `expires_at`. It is not shown
    again.
    """

    url: Annotated[str, Meta(examples=["https://trilha.example.com/login/launch#token=pV3…"])]
    expires_at: Timestamp


class StoredLink(Struct, frozen=True):
    """A row of launch_links. `epoch` is the person's session_epoch when the link was created."""

    user_id: UUID
    epoch: int
    enrollment_id: UUID
    module_id: UUID
    name: str


class ReturnAddress(Struct, frozen=True):
    """Where a session that a link has brought goes back to. `host` is shown to the learner."""

    url: str
    host: str
