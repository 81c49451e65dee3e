"""Compares the OpenAPI descriptions with those of the last release, which `docs/openapi` holds.

`python -m docs.api_changes` fails when a change breaks clients of the last release, unless the major version
is higher. With `--write` it replaces the descriptions; only `make release` does that.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from trilha import __version__
from trilha.app import descriptions
from trilha.settings import Settings

FOLDER = Path(__file__).parent / "openapi"
_NOTHING: dict[str, Any] = {"paths": {}, "webhooks": {}}
_LOWER_BOUNDS = ("minimum", "minLength", "minItems")
_UPPER_BOUNDS = ("maximum", "maxLength", "maxItems")
_ANY_TYPE = ["string", "number", "boolean", "object", "array", "null"]
Place = tuple[str, ...]


class Contract(Struct):
    """What a description states at one place: about an operation, a parameter, an answer, a schema or a
    member.

    A change breaks clients if a promise is missing, a requirement is new, or a bound is higher. Upper bounds
    are stored as negative numbers, so that a higher number is always stricter.
    """

    promises: set[str] = field(default_factory=set)
    demands: set[str] = field(default_factory=set)
    bounds: dict[str, float] = field(default_factory=dict)


class Contracts(defaultdict[Place, Contract]):
    """The contracts of one description, by place."""

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__(Contract)
        self._document = document
        for name, operation in _operations(document["paths"]):
            self._add_operation(name, operation)
            self._add_content((name, "body"), operation.get("requestBody", {}), is_sent=True)
        for name, operation in _operations(document["webhooks"]):
            self._add_content((f"webhook {name}",), operation["requestBody"], is_sent=False)

    def _add_operation(self, name: str, operation: dict[str, Any]) -> None:
        contract = self[name,]
        contract.promises.add(f"is called {operation['operationId']}")
        if scope := operation.get("x-required-scope"):
            contract.demands.add(f"needs the scope {scope}")
        if operation.get("requestBody", {}).get("required"):
            contract.demands.add("needs a body")
        for parameter in operation.get("parameters", ()):
            if parameter["required"]:
                contract.demands.add(f"needs the parameter {parameter['name']}")
            place = (name, f"{parameter['in']} parameter {parameter['name']}")
            self._add_schema(place, parameter["schema"], is_sent=True)
        for status, response in operation["responses"].items():
            # Clients have to expect any failure, but all failures have one form.
            place = (name, status if status < "400" else "failures")
            self._add_content(place, self._resolve(response), is_sent=False)

    def _add_content(self, place: Place, described: dict[str, Any], *, is_sent: bool) -> None:
        self[place].promises |= {f"has the header {header}" for header in described.get("headers", ())}
        for media_type, content in described.get("content", {}).items():
            self._add_schema((*place, media_type), content["schema"], is_sent=is_sent)

    def _add_schema(self, place: Place, schema: dict[str, Any], *, is_sent: bool) -> None:
        """Adds a schema of data that clients send or receive at this place."""
        contract = self[place]
        for each in schema.get("oneOf", [schema]):
            if "$ref" in each:
                name = each["$ref"].rpartition("/")[2]
                contract.promises.add(f"has the schema {name}")
                referred = (f"{name} in {'requests' if is_sent else 'answers'}",)
                if referred not in self:
                    self._add_schema(referred, self._resolve(each), is_sent=is_sent)
            else:
                self._add_types(place, each, is_sent=is_sent)
                self._add_members(place, each, is_sent=is_sent)

    def _add_types(self, place: Place, schema: dict[str, Any], *, is_sent: bool) -> None:
        contract = self[place]
        types = schema.get("type", _ANY_TYPE)
        for type in [types] if isinstance(types, str) else types:
            also = ["integer"] if type == "number" else []
            (contract.promises if is_sent else contract.demands).update(
                f"may be {each}" for each in [type, *also]
            )
        if "format" in schema:
            (contract.demands if is_sent else contract.promises).add(f"has the format {schema['format']}")
        values = [schema["const"]] if "const" in schema else schema.get("enum", ())
        contract.promises |= {f"has the value {value}" for value in values}
        if is_sent and values:
            contract.demands.add("has a closed list of values")
        elif place[-1] == "status":
            # docs/api-promise.md: clients may rely on these states.
            contract.demands |= {f"can be {value}" for value in values}
        if is_sent:
            contract.bounds |= {name: schema[name] for name in _LOWER_BOUNDS if name in schema}
            contract.bounds |= {name: -schema[name] for name in _UPPER_BOUNDS if name in schema}

    def _add_members(self, place: Place, schema: dict[str, Any], *, is_sent: bool) -> None:
        for member in schema.get("required", ()):
            (self[place].demands if is_sent else self[place].promises).add(f"always has {member}")
        if is_sent and schema.get("additionalProperties") is False:
            self[place].demands.add("has no other members")
        for member, described in schema.get("properties", {}).items():
            self._add_schema((*place, member), described, is_sent=is_sent)
        if "items" in schema:
            self._add_schema((*place, "items"), schema["items"], is_sent=is_sent)

    def _resolve(self, value: dict[str, Any]) -> dict[str, Any]:
        if "$ref" not in value:
            return value
        found: Any = self._document
        for part in value["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        return dict(found)


def _operations(paths: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in paths.items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def find_breaking_changes(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Returns a sentence for each change that can break a client of the old description."""
    before, after = Contracts(old), Contracts(new)
    return [change for place in before for change in _changes(place, before, after)]


