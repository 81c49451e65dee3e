"""The types of the Python client: a TypedDict for each schema."""

import keyword
import re
import textwrap
from collections.abc import Iterator

from docs.clients.description import Operation, Schema, always_has, list_events, list_operations, schema_name

_SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
HEAD = """\"\"\"{title}

Written by `python -m docs.clients`. Do not edit.
\"\"\"

from __future__ import annotations
"""


def write_models(document: Schema) -> str:
    head = HEAD.format(title="What the API takes and returns.")
    parts = [f"{head}\nfrom typing import Any, Literal, NotRequired, TypedDict\n"]
    schemas = document["components"]["schemas"]
    parts += [_model(name, schema) for name, schema in schemas.items() if not _is_envelope(schema)]
    parts += {_extended(each): None for each in list_operations(document) if each.answer and each.extras}
    parts += _events(document)
    return "\n\n".join(parts)


def _is_envelope(schema: Schema) -> bool:
    """The client returns what is in an envelope."""
    return "data" in schema.get("properties", {}) and not {"id", "type"} & schema["properties"].keys()


def answer_type(operation: Operation) -> str:
    if operation.is_text:
        return "str"
    if operation.answer is None:
        return "None"
    later = f" | models.{operation.accepted}" if operation.accepted else ""
    return f"models.{operation.envelope if operation.extras else operation.answer}{later}"


def _extended(operation: Operation) -> str:
    """The client adds the members of `_meta` to those of `data`."""
    return f"class {operation.envelope}({operation.answer}, {operation.extras}):\n    pass"


def _model(name: str, schema: Schema) -> str:
    if schema.get("type") != "object":
        return f"{name} = {annotation(schema)}"
    if any(keyword.iskeyword(member) or not member.isidentifier() for member in schema["properties"]):
        raise ValueError(f"{name} has a member whose name Python cannot have.")
    about = [f"    {docstring(schema['description'], 4)}", ""] if "description" in schema else []
    return "\n".join([f"class {name}(TypedDict):", *about, *(list(_members(schema)) or ["    pass"])])


def _members(schema: Schema) -> Iterator[str]:
    for member, described in schema["properties"].items():
        type = annotation(described)
        yield f"    {member}: {type if always_has(schema, member) else f'NotRequired[{type}]'}"
        if "description" in described:
            yield f"    {docstring(described['description'], 4)}"


def _events(document: Schema) -> Iterator[str]:
    """A check of `type` tells type checkers which members `data` has."""
    envelope = document["components"]["schemas"]["EventEnvelope"]
    common = {name: each for name, each in envelope["properties"].items() if name not in ("type", "data")}
    yield _model("AnyEvent", {**envelope, "properties": common})
    events = dict(list_events(document))
    for type, data in events.items():
        yield f'class {data}Event(AnyEvent):\n    type: Literal["{type}"]\n    data: {data}'
    yield f"Event = {' | '.join(f'{data}Event' for data in events.values())}"


def annotation(schema: Schema) -> str:
    """Returns the Python type of a value."""
    if reference := schema_name(schema):
        return reference
    if "oneOf" in schema:
        return " | ".join(annotation(each) for each in schema["oneOf"])
    if "const" in schema or "enum" in schema:
        values = ", ".join(f'"{value}"' for value in schema.get("enum", [schema.get("const")]))
        return f"Literal[{values}]"
    types = schema.get("type", "any")
    return " | ".join(_simple(schema, type) for type in ([types] if isinstance(types, str) else types))


def _simple(schema: Schema, type: str) -> str:
    if type == "array":
        return f"list[{annotation(schema.get('items', {}))}]"
    return {**_SIMPLE, "object": "dict[str, Any]"}.get(type, "Any")


def docstring(text: str, indent: int) -> str:
    """Returns the text as a docstring, with lines of at most 110 characters."""
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    paragraphs = [" ".join(each.split()) for each in re.split(r"\n\n|\n(?=- )", text)]
    lines = [line for each in _with_gaps(paragraphs) for line in _wrap(each, 104 - indent)]
    end = [""] if len(lines) > 1 else []
    gap = "\n" + " " * indent
    return f'"""{gap.join([*lines, *end])}"""'


def _with_gaps(paragraphs: list[str]) -> Iterator[str]:
    """An empty line separates paragraphs, but not the items of a list."""
    for number, each in enumerate(paragraphs):
        if number and not (each.startswith("- ") and paragraphs[number - 1].startswith("- ")):
            yield ""
        yield each


def _wrap(text: str, width: int) -> list[str]:
    hanging = "  " * text.startswith("- ")
    lines = textwrap.wrap(
        text, width, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False
    )
    return lines or [""]
