"""A new list needs one value and one row template. It can then be searched, filtered, sorted, counted and
paged.
"""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest
from msgspec import Struct

from conftest import Clock, World
from trilha.access.permissions.roles import Permission, may
from trilha.app import create_app
from trilha.core.database import Tx
from trilha.core.lists import Condition, List, Walk
from trilha.core.types import Timestamp
from trilha.core.web.answers import Html
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Routes
from trilha.kit import rendering
from trilha.settings import Settings
from trilha.web.panel import feature, lists
from trilha.web.panel.lists import Choice, Column, Table
from trilha.web.panel.view import PanelView
from web.panel.signing_in import browser_of, made
from web.panel.training_pages import rows


# A new list begins here.
class Sitting(Struct):
    id: UUID
    person: str
    started_at: Timestamp


class SittingQuery(ListQuery, frozen=True, kw_only=True):
    role: str | None = None
    sort: str = "-started"


PERSON = "(SELECT {} FROM users WHERE tenant_id = :tenant AND id = row.user_id)"
SITTINGS = Table(
    listing=List(
        name="sittings",
        table="sessions",
        kind=Sitting,
        columns={"person": PERSON.format("name"), "started_at": "row.created_at"},
        orders={"started": Walk(keys=("created_at",))},
        filters={"role": Condition(where=f"{PERSON.format('role')} = :role")},
    ),
    path="/admin/sittings",
    title="Sittings",
    row="sittings/_row.html",
    columns=["Person", Column("Since", sort="-started")],
    choices=[
        Choice(name="role", label="Any role", options={"admin": "Administrators", "learner": "Learners"})
    ],
)
ROW = '{{ ui.row_head(row.person) }}{{ ui.cell("Since", ago(row.started_at)) }}'


# The new list ends here.

routes = Routes("Sittings", "Who is signed in.")


@routes.get("/sittings", access=may(Permission.PEOPLE_WRITE))
async def list_sittings(tx: Tx, view: PanelView, query: SittingQuery) -> Html:
    """Lists the people who are signed in."""
    return await lists.show(tx, view, SITTINGS, query)


@pytest.fixture
def _in_the_panel(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: Settings, clock: Clock
) -> Iterator[None]:
    (tmp_path / "_row.html").write_text(ROW)
    monkeypatch.setitem(rendering.EXTRA, "sittings", tmp_path)
    monkeypatch.setattr(feature, "PAGES", (*feature.PAGES, routes))
    rendering.environment.cache_clear()
    app, world.app = world.app, create_app(settings, world.database, clock)
    yield
    world.app = app
    rendering.environment.cache_clear()


@pytest.mark.usefixtures("_in_the_panel")
async def test_a_new_list_is_a_value_and_a_row(world: World) -> None:
    admin = await browser_of(world, await made(world, "admin", name="Ana Sá"))
    for name in ("Bia Reis", "Caio Melo"):
        world.clock.move(minutes=1)
        await browser_of(world, await made(world, "learner", name=name))
    page = (await admin.get("/admin/sittings")).text
    assert rows(page) == ["Caio Melo", "Bia Reis", "Ana Sá"]
    assert "3 results" in page
    assert rows((await admin.get("/admin/sittings?sort=started")).text) == ["Ana Sá", "Bia Reis", "Caio Melo"]
    page = (await admin.get("/admin/sittings?role=learner&limit=1")).text
    assert rows(page) == ["Caio Melo"]
    assert "Learners" in page
    assert "2 results" in page
    following = re.search(r'hx-get="(/admin/sittings[^"]+cursor[^"]+)"', page)
    assert following
    more = await admin.get(html.unescape(following[1]), headers={"hx-request": "true"})
    assert rows(more.text) == ["Bia Reis"]
    assert "<html" not in more.text


def test_it_takes_less_than_thirty_lines() -> None:
    text = Path(__file__).read_text()
    written = text[text.index("# From here on") : text.index("# Up to here.")].splitlines()[1:]
    assert len([line for line in written if line]) < 30
