"""Logs as they are archived: the columns of their rows, which a feature deletes and the archive keeps."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

# `json` and `hex` become text; `moment` is a time in UTC.
ColumnType = Literal["text", "integer", "moment", "json", "hex"]


class ArchivedLog(Struct, frozen=True, kw_only=True):
    """A log. `key` are the columns that identify a row, and `at` is the time that decides on its month."""

    name: str
    at: str
    columns: Mapping[str, ColumnType]
    key: tuple[str, ...] = ("id",)

    @property
    def names(self) -> str:
        """The columns for RETURNING."""
        return ", ".join(self.columns)


AUDIT_LOG = ArchivedLog(
    name="audit_log",
    at="created_at",
    columns={
        "id": "text",
        "created_at": "moment",
        "action": "text",
        "target_id": "text",
        "target_name": "text",
        "actor_kind": "text",
        "actor": "text",
        "source": "text",
        "detail": "json",
    },
)
