"""The operations of an OpenAPI description, with the names that the client libraries give them."""

import keyword
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Schema = dict[str, Any]

# Operations for which `name_method` finds no good name.
_METHODS = {
    "put_users": "put_bulk",
    "create_enrollments": "create_bulk",
    "import_enrollments": "import_completions",
}


@dataclass(frozen=True)
class Parameter:
    name: str
    description: str
    schema: Schema


@dataclass(frozen=True)
class Operation:
    """`body`, `envelope` and `answer` are names of schemas; `answer` is in the member `data` of the envelope.
    `accepted` is the answer if the work is done later, where that is another one.
    `row` is the schema of a list's rows, `extras` the schema of `_meta`.
    """

    resource: str
    name: str
    method: str
    path: str
    description: str
    places: tuple[str, ...]
    query: tuple[Parameter, ...]
    takes_key: bool
    body: str | None
    envelope: str | None
    answer: str | None
    accepted: str | None
    row: str | None
    extras: str | None
    is_text: bool


def list_operations(document: Schema) -> list[Operation]:
    """Raises ValueError if two operations of a resource have the same name."""
    operations = [
        _read(document, path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    names = Counter(f"{operation.resource}.{operation.name}" for operation in operations)
    if repeated := [name for name, count in names.items() if count > 1]:
        raise ValueError(f"Two operations are named {', '.join(repeated)}: name them in {__name__}._METHODS.")
    return operations


def _read(document: Schema, path: str, method: str, operation: Schema) -> Operation:
    parameters = operation.get("parameters", [])
    answer, *later = [each for status, each in operation["responses"].items() if status.startswith("2")]
    envelope = _json_schema(answer)
    members = _members(document, envelope)
    accepted = _members(document, _json_schema(later[0])) if later else {}
    resource = _name_resource(path)
    return Operation(
        resource=resource,
        name=_name_method(operation["operationId"], resource),
        method=method.upper(),
        path=path,
        description=operation["description"],
        places=tuple(re.findall(r"{(\w+)}", path)),
        query=tuple(
            Parameter(each["name"], each["description"], each["schema"])
            for each in parameters
            if each["in"] == "query"
        ),
        takes_key=any(each["name"] == "Idempotency-Key" for each in parameters),
        body=_json_schema(operation.get("requestBody", {})),
        envelope=envelope,
        answer=schema_name(members.get("data")),
        accepted=schema_name(accepted.get("data")),
        row=_row(members),
        extras=schema_name(members.get("_meta")),
        is_text="text/csv" in answer.get("content", {}),
    )


def _members(document: Schema, envelope: str | None) -> Schema:
    members: Schema = document["components"]["schemas"].get(envelope, {}).get("properties", {})
    return members


def _json_schema(message: Schema) -> str | None:
    return schema_name(message.get("content", {}).get("application/json", {}).get("schema"))


def schema_name(schema: Schema | None) -> str | None:
    return schema["$ref"].rpartition("/")[2] if schema and "$ref" in schema else None


def _row(members: Schema) -> str | None:
    """Events have the types of their `data`."""
    if "next_cursor" not in members:
        return None
    name = schema_name(members["data"]["items"])
    return "Event" if name == "EventEnvelope" else name


def _name_resource(path: str) -> str:
    return path.split("/")[1].replace("-", "_")


def _name_method(operation: str, resource: str) -> str:
    """Removes the resource from the operation's name: `list_users` becomes `list`."""
    if operation in _METHODS:
        return _METHODS[operation]
    singular = re.sub(r"ies$", "y", resource) if resource.endswith("ies") else resource.removesuffix("s")
    name = re.sub(rf"_({resource}|{singular})(?=_|$)", "", operation)
    return f"{name}_" if keyword.iskeyword(name) else name


def list_events(document: Schema) -> Iterator[tuple[str, str]]:
    """Returns each type of event with the schema of its data."""
    for type, methods in document["webhooks"].items():
        schema = methods["post"]["requestBody"]["content"]["application/json"]["schema"]
        yield type, str(schema_name(schema["properties"]["data"]))


def always_has(schema: Schema, member: str) -> bool:
    """Whether an answer has the member, if the call does not choose `fields`."""
    required: list[str] = schema.get("x-required-without-fields") or schema.get("required", [])
    return member in required
