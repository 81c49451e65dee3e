"""/admin/audit"""

import csv
import io
import re
from pathlib import Path

from conftest import World
from trilha.core.credentials import CredentialKind
from trilha.platform.events.catalogue import CATALOGUE
from trilha.web.panel.audit import words
from web.panel.signing_in import send, signed_in, user_id

PATH = "/admin/audit"
SOURCE = Path(__file__).parents[3] / "src/trilha"


async def test_who_did_what_to_what_and_from_where(world: World) -> None:
    admin = await signed_in(world)
    world.clock.move(seconds=1)
    user = await world.user(name="Bia Reis")
    page = (await admin.get(PATH)).text
    assert re.search(r"Person added</a>.*Bia Reis.*Test.*API key.*127\.0\.0\.1", page, re.S)
    address = re.search(rf'href="({PATH}/[0-9a-f-]{{36}})">Person added', page)
    assert address
    details = (await admin.get(address[1])).text
    assert "user.created" in details
    assert f"{PATH}?target={user['id']}" in details


async def test_filters(world: World) -> None:
    admin = await signed_in(world)
    user, other = await world.user(name="Bia Reis"), await world.user(name="Caio Melo")
    await world.http.post(f"/v1/users/{other['id']}/suspend")

    async def found(**filters: str) -> str:
        return (await admin.get(PATH, params=filters)).text

    assert "Caio Melo" not in await found(q="bia")
    assert "Caio Melo" not in await found(target=user["id"])
    assert "About Bia Reis" in await found(target=user["id"])
    own = await found(actor=str(user_id(admin)))
    assert ("Signed in" in own, "Person added" in own) == (True, False)
    kinds = await found(action="session.")
    assert ("Signed in" in kinds, "Bia Reis" in kinds) == (True, False)
    today = world.clock.now.astimezone().date()
    assert "Bia Reis" in await found(since=str(today.replace(day=1)))
    past = await found(until="2020-01-01")
    assert "No results for these filters" in past
    assert "Until Jan 1, 2020" in past


async def test_more_and_the_part_for_htmx(world: World) -> None:
    admin = await signed_in(world)
    world.clock.move(seconds=1)
    for _ in range(51):
        await world.user()
    page = (await admin.get(PATH)).text
    following = re.search(r'href="(/admin/audit\?cursor=[^"]+)"', page)
    assert following
    rows = (await admin.get(following[1], headers={"hx-request": "true"})).text
    assert rows.lstrip().startswith("<tr")
    assert "API key created" in rows
    part = (await admin.get(PATH, headers={"hx-request": "true"})).text
    assert part.lstrip().startswith('<div id="list">')


async def test_a_file_of_what_is_found(world: World) -> None:
    admin = await signed_in(world)
    user = await world.user(name="=1+1")
    await world.user(name="Other")
    answer = await admin.get(f"{PATH}.csv", params={"target": user["id"]})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"].startswith('attachment; filename="trilha-audit-')
    (line,) = csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")))
    assert (line["action"], line["target_name"]) == ("user.created", "'=1+1")


async def test_nobody_else_reads_it(world: World, stranger: World) -> None:
    admin = await signed_in(world)
    await world.user(name="Bia Reis")
    page = (await admin.get(PATH)).text
    address = re.search(rf'href="({PATH}/[0-9a-f-]{{36}})">Person added', page)
    assert address
    other = await signed_in(stranger)
    assert (await other.get(address[1])).status_code == 404
    assert "Bia Reis" not in (await other.get(PATH)).text
    for role in ("gestor", "instrutor"):
        client = await signed_in(world, role)  # type: ignore[arg-type]
        for path in (PATH, f"{PATH}.csv", address[1]):
            assert (await client.get(path)).status_code == 403


def test_every_action_has_words() -> None:
    text = "".join(file.read_text() for file in SOURCE.rglob("*.py"))
    recorded = set(re.findall(r'audit\.record\(\s*tx,\s*"([a-z_.]+)"', text))
    for feature, kind in (("webhooks", "webhook"), ("enrollment_requests", "enrollment_request")):
        texts = [file.read_text() for file in SOURCE.rglob("*.py") if file.parent.name == feature]
        recorded |= {f"{kind}.{each}" for each in re.findall(r'_record\(tx, "([a-z_]+)"', "".join(texts))}
    recorded |= {event.type for event in CATALOGUE.values() if event.audited}
    assert recorded <= words.ACTIONS.keys()
    kinds = {each.partition(".")[0] + "." for each in recorded}
    assert kinds - words.KINDS.keys() <= {"access_token."}


async def test_a_change_by_a_page_is_on_it(world: World) -> None:
    admin = await signed_in(world)
    world.clock.move(seconds=1)
    await send(admin, "/admin/settings", name="Aurora", locale="en", time_zone="UTC")
    page = (await admin.get(PATH)).text
    assert re.search(r"Settings changed</a>.*Marina Duarte.*127\.0\.0\.1", page, re.S)


def test_every_credential_that_changes_something_has_words() -> None:
    kinds = {kind.value for kind in CredentialKind} - {"client_secret", "launch"}
    assert kinds <= set(words.ACTORS)
