"""Defines which changes break a client of the released descriptions."""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from docs import api_changes
from trilha import __version__

V1 = api_changes.current_descriptions()["v1.json"]
SCHEMAS = V1["components"]["schemas"]
Change = Callable[[dict[str, Any]], object]


def _schema(document: dict[str, Any], name: str) -> dict[str, Any]:
    schema: dict[str, Any] = document["components"]["schemas"][name]
    return schema


def _member(document: dict[str, Any], schema: str, name: str) -> dict[str, Any]:
    member: dict[str, Any] = _schema(document, schema)["properties"][name]
    return member


def _limit(document: dict[str, Any]) -> dict[str, Any]:
    """Returns the query parameter `limit` of the list of users."""
    (found,) = [each for each in document["paths"]["/users"]["get"]["parameters"] if each["name"] == "limit"]
    return dict(found)


def _changed(change: Change) -> dict[str, Any]:
    document = deepcopy(V1)
    change(document)
    return document


BREAKING: dict[str, tuple[Change, str]] = {
    "path": (lambda v1: v1["paths"].pop("/events"), "GET /events was removed"),
    "method": (lambda v1: v1["paths"]["/users"].pop("post"), "POST /users was removed"),
    "operation": (
        lambda v1: v1["paths"]["/users"]["get"].update(operationId="find_users"),
        "GET /users no longer is called list_users",
    ),
    "scope": (
        lambda v1: v1["paths"]["/users"]["get"].update({"x-required-scope": "users:write"}),
        "GET /users now needs the scope users:write",
    ),
    "parameter": (
        lambda v1: v1["paths"]["/users"]["get"]["parameters"].remove(_limit(v1)),
        "GET /users, query parameter limit was removed",
    ),
    "required parameter": (
        lambda v1: v1["paths"]["/users"]["get"]["parameters"].append(
            {"name": "unit", "in": "query", "required": True, "schema": {"type": "string"}}
        ),
        "GET /users now needs the parameter unit",
    ),
    "answer": (
        lambda v1: v1["paths"]["/users"]["get"]["responses"].pop("200"),
        "GET /users, 200 was removed",
    ),
    "media type": (
        lambda v1: v1["paths"]["/users"]["get"]["responses"]["200"]["content"].pop("application/json"),
        "GET /users, 200, application/json was removed",
    ),
    "header": (
        lambda v1: v1["paths"]["/users"]["get"]["responses"]["200"]["headers"].pop("X-Request-Id"),
        "GET /users, 200 no longer has the header X-Request-Id",
    ),
    "member of an answer": (
        lambda v1: _schema(v1, "User")["properties"].pop("xp"),
        "User in answers, xp was removed",
    ),
    "member that may be missing": (
        lambda v1: _schema(v1, "User")["required"].remove("id"),
        "User in answers no longer always has id",
    ),
    "type of an answer": (
        lambda v1: _member(v1, "User", "name").update(type=["string", "null"]),
        "User in answers, name now may be null",
    ),
    "form of an answer": (
        lambda v1: _member(v1, "User", "created_at").pop("format"),
        "User in answers, created_at no longer has the format date-time",
    ),
    "value of an enum": (
        lambda v1: _member(v1, "User", "status")["enum"].remove("INACTIVE"),
        "User in answers, status no longer has the value INACTIVE",
    ),
    "member of a request": (
        lambda v1: _schema(v1, "UserCreate")["properties"].pop("phone"),
        "UserCreate in requests, phone was removed",
    ),
    "required member of a request": (
        lambda v1: _schema(v1, "UserCreate")["required"].append("phone"),
        "UserCreate in requests now always has phone",
    ),
    "type of a request": (
        lambda v1: _member(v1, "UserCreate", "name").update(type="integer"),
        "UserCreate in requests, name no longer may be string",
    ),
    "bound of a request": (
        lambda v1: _member(v1, "UserCreate", "password").update(maxLength=64),
        "UserCreate in requests, password has a stricter maxLength, 64",
    ),
    "closed list": (
        lambda v1: _member(v1, "UserCreate", "department").update(enum=["HR"]),
        "UserCreate in requests, department now has a closed list of values",
    ),
    "new status": (
        lambda v1: _member(v1, "User", "status")["enum"].append("RETIRED"),
        "User in answers, status now can be RETIRED",
    ),
    "webhook": (
        lambda v1: v1["webhooks"].pop("user.created"),
        "webhook POST user.created was removed",
    ),
}
ADDITIVE: dict[str, Change] = {
    "path": lambda v1: v1["paths"].update({"/people": v1["paths"]["/users"]}),
    "optional parameter": lambda v1: v1["paths"]["/users"]["get"]["parameters"].append(
        {"name": "unit", "in": "query", "required": False, "schema": {"type": "string"}}
    ),
    "failure": lambda v1: v1["paths"]["/users"]["get"]["responses"].update(
        {"418": v1["paths"]["/users"]["get"]["responses"]["400"]}
    ),
    "member of an answer": lambda v1: _schema(v1, "User")["properties"].update(nickname={"type": "string"}),
    "required member of an answer": lambda v1: _schema(v1, "User")["required"].append("name"),
    "value in an answer": lambda v1: _member(v1, "User", "role")["enum"].append("auditor"),
    "member of a request": lambda v1: _schema(v1, "UserCreate")["properties"].update(
        nickname={"type": "string"}
    ),
    "optional member of a request": lambda v1: _schema(v1, "UserCreate")["required"].remove("name"),
    "type of a request": lambda v1: _member(v1, "UserCreate", "name").update(type=["string", "null"]),
    "looser bound of a request": lambda v1: _member(v1, "UserCreate", "password").update(maxLength=256),
    "text": lambda v1: v1["info"].update(description="New words."),
}


