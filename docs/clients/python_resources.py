"""The methods of the Python client: one class for each resource, for callers that wait and for coroutines."""

from collections.abc import Iterator
from itertools import groupby

from docs.clients.description import Operation, Parameter, Schema, list_operations
from docs.clients.python_models import HEAD, annotation, answer_type, docstring


def write_resources(document: Schema, *, is_async: bool) -> str:
    operations = sorted(list_operations(document), key=lambda each: each.resource)
    classes = {
        resource: list(methods) for resource, methods in groupby(operations, lambda each: each.resource)
    }
    kind = "async" if is_async else "sync"
    pages = "AsyncPages" if is_async else "Pages"
    names = "AsyncResource, AsyncSend, Call, Page" if is_async else "Call, Page, Resource, Send"
    title = "The resources of the API, for coroutines." if is_async else "The resources of the API."
    parts = [
        HEAD.format(title=title),
        "from typing import Literal, Unpack\n",
        "from trilha_client import models",
        f"from trilha_client._calls import {names}, Time, quote",
        f"from trilha_client._pages import {pages}",
        *(_class(name, methods, kind) for name, methods in classes.items()),
        _root(list(classes), is_async=is_async),
    ]
    return "\n".join(parts)


def class_name(resource: str, kind: str) -> str:
    name = "".join(word.title() for word in resource.split("_"))
    return f"Async{name}" if kind == "async" else name


def _class(name: str, operations: list[Operation], kind: str) -> str:
    base = "AsyncResource" if kind == "async" else "Resource"
    methods = [_method(operation, kind) for operation in operations]
    return "\n\n".join([f"\n\nclass {class_name(name, kind)}({base}):", *methods])


def _root(resources: list[str], *, is_async: bool) -> str:
    kind, prefix = ("async", "Async") if is_async else ("sync", "")
    lines = [
        f"\n\nclass {prefix}Resources:",
        f"    def __init__(self, send: {prefix}Send) -> None:",
        *(f"        self.{each} = {class_name(each, kind)}(send)" for each in resources),
    ]
    return "\n".join(lines) + "\n"


def _method(operation: Operation, kind: str) -> str:
    is_list = operation.row is not None
    pages = "AsyncPages" if kind == "async" else "Pages"
    type = f"{pages}[models.{operation.row}]" if is_list else answer_type(operation)
    define = "async def" if kind == "async" and not is_list else "def"
    lines = [
        f"    {define} {operation.name}({', '.join(_arguments(operation))}) -> {type}:",
        f"        {docstring(_about(operation), 8)}",
        f"        {_body(operation, kind)}",
    ]
    return "\n".join(lines)


def _about(operation: Operation) -> str:
    query = [f"- `{each.name}`: {each.description}" for each in operation.query]
    return "\n".join([operation.description, *([""] if query else []), *query])


def _arguments(operation: Operation) -> Iterator[str]:
    yield "self"
    yield from (f"{place}: str" for place in operation.places)
    takes_key = operation.takes_key and operation.row is None
    if operation.query or takes_key:
        yield "*"
    for parameter in operation.query:
        yield f"{parameter.name}: {_query_type(parameter)}"
    if takes_key:
        yield "idempotency_key: str | None = None"
    if operation.body:
        yield f"**body: Unpack[models.{operation.body}]"


def _query_type(parameter: Parameter) -> str:
    if parameter.name == "limit":
        # The client reads all pages, so it asks for as many rows as a page can have.
        return f"int = {parameter.schema['maximum']}"
    schema = {name: value for name, value in parameter.schema.items() if name != "default"}
    type = "Time" if schema.get("format") == "date-time" else annotation(schema)
    return f"{type} | None = None"


def _body(operation: Operation, kind: str) -> str:
    row, type = operation.row, answer_type(operation)
    result = f"Page[models.{row}]" if row else type
    path = operation.path
    for place in operation.places:
        path = path.replace(f"{{{place}}}", f"{{quote({place})}}")
    arguments = [f'"{operation.method}"', f'{"f" if operation.places else ""}"{path}"']
    if operation.query:
        pairs = ", ".join(f'"{each.name}": {each.name}' for each in operation.query)
        arguments.append(f"query={{{pairs}}}")
    if operation.body:
        arguments.append("body=body")
    if operation.takes_key and not row:
        arguments.append("idempotency_key=idempotency_key")
    call = f"Call[{result}]({', '.join(arguments)})"
    if row:
        return f"return {'AsyncPages' if kind == 'async' else 'Pages'}(self._send, {call})"
    sent = f"{'await ' if kind == 'async' else ''}self._send({call})"
    return sent if type == "None" else f"return {sent}"
