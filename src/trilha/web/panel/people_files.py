"""Lists of people as CSV files: each row says who it is, with employee number, business unit and managers."""

import codecs
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import Struct

from trilha.core.clock import in_zone
from trilha.core.lists import List, find_rows, read_pages
from trilha.core.spreadsheets import csv_lines
from trilha.core.web.answers import Stream
from trilha.core.web.pagination import ListQuery
from trilha.kit import N_, formats
from trilha.people.users.workplaces import list_workplaces
from trilha.web.panel.lists import BulkButton
from trilha.web.panel.view import PanelView

T = TypeVar("T", bound=Struct)
MAX_SELECTED = 10_000
_TOGETHER = 100
_PERSON = (N_("Person"), N_("E-mail"), N_("Employee number"), N_("Business unit"), N_("Manager"))


class PeopleFile(Struct, Generic[T], frozen=True, kw_only=True):
    """A file of rows about people. `name` begins the file's name. `find_person` returns a row's user id, name
    and e-mail address. `columns` are the others: their heads as msgids, and what they say of a row.
    """

    name: str
    find_person: Callable[[T], tuple[UUID, str, str]]
    columns: Sequence[tuple[str, Callable[[PanelView, T], str]]]

    def stream(self, view: PanelView, listing: List[T], query: ListQuery, reach: Any) -> Stream[bytes]:
        """Streams all rows that match the filters."""
        return self._stream(view, read_pages(view.reading, listing, query, reach, size=_TOGETHER))

    def stream_selected(
        self, view: PanelView, listing: List[T], ids: Sequence[UUID], reach: Any
    ) -> Stream[bytes]:
        """Streams the rows with these ids that are within reach."""
        return self._stream(view, _find_selected(view, listing, ids[:MAX_SELECTED], reach))

    def _stream(self, view: PanelView, pages: AsyncIterator[Sequence[T]]) -> Stream[bytes]:
        today = view.page.now.astimezone(ZoneInfo(view.page.time_zone)).date().isoformat()
        name = f"{self.name}-{view.viewer.tenant_slug}-{today}.csv"
        return Stream(
            self._build_lines(view, pages),
            "text/csv; charset=utf-8",
            headers={"content-disposition": f'attachment; filename="{name}"'},
        )

    async def _build_lines(self, view: PanelView, pages: AsyncIterator[Sequence[T]]) -> AsyncIterator[bytes]:
        """Yields the lines of the file, after a byte-order mark with which Excel recognizes UTF-8."""
        separator = formats.csv_separator(view.page)
        heads = [*_PERSON, *(head for head, _ in self.columns)]
        yield codecs.BOM_UTF8 + csv_lines([[view.say(head) for head in heads]], separator).encode()
        async for rows in pages:
            if rows:
                yield csv_lines(await self._build_cells(view, rows), separator).encode()

    async def _build_cells(self, view: PanelView, rows: Sequence[T]) -> list[list[str]]:
        people = [self.find_person(row) for row in rows]
        async with view.reading() as tx:
            workplaces = await list_workplaces(tx, [user_id for user_id, _, _ in people])
        cells = []
        for row, (user_id, name, email) in zip(rows, people, strict=True):
            place = workplaces[user_id]
            own = [name, email, place.employee_number, place.unit, place.managers]
            cells.append([*own, *(describe(view, row) for _, describe in self.columns)])
        return cells


async def _find_selected(
    view: PanelView, listing: List[T], ids: Sequence[UUID], reach: Any
) -> AsyncIterator[Sequence[T]]:
    for start in range(0, len(ids), _TOGETHER):
        async with view.reading() as tx:
            rows = await find_rows(tx, listing, ids[start : start + _TOGETHER], reach)
        yield rows


def build_button(path: str) -> BulkButton:
    """Builds the button that downloads the selected rows from this address."""
    return BulkButton(
        path=path, label=N_("Export as CSV"), icon="download", primary=False, attributes={"data-download": ""}
    )


def format_day(view: PanelView, moment: str | None) -> str:
    """Returns the local day of a time, or an empty text."""
    if moment is None:
        return ""
    local = in_zone(datetime.fromisoformat(moment), ZoneInfo(view.page.time_zone))
    return formats.day_text(view.page, local.date())
