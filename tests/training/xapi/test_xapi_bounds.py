"""What costs a client little must not cost the server much."""

import base64
import json
from typing import Any
from urllib.parse import quote

import pytest

from conftest import World
from training.xapi.clients import attachment, binary, multipart, statement, xapi_client
from trilha.training.xapi import queries
from trilha.training.xapi.formats import Canonical
from trilha.training.xapi.pages import PAGE_BYTES
from trilha.training.xapi.schema import StatementFilter
from trilha.training.xapi.signatures import USAGE
from trilha.web.panel.statements.texts import find_any_text, find_text

FORM = {"content-type": "application/x-www-form-urlencoded", "x-experience-api-version": "1.0.3"}


async def test_a_definition_is_not_multiplied_without_bound(world: World) -> None:
    http = await xapi_client(world)
    defined = {"id": "x:y", "definition": {"description": {"en": "d" * 60_000}}}
    referring = statement(context={"contextActivities": {"other": [{"id": "x:y"}] * 1_000}})
    answer = await http.post("/xapi/statements", json=[statement(object=defined), referring])
    assert answer.status_code == 200, answer.text
    answer = await http.get(
        "/xapi/statements", params={"statementId": referring["id"], "format": "canonical"}
    )
    activities = answer.json()["context"]["contextActivities"]["other"]
    assert (len(activities), "definition" in activities[0], "definition" in activities[-1]) == (
        *(1_000, True),
        False,
    )
    assert len(answer.content) < 1.2 * PAGE_BYTES


async def test_a_definition_that_is_too_long_is_not_merged(world: World) -> None:
    http = await xapi_client(world)
    defined = {"id": "x:y", "definition": {"description": {"en": "d" * 70_000}}}
    assert (await http.post("/xapi/statements", json=statement(object=defined))).status_code == 200
    activity = (await http.get("/xapi/activities", params={"activityId": "x:y"})).json()
    assert activity == {"objectType": "Activity", "id": "x:y"}


@pytest.mark.parametrize("ascending", ["true", "false"])
async def test_pages_of_large_statements_have_few(world: World, ascending: str) -> None:
    http = await xapi_client(world)
    sent = [statement(context={"extensions": {"https://example.com/x": "é" * 200_000}}) for _ in range(30)]
    for first in range(0, 30, 15):
        answer = await http.post(
            "/xapi/statements",
            content=json.dumps(sent[first : first + 15], ensure_ascii=False).encode(),
            headers={"content-type": "application/json"},
        )
        assert answer.status_code == 200, answer.text
    async with world.tx() as tx:
        rows = await queries.list_statements(tx, StatementFilter(limit=500))
    assert sum(len(each.content.encode()) for each in rows) < PAGE_BYTES + 2 * 420_000
    found: list[str] = []
    more, pages = f"/xapi/statements?limit=0&ascending={ascending}", 0
    while more:
        page = (await http.get(more)).json()
        found += [each["id"] for each in page["statements"]]
        more, pages = page["more"], pages + 1
    assert sorted(found) == sorted(each["id"] for each in sent)
    assert pages == 2


async def test_a_statement_has_one_signature(world: World) -> None:
    http = await xapi_client(world)
    signature = b"e30.e30.e30"
    described = attachment(signature, usageType=USAGE, contentType="application/octet-stream")
    one = statement(attachments=[described, described])
    body, headers = multipart(
        ({"Content-Type": "application/json"}, json.dumps(one).encode()), binary(signature)
    )
    answer = await http.post("/xapi/statements", content=body, headers=headers)
    assert answer.status_code == 400
    assert "one signature" in answer.text


async def test_a_boundary_in_malformed_pieces_is_refused(world: World) -> None:
    http = await xapi_client(world)
    for content_type in ("boundary*=x; boundary*1=y", "boundary*0*=utf-8''x", "boundary*=x''y''z"):
        answer = await http.post(
            "/xapi/statements", content=b"x", headers={"content-type": f"multipart/mixed; {content_type}"}
        )
        assert answer.status_code == 400


async def test_the_content_of_a_form_is_decoded_for_known_callers_only(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    http = await xapi_client(world, version="1.0.3")
    one = statement()
    content = f"statementId={one['id']}&content={quote(json.dumps(one))}"
    decoded: list[Any] = []
    monkeypatch.setattr("trilha.training.xapi.calls._decode", decoded.append)
    for credential in ("", "Basic " + base64.b64encode(b"a:b").decode()):
        form = f"{content}&Authorization={quote(credential)}"
        answer = await world.client().post("/xapi/statements?method=PUT", content=form, headers=FORM)
        assert answer.status_code == 401
    assert (await http.post("/xapi/none?method=PUT", content=content, headers=FORM)).status_code == 404
    assert decoded == []
    monkeypatch.undo()
    answer = await http.post("/xapi/statements?method=PUT", content=content, headers=FORM)
    assert answer.status_code == 204, answer.text
    answer = await http.post("/xapi/statements?method=PUT", content="content=%ff", headers=FORM)
    assert answer.status_code == 400


def test_texts_in_the_best_language() -> None:
    many = {f"aa-x-{number}-b-c-d-e-f-g": "" for number in range(10_000)}
    for wanted, languages, best in (
        (["pt-br"], ["en", "pt", "pt-PT"], "pt"),
        (["pt"], ["en", "pt-PT", "pt-BR"], "pt-PT"),
        (["fr", "en"], ["de", "en-GB", "en"], "en"),
        (["zh-hant"], ["en", "zh-Hant-TW"], "zh-Hant-TW"),
        (["fr"], ["de", "en"], "de"),
    ):
        assert Canonical({}, wanted).choose(dict.fromkeys(languages, "")) == {best: ""}
    assert Canonical({}, ["fr"] * 20).choose(many | {"fr-CA": ""}) == {"fr-CA": ""}


def test_language_maps_with_thousands_of_languages() -> None:
    texts = {f"aa-x-{number}": "x" for number in range(10_000)} | {"pt-BR": "Altura", "en": "Heights"}
    assert find_text(texts, "pt-BR") == "Altura"
    assert find_any_text(texts, "fr") == "Heights"
    assert find_any_text({"de": "Höhe"}, "fr") == "Höhe"
    assert find_any_text({"pt-BR": " ", "en": 1, "de": "Höhe"}, "pt-BR") == "Höhe"
    assert find_text({"pt": "Altura"}, "pt-BR") == find_text({"pt-PT": "Altura"}, "pt-BR") == "Altura"
    assert find_text(["pt"], "pt") == find_any_text({}, "pt") == ""
