"""From the change to the receiver, and the history of the delivery."""

import contextlib
import json
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from answers import sends
from conftest import World
from posting import Post, run_job
from receiver import receiving
from trilha import verify_signature
from trilha.core.openapi.json_schema import flat_schema
from trilha.platform.events.catalogue import UserSuspended, WebhookFailed
from trilha.platform.events.outbox import emit
from trilha.platform.retention.archive import Archive
from trilha.platform.webhooks import jobs
from trilha.platform.webhooks.schema import Attempt

DELAYS = (5, 30, 120, 600, 3_600, 21_600)


async def test_an_event_reaches_who_subscribes(post: Post) -> None:
    async with receiving(200) as receiver, receiving() as other:
        endpoint = await post.endpoint(receiver.url, "user.suspended")
        await post.endpoint(other.url, "course.created")
        user = await post.happen()
        assert await post.send() == 1
        (call,) = receiver.calls
        (delivery,) = await post.deliveries(endpoint)
        assert not other.calls
    assert call.line == "POST /hook HTTP/1.1"
    content = json.loads(call.body)
    assert content == {
        "id": delivery["event_id"],
        "type": "user.suspended",
        "created": int(post.world.clock.now.timestamp()),
        "version": "2026-11",
        "tenant_id": str(post.world.tenant.id),
        "data": {"user_id": user["id"]},
    }
    assert call.headers["x-service-event-id"] == call.headers["webhook-id"] == delivery["event_id"]
    assert call.headers["x-service-event-type"] == "user.suspended"
    assert call.headers["x-service-delivery-id"] == delivery["id"]
    assert call.headers["user-agent"] == "Trilha-Webhooks/1"
    assert call.headers["content-type"] == "application/json"
    assert "cookie" not in call.headers
    now = post.world.clock.now.timestamp()
    assert verify_signature(call.body, call.headers["x-service-signature"], endpoint["secret"], now=now)
    assert delivery["status"] == "DELIVERED"
    assert (delivery["attempts"], delivery["http_status"], delivery["response_body"]) == (1, 200, "ok")
    assert delivery["next_attempt_at"] is None
    (attempt,) = delivery["attempt_log"]
    assert (attempt["number"], attempt["http_status"], attempt["error"]) == (1, 200, None)
    assert list(attempt) == list(Attempt.__struct_fields__)


async def test_relaying_again_sends_nothing_twice(post: Post) -> None:
    async with receiving() as receiver:
        await post.endpoint(receiver.url)
        await post.happen()
        for _ in range(3):
            await post.send()
        assert len(receiver.calls) == 1


async def test_nothing_is_sent_of_what_was_rolled_back(world: World, post: Post) -> None:
    user = await world.user()
    async with receiving() as receiver:
        await post.endpoint(receiver.url)
        with contextlib.suppress(ZeroDivisionError):
            async with world.tx() as tx:
                await emit(tx, UserSuspended(user_id=user["id"]))
                raise ZeroDivisionError
        assert await post.send() == 0
        assert not receiver.calls


async def test_what_happened_before_an_endpoint_is_not_sent_to_it(post: Post) -> None:
    await post.happen()
    post.world.clock.move(seconds=1)
    async with receiving() as receiver:
        await post.endpoint(receiver.url)
        assert await post.send() == 0


