"""The types of the API for TypeScript, in the form of openapi-typescript, which openapi-fetch takes."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from docs.clients.description import Schema, always_has, schema_name

_HEAD = "// The types of Trilha's API. Written by `python -m docs.clients`. Do not edit.\n\n"
_HEADERS = "headers: { [name: string]: unknown }"
_REFUSAL = 'components["schemas"]["ErrorEnvelope"]'
_SIMPLE = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def write_types(document: Schema) -> str:
    schemas = document["components"]["schemas"]
    return "".join(
        [
            _HEAD,
            "export interface paths {\n",
            *(_path(path, methods) for path, methods in document["paths"].items()),
            "}\n\nexport interface webhooks {\n",
            *(f'  "{type}": {_type(_sent(methods), 1)};\n' for type, methods in document["webhooks"].items()),
            "}\n\nexport interface components {\n  schemas: {\n",
            *(f"{_comment(schema, 2)}    {name}: {_type(schema, 2)};\n" for name, schema in schemas.items()),
            "  };\n}\n",
        ]
    )


def _sent(methods: Schema) -> Schema:
    """Returns the schema of a webhook's body."""
    return dict(methods["post"]["requestBody"]["content"]["application/json"]["schema"])


def _path(path: str, methods: Schema) -> str:
    operations = "".join(_operation(method, operation) for method, operation in methods.items())
    return f"  {json.dumps(path)}: {{\n{operations}  }};\n"


def _operation(method: str, operation: Schema) -> str:
    parameters = operation.get("parameters", [])
    kinds = [
        f"{kind}{'' if kind == 'path' else '?'}: {{ {'; '.join(_parameters(parameters, kind))} }}"
        for kind in ("query", "header", "path")
        if any(each["in"] == kind for each in parameters)
    ]
    body = operation.get("requestBody", {}).get("content", {})
    lines = [
        _comment({"description": operation["description"]}, 2),
        f"    {method}: {{\n",
        f"      parameters: {{ {'; '.join(kinds)} }};\n" if kinds else "      parameters: {};\n",
        f"      requestBody: {{ {_content(body)} }};\n" if body else "",
        f"      responses: {{ {'; '.join(_responses(operation['responses']))} }};\n",
        "    };\n",
    ]
    return "".join(lines)


def _parameters(parameters: Iterable[Schema], kind: str) -> Iterator[str]:
    for each in parameters:
        if each["in"] == kind:
            schema = {name: value for name, value in each["schema"].items() if name != "default"}
            yield f"{json.dumps(each['name'])}{'' if each.get('required') else '?'}: {_type(schema, 3)}"


def _responses(responses: Schema) -> Iterator[str]:
    """All refusals have one form."""
    for status, each in responses.items():
        if status < "4":
            content = _content(each.get("content", {})) or "content?: never"
            yield f"{status}: {{ {_HEADERS}; {content} }}"
    yield f'default: {{ {_HEADERS}; content: {{ "application/json": {_REFUSAL} }} }}'


def _content(content: dict[str, Any]) -> str:
    kinds = "; ".join(f"{json.dumps(kind)}: {_type(each['schema'], 3)}" for kind, each in content.items())
    return f"content: {{ {kinds} }}" if kinds else ""


def _type(schema: Schema, depth: int) -> str:
    if reference := schema_name(schema):
        return f'components["schemas"]["{reference}"]'
    if "oneOf" in schema:
        return " | ".join(_type(each, depth) for each in schema["oneOf"])
    if "const" in schema or "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema.get("enum", [schema.get("const")]))
    types = schema.get("type", "any")
    return " | ".join(_simple(schema, type, depth) for type in ([types] if isinstance(types, str) else types))


def _simple(schema: Schema, type: str, depth: int) -> str:
    if type == "array":
        return f"({_type(schema.get('items', {}), depth)})[]"
    if type == "object" and "properties" in schema:
        members = "".join(_members(schema, depth + 1))
        return f"{{\n{members}{'  ' * depth}}}"
    return {**_SIMPLE, "object": "{ [name: string]: unknown }"}.get(type, "unknown")


def _members(schema: Schema, depth: int) -> Iterator[str]:
    for member, described in schema["properties"].items():
        mark = "" if always_has(schema, member) else "?"
        yield f"{_comment(described, depth)}{'  ' * depth}{member}{mark}: {_type(described, depth)};\n"


def _comment(schema: Schema, depth: int) -> str:
    text = schema.get("description", "").replace("*/", "* /")
    if not text:
        return ""
    indent = "  " * depth
    lines = [f"{indent} * {line}".rstrip() for line in re.split(r"\n", text)]
    return "\n".join([f"{indent}/**", *lines, f"{indent} */"]) + "\n"
