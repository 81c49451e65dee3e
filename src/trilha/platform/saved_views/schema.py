"""Types of saved views."""

from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import STORABLE, Timestamp

# How many a person may have of one list.
MAX_VIEWS = 30
SharedWith = Literal["admin", "gestor", "instrutor"]
ViewName = Annotated[str, Meta(min_length=1, max_length=60, extra_json_schema=STORABLE)]
# The path of a list of the panel.
ListPath = Annotated[str, Meta(max_length=200, pattern=r"^/admin(/[a-z0-9-]+){0,6}$")]


class SavedView(Struct, frozen=True):
    """The filters of the list at the path `list`, as in an address. `shared_with` is a role."""

    id: UUID
    user_id: UUID
    list: str
    name: str
    query: str
    shared_with: SharedWith | None

    @property
    def address(self) -> str:
        return f"{self.list}?{self.query}" if self.query else self.list


class ExportedView(Struct, frozen=True):
    list: str
    name: str
    query: str
    shared_with: SharedWith | None
    created_at: Timestamp
