"""The descriptions as data: what they state about an operation, a value and an answer."""

from collections.abc import Iterator
from typing import Any

import httpx2
from jsonschema import Draft202012Validator, FormatChecker

from trilha.app import all_routes, descriptions
from trilha.core.openapi.components import takes_fields
from trilha.core.openapi.json_schema import schemas_of
from trilha.core.web.pagination import data_of
from trilha.settings import Settings

# Headers that HTTP itself defines, which say nothing about the operation.
GENERIC = {
    *("content-type", "content-length", "cache-control", "pragma", "allow", "date", "server"),
    *("x-content-type-options", "strict-transport-security", "set-cookie"),
    *("content-disposition", "referrer-policy"),
}


# In an answer without `fields`, no member may be missing.
WHOLE = schemas_of([data_of(route.result) for route in all_routes() if takes_fields(route)])


class Document:
    """One description. Its operations have names such as `POST /users`."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content
        self.operations: dict[str, dict[str, Any]] = {
            f"{method.upper()} {path}": operation
            for path, methods in content["paths"].items()
            for method, operation in methods.items()
        }

    def resolved(self, value: dict[str, Any]) -> dict[str, Any]:
        if "$ref" not in value:
            return value
        found: Any = self.content
        for part in value["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        return dict(found)

    def problems(self, schema: dict[str, Any], value: object, *, in_part: bool = True) -> list[str]:
        schemas = self.content["components"]["schemas"]
        if not in_part:
            schemas = {name: WHOLE.get(name, each) for name, each in schemas.items()}
        whole = {**schema, "components": {**self.content["components"], "schemas": schemas}}
        validator = Draft202012Validator(whole, format_checker=FormatChecker())
        return [error.message for error in validator.iter_errors(value)]

    @property
    def scoped(self) -> dict[str, Any]:
        """Returns the operations that require a credential."""
        return {name: each for name, each in self.operations.items() if each.get("security")}

    def check(self, name: str, answer: httpx2.Response) -> None:
        """Checks that status, headers, media type and body match the description of the operation."""
        responses = self.operations[name]["responses"]
        assert str(answer.status_code) in responses, answer.text
        response = self.resolved(responses[str(answer.status_code)])
        wrong = list(self._wrong_headers(response["headers"], answer))
        assert wrong == [], (name, answer.status_code)
        if "content" not in response:
            assert answer.content == b""
            return
        media_type = answer.headers["content-type"].partition(";")[0]
        content = response["content"][media_type]
        is_json = media_type.endswith("json")
        body = answer.json() if is_json else answer.text
        in_part = self is not V1 or "fields" in answer.request.url.params
        assert self.problems(content["schema"], body, in_part=in_part) == []
        if not is_json:
            return
        if answer.status_code >= 400 and "scimType" in answer.json():
            assert answer.json()["scimType"] in content["examples"]
        if answer.status_code >= 400 and "error" in answer.json():
            error = answer.json()["error"]
            assert (error if isinstance(error, str) else error["code"]) in content["examples"]

    def _wrong_headers(self, told: dict[str, Any], answer: httpx2.Response) -> Iterator[str]:
        told = {header.lower(): self.resolved(each) for header, each in told.items()}
        yield from (f"{name} is not declared" for name in answer.headers if name not in {*told, *GENERIC})
        for name, header in told.items():
            if name not in answer.headers:
                if header.get("required"):
                    yield f"{name} is missing"
                continue
            value: Any = answer.headers[name]
            value = int(value) if header["schema"].get("type") == "integer" else value
            yield from (f"{name}: {problem}" for problem in self.problems(header["schema"], value))


_ALL = descriptions(Settings(base_url="http://trilha.test"))
SCIM = Document(_ALL["/scim/openapi.json"])
V1, OAUTH = Document(_ALL["/openapi.json"]), Document(_ALL["/oauth/openapi.json"])
DOCUMENTS = {address: Document(content) for address, content in _ALL.items()}

DESCRIPTION = V1.content
OPERATIONS = list(V1.operations.items())
resolved, problems = V1.resolved, V1.problems
