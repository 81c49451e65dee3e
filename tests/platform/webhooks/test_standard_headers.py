"""The Standard Webhooks headers that a receiver gets, verified with that project's own library."""

import json
from datetime import timedelta

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from posting import Post
from receiver import Call, receiving

FOREIGN = "whsec_" + "QUJD" * 10 + "QUI="


async def delivered(post: Post, url: str) -> tuple[str, str]:
    """Returns the secrets after a rotation, newer one first."""
    endpoint = await post.endpoint(url)
    rotated = await post.world.http.post(f"/v1/webhooks/{endpoint['id']}/rotate-secret")
    return rotated.json()["data"]["secret"], endpoint["secret"]


def believes(secret: str, call: Call) -> bool:
    try:
        verified = Webhook(secret).verify(call.body, call.headers)
    except WebhookVerificationError:
        return False
    return bool(verified == json.loads(call.body))


async def test_a_delivery_is_believed_with_its_own_secret_alone(post: Post) -> None:
    async with receiving() as receiver, receiving() as other:
        endpoint = await post.endpoint(receiver.url)
        stranger = await post.endpoint(other.url)
        await post.happen()
        assert await post.send() == 2
        (call,) = receiver.calls
    assert believes(endpoint["secret"], call)
    assert not believes(stranger["secret"], call)
    call.body += b" "
    assert not believes(endpoint["secret"], call)


async def test_both_secrets_are_believed_after_a_rotation(post: Post) -> None:
    async with receiving() as receiver:
        secrets = await delivered(post, receiver.url)
        await post.happen()
        await post.send()
        (call,) = receiver.calls
    assert [believes(each, call) for each in (*secrets, FOREIGN)] == [True, True, False]


@pytest.mark.parametrize(("hours", "old_one"), [(23.9, True), (24, False)])
async def test_the_old_one_for_a_day(post: Post, hours: float, old_one: bool) -> None:
    # The library uses the real time, so the rotation happened that long ago.
    post.world.clock.now -= timedelta(hours=hours)
    async with receiving() as receiver:
        secrets = await delivered(post, receiver.url)
        post.world.clock.move(hours=hours)
        await post.happen()
        await post.send()
        (call,) = receiver.calls
    assert [believes(each, call) for each in secrets] == [True, old_one]


async def test_each_attempt_is_signed_for_its_own_time(post: Post) -> None:
    post.world.clock.now -= timedelta(seconds=10)
    async with receiving(500, 200) as receiver:
        endpoint = await post.endpoint(receiver.url)
        await post.happen()
        await post.send()
        post.world.clock.move(seconds=10)
        await post.send()
        first, second = receiver.calls
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    times = [int(call.headers["webhook-timestamp"]) for call in (first, second)]
    assert times[1] - times[0] == 10
    assert [believes(endpoint["secret"], call) for call in (first, second)] == [True, True]
    moved = second.headers | {"webhook-timestamp": first.headers["webhook-timestamp"]}
    assert not believes(endpoint["secret"], Call(second.line, moved, second.body))
