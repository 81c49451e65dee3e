"""The server and the worker send their traces to the collector that the environment names."""

import subprocess
import sys
from pathlib import Path

import httpx2

from collector import collecting
from running import running, wait_until

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_server_and_worker_send_their_traces(tmp_path: Path) -> None:
    with collecting() as collector:
        variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": "100"}
        variables["OTEL_RESOURCE_ATTRIBUTES"] = "deployment.environment.name=test"
        with running(tmp_path, **variables) as server:
            server.command("tenant", "create", "--slug", "acme", "--name", "Acme")
            server.command("api-key", "create", "--tenant", "acme", "--name", "k", "--scopes", "users:read")
            httpx2.get(f"{server.url}/v1/users", headers={"traceparent": PARENT})
            wait_until(lambda: collector.find("GET /v1/users"), 20)
            wait_until(lambda: any(each.name.startswith("job ") for each in collector.spans), 60)
            httpx2.get(f"{server.url}/readyz")
        names = {each.name for each in collector.spans}
    assert "GET /readyz" not in names
    assert {each["trilha.process"] for each in collector.resources} == {"serve", "work"}
    assert {each["service.name"] for each in collector.resources} == {"trilha"}
    assert {each["deployment.environment.name"] for each in collector.resources} == {"test"}


def test_nothing_is_imported_without_a_collector() -> None:
    code = """
import sys
import trilha.app, trilha.worker, trilha.serving, trilha.core.outbound.http
from trilha.core import tracing
tracing.enable("serve", "1.0.0")
with tracing.span("work"):
    pass
assert tracing.read_traceparent() is None
assert not [name for name in sys.modules if name.startswith(("opentelemetry", "google.protobuf"))]
"""
    environment = {"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
