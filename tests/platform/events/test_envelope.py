"""The envelope has the same bytes for the same event."""

import json
from uuid import UUID, uuid4

import pytest

from trilha.platform.events.schema import envelope_bytes, event_name, parse_event_name

EVENT = UUID("2f1d3c5b-7a90-4e6f-8d1c-3b5a79e0f2d4")
TENANT = UUID("759b6ffe-a819-448a-94ce-7629b1ea21b3")


def test_to_the_byte() -> None:
    data = {"user_id": "x", "changed": ["name"], "score": 100.0, "note": None, "title": "Segurança"}
    assert envelope_bytes(EVENT, "user.updated", "2026-11-21T09:30:00.999Z", TENANT, data) == (
        b'{"id":"evt_2f1d3c5b7a904e6f8d1c3b5a79e0f2d4","type":"user.updated","created":1795253400,'
        b'"version":"2026-11","tenant_id":"759b6ffe-a819-448a-94ce-7629b1ea21b3",'
        b'"data":{"user_id":"x","changed":["name"],"score":100.0,"note":null,'
        b'"title":"Seguran\xc3\xa7a"}}'
    )


@pytest.mark.parametrize(
    ("moment", "created"),
    [
        ("1970-01-01T00:00:00.000Z", 0),
        ("2026-11-21T09:30:00.000Z", 1795253400),
        ("2026-11-21T09:30:01.000Z", 1795253401),
    ],
)
def test_created_is_in_whole_seconds(moment: str, created: int) -> None:
    assert json.loads(envelope_bytes(EVENT, "user.created", moment, TENANT, {}))["created"] == created


def test_the_name_holds_the_id() -> None:
    assert event_name(EVENT) == "evt_2f1d3c5b7a904e6f8d1c3b5a79e0f2d4"
    for id in (EVENT, uuid4()):
        assert parse_event_name(event_name(id)) == id


@pytest.mark.parametrize(
    "name",
    [
        "",
        "evt_",
        str(EVENT),
        EVENT.hex,
        f"evt_{EVENT}",
        f"evt_{EVENT.hex.upper()}",
        f"EVT_{EVENT.hex}",
        f"evt_{EVENT.hex}0",
        f"evt_{EVENT.hex}\n",
        f"evt_{EVENT.hex[:-1]}٣",
    ],
)
def test_what_is_no_name_has_no_id(name: str) -> None:
    assert parse_event_name(name) is None
