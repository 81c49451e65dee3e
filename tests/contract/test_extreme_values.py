"""Every query parameter and every date gets an answer that is not a 5xx."""

import re
from typing import Any

import httpx2
import pytest

from conftest import World
from contract.test_other_tenants_pages import ids_of
from contract.test_roles import ROUTES as PAGES
from contract.test_roles import SOME_ID
from trilha.app import all_routes
from trilha.core.web.routes import AnyQuery, NoQuery, Route
from trilha.settings import Settings
from web.panel.signing_in import signed_in

# Dates at the ends of the calendar, where a few hours more give no valid date.
EXTREMES = (
    *("0001-01-01", "0999-12-31", "9999-12-31", "0001-01-01T00:00", "9999-12-31T23:59"),
    *("0001-01-01T00:00:00Z", "0999-06-15T12:00:00.000Z", "9999-12-31T23:59:59.999Z"),
    *("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"),
)
JUNK = ("x", "0", "-1", "99999999999999999999", "%00", "%C3%A9" * 300)
LONG = (*EXTREMES, *JUNK)
ROUTES = [(surface.prefixes[0], route) for surface, route in PAGES if route.method == "GET"]


def parameters(route: Route) -> list[str]:
    """Includes `fields`, which page lists accepted by accident."""
    if route.query in (AnyQuery, NoQuery):
        return ["fields"]
    return [*route.query.__struct_fields__]


async def failures(
    client: httpx2.AsyncClient, address: str, names: list[str], values: tuple[str, ...]
) -> list[str]:
    wrong = []
    for name in names:
        for value in values:
            answer = await client.get(f"{address}?{name}={value}")
            if answer.status_code >= 500:
                wrong.append(f"{address}?{name}={value[:30]}")
    return wrong


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "values",
    [("9999-12-31", "0001-01-01T00:00:00Z", "x"), pytest.param(LONG, marks=pytest.mark.long)],
    ids=["short", "long"],
)
async def test_no_parameter_of_a_page_is_our_failure(
    world: World, settings: Settings, values: tuple[str, ...]
) -> None:
    ids = await ids_of(world, settings)
    client = await signed_in(world)
    wrong = []
    for prefix, route in ROUTES:
        if "logout" in route.path:
            continue
        path = re.sub(r"{([^}]+)}", lambda found: ids.get(found[1], SOME_ID), route.path)
        wrong += await failures(client, prefix + path, parameters(route), values)
    assert wrong == []


@pytest.mark.parametrize(
    "values", [EXTREMES, pytest.param(LONG, marks=pytest.mark.long)], ids=["short", "long"]
)
async def test_no_parameter_of_the_api_is_our_failure(
    world: World, settings: Settings, values: tuple[str, ...]
) -> None:
    ids = await ids_of(world, settings)
    wrong = []
    for route in all_routes():
        if route.method != "GET":
            continue
        path = re.sub(r"{([^}]+)}", lambda found: ids.get(found[1], SOME_ID), route.path)
        wrong += await failures(world.http, f"/v1{path}", parameters(route), values)
    assert wrong == []


# Every body of /v1 with a date; `{}` stands for the date.
BODIES: dict[str, Any] = {
    "POST /enrollments": {"user_id": "{user_id}", "course_id": "{course_id}", "expires_at": "{}"},
    "POST /enrollments/bulk": {
        "enrollments": [{"user_id": "{user_id}", "course_id": "{course_id}", "expires_at": "{}"}]
    },
    "POST /enrollments/import": {
        "completions": [
            {"user_id": "{user_id}", "course_id": "{course_id}", "completed_at": "{}", "source": "X"},
            {
                "user_id": "{user_id}",
                "course_id": "{course_id}",
                "started_at": "{}",
                "completed_at": "2020-01-01T00:00:00Z",
                "source": "X",
            },
        ],
        "issue_certificates": True,
    },
    "PATCH /enrollments/{enrollment_id}": {"expires_at": "{}"},
    "POST /webhooks/{webhook_id}/replay": {"since": "{}", "until": "{}"},
    "POST /users": {"email": "x@example.com", "name": "X", "birth_date": "{}"},
    "PATCH /users/{user_id}": {
        "birth_date": "{}",
        "cnh": {"numero": "98765432109", "categoria": "B", "validade": "{}", "ear": False},
    },
    "PUT /users/bulk": {"users": [{"email": "y@example.com", "name": "Y", "birth_date": "{}"}]},
    "POST /analytics/exports": {"type": "csv", "filters": {"since": "{}", "until": "{}"}},
}


def filled(body: Any, ids: dict[str, str], value: str) -> Any:
    match body:
        case dict():
            return {name: filled(each, ids, value) for name, each in body.items()}
        case list():
            return [filled(each, ids, value) for each in body]
        case "{}":
            return value
        case str():
            return body.format(**ids) if body.startswith("{") else body
    return body


@pytest.mark.parametrize("value", EXTREMES)
async def test_no_date_of_a_body_is_our_failure(world: World, settings: Settings, value: str) -> None:
    ids = await ids_of(world, settings)
    wrong = []
    for call, body in BODIES.items():
        method, _, path = call.partition(" ")
        answer = await world.http.request(method, f"/v1{path.format(**ids)}", json=filled(body, ids, value))
        if answer.status_code >= 500 or answer.status_code in (404, 405):
            wrong.append((call, value, answer.status_code, answer.text))
    assert wrong == []
    # Accepted values can be read again.
    client = await signed_in(world)
    for path in ("/v1/enrollments?limit=100", "/v1/users?limit=100", "/v1/analytics/completion"):
        assert (await world.http.get(path)).status_code == 200
    for page in (
        "/admin",
        "/admin/enrollments",
        "/admin/reports",
        "/admin/reports/deadlines",
        f"/admin/people/{ids['user_id']}",
    ):
        assert (await client.get(page)).status_code == 200, page
