"""Records spans with OpenTelemetry's SDK and sends them to a collector. Imported only if a process traces."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import aiohttp
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from trilha.core.tracing import Attributes, Kind

_W3C = TraceContextTextMapPropagator()
_KINDS = {
    "server": trace.SpanKind.SERVER,
    "client": trace.SpanKind.CLIENT,
    "internal": trace.SpanKind.INTERNAL,
}


class Tracer:
    """The tracer of one process. The SDK reads sampling, headers and limits from the environment."""

    def __init__(self, process: str, version: str) -> None:
        own = {
            "service.name": "trilha",
            "service.version": version,
            "service.instance.id": str(uuid.uuid4()),
            "trilha.process": process,
        }
        resource = Resource.create(own).merge(OTELResourceDetector().detect())
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._tracer = self._provider.get_tracer("trilha", version)

    def close(self) -> None:
        self._provider.shutdown()

    def is_recording(self) -> bool:
        return trace.get_current_span().is_recording()

    @contextmanager
    def begin(self, name: str, attributes: Attributes, kind: Kind, parent: str | None) -> Iterator[Any]:
        with self._tracer.start_as_current_span(
            name,
            # Only the trace's id is taken over. A client could write anything to tracestate and baggage.
            context=_W3C.extract({"traceparent": parent}, Context()) if parent else None,
            kind=_KINDS[kind],
            attributes=attributes,
            # The text of an exception may quote a row.
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            yield span

    def record(self, name: str, began: float, attributes: Attributes) -> None:
        span = self._tracer.start_span(
            name, context=Context(), start_time=int(began * 1e9), attributes=attributes
        )
        span.end()

    def fail(self, span: Any, kind: str) -> None:
        span.set_attribute("error.type", kind)
        span.set_status(trace.StatusCode.ERROR)

    def read_traceparent(self) -> str | None:
        carrier: dict[str, str] = {}
        _W3C.inject(carrier)
        return carrier.get("traceparent")

    def trace_http(self, *, sends_trace: bool) -> aiohttp.TraceConfig:
        """Traces requests of a session by method and status. Addresses are tenants' own."""
        config = aiohttp.TraceConfig()

        async def begin(_: Any, running: SimpleNamespace, params: aiohttp.TraceRequestStartParams) -> None:
            attributes = {"http.request.method": params.method}
            running.span = self._tracer.start_span(
                params.method, kind=trace.SpanKind.CLIENT, attributes=attributes
            )
            if sends_trace:
                _W3C.inject(params.headers, trace.set_span_in_context(running.span))

        async def end(_: Any, running: SimpleNamespace, params: aiohttp.TraceRequestEndParams) -> None:
            status = params.response.status
            running.span.set_attribute("http.response.status_code", status)
            if status >= 400:
                self.fail(running.span, str(status))
            running.span.end()

        async def fail(_: Any, running: SimpleNamespace, params: aiohttp.TraceRequestExceptionParams) -> None:
            self.fail(running.span, type(params.exception).__name__)
            running.span.end()

        config.on_request_start.append(begin)
        config.on_request_end.append(end)
        config.on_request_exception.append(fail)
        return config