async def test_seven_attempts_and_then_a_dead_letter(post: Post) -> None:
    clock = post.world.clock
    async with receiving(500) as receiver, receiving() as other:
        endpoint = await post.endpoint(receiver.url)
        subscribed = await post.endpoint(other.url, "webhook.failed")
        itself = await post.endpoint(receiver.url, "webhook.failed")
        await post.happen()
        assert await post.send() == 1
        for made, delay in enumerate(DELAYS, 1):
            (delivery,) = await post.deliveries(endpoint)
            assert (delivery["status"], delivery["attempts"]) == ("PENDING", made)
            found = (await post.world.http.get(f"/v1/webhooks/{endpoint['id']}")).json()["data"]
            assert found["failure_count"] == made
            due = clock.now.fromisoformat(delivery["next_attempt_at"]) - clock.now
            assert delay <= due.total_seconds() <= delay + max(1, delay * 0.04)
            clock.now += due - timedelta(milliseconds=1)
            assert await post.send() == 0
            clock.move(milliseconds=1)
            assert await post.send() == 1
        (delivery,) = await post.deliveries(endpoint)
        assert (delivery["status"], delivery["attempts"]) == ("DEAD_LETTER", 7)
        assert delivery["next_attempt_at"] is None
        assert [each["number"] for each in delivery["attempt_log"]] == list(range(1, 8))
        times = {call.headers["x-service-signature"].split(",")[0] for call in receiver.calls[:7]}
        assert len(times) == 7, "each attempt is signed with its own time"
        assert {call.headers["x-service-delivery-id"] for call in receiver.calls[:7]} == {delivery["id"]}
        # One webhook.failed goes to other subscribers. If that delivery fails, no further one follows.
        await post.send()
        (failed,) = other.calls
        data = json.loads(failed.body)["data"]
        assert (data["endpoint_id"], data["delivery_id"]) == (endpoint["id"], delivery["id"])
        assert (data["event_id"], data["attempts"], data["http_status"]) == (delivery["event_id"], 7, 500)
        assert len(await post.deliveries(itself)) == 1
        for delay in DELAYS:
            clock.move(seconds=delay * 1.04 + 1)
            await post.send()
        assert [each["status"] for each in await post.deliveries(itself)] == ["DEAD_LETTER"]
        assert len(await post.world.events("webhook.failed")) == 1
        assert len(await post.deliveries(subscribed)) == 1


async def test_a_success_ends_the_row_of_failures(post: Post) -> None:
    async with receiving(500, 503, 200) as receiver:
        endpoint = await post.endpoint(receiver.url)
        await post.happen()
        for _ in range(3):
            await post.send()
            post.world.clock.move(seconds=40)
        found = (await post.world.http.get(f"/v1/webhooks/{endpoint['id']}")).json()["data"]
        assert found["failure_count"] == 0
        (delivery,) = await post.deliveries(endpoint)
    assert [each["http_status"] for each in delivery["attempt_log"]] == [500, 503, 200]
    assert delivery["status"] == "DELIVERED"


@pytest.mark.parametrize("status", [100, 301, 302, 303, 307, 308, 300, 400, 410, 429, 500])
async def test_only_2xx_is_a_success_and_nothing_is_followed(post: Post, status: int) -> None:
    async def redirect(_: Any, writer: Any) -> None:
        writer.write(b"HTTP/1.1 %d X\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n" % status)
        await writer.drain()

    async with receiving(redirect) as receiver:
        endpoint = await post.endpoint(receiver.url)
        await post.happen()
        await post.send()
        (delivery,) = await post.deliveries(endpoint)
        assert len(receiver.calls) == 1
    assert delivery["status"] == "PENDING"


async def test_an_inactive_endpoint_keeps_its_deliveries(post: Post) -> None:
    async with receiving() as receiver:
        endpoint = await post.endpoint(receiver.url)
        path = f"/v1/webhooks/{endpoint['id']}"
        await post.happen()
        await post.relay()
        await post.world.http.patch(path, json={"active": False})
        assert await post.send() == 0
        assert (await post.deliveries(endpoint))[0]["status"] == "PENDING"
        await post.world.http.patch(path, json={"active": True})
        assert await post.send() == 1


@pytest.mark.parametrize("answers", [[], [503], [404, 503], [sends(then="reset")]])
async def test_what_is_held_for_a_week_is_dead_lettered(post: Post, answers: list[Any]) -> None:
    """Its webhook.failed matches its schema, and describes the last attempt even if there was none."""
    async with receiving(*answers) as receiver:
        endpoint = await post.endpoint(receiver.url)
        await post.happen()
        await post.relay()
        for _ in answers:
            assert await post.send() == 1
            post.world.clock.move(seconds=40)
    await post.world.http.patch(f"/v1/webhooks/{endpoint['id']}", json={"active": False})
    (held,) = await post.deliveries(endpoint)
    post.world.clock.now = datetime.fromisoformat(held["next_attempt_at"]) + timedelta(days=7)
    assert await run_job(jobs.DEAD_LETTER_HELD, post.world) == 0
    post.world.clock.move(seconds=1)
    assert await run_job(jobs.DEAD_LETTER_HELD, post.world) == 1
    (delivery,) = await post.deliveries(endpoint)
    last = answers[-1] if answers and isinstance(answers[-1], int) else None
    assert (delivery["status"], delivery["attempts"], delivery["http_status"]) == (
        "DEAD_LETTER",
        len(answers),
        last,
    )
    ((_, data),) = await post.world.events("webhook.failed")
    assert (data["delivery_id"], data["attempts"], data["http_status"]) == (
        delivery["id"],
        len(answers),
        last,
    )
    check = Draft202012Validator(flat_schema(WebhookFailed), format_checker=FormatChecker())
    assert list(check.iter_errors(data)) == []


