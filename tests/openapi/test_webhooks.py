"""The description's `webhooks` has one entry for each event type, and its examples match their schemas."""

from typing import Any

import pytest

from openapi.described import DESCRIPTION, problems, resolved
from trilha.platform.events.catalogue import CATALOGUE

WEBHOOKS: dict[str, Any] = DESCRIPTION["webhooks"]
HEADERS = {
    "X-Service-Signature",
    "X-Service-Event-Id",
    "X-Service-Event-Type",
    "X-Service-Delivery-Id",
    "X-Service-Request-Id",
    "webhook-id",
    "webhook-timestamp",
    "webhook-signature",
    "User-Agent",
}

each_type = pytest.mark.parametrize("name", CATALOGUE)


def test_has_one_for_each_type() -> None:
    assert list(WEBHOOKS) == list(CATALOGUE)
    operations = [each["post"]["operationId"] for each in WEBHOOKS.values()]
    assert len(set(operations)) == len(operations)


@each_type
def test_sends_the_envelope_with_the_data_of_the_type(name: str) -> None:
    operation = WEBHOOKS[name]["post"]
    content = operation["requestBody"]["content"]["application/json"]
    schema, shown = content["schema"], content["example"]
    assert problems(schema, shown) == []
    assert problems({"$ref": "#/components/schemas/EventEnvelope"}, shown) == []
    assert shown["type"] == name
    assert list(shown["data"]) == list(CATALOGUE[name].__struct_fields__)
    assert problems(schema, shown | {"type": "another.type"})
    assert problems(schema, shown | {"data": {}})


@each_type
def test_comes_signed_and_may_be_answered_with_any_2xx(name: str) -> None:
    operation = WEBHOOKS[name]["post"]
    assert operation["security"] == []
    assert set(operation["responses"]) == {"2XX", "default"}
    headers = list(map(resolved, operation["parameters"]))
    assert {header["name"] for header in headers} == HEADERS
    for header in headers:
        assert header["in"] == "header"
        assert header["required"] != (header["name"] == "X-Service-Request-Id")
        assert problems(header["schema"], header["example"]) == []
