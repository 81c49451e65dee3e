"""Lists of the panel with bulk actions: what they show, and what is stored before and after an action."""

import html
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

import httpx2
from msgspec import Struct

from conftest import World
from lists.companies import Company
from web.panel.signing_in import send, signed_in

Filters = Mapping[str, str]
Rows = dict[tuple[str, str], Any]
# What an action changes that nobody can give back, or that says when something was changed.
_NEVER_RESTORED = ("updated_at", "session_epoch", "granted_by")
# The columns that tell rows without an id apart.
_KEYS = ("group_id", "requirement_id", "path_id", "enrollment_id", "user_id")


class Case(Struct, frozen=True, kw_only=True):
    """An action of a list, with the conditions on `row` that a naive query would have.

    `table` has the rows of the list. `eligible` selects the rows that the action changes, of those that match
    the filters. `tables` are those that it touches. `targets` are the columns of the touched tables that name
    the target.
    """

    action: str
    path: str
    table: str
    id: str = "id"
    always: str = "true"
    eligible: str = "true"
    options: Mapping[str, str] = {}
    filters: Mapping[str, tuple[str, str]] = {}  # by member: a value and its condition
    tables: Sequence[str]
    target: str = "id"
    prepare: Callable[["Office"], Any] | None = None


class Office:
    """A random company, and the browser of its administrator."""

    def __init__(self, world: World, company: Company, admin: httpx2.AsyncClient) -> None:
        self.world, self.company, self.admin = world, company, admin
        self.names: dict[str, str] = {
            "group": str(company.group),
            "path": str(company.path),
            "course": str(company.courses[1]),
            "unit": str(company.units[0]),
        }

    @classmethod
    async def open(cls, world: World, seed: int) -> "Office":
        company = Company(world, seed)
        await company.begin(24)
        return cls(world, company, await signed_in(world))

    async def shown(self, path: str, filters: Filters) -> tuple[list[str], dict[str, str]]:
        """Returns the ids of the rows on all pages, and the hidden fields of the bar's form."""
        page = (await self.admin.get(path, params={"limit": "7", **filters})).text
        form = page[page.index('id="selection"') :] if 'id="selection"' in page else ""
        fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form.partition("</form>")[0]))
        ids = _ids(page)
        while found := re.search(r'hx-get="([^"]*cursor=[^"]*)"', page):
            page = (await self.admin.get(html.unescape(found[1]), headers={"hx-request": "true"})).text
            ids += _ids(page)
        return ids, {name: html.unescape(value) for name, value in fields.items() if name != "csrf_token"}

    async def ask(self, path: str, **fields: Any) -> tuple[str, dict[str, Any]]:
        """Asks about an action. Returns the page, and the fields of its form."""
        page = (await send(self.admin, path, **fields)).text
        return page, read_fields(page)

    async def rows(self, sql: str, **params: Any) -> set[str]:
        async with self.world.tx() as tx:
            return {str(row[0]) for row in await tx.rows(sql, **params)}

    async def snapshot(self, tables: Sequence[str]) -> Rows:
        rows: Rows = {}
        async with self.world.tx() as tx:
            for table in tables:
                for row in await tx.rows(
                    f"SELECT to_jsonb(row) AS row FROM {table} AS row WHERE tenant_id = :tenant"
                ):
                    stored = row["row"] if isinstance(row["row"], dict) else json.loads(row["row"])
                    key = stored.get("id") or json.dumps([stored.get(name) for name in _KEYS])
                    kept = {name: value for name, value in stored.items() if name not in _NEVER_RESTORED}
                    rows[table, str(key)] = kept
        return rows


def _ids(page: str) -> list[str]:
    return re.findall(r'type="checkbox" name="id" value="([^"]+)"', page)


def read_fields(page: str) -> dict[str, Any]:
    """Returns the hidden fields of the form that asks; several ids as a list."""
    form = page[page.index('id="form"') :].partition("</form>")[0] if 'id="form"' in page else ""
    fields: dict[str, Any] = {}
    for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form):
        if name == "id":
            fields.setdefault("id", []).append(html.unescape(value))
        elif name != "csrf_token":
            fields[name] = html.unescape(value)
    return fields


def find_changed(before: Rows, after: Rows, target: str) -> set[str]:
    """Returns the targets of the rows that are new, gone or different."""
    keys = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    return {str((after.get(key) or before[key])[target]) for key in keys}


def run_of(answer: httpx2.Response) -> UUID | None:
    """Returns the action that the notice of an answer offers to undo."""
    import base64

    raw = re.search(r"trilha_flash=([^;]+)", answer.headers.get("set-cookie", ""))
    parts = json.loads(base64.urlsafe_b64decode(raw[1])) if raw else ["", "", "", ""]
    found = re.search(r"/bulk-actions/([0-9a-f-]+)/undo", parts[2])
    return UUID(found[1]) if found else None