async def test_a_test_goes_out_whatever_the_endpoint_wants(post: Post) -> None:
    async with receiving() as receiver:
        endpoint = await post.endpoint(receiver.url, "course.created", active=False)
        for _ in range(12):
            await post.world.http.post(f"/v1/webhooks/{endpoint['id']}/test")
        answer = await post.world.http.post(f"/v1/webhooks/{endpoint['id']}/test")
        assert answer.status_code == 200
        assert await post.send() == 13
        content = json.loads(receiver.calls[-1].body)
    assert (content["type"], content["data"]) == ("webhook.test", {"endpoint_id": endpoint["id"]})
    delivery = answer.json()["data"]
    assert (delivery["status"], delivery["event_type"]) == ("PENDING", "webhook.test")


async def test_retrying_starts_anew_at_the_present_address(post: Post) -> None:
    clock, http = post.world.clock, post.world.http
    async with receiving(500) as bad, receiving() as good:
        endpoint = await post.endpoint(bad.url)
        path = f"/v1/webhooks/{endpoint['id']}"
        await post.happen()
        await post.send()
        for delay in DELAYS:
            clock.move(seconds=delay * 1.04 + 1)
            await post.send()
        (dead,) = await post.deliveries(endpoint, "?status=DEAD_LETTER")
        await http.patch(path, json={"url": good.url})
        answer = await http.post(f"{path}/deliveries/{dead['id']}/retry")
        assert (answer.status_code, answer.json()["data"]["status"]) == (202, "PENDING")
        assert await post.send() == 1
        (delivery,) = await post.deliveries(endpoint)
        assert (delivery["id"], delivery["status"], delivery["attempts"]) == (dead["id"], "DELIVERED", 8)
        # A delivered one can be sent again, too.
        await http.post(f"{path}/deliveries/{dead['id']}/retry")
        assert await post.send() == 1
        assert [call.headers["x-service-delivery-id"] for call in good.calls] == [dead["id"]] * 2


async def test_a_delivery_that_is_being_sent_is_not_retried(post: Post) -> None:
    endpoint = await post.endpoint("https://hooks.example.com/")
    await post.happen()
    await post.relay()
    (delivery,) = await post.deliveries(endpoint)
    path = f"/v1/webhooks/{endpoint['id']}/deliveries/{delivery['id']}/retry"
    async with post.world.tx() as tx:
        await tx.execute(
            """
            UPDATE webhook_deliveries SET claim_id = :claim, claimed_until = :until
            WHERE tenant_id = :tenant
            """,
            claim=uuid4(),
            until=post.world.clock.now + timedelta(seconds=30),
        )
    answer = await post.world.http.post(path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "delivery_in_progress")
    post.world.clock.move(seconds=30)
    assert (await post.world.http.post(path)).status_code == 202


async def test_both_secrets_sign_for_a_day(post: Post) -> None:
    async with receiving() as receiver:
        endpoint = await post.endpoint(receiver.url)
        path = f"/v1/webhooks/{endpoint['id']}/rotate-secret"
        rotated = (await post.world.http.post(path)).json()["data"]
        secrets = [rotated["secret"], endpoint["secret"]]
        for hours, good in ((0, [True, True]), (23.9, [True, True]), (0.1, [True, False])):
            post.world.clock.move(hours=hours)
            await post.happen()
            await post.send()
            call, now = receiver.calls[-1], post.world.clock.now.timestamp()
            header = call.headers["x-service-signature"]
            assert [verify_signature(call.body, header, secret, now=now) for secret in secrets] == good


async def test_history_is_filtered(post: Post) -> None:
    async with receiving() as receiver:
        endpoint = await post.endpoint(receiver.url, "user.suspended", "user.created")
        start = post.world.clock.now.isoformat().replace("+00:00", "Z")
        await post.happen()
        await post.send()
        post.world.clock.move(minutes=1)
        later = post.world.clock.now.isoformat().replace("+00:00", "Z")
        await post.happen()
        await post.relay()
        for query, count in (
            ("", 4),
            ("?status=DELIVERED", 2),
            ("?status=PENDING", 2),
            ("?status=DEAD_LETTER", 0),
            ("?event_type=user.created", 2),
            (f"?since={later}", 2),
            (f"?since={start}&until={later}", 2),
            ("?event_type=user.created&status=PENDING", 1),
        ):
            assert len(await post.deliveries(endpoint, query)) == count, query


