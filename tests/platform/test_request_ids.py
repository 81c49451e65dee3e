"""The id of a request reaches what the request caused: events, deliveries, e-mails and log lines."""

import json
from typing import Any
from uuid import uuid4

import pytest

from conftest import World
from mail_receiver import dispatcher_of, receiving_mail, transport_to
from posting import Post
from receiver import receiving


def logged(log: str, message: str) -> dict[str, Any]:
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    (line,) = [each for each in lines if each["message"] == message]
    return line


async def test_a_delivery_names_the_request(post: Post, capfd: pytest.CaptureFixture[str]) -> None:
    async with receiving(500, 204) as receiver:
        await post.endpoint(receiver.url)
        user = await post.world.user()
        answer = await post.world.http.post(f"/v1/users/{user['id']}/suspend")
        await post.send()
        post.world.clock.move(seconds=10)
        await post.send()
        first, second = receiver.calls
    request_id = answer.headers["x-request-id"]
    assert [first.headers["x-service-request-id"], second.headers["x-service-request-id"]] == [request_id] * 2
    log = capfd.readouterr().err
    assert logged(log, "webhook not delivered")["request_id"] == request_id
    assert logged(log, "webhook delivered")["request_id"] == request_id


async def test_without_a_request_there_is_no_id(post: Post, capfd: pytest.CaptureFixture[str]) -> None:
    async with receiving() as receiver:
        await post.endpoint(receiver.url, "course.created")
        await post.world.course()
        await post.send()
        (call,) = receiver.calls
    assert "x-service-request-id" not in call.headers
    assert "request_id" not in logged(capfd.readouterr().err, "webhook delivered")


async def test_an_email_names_the_request(world: World, capfd: pytest.CaptureFixture[str]) -> None:
    user = await world.user()
    body = {"email": f"{uuid4().hex}@example.com"}
    answer = await world.http.patch(f"/v1/users/{user['id']}", json=body)
    async with receiving_mail() as receiver:
        dispatcher = dispatcher_of(world, transport=transport_to(receiver))
        assert await dispatcher.drain() == 1
    (mail,) = receiver.mails
    assert mail["X-Trilha-Request"] == answer.headers["x-request-id"]
    line = logged(capfd.readouterr().err, "mail sent")
    assert line["request_id"] == answer.headers["x-request-id"]


async def test_many_events_of_one_request_name_it(world: World) -> None:
    users = [await world.user() for _ in range(3)]
    course = await world.course()
    items = [{"user_id": each["id"], "course_id": str(course)} for each in users]
    answer = await world.http.post("/v1/enrollments/bulk", json={"enrollments": items})
    assert answer.status_code in (200, 201, 207), answer.text
    async with world.tx() as tx:
        rows = await tx.rows(
            "SELECT request_id FROM events WHERE tenant_id = :tenant AND type = 'enrollment.created'"
        )
    assert [row["request_id"] for row in rows] == [answer.headers["x-request-id"]] * 3
