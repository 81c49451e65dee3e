"""Finds the routes of a path."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from msgspec import Struct

from trilha.core.errors import CODES, NotFound
from trilha.core.types import InvalidValue, Text
from trilha.core.web.parsing import parse_uuid
from trilha.core.web.routes import RestOfPath, Route

# the maximum segments in the description of a path without a route
_MAX_SEGMENTS = 8


class Match(Struct, frozen=True):
    """The routes of a path by method, and the variable parts of the path as text."""

    routes: Mapping[str, Route]
    values: list[str]

    @property
    def methods(self) -> list[str]:
        """The methods for `Allow`: GET implies HEAD, and OPTIONS is always answered."""
        more = {"OPTIONS"} | ({"HEAD"} if "GET" in self.routes else set())
        return sorted(set(self.routes) | more)


class _Node:
    """A node in the tree of path segments."""

    __slots__ = ("children", "parameter", "rest", "routes")

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.parameter: _Node | None = None
        self.rest: dict[str, Route] = {}
        self.routes: dict[str, Route] = {}


class Router:
    """The tree of a surface's routes. A literal segment takes precedence over a parameter."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._root = _Node()
        for route in routes:
            self._add(route)

    def _add(self, route: Route) -> None:
        node = self._root
        for segment in route.path.rstrip("/").split("/")[1:]:
            if not segment.startswith("{"):
                node = node.children.setdefault(segment, _Node())
            elif route.path_params[segment[1:-1]] is RestOfPath:
                _claim(node.rest, route)
                return
            else:
                node.parameter = node.parameter or _Node()
                node = node.parameter
        _claim(node.routes, route)

    def find(self, path: str) -> Match | None:
        """Finds the match of a path that begins with a slash. A trailing slash is ignored, except in the
        rest of a path.
        """
        return _find(self._root, path.split("/")[1:], 0, [])


def shape(path: str, words: Collection[str]) -> str:
    """Describes an unknown path by its known words and by the kinds of the others.

    `/v1/users/{uuid}/enrolments` becomes `/v1/users/{uuid}/{other}`. At most eight segments are described.
    """
    segments = path.split("/")[1:]
    labels = [segment if segment in words else _kind(segment) for segment in segments[:_MAX_SEGMENTS]]
    return "".join(f"/{each}" for each in labels) + ("/…" if len(segments) > _MAX_SEGMENTS else "")


def _kind(segment: str) -> str:
    if parse_uuid(segment) is not None:
        return "{uuid}"
    return "{number}" if segment.isascii() and segment.isdigit() else "{other}"


def _claim(routes: dict[str, Route], route: Route) -> None:
    if route.method in routes:
        raise TypeError(f"{route.method} {route.path} is declared twice")
    routes[route.method] = route


def _find(node: _Node, segments: list[str], at: int, values: list[str]) -> Match | None:
    left = len(segments) - at
    if left == 0 or (left == 1 and not segments[at]):
        if node.routes:
            return Match(node.routes, values)
        if left == 0:
            return None
    segment = segments[at]
    if (child := node.children.get(segment)) and (match := _find(child, segments, at + 1, values)):
        return match
    if segment and node.parameter and (match := _find(node.parameter, segments, at + 1, [*values, segment])):
        return match
    return Match(node.rest, [*values, "/".join(segments[at:])]) if node.rest else None


def path_arguments(route: Route, values: list[str]) -> dict[str, Any]:
    """Converts the path's parameters to their annotated types. Raises NotFound for an invalid value."""
    arguments = {}
    for (name, kind), value in zip(route.path_params.items(), values, strict=True):
        argument: Any = value
        if kind is RestOfPath and not _is_plain(value):
            argument = None
        elif issubclass(kind, Text):
            try:
                argument = kind.parse(value)
            except InvalidValue:
                argument = None
        elif kind not in (str, RestOfPath):
            argument = parse_uuid(value)
        if argument is None:
            code = f"{name.removesuffix('_id')}_not_found"
            raise NotFound(code if code in CODES else "route_not_found")
        arguments[name] = argument
    return arguments


def _is_plain(path: str) -> bool:
    """Returns whether the path stays beneath its folder."""
    return "\x00" not in path and not any(part in ("", ".", "..") for part in path.split("/"))
