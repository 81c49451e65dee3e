"""The description as data, and what its schemas say of a value."""

from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from trilha.app import descriptions
from trilha.settings import Settings

DESCRIPTION = descriptions(Settings(base_url="http://trilha.test"))["/openapi.json"]
OPERATIONS = [
    (f"{method.upper()} {path}", operation)
    for path, methods in DESCRIPTION["paths"].items()
    for method, operation in methods.items()
]


def resolved(value: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in value:
        return value
    found: Any = DESCRIPTION
    for part in value["$ref"].removeprefix("#/").split("/"):
        found = found[part]
    return dict(found)


def problems(schema: dict[str, Any], value: object) -> list[str]:
    whole = {**schema, "components": DESCRIPTION["components"]}
    return [
        error.message
        for error in Draft202012Validator(whole, format_checker=FormatChecker()).iter_errors(value)
    ]
