"""/docs and /openapi.json"""

import re

from conftest import World
from trilha.app import descriptions
from trilha.settings import Settings


async def test_the_description_is_served(world: World) -> None:
    answer = await world.client().get("/openapi.json")
    assert answer.status_code == 200
    assert answer.json()["paths"] == descriptions(Settings())["/openapi.json"]["paths"]


async def test_the_page_loads_nothing_from_elsewhere(world: World) -> None:
    http = world.client()
    page = await http.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert page.headers["content-security-policy"].startswith("default-src 'none';")
    loaded = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert "/docs/reader.js" in loaded
    for address in loaded:
        assert address.startswith(("/", "data:"))
        if address.startswith("/"):
            assert (await http.get(address)).status_code == 200


async def test_the_page_may_do_what_it_does(world: World) -> None:
    """No script or style stands in the page itself, which its policy would block."""
    page = (await world.client().get("/docs")).text
    assert re.findall(r"<script(?![^>]*src=)", page) == []
    assert re.findall(r"\son\w+=", page) == []
