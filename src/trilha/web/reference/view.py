"""Reads an OpenAPI description into the values that its pages show, by tag."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

# The depth to which nested members are listed.
_DEEPEST = 3
_ARMS = ("anyOf", "oneOf", "allOf")


class Row(Struct, frozen=True):
    """A parameter or a member. `name` is dotted below the first level, `values` are those of an enum."""

    name: str
    kind: str
    required: bool
    description: str
    values: list[str]


class Failure(Struct, frozen=True):
    """`codes` are pairs of a code and what it means."""

    status: str
    codes: list[tuple[str, str]]


class Operation(Struct, frozen=True, kw_only=True):
    """`path` includes the server's prefix. `success` is a status; `example` and `body_example` are JSON."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    parameters: list[Row]
    body: list[Row]
    body_example: str
    success: str
    answer: list[Row]
    example: str
    failures: list[Failure]
    curl: str


class Tag(Struct, frozen=True):
    name: str
    slug: str
    description: str
    operations: list[Operation]


class Reference(Struct, frozen=True):
    title: str
    introduction: str
    tags: list[Tag]


def build_reference(document: Mapping[str, Any]) -> Reference:
    reader = _Reader(document)
    operations = [*reader.operations(), *reader.webhooks()]
    return Reference(
        document["info"]["title"],
        document["info"]["description"],
        [
            Tag(
                each["name"],
                each["name"].lower().replace(" ", "-"),
                each["description"],
                [operation for tags, operation in operations if each["name"] in tags],
            )
            for each in document["tags"]
        ],
    )


class _Reader:
    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._server: str = document["servers"][0]["url"]
        self._prefix = "/" + self._server.partition("://")[2].partition("/")[2]

    def operations(self) -> Iterator[tuple[list[str], Operation]]:
        for path, methods in self._document["paths"].items():
            for method, operation in methods.items():
                yield operation["tags"], self._operation(method.upper(), path, operation)

    def webhooks(self) -> Iterator[tuple[list[str], Operation]]:
        """What is sent: its body is what its reader takes."""
        for name, methods in self._document.get("webhooks", {}).items():
            for operation in methods.values():
                yield operation["tags"], self._operation("EVENT", name, operation)

    def _operation(self, method: str, path: str, operation: Mapping[str, Any]) -> Operation:
        sent = method == "EVENT"
        contents = operation.get("requestBody", {}).get("content", {})
        body: Mapping[str, Any] = next(iter(contents.values()), {})
        status, answer = self._success(operation)
        return Operation(
            id=operation["operationId"],
            method=method,
            path=path if sent else self._prefix.rstrip("/") + path,
            summary=operation["summary"],
            description=operation["description"],
            parameters=[] if sent else [self._parameter(each) for each in operation["parameters"]],
            body=list(self._rows(body.get("schema", {}))),
            body_example=_json(body.get("example")),
            success=status,
            answer=[] if sent else list(self._rows(answer.get("schema", {}))),
            example="" if sent else _json(answer.get("example")),
            failures=[] if sent else list(self._failures(operation)),
            curl="" if sent else self._curl(method, path, operation, body.get("example")),
        )

    def _success(self, operation: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        status = next(iter(operation["responses"]))
        response = self._resolve(operation["responses"][status])
        return status, next(iter(response.get("content", {}).values()), {})

    def _failures(self, operation: Mapping[str, Any]) -> Iterator[Failure]:
        for status, response in operation["responses"].items():
            if status.startswith(("4", "5")):
                lines = self._resolve(response)["description"].splitlines()
                pairs = (line.removeprefix("- ").partition(": ") for line in lines)
                yield Failure(status, [(code.strip("`"), meaning) for code, _, meaning in pairs])

    def _parameter(self, parameter: Mapping[str, Any]) -> Row:
        found = self._resolve(parameter)
        schema = self._resolve(found["schema"])
        return Row(
            found["name"],
            f"{self._kind(schema)}, in the {found['in']}",
            found["required"],
            found.get("description") or schema.get("description", ""),
            self._values(schema),
        )

    def _rows(self, schema: Mapping[str, Any], above: str = "", depth: int = 1) -> Iterator[Row]:
        """Yields the members of an object, or of a list's objects, down to the third level."""
        whole = self._members_of(schema)
        for name, member in whole.get("properties", {}).items():
            found = self._resolve(member)
            description = member.get("description") or found.get("description", "")
            dotted = f"{above}{name}"
            required = name in whole.get("required", ())
            yield Row(dotted, self._kind(found), required, description, self._values(found))
            if depth < _DEEPEST:
                yield from self._rows(found, f"{dotted}.", depth + 1)

    def _members_of(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns the object's schema: the schema itself, a list's items, or the first of several."""
        found = self._resolve(schema)
        for each in _ARMS:
            if each in found:
                found = self._members_of(next(arm for arm in found[each] if arm != {"type": "null"}))
        return self._members_of(found["items"]) if "items" in found else found

    def _kind(self, schema: Mapping[str, Any]) -> str:
        found = self._resolve(schema)
        for each in _ARMS:
            if each in found:
                return " or ".join(dict.fromkeys(self._kind(arm) for arm in found[each]))
        kinds = found.get("type", "any")
        names = [kinds] if isinstance(kinds, str) else kinds
        return " or ".join(self._name(name, found) for name in names)

    def _name(self, kind: str, schema: Mapping[str, Any]) -> str:
        if kind == "array":
            return f"list of {self._kind(schema['items'])}"
        return f"{kind} ({schema['format']})" if "format" in schema and kind != "null" else kind

    def _values(self, schema: Mapping[str, Any]) -> list[str]:
        found = self._resolve(schema)
        arms = [value for each in _ARMS for arm in found.get(each, ()) for value in self._values(arm)]
        own = [found["const"]] if "const" in found else found.get("enum", [])
        listed = self._values(found["items"]) if "items" in found else []
        # Null is listed among the types.
        return [*arms, *(str(value) for value in own if value is not None), *listed]

    def _resolve(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in value and isinstance(value["$ref"], str):
            found: Any = self._document
            for part in value["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            value = found
        return value

    def _curl(self, method: str, path: str, operation: Mapping[str, Any], body: Any) -> str:
        for each in operation["parameters"]:
            found = self._resolve(each)
            if found["in"] == "path":
                path = path.replace(f"{{{found['name']}}}", str(found.get("example", "…")))
        verb = "" if method == "GET" else f" -X {method}"
        lines = [f'curl{verb} "{self._server}{path}"']
        if operation.get("security"):
            lines.append('-H "Authorization: Bearer $TRILHA_API_KEY"')
        if body is not None:
            quoted = json.dumps(body, ensure_ascii=False).replace("'", "'\\''")
            lines += ['-H "Content-Type: application/json"', f"-d '{quoted}'"]
        return " \\\n  ".join(lines)


def _json(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, indent=2)