@pytest.mark.parametrize(("change", "sentence"), BREAKING.values(), ids=BREAKING)
def test_a_breaking_change_is_found(change: Change, sentence: str) -> None:
    assert sentence in api_changes.find_breaking_changes(V1, _changed(change))


@pytest.mark.parametrize("change", ADDITIVE.values(), ids=ADDITIVE)
def test_an_additive_change_breaks_nothing(change: Change) -> None:
    assert api_changes.find_breaking_changes(V1, _changed(change)) == []


@pytest.fixture
def released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Replaces the released description."""
    monkeypatch.setattr(api_changes, "FOLDER", tmp_path)

    def write(change: Change, version: str = __version__) -> None:
        document = _changed(change)
        document["info"]["version"] = version
        (tmp_path / "v1.json").write_text(json.dumps(document))

    return write


Released = Callable[..., None]


def test_the_check_fails_and_says_what_to_do(released: Released, capsys: pytest.CaptureFixture[str]) -> None:
    released(lambda v1: _schema(v1, "User")["properties"].update(nickname={"type": "string"}))
    assert api_changes.main([]) == 1
    assert capsys.readouterr().err == (
        "docs/openapi has the last release. This version may not change:\n"
        "  v1.json: User in answers, nickname was removed\n"
        "Take these changes back, or raise the version in src/trilha/__init__.py.\n"
    )


def test_an_addition_passes_the_check(released: Released) -> None:
    released(lambda v1: _schema(v1, "User")["properties"].pop("xp"))
    assert api_changes.main([]) == 0


def test_a_surface_that_is_gone_breaks_its_clients(released: Released, tmp_path: Path) -> None:
    released(lambda v1: None)
    (tmp_path / "v1.json").rename(tmp_path / "v0.json")
    assert "v0.json: GET /users was removed" in api_changes.check(__version__)


@pytest.mark.parametrize(("version", "may"), [("2.0.0", True), ("1.1.0", False), ("1.0.1", False)])
def test_a_major_version_may_break_clients(released: Released, version: str, may: bool) -> None:
    released(lambda v1: v1["paths"].update({"/people": v1["paths"]["/users"]}), "1.0.0")
    assert (api_changes.check(version) == []) is may


@pytest.mark.parametrize(("version", "may"), [("2.0.0", True), ("1.1.0", True), ("1.0.1", False)])
def test_a_minor_version_may_add_something(released: Released, version: str, may: bool) -> None:
    released(lambda v1: v1["paths"].pop("/events"), "1.0.0")
    assert (api_changes.check(version) == []) is may


def test_the_released_descriptions_are_those_of_every_surface() -> None:
    names = {path.name for path in api_changes.FOLDER.iterdir()}
    assert names == set(api_changes.current_descriptions())
