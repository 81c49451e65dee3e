"""/admin/statements"""

import html
import json
import re
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

import httpx2
import pytest

from conftest import World
from training.cmi5.contents import enroll
from training.xapi.clients import (
    ACTIVITY,
    VOIDED,
    attachment,
    binary,
    multipart,
    reference,
    statement,
    xapi_client,
)
from trilha.core.lists import walking
from trilha.settings import Settings
from trilha.training.xapi import people
from web.panel.signing_in import signed_in

LIST = "/admin/statements"
ADL = "http://adlnet.gov/expapi/verbs/"
CPF = "529.982.247-25"
CPF_DIGITS = "52998224725"


async def store(program: httpx2.AsyncClient, **members: Any) -> str:
    sent = statement(**members)
    answer = await program.post("/xapi/statements", json=sent)
    assert answer.status_code == 200, answer.text
    id: str = sent["id"]
    return id


async def list_sentences(client: httpx2.AsyncClient, query: str = "") -> list[str]:
    answer = await client.get(f"{LIST}?{query}")
    assert answer.status_code == 200, answer.text
    found = re.findall(r'class="table__link" href="/admin/statements/[^"]+">([^<]+)<', answer.text)
    return [html.unescape(each) for each in found]


def named(name: str) -> dict[str, Any]:
    return {"actor": {"mbox": f"mailto:{name.lower()}@example.com", "name": name}}


def named_activity(name: str, id: str = "") -> dict[str, Any]:
    return {"object": {"id": id or f"https://example.com/{uuid4()}", "definition": {"name": {"en": name}}}}


async def test_sentences(world: World) -> None:
    client, program = await signed_in(world), await xapi_client(world)
    assert "No learning records yet" in (await client.get(LIST)).text
    user = await world.user(name="Ana Lima", email="ana.lima@example.com")
    account = {"homePage": "https://acme.example", "name": str(user["id"])}
    await store(program, actor={"account": account}, result={"score": {"scaled": 0.29}})
    await store(program, actor={"mbox": "mailto:ana.lima@example.com", "name": "Ignored"})
    await store(
        program, **named("Bia"), verb={"id": f"{ADL}passed"}, result={"score": {"raw": 7.5, "max": 10}}
    )
    await store(program, **named("Caio"), verb={"id": "https://example.com/verbs/took-care_of"})
    await store(program, **named("Davi"), verb={"id": f"{ADL}failed", "display": {"de": "scheiterte an"}})
    await store(program, **named("Eva"), object={"id": "https://example.com/a/unknown%20thing/"})
    await store(
        program, **named("Fabi"), object={"objectType": "Agent", "name": "Gil", "openid": "https://g.example"}
    )
    inner = {
        "objectType": "SubStatement",
        **named("Hugo"),
        "verb": {"id": f"{ADL}attended"},
        "object": {"id": ACTIVITY},
    }
    await store(program, **named("Ines"), verb={"id": f"{ADL}asked"}, object=inner)
    group = [named(name)["actor"] for name in ("Jo", "Kim", "Leo", "Mia", "Noa")]
    await store(program, actor={"objectType": "Group", "member": group})
    assert await list_sentences(client) == [
        "Jo, Kim, Leo, and 2 more completed “Heights”",
        "Ines asked about “Hugo attended “Heights””",
        "Fabi completed Gil",
        "Eva completed “unknown thing”",
        "Davi did not pass “Heights”",
        "Caio took care of “Heights”",
        "Bia passed “Heights” with 7.5 of 10 points",
        "Ana Lima completed “Heights”",
        "Ana Lima completed “Heights” with 29%",
    ]
    client.cookies.set("trilha_locale", "pt-BR", domain="trilha.test", path="/")
    assert "Bia passou em “Altura” com 7,5 de 10 pontos" in await list_sentences(client)