async def test_past_events_are_sent_again(post: Post) -> None:
    clock, http = post.world.clock, post.world.http
    span = {"since": clock.now.isoformat(), "until": (clock.now + timedelta(minutes=2)).isoformat()}
    await post.happen()
    clock.move(minutes=1)
    async with receiving() as receiver:
        endpoint = await post.endpoint(receiver.url, "user.suspended", "user.created")
        await post.happen()
        assert await post.send() == 2
        clock.move(minutes=1)
        await post.happen()
        assert await post.send() == 2
        path = f"/v1/webhooks/{endpoint['id']}/replay"
        answer = await http.post(path, json=span | {"event_types": ["user.suspended"]})
        assert answer.status_code == 202, answer.text
        assert await run_job(jobs.REPLAY, post.world) == 1
        assert await post.send() == 2
        assert len(await post.deliveries(endpoint)) == 5
        await http.post(path, json=span)
        await run_job(jobs.REPLAY, post.world)
        assert await post.send() == 4
        assert await run_job(jobs.REPLAY, post.world) == 0
    refused = await http.post(path, json={"since": span["until"], "until": span["since"]})
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "until")


async def test_neither_tests_nor_own_failures_are_replayed(post: Post) -> None:
    """Even if the replay names them. Failures of another endpoint's deliveries are replayed."""
    clock, http = post.world.clock, post.world.http
    failing = await post.endpoint("https://hooks.example.com/", "user.suspended")
    async with receiving() as receiver:
        types = ["user.suspended", "webhook.failed", "webhook.test"]
        endpoint = await post.endpoint(receiver.url, *types)
        span = {"since": clock.now.isoformat(), "until": (clock.now + timedelta(days=1)).isoformat()}
        await http.post(f"/v1/webhooks/{failing['id']}/test")
        await http.post(f"/v1/webhooks/{endpoint['id']}/test")
        async with post.world.tx() as tx:
            for id in (failing["id"], endpoint["id"]):
                await emit(
                    tx,
                    WebhookFailed(
                        endpoint_id=UUID(id),
                        delivery_id=uuid4(),
                        event_id="evt_" + "0" * 32,
                        event_type="user.suspended",
                        attempts=7,
                        http_status=None,
                    ),
                )
        await post.happen()
        await post.send()
        receiver.calls.clear()
        for wanted in ({}, {"event_types": types}, {"event_types": ["webhook.test"]}):
            answer = await http.post(f"/v1/webhooks/{endpoint['id']}/replay", json=span | wanted)
            assert answer.status_code == 202
            await run_job(jobs.REPLAY, post.world)
            await post.send()
            sent = [json.loads(call.body) for call in receiver.calls]
            receiver.calls.clear()
            failures = [each["data"]["endpoint_id"] for each in sent if each["type"] == "webhook.failed"]
            if wanted == {"event_types": ["webhook.test"]}:
                assert sent == []
            else:
                assert failures == [failing["id"]]
                assert sorted(each["type"] for each in sent) == ["user.suspended", "webhook.failed"]


async def test_old_history_is_forgotten(post: Post) -> None:
    async def forget() -> int:
        month = timedelta(days=30)
        return await run_job(jobs.prune_job(deliveries=month, events=month, archive=Archive()), post.world)

    async with receiving() as receiver:
        endpoint = await post.endpoint(receiver.url)
        await post.happen()
        await post.send()
        post.world.clock.move(days=29)
        assert await forget() == 0
        post.world.clock.move(days=2)
        assert await forget() > 0
        assert await post.deliveries(endpoint) == []
        assert [name for name, _ in await post.world.events()] == []
        await post.happen()
        await post.relay()
        await post.world.http.delete(f"/v1/webhooks/{endpoint['id']}")
        assert await post.send() == 0
        assert await forget() == 2
    async with post.world.tx() as tx:
        for table in ("webhook_deliveries", "webhook_endpoints"):
            assert await tx.value(f"SELECT count(*) FROM {table} WHERE tenant_id = :tenant") == 0