def _changes(place: Place, before: Contracts, after: Contracts) -> Iterator[str]:
    name = ", ".join(place)
    if place not in after:
        # Its members are removed too, so they are not listed.
        if len(place) == 1 or place[:-1] in after:
            yield f"{name} was removed"
        return
    old, new = before[place], after[place]
    yield from (f"{name} no longer {promise}" for promise in sorted(old.promises - new.promises))
    yield from (f"{name} now {demand}" for demand in sorted(new.demands - old.demands))
    for bound, value in new.bounds.items():
        if value > old.bounds.get(bound, -sys.maxsize):
            yield f"{name} has a stricter {bound}, {abs(value)}"


def current_descriptions() -> dict[str, dict[str, Any]]:
    """Returns the description of each surface, by the name of its file in `docs/openapi`."""
    return {
        f"{address.removesuffix('openapi.json').strip('/') or 'v1'}.json": description
        for address, description in descriptions(Settings()).items()
    }


def write() -> None:
    for name, description in current_descriptions().items():
        (FOLDER / name).write_text(json.dumps(description, indent=2, ensure_ascii=False) + "\n")


def check(version: str) -> list[str]:
    """Returns the changes since the last release that this version may not make.

    A new major version may break clients. A new version that is neither major nor minor may add nothing.
    """
    current = current_descriptions()
    found = []
    for path in sorted(FOLDER.glob("*.json")):
        old, new = json.loads(path.read_text()), current.get(path.name, _NOTHING)
        released = old["info"]["version"]
        if _numbers(version)[0] == _numbers(released)[0]:
            found += [f"{path.name}: {change}" for change in find_breaking_changes(old, new)]
        is_patch = version != released and _numbers(version)[:2] == _numbers(released)[:2]
        if is_patch and find_breaking_changes(new, old):
            found.append(f"{path.name}: there are additions, which need a new minor version")
    return found


def _numbers(version: str) -> list[str]:
    return version.split(".")


def main(arguments: list[str]) -> int:
    if arguments == ["--write"]:
        write()
        return 0
    changes = check(__version__)
    if changes:
        sys.stderr.write("docs/openapi has the last release. This version may not change:\n")
        sys.stderr.writelines(f"  {change}\n" for change in changes)
        sys.stderr.write("Take these changes back, or raise the version in src/trilha/__init__.py.\n")
    return int(bool(changes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
