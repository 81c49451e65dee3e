"""/admin/settings/signature"""

from collections.abc import Callable
from datetime import timedelta
from time import monotonic

import pytest

from conftest import World
from training.certificates.costly_identities import with_rounds_inside, with_rounds_of_key, with_rounds_of_mac
from training.certificates.test_signatures import PASSWORD, archive
from trilha.training.certificates.signatures import queries
from web.panel.training_pages import browsing, flash, send

PATH = "/admin/settings/signature"


async def test_the_companys_key_is_set_shown_and_removed(world: World) -> None:
    admin = await browsing(world)
    assert "Not signed" in (await admin.get(PATH)).text
    content = archive(before=world.clock.now - timedelta(days=1), days=40)
    wrong = await send(admin, PATH, files={"identity": ("c.p12", content)}, password="guessed it")
    assert wrong.status_code == 422
    assert "This password does not open the file." in wrong.text
    assert "guessed it" not in wrong.text
    nothing = await send(admin, PATH, files={"identity": ("", b"")}, password=PASSWORD)
    assert "Fill in this field." in nothing.text
    other = await send(admin, PATH, files={"identity": ("c.txt", b"hello")}, password=PASSWORD)
    assert "Choose a PKCS #12 file" in other.text
    done = await send(admin, PATH, files={"identity": ("c.p12", content)}, password=PASSWORD)
    assert flash(done).startswith("Certificates are signed by AURORA TRANSPORTES LTDA")
    page = (await admin.get(PATH)).text
    for words in ("AURORA TRANSPORTES LTDA:11222333000181", "AC Teste", f"/badges/{world.tenant.slug}"):
        assert words in page
    assert PASSWORD not in page
    assert "It expires on" not in page
    world.clock.move(days=20)
    admin = await browsing(world)
    assert "It expires on" in (await admin.get(PATH)).text
    assert "The digital signature of certificates expires on" in (await admin.get("/admin")).text
    assert (await admin.get(f"{PATH}/remove")).status_code == 200
    assert flash(await send(admin, f"{PATH}/remove")) == "The digital signature was removed."
    async with world.tx() as tx:
        assert await queries.find(tx) is None


async def test_it_is_the_administrators_alone(world: World) -> None:
    for role in ("gestor", "instrutor"):
        client = await browsing(world, role)  # type: ignore[arg-type]
        assert (await client.get(PATH)).status_code == 403


COSTLY: dict[str, Callable[[bytes], bytes]] = {
    "MAC": with_rounds_of_mac,
    "key": lambda content: with_rounds_of_key(content, PASSWORD),
    "encrypted part": lambda content: with_rounds_inside(content, PASSWORD),
}


@pytest.mark.parametrize("where", COSTLY)
async def test_a_file_that_asks_for_millions_of_rounds_is_refused_soon(world: World, where: str) -> None:
    """Sixty million rounds would take 15 seconds or more."""
    admin = await browsing(world)
    content = COSTLY[where](archive(before=world.clock.now - timedelta(days=1)))
    began = monotonic()
    page = await send(admin, PATH, files={"identity": ("c.p12", content)}, password=PASSWORD)
    assert monotonic() - began < 8
    assert (page.status_code, "This file is too costly to open" in page.text) == (422, True)
    assert "Not signed" in (await admin.get(PATH)).text
