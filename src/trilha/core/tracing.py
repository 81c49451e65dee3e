"""Traces for OpenTelemetry, if the environment names a collector. Otherwise nothing is imported or recorded.

Spans bear routes, statuses, names of work and ids: never values of statements, addresses or data of a person.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from trilha.core.trace_export import Tracer

Kind = Literal["server", "client", "internal"]
Attributes = Mapping[str, Any]
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
# How many callers of a statement are looked at for its name.
_MAX_CALLERS = 12
# modules through which statements run
_STATEMENT_MODULES = ("trilha.core.database", "trilha.core.tracing", "contextlib")
_tracer: "Tracer | None" = None


class Span:
    """A span of work. Without tracing, it ignores everything."""

    def __init__(self, span: Any = None) -> None:
        self._span = span

    def rename(self, name: str) -> None:
        if self._span is not None:
            self._span.update_name(name)

    def add(self, attributes: Attributes) -> None:
        """Adds attributes, except those that are None."""
        if self._span is not None:
            self._span.set_attributes({key: value for key, value in attributes.items() if value is not None})

    def fail(self, kind: str) -> None:
        """Marks the work as failed. `kind` is a code or a type, never the text of an error."""
        if self._span is not None and _tracer is not None:
            _tracer.fail(self._span, kind)


_NO_SPAN = Span()


def is_configured(environ: Mapping[str, str] = os.environ) -> bool:
    """Returns whether the standard variables of OpenTelemetry ask for traces."""
    is_disabled = environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    named = any(environ.get(name) for name in _ENDPOINTS)
    return named and not is_disabled and environ.get("OTEL_TRACES_EXPORTER", "otlp") != "none"


def enable(process: str, version: str) -> None:
    """Makes this process trace its work if the environment asks for it. `process` is its role, and `version`
    that of Trilha.
    """
    global _tracer
    if _tracer is None and is_configured():
        from trilha.core.trace_export import Tracer

        _tracer = Tracer(process, version)


def close() -> None:
    """Sends the spans that wait, and stops tracing."""
    global _tracer
    ended, _tracer = _tracer, None
    if ended is not None:
        ended.close()


def is_enabled() -> bool:
    return _tracer is not None


def is_recording() -> bool:
    """Returns whether this code runs inside a span that is recorded."""
    return _tracer is not None and _tracer.is_recording()


@contextmanager
def span(
    name: str, attributes: Attributes | None = None, *, kind: Kind = "internal", parent: str | None = None
) -> Iterator[Span]:
    """Traces the block. `parent` is a traceparent of W3C Trace Context; without it, the span belongs to the
    one that runs.
    """
    if _tracer is None:
        yield _NO_SPAN
        return
    with _tracer.begin(name, attributes or {}, kind, parent) as begun:
        span = Span(begun)
        try:
            yield span
        except BaseException as error:
            span.fail(type(error).__name__)
            raise


def record_turn(name: str, began: float, count: int) -> None:
    """Records a turn of a job that has done something. `began` is in Unix seconds."""
    if _tracer is not None:
        _tracer.record(f"job {name}", began, {"trilha.items": count})


def read_traceparent() -> str | None:
    """Returns the traceparent of the span that runs, or None."""
    return None if _tracer is None else _tracer.read_traceparent()


@contextmanager
def trace_statement(sql: str) -> Iterator[None]:
    """Traces a database statement under the name of the function that runs it."""
    attributes = {"db.system.name": "postgresql", "db.operation.name": sql.split(None, 1)[0].upper()}
    with span(_name_caller(sys._getframe(2)), attributes, kind="client"):
        yield


def _name_caller(frame: FrameType | None) -> str:
    """Names the nearest function of a feature; for statements of the core, the nearest one outside of
    `core.database`.
    """
    nearest = ""
    for _ in range(_MAX_CALLERS):
        module = frame.f_globals.get("__name__", "") if frame else ""
        if frame is None or not module.startswith(("trilha.", "contextlib")):
            break
        name = f"{module.removeprefix('trilha.')}.{frame.f_code.co_qualname}"
        if module.startswith("trilha.") and not module.startswith("trilha.core."):
            return name
        if not nearest and not module.startswith(_STATEMENT_MODULES):
            nearest = name
        frame = frame.f_back
    return nearest or "statement"


def trace_http(*, sends_trace: bool = False) -> list[Any]:
    """Returns what a session of aiohttp needs to trace its requests. With `sends_trace`, requests bear a
    `traceparent`.
    """
    return [] if _tracer is None else [_tracer.trace_http(sends_trace=sends_trace)]
