"""/docs and /openapi.json"""

import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from lxml import html

from conftest import World
from openapi.described import DESCRIPTION, OPERATIONS, resolved
from trilha.app import descriptions
from trilha.settings import Settings

TAGS = [each["name"].lower().replace(" ", "-") for each in DESCRIPTION["tags"]]
PATHS = ["/docs", *(f"/docs/{tag}" for tag in TAGS)]
# Bytes of a page with everything it loads on the first visit.
MOST = 300_000


async def test_the_description_is_served(world: World) -> None:
    answer = await world.client().get("/openapi.json")
    assert answer.status_code == 200
    assert answer.json()["paths"] == descriptions(Settings())["/openapi.json"]["paths"]


def loaded_by(page: httpx2.Response) -> list[str]:
    tree: Any = html.fromstring(page.text)
    return [*tree.xpath("//script/@src"), *tree.xpath("//link[not(@rel='canonical')]/@href")]


@pytest.mark.parametrize("path", PATHS)
async def test_a_page_is_light_and_loads_nothing_from_elsewhere(world: World, path: str) -> None:
    http = world.client()
    page = await http.get(path)
    assert page.headers["content-security-policy"].startswith("default-src 'none';")
    received = len(page.content)
    for address in loaded_by(page):
        assert address.startswith("/")
        async with http.stream("GET", address, headers={"accept-encoding": "gzip"}) as answer:
            assert answer.status_code == 200
            received += len(b"".join([piece async for piece in answer.aiter_raw()]))
    assert 10_000 < received < MOST


@pytest.mark.parametrize("path", PATHS)
async def test_a_page_may_do_what_it_does(world: World, path: str) -> None:
    """The page has no inline scripts or styles, which its policy would block, and no broken links."""
    http = world.client()
    page = (await http.get(path)).text
    assert re.findall(r"<script(?![^>]*src=)", page) == []
    assert re.findall(r"\s(?:on\w+|style)=", page) == []
    tree: Any = html.fromstring(page)
    names = set(tree.xpath("//@id"))
    for link in tree.xpath("//main//a/@href"):
        target, _, name = link.partition("#")
        if target and target != path:
            other = await http.get(target)
            assert other.status_code == 200
            assert not name or f'id="{name}"' in other.text
        else:
            assert name in names


async def test_every_operation_is_there_with_its_values_and_its_errors_folded(world: World) -> None:
    http = world.client()
    pages: dict[str, Any] = {tag: html.fromstring((await http.get(f"/docs/{tag}")).text) for tag in TAGS}
    for name, operation in OPERATIONS:
        (shown,) = pages[operation["tags"][0].lower().replace(" ", "-")].xpath(
            f"//section[@id='{operation['operationId']}']"
        )
        text = " ".join(shown.text_content().split())
        method, path = name.split()
        assert f"{method} /v1{path}" in text
        for value in values(operation):
            assert value in text, (name, value)
        (folded,) = shown.xpath("./details[starts-with(summary, 'Errors: ')]")
        assert "open" not in folded.attrib
        codes = set(folded.xpath(".//dt/code/text()"))
        assert "rate_limit_exceeded" in codes
        outside = "".join(shown.xpath("./*[not(self::details)]//text()"))
        assert "rate_limit_exceeded" not in outside


def values(operation: dict[str, Any]) -> Iterator[str]:
    """Returns the values of every enum of a parameter or body member."""
    for parameter in operation["parameters"]:
        yield from map(str, resolved(resolved(parameter)["schema"]).get("enum", ()))
    for content in operation.get("requestBody", {}).get("content", {}).values():
        for member in resolved(content["schema"])["properties"].values():
            yield from (str(value) for value in resolved(member).get("enum", ()) if value is not None)


async def test_an_unknown_page_is_not_there(world: World) -> None:
    assert (await world.client().get("/docs/nothing")).status_code == 404
