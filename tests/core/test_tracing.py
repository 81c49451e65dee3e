"""Traces: what is recorded of requests, statements, deliveries and jobs, and what never is."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import pytest

from collector import Collector, attributes_of, collecting
from conftest import CPF, PHONE, World
from mail_receiver import dispatcher_of, receiving_mail, transport_to
from posting import posting, run_job
from receiver import receiving
from trilha.core import tracing
from trilha.platform.webhooks import jobs
from trilha.settings import Settings

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"
VARIABLES = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER")


@contextmanager
def traced(patch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """Traces this process. The collector has all spans when the block ends."""
    with collecting() as collector:
        patch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        tracing.enable("test", "1.0.0")
        try:
            yield collector
        finally:
            tracing.close()


async def test_a_request_and_its_statements(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    user = await world.user()
    with traced(monkeypatch) as collector:
        answer = await world.http.get(f"/v1/users/{user['id']}", headers={"traceparent": PARENT})
        await world.http.get("/v1/nothing")
    request = collector.one("GET /v1/users/{user_id}")
    assert request.trace_id.hex() == TRACE
    assert request.parent_span_id.hex() == "b7ad6b7169203331"
    assert attributes_of(request) == {
        "http.request.method": "GET",
        "http.route": "/v1/users/{user_id}",
        "http.response.status_code": 200,
        "trilha.surface": "v1",
        "trilha.tenant_id": str(world.tenant.id),
        "trilha.request_id": answer.headers["x-request-id"],
    }
    statements = collector.children(request)
    names = ["core.web.admission.Admission._ask", "people.users.queries.get"]
    assert [each.name for each in statements] == names
    for each in statements:
        assert attributes_of(each)["db.system.name"] == "postgresql"
        assert attributes_of(each).keys() == {"db.system.name", "db.operation.name"}
    unknown = collector.one("GET (no route)")
    assert attributes_of(unknown)["trilha.error_code"] == "route_not_found"
    assert unknown.trace_id.hex() != TRACE


async def test_a_delivery_belongs_to_the_trace_of_its_request(
    world: World, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with receiving(500, 204) as receiver:
        with traced(monkeypatch) as collector:
            async with posting(world, settings) as post:
                await post.endpoint(receiver.url)
                user = await world.user()
                await world.http.post(f"/v1/users/{user['id']}/suspend", headers={"traceparent": PARENT})
                await post.send()
                world.clock.move(seconds=10)
                await post.send()
        calls = receiver.calls
    failed, delivered = collector.find("deliver webhook")
    request = collector.one("POST /v1/users/{user_id}/suspend")
    assert {failed.parent_span_id, delivered.parent_span_id} == {request.span_id}
    assert attributes_of(failed)["error.type"] == "500"
    assert "error.type" not in attributes_of(delivered)
    for span, call in zip((failed, delivered), calls, strict=True):
        (sent,) = collector.children(span)
        assert attributes_of(sent)["http.request.method"] == "POST"
        assert call.headers["traceparent"] == f"00-{TRACE}-{sent.span_id.hex()}-01"
    relays = collector.find("job relay events")
    assert {attributes_of(each)["trilha.tenant_id"] for each in relays} == {str(world.tenant.id)}
    assert any(collector.children(each) for each in relays)


async def test_an_email_belongs_to_the_trace_of_its_request(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = await world.user()
    with traced(monkeypatch) as collector:
        body = {"email": f"{uuid4().hex}@example.com"}
        await world.http.patch(f"/v1/users/{user['id']}", json=body, headers={"traceparent": PARENT})
        async with receiving_mail() as receiver:
            assert await dispatcher_of(world, transport=transport_to(receiver)).drain() == 1
    assert collector.one("send mail").trace_id.hex() == TRACE


async def test_no_personal_data_leaves(
    world: World, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = ("maria.traced@example.com", "Maria Traced", "maria-new@example.com")
    with traced(monkeypatch) as collector:
        async with receiving() as receiver, posting(world, settings) as post:
            await post.endpoint(receiver.url, "user.*")
            user = await world.user(email=secrets[0], name=secrets[1], cpf=CPF, phone=PHONE)
            await world.http.get("/v1/users", params={"q": "Maria Traced", "email": secrets[0]})
            await world.http.patch(f"/v1/users/{user['id']}", json={"email": secrets[2]})
            await world.http.post("/v1/users", json={"email": secrets[2], "name": secrets[1]})
            await world.http.get(f"/nothing/{secrets[0]}", headers={"tracestate": f"a={secrets[0]}"})
            await post.send()
        async with receiving_mail() as mails:
            await dispatcher_of(world, transport=transport_to(mails)).drain()
    assert collector.find("deliver webhook")
    sent = b"".join(collector.bodies)
    port = receiver.url.rpartition(":")[2]
    for each in (*secrets, CPF, CPF.replace(".", "").replace("-", ""), PHONE, world.tenant.slug, port):
        assert each.encode() not in sent, each


async def test_an_error_is_told_without_its_text(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with traced(monkeypatch) as collector, pytest.raises(ZeroDivisionError), tracing.span("work"):
        raise ZeroDivisionError("maria.traced@example.com")
    span = collector.one("work")
    assert attributes_of(span) == {"error.type": "ZeroDivisionError"}
    assert (span.status.code, span.status.message, list(span.events)) == (2, "", [])


async def test_idle_jobs_are_not_traced(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with traced(monkeypatch) as collector:
        assert await run_job(jobs.REPLAY, world) == 0
    assert collector.spans == []


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [
        ({}, False),
        ({VARIABLES[0]: "http://localhost:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://localhost:4318/v1/traces"}, True),
        ({VARIABLES[0]: "http://localhost:4318", VARIABLES[1]: "TRUE"}, False),
        ({VARIABLES[0]: "http://localhost:4318", VARIABLES[2]: "none"}, False),
    ],
)
def test_the_environment_decides(variables: dict[str, str], wanted: bool) -> None:
    assert tracing.is_configured(variables) is wanted
