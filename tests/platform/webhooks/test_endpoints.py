"""/v1/webhooks: the endpoints themselves."""

from typing import Any

import pytest

from conftest import NO_LIMIT, World
from trilha import app as trilha_app
from trilha.settings import Settings

URL = "https://hooks.example.com/trilha"


async def make(world: World, **members: Any) -> dict[str, Any]:
    answer = await world.http.post("/v1/webhooks", json={"url": URL, "events": ["user.created"]} | members)
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def test_the_secret_is_shown_once(world: World) -> None:
    made = await make(world, description="ERP")
    secret = made.pop("secret")
    assert secret.startswith("whsec_")
    assert made == {
        "id": made["id"],
        "url": URL,
        "events": ["user.created"],
        "description": "ERP",
        "active": True,
        "failure_count": 0,
        "created_at": made["created_at"],
    }
    assert (await world.http.get(f"/v1/webhooks/{made['id']}")).json()["data"] == made
    assert (await world.http.get("/v1/webhooks")).json()["data"] == [made]
    async with world.tx() as tx:
        stored = await tx.value("SELECT secret FROM webhook_secrets WHERE tenant_id = :tenant")
    assert secret.encode() not in stored


async def test_patch_changes_what_is_given(world: World) -> None:
    made = await make(world, description="ERP")
    path = f"/v1/webhooks/{made['id']}"
    assert (await world.http.patch(path, json={})).json()["data"]["description"] == "ERP"
    changed = {"url": URL + "/2", "events": ["user.updated", "user.created"], "description": None}
    answer = (await world.http.patch(path, json=changed)).json()["data"]
    assert {name: answer[name] for name in changed} == changed


async def test_activating_is_told(world: World) -> None:
    made = await make(world, active=False)
    path = f"/v1/webhooks/{made['id']}"
    for active in (False, True, True):
        assert (await world.http.patch(path, json={"active": active})).status_code == 200
    assert await world.events("webhook.activated") == [("webhook.activated", {"endpoint_id": made["id"]})]


async def test_events_are_kept_once_each(world: World) -> None:
    made = await make(world, events=["user.created", "user.updated", "user.created"])
    assert made["events"] == ["user.created", "user.updated"]


@pytest.mark.parametrize(
    ("members", "field", "code"),
    [
        ({"events": []}, "events", "too_short"),
        ({"events": ["user.exploded"]}, "events.0", "invalid_value"),
        ({"events": "user.created"}, "events", "invalid_type"),
        ({"url": None}, "url", "invalid_type"),
        ({"url": "https://h.example/" + "a" * 2048}, "url", "too_long"),
        ({"secret": "mine"}, "secret", "unknown_field"),
        ({"description": "a" * 501}, "description", "too_long"),
        ({"active": "yes"}, "active", "invalid_type"),
    ],
)
async def test_a_wrong_member_is_named(world: World, members: Any, field: str, code: str) -> None:
    made = await make(world)
    body = {"url": URL, "events": ["user.created"]} | members
    for answer in (
        await world.http.post("/v1/webhooks", json=body),
        await world.http.patch(f"/v1/webhooks/{made['id']}", json=members),
    ):
        error = answer.json()["error"]
        assert (answer.status_code, error["field"], error["code"]) == (400, field, code)


INSIDE = [
    ("http://hooks.example.com/", "https_required"),
    ("ftp://hooks.example.com/", "https_required"),
    ("https://127.0.0.1/", "address_not_allowed"),
    ("https://[::1]/", "address_not_allowed"),
    ("https://[::ffff:10.0.0.1]/", "address_not_allowed"),
    ("https://169.254.169.254/latest/meta-data", "address_not_allowed"),
    ("https://localhost/", "address_not_allowed"),
    ("https://intranet/", "address_not_allowed"),
    ("https://db.cluster.local/", "address_not_allowed"),
    ("https://hooks.example.com:5432/", "port_not_allowed"),
    ("https://2130706433/", "invalid_url"),
    ("https://0x7f000001/", "invalid_url"),
    ("https://127.1/", "invalid_url"),
    ("https://me:secret@hooks.example.com/", "invalid_url"),
    ("https:///path", "invalid_url"),
    ("not a url", "invalid_url"),
]


@pytest.mark.parametrize(("url", "code"), INSIDE)
async def test_no_address_of_ours_is_taken(world: World, url: str, code: str) -> None:
    """As in production, where only public addresses are allowed."""
    app = trilha_app.create_app(Settings(env="production", limit_v1=NO_LIMIT), world.database, world.clock)
    async with world.client(await world.key(), app, scheme="https") as http:
        path = f"/v1/webhooks/{(await make(world))['id']}"
        for answer in (
            await http.post("/v1/webhooks", json={"url": url, "events": ["user.created"]}),
            await http.patch(path, json={"url": url}),
        ):
            error = answer.json()["error"]
            assert (answer.status_code, error["field"]) == (400, "url"), answer.text
            assert error["code"] == code
        assert (await http.get(path)).json()["data"]["url"] == URL


async def test_a_deleted_endpoint_is_gone(world: World) -> None:
    made = await make(world)
    path = f"/v1/webhooks/{made['id']}"
    assert (await world.http.delete(path)).status_code == 204
    for method, rest in (
        ("GET", ""),
        ("PATCH", ""),
        ("DELETE", ""),
        ("POST", "/test"),
        ("POST", "/rotate-secret"),
        ("POST", "/replay"),
        ("GET", "/deliveries"),
        ("POST", f"/deliveries/{made['id']}/retry"),
    ):
        body = {"since": "2026-01-01T00:00:00Z", "until": "2026-01-02T00:00:00Z"} if rest == "/replay" else {}
        answer = await world.http.request(method, path + rest, json=body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "webhook_not_found"), (
            method,
            rest,
        )
    assert (await world.http.get("/v1/webhooks")).json()["data"] == []
