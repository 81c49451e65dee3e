"""What the description shows is true of itself: examples are of their schemas, nothing is left out."""

from collections.abc import Iterator
from typing import Any

import pytest

from openapi.described import DESCRIPTION, OPERATIONS, problems, resolved
from trilha.app import all_routes
from trilha.core.credentials import Scope
from trilha.core.errors import CODES

each_operation = pytest.mark.parametrize(
    "operation", [operation for _, operation in OPERATIONS], ids=[name for name, _ in OPERATIONS]
)


def contents(operation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "requestBody" in operation:
        yield operation["requestBody"]["content"]["application/json"]
    for response in map(resolved, operation["responses"].values()):
        yield from response.get("content", {}).values()


@each_operation
def test_examples_are_of_their_schemas(operation: dict[str, Any]) -> None:
    for content in contents(operation):
        examples = [each["value"] for each in content.get("examples", {}).values()]
        if "example" in content:
            examples.append(content["example"])
        assert examples
        for example in examples:
            assert problems(content["schema"], example) == []
    for parameter in operation["parameters"]:
        for example in [parameter.get("example"), *parameter["schema"].get("examples", [])]:
            assert example is None or problems(parameter["schema"], example) == []


@each_operation
def test_every_header_has_an_example_of_its_schema(operation: dict[str, Any]) -> None:
    for response in map(resolved, operation["responses"].values()):
        assert "X-Request-Id" in response["headers"]
        for header in map(resolved, response["headers"].values()):
            assert problems(header["schema"], header["example"]) == []


@each_operation
def test_tells_every_way_to_fail(operation: dict[str, Any]) -> None:
    statuses = set(operation["responses"])
    assert statuses >= {"400", "401", "403", "429", "500", "503"}
    if any(parameter["in"] == "path" for parameter in operation["parameters"]):
        assert "404" in statuses
    if "requestBody" in operation:
        assert statuses >= {"413", "415"}


@each_operation
def test_names_its_credential_and_scope(operation: dict[str, Any]) -> None:
    assert operation["x-required-scope"] in list(Scope)
    assert f"`{operation['x-required-scope']}`" in operation["description"]
    for requirement in operation["security"]:
        assert requirement.keys() <= DESCRIPTION["components"]["securitySchemes"].keys()
    assert operation["security"][-1] == {"oauth": [operation["x-required-scope"]]}
    flows = DESCRIPTION["components"]["securitySchemes"]["oauth"]["flows"]
    assert operation["x-required-scope"] in flows["clientCredentials"]["scopes"]


def test_describes_every_route_and_no_other() -> None:
    assert {name for name, _ in OPERATIONS} == {f"{route.method} {route.path}" for route in all_routes()}


def test_links_lead_to_operations_that_take_what_they_give() -> None:
    known = {operation["operationId"]: operation for _, operation in OPERATIONS}
    links = [
        link
        for _, operation in OPERATIONS
        for response in operation["responses"].values()
        for link in response.get("links", {}).values()
    ]
    assert links
    for link in links:
        target = known[link["operationId"]]
        assert link["parameters"].keys() <= {parameter["name"] for parameter in target["parameters"]}


def test_a_members_name_is_never_taken_for_a_keyword() -> None:
    course = DESCRIPTION["components"]["schemas"]["Course"]
    assert course["properties"]["title"]["type"] == "string"


def test_every_code_that_travels_over_v1_is_shown() -> None:
    shown = {
        code
        for _, operation in OPERATIONS
        for content in contents(operation)
        for code in content.get("examples", {})
    }
    # What no operation of the description answers: addresses and methods it does not have, and the
    # rules of courses, which are made on the command line.
    elsewhere = {
        "route_not_found",
        "method_not_allowed",
        "course_slug_exists",
        "course_without_modules",
    }
    assert shown == CODES.keys() - elsewhere