async def test_filters(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.clock.move(hours=(12 - world.clock.now.hour) % 24)  # so that no day ends during the test
    program = await xapi_client(world)
    user = await world.user(name="Ana Lima", email="ana.lima@example.com")
    registration = uuid4()
    account = {"homePage": "https://acme.example", "name": str(user["id"])}
    await store(program, actor={"account": account}, **named_activity("One", "https://example.com/one"))
    world.clock.move(days=1)
    await store(
        program,
        actor={"mbox": "mailto:ana.lima@example.com"},
        verb={"id": f"{ADL}passed"},
        context={"registration": str(registration)},
        **named_activity("Two", "https://example.com/two"),
    )
    world.clock.move(days=1)
    day = f"{world.clock.now:%Y-%m-%d}"
    bia = await store(program, **named("Bia"), **named_activity("Two", "https://example.com/two"))
    await store(program, **named("Bia"), verb={"id": VOIDED}, object=reference(bia))
    client = await signed_in(world)
    one, two, third = "Ana Lima completed “One”", "Ana Lima passed “Two”", "Bia completed “Two”"
    voiding = f"Bia voided the learning record {bia[:8]}"
    everything = [voiding, third, two, one]
    assert await list_sentences(client) == everything
    passed, iri = quote(f"{ADL}passed", safe=""), quote("https://example.com/two", safe="")
    cases = {
        f"person={user['id']}": [two, one],
        f"person={user['id']}&verb={passed}": [two],
        f"person={user['id']}&activity={iri}": [two],
        f"person={user['id']}&until=2000-01-01": [],
        f"person={uuid4()}": [],
        "q=ana+lima": [two, one],
        "q=ANA.LIMA@example.com": [two, one],
        "q=bia@example.com": [voiding, third],
        "q=nobody": [],
        f"q={iri}": [third, two],
        f"q={passed}": [two],
        f"q={registration}": [two],
        f"verb={passed}": [two],
        "verb=odd": [],
        f"activity={iri}": [third, two],
        f"activity={iri}&voided=no": [two],
        f"registration={registration}": [two],
        "voided=only": [third],
        "voided=no": [voiding, two, one],
        f"since={day}": [voiding, third],
        f"until={day}": everything,
        f"since={day}&verb={passed}": [],
        f"since={day}&activity={iri}": [third],
    }
    for query, expected in cases.items():
        assert await list_sentences(client, query) == expected, query
    found = await client.get(f"{LIST}?q={bia.upper()}")
    assert found.headers["location"] == f"{LIST}/{bia}"
    for query in ("voided=odd", "person=odd", "cursor=odd", "since=odd", f"verb={'a' * 3000}", "limit=1000"):
        assert (await client.get(f"{LIST}?{query}")).status_code == 400, query

    async def walk(query: str) -> list[str]:
        sentences: list[str] = []
        address = f"{LIST}?limit=1&{query}"
        for _ in range(20):
            page = (await client.get(address)).text
            found = re.findall(r'class="table__link" href="/admin/statements/[^"]+">([^<]+)<', page)
            sentences += map(html.unescape, found)
            following = re.search(r'href="(/admin/statements\?[^"]*cursor=[^"]+)"', page)
            if not following:
                return sentences
            address = html.unescape(following[1])
        raise AssertionError("The pages have no end.")

    for examined in (walking.MAX_EXAMINED, 1):
        monkeypatch.setattr(walking, "MAX_EXAMINED", examined)
        for query, expected in cases.items():
            if not query.startswith("until"):
                assert await walk(query) == expected, (query, examined)


async def test_one_statement(world: World) -> None:
    client, program = await signed_in(world), await xapi_client(world)
    content = b"\x89PNG" + b"0" * 100
    described = attachment(content, display={"en": "<i>Photo</i>"})
    script = attachment(b"<script>", contentType="text/html", display={"en": "Page"})
    sent = statement(
        **named("Ana"),
        attachments=[described, script],
        result={"success": True, "response": "<script>alert(1)</script>", "duration": "PT5M"},
        context={
            "platform": "Forklift",
            "contextActivities": {"parent": [{"id": "https://example.com/parent"}]},
        },
    )
    part = ({"Content-Type": "application/json"}, json.dumps(sent).encode())
    html_part = ({**binary(b"<script>")[0], "Content-Type": "text/html"}, b"<script>")
    body, headers = multipart(part, binary(content), html_part)
    assert (await program.post("/xapi/statements", content=body, headers=headers)).status_code == 200
    voiding = await store(program, **named("Bia"), verb={"id": VOIDED}, object=reference(sent["id"]))
    address = f"{LIST}/{sent['id']}"
    page = await client.get(address)
    assert page.status_code == 200
    for each in (
        "Ana completed “Heights”",
        "Forklift",
        "parent",
        "PT5M",
        "image/png",
        "Test",
        "&lt;i&gt;Photo",
    ):
        assert each in page.text, each
    assert "&lt;i&gt;Photo" in page.text
    assert "This learning record was voided" in page.text
    assert f'href="{LIST}/{voiding}"' in page.text
    assert "<script>alert" not in page.text
    assert "<i>Photo" not in page.text
    file = await client.get(f"{address}/attachments/{described['sha2']}")
    assert file.content == content
    assert file.headers["content-type"] == "application/octet-stream"
    assert file.headers["content-disposition"].startswith("attachment;")
    assert file.headers["x-content-type-options"] == "nosniff"
    assert f"{address}/attachments/{described['sha2']}" in page.text
    assert f"{address}/attachments/{script['sha2']}" not in page.text
    for wrong in (script["sha2"], "0" * 64, "odd"):
        assert (await client.get(f"{address}/attachments/{wrong}")).status_code == 404
    other = f"{LIST}/{voiding}"
    assert (await client.get(f"{other}/attachments/{described['sha2']}")).status_code == 404
    assert f'href="{address}"' in (await client.get(other)).text
    downloaded = await client.get(f"{address}/json")
    assert downloaded.json()["id"] == sent["id"]
    assert downloaded.headers["content-disposition"].startswith("attachment;")
    assert (await client.get(f"{LIST}/{uuid4()}")).status_code == 404
    missing = await store(program, **named("Bia"), verb={"id": VOIDED}, object=reference(str(uuid4())))
    assert "It will be voided if it arrives later." in (await client.get(f"{LIST}/{missing}")).text


HOSTILE: list[dict[str, Any]] = [
    {"actor": {"mbox": "mailto:a@example.com", "name": "<img src=x onerror=alert(1)>"}},
    {"actor": {"mbox": "mailto:a@example.com", "name": "\u202egnp.exe\u0007" + "a" * 5000}},
    {"actor": {"mbox": "mailto:a@example.com", "name": ""}},
    {"actor": {"account": {"homePage": "https://gov.example", "name": CPF}}},
    {"actor": {"account": {"homePage": "https://gov.example", "name": CPF.replace(".", "")}}},
    {"actor": {"objectType": "Group", "account": {"homePage": people.ERASED_HOME_PAGE, "name": "x"}}},
    {"actor": {"objectType": "Group", "member": [named(f"P{n}")["actor"] for n in range(500)]}},
    {"verb": {"id": "urn:x:" + "v" * 1900, "display": {"en": "<script>alert(1)</script>"}}},
    {"verb": {"id": "https://example.com/%22%3E%3Cscript%3E", "display": {}}},
    {"verb": {"id": f"{ADL}passed", "display": {"en": "", "x-klingon": "%(actor)s {{ 7*7 }}"}}},
    {"object": {"id": "https://example.com/" + "a/" * 900, "definition": {"name": {"und": " \u200b "}}}},
    {"object": {"id": "javascript:alert(1)", "definition": {"name": {"en": "Click"}, "type": "urn:odd:"}}},
    {"object": {"id": "https://example.com/x", "definition": {"extensions": {"https://e.example/a": CPF}}}},
    {"result": {"score": {"raw": 1e300, "max": 1e301}, "response": "x" * 50_000}},
    {"result": {"score": {"scaled": -0.5}, "duration": "P1Y2M3DT4H5M6.789S"}},
    {"timestamp": "0001-01-01T00:00:00Z"},
    {"timestamp": "9999-12-31T23:59:59Z"},
    {"context": {"extensions": {f"https://e.example/{n}": {"deep": [n] * 50} for n in range(100)}}},
    {"context": {"contextActivities": {"other": [{"id": f"https://e.example/{n}"} for n in range(500)]}}},
]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
async def test_hostile_statements(world: World, number: int) -> None:
    client, program = await signed_in(world), await xapi_client(world)
    id = await store(program, **HOSTILE[number])
    (sentence,) = await list_sentences(client)
    assert len(sentence) < 400
    assert sentence.isprintable()
    for path in (LIST, f"{LIST}/{id}"):
        page = await client.get(path)
        assert page.status_code == 200
        assert len(page.text) < 250_000
        for each in (
            "<img src=x",
            "<script>alert",
            'href="javascript',
            CPF,
            CPF.replace(".", "").replace("-", ""),
        ):
            assert each not in page.text, each
    assert CPF not in (await client.get(f"{LIST}/{id}/json")).text


async def test_records_of_cmi5(world: World, settings: Settings) -> None:
    client = await signed_in(world)
    learner = await enroll(world, settings.address, "Completed")
    content = await learner.begin()
    assert (await content.send("completed")).status_code == 200
    async with world.tx() as tx:
        name = await tx.value(
            "SELECT name FROM users WHERE tenant_id = :tenant AND id = :id", id=learner.user_id
        )
    sentences = await list_sentences(client, f"registration={learner.id}")
    assert f"{name} completed “M0”" in sentences
    assert f"{name} launched “M0”" in sentences
    assert await list_sentences(client, f"person={learner.user_id}") == sentences
    enrollment = (await client.get(f"/admin/enrollments/{learner.id}")).text
    assert f"{LIST}?registration={learner.id}" in enrollment
    page = (await client.get(LIST)).text
    (address, *_) = re.findall(r'class="table__link" href="([^"]+)"', page)
    shown = (await client.get(address)).text
    assert f'href="/admin/enrollments/{learner.id}"' in shown
    assert f'href="/admin/people/{learner.user_id}"' in shown


@pytest.mark.parametrize("role", ["gestor", "instrutor", "learner"])
async def test_only_administrators_see_statements(world: World, role: Any) -> None:
    id = await store(await xapi_client(world))
    client = await signed_in(world, role)
    for path in (LIST, f"{LIST}/{id}", f"{LIST}/{id}/json", f"{LIST}/{id}/attachments/{'0' * 64}"):
        assert (await client.get(path)).status_code == 403


async def test_statements_of_another_tenant_are_not_there(world: World, stranger: World) -> None:
    id = await store(await xapi_client(world), **named("Ana"))
    client = await signed_in(stranger)
    assert await list_sentences(client) == []
    assert await list_sentences(client, "q=ana@example.com") == []
    assert await list_sentences(client, f"activity={quote(ACTIVITY, safe='')}") == []
    for path in (f"{LIST}/{id}", f"{LIST}/{id}/json", f"{LIST}/{id}/attachments/{'0' * 64}"):
        assert (await client.get(path)).status_code == 404
    assert UUID(id)
