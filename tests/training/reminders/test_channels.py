"""Channels beside mail: encrypted push messages, and incoming webhooks of chat programs."""

import base64
import json
from collections.abc import AsyncIterator
from ipaddress import ip_network
from typing import Any
from uuid import UUID

import http_ece
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from conftest import World
from receiver import Receiver, receiving
from training.reminders.test_reminders import sent, work
from trilha.core.outbound.guard import Guard
from trilha.training.reminders import addresses
from trilha.training.reminders.calling import CallPeople
from trilha.training.reminders.channels import Providers, WhatsApp
from trilha.training.reminders.rules import Channel
from trilha.training.reminders.schema import NewPushSubscription, PushKeys

GUARD = Guard(allow=(ip_network("127.0.0.0/8"),), plain_http=True)
CALLS = CallPeople(GUARD, "https://learn.example.com", "mailto:no-reply@example.com")


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving(201) as receiver:
        yield receiver


class Browser:
    """The keys of a push subscription, and what they open."""

    def __init__(self) -> None:
        self.private = ec.generate_private_key(ec.SECP256R1())
        self.auth = b"0123456789abcdef"

    @property
    def keys(self) -> dict[str, str]:
        point = self.private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {name: _encode(value) for name, value in (("p256dh", point), ("auth", self.auth))}

    def open(self, body: bytes) -> dict[str, Any]:
        text = http_ece.decrypt(body, private_key=self.private, auth_secret=self.auth, version="aes128gcm")
        opened: dict[str, Any] = json.loads(text)
        return opened


def _encode(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


async def subscribe(world: World, user_id: str, browser: Browser, url: str) -> None:
    new = NewPushSubscription(endpoint=url, keys=PushKeys(**browser.keys))
    async with world.tx() as tx:
        await addresses.add_push_subscription(tx, GUARD, UUID(user_id), new)


async def call(world: World) -> int:
    return await CALLS.run_in(world.database, world.tenant.id)


async def test_a_push_message_is_encrypted_for_its_browser(world: World, receiver: Receiver) -> None:
    ana, browser = await world.user(), Browser()
    await subscribe(world, ana["id"], browser, receiver.url)
    enrollment = await world.enrollment(user_id=ana["id"])
    await work(world)
    receiver.answers = [503, 201]
    assert await call(world) == 1
    assert await call(world) == 0
    world.clock.move(seconds=6)
    assert await call(world) == 1
    first, second = [browser.open(each.body) for each in receiver.calls]
    assert first == second
    assert first == {
        "id": first["id"],
        "kind": "assigned",
        "enrollment_id": enrollment["id"],
        "title": "Segurança",
        "body": "Você tem um novo curso: Segurança.",
        "url": f"https://learn.example.com/learn/enrollments/{enrollment['id']}",
    }
    headers = receiver.calls[0].headers
    assert headers["content-encoding"] == "aes128gcm"
    assert headers["authorization"].startswith("vapid t=")
    assert await sent(world, "web_push") == ["assigned"]
    assert await call(world) == 0


async def test_a_browser_that_is_gone_is_forgotten(world: World, receiver: Receiver) -> None:
    ana = await world.user()
    receiver.answers = [410]
    await subscribe(world, ana["id"], Browser(), receiver.url)
    await world.enrollment(user_id=ana["id"])
    await work(world)
    assert await call(world) == 1
    async with world.tx() as tx:
        assert await tx.rows("SELECT id FROM reminder_addresses WHERE tenant_id = :tenant") == []
    assert await sent(world, "web_push") == []


@pytest.mark.parametrize("channel", ["slack", "teams"])
async def test_incoming_webhooks(world: World, receiver: Receiver, channel: Channel) -> None:
    ana = await world.user()
    async with world.tx() as tx:
        await addresses.add_webhook(tx, GUARD, UUID(ana["id"]), channel, receiver.url)
    await world.enrollment(user_id=ana["id"], course_id=await world.course(title="A <b> & c"))
    await work(world)
    assert await call(world) == 1
    (request,) = receiver.calls
    text = json.dumps(json.loads(request.body), ensure_ascii=False)
    assert ("A &lt;b&gt; &amp; c" if channel == "slack" else "A <b> & c") in text
    assert await sent(world, channel) == ["assigned"]


async def test_who_was_suspended_meanwhile_is_not_called(world: World, receiver: Receiver) -> None:
    ana = await world.user()
    await subscribe(world, ana["id"], Browser(), receiver.url)
    await world.enrollment(user_id=ana["id"])
    await work(world)
    await world.http.post(f"/v1/users/{ana['id']}/suspend")
    await call(world)
    assert receiver.calls == []


async def test_the_same_subscription_is_there_once(world: World) -> None:
    ana = await world.user()
    body = {"endpoint": "https://push.example.com/a", "keys": Browser().keys}
    path = f"/v1/users/{ana['id']}/push-subscriptions"
    first, second = [(await world.http.post(path, json=body)).json()["data"] for _ in range(2)]
    assert first == second
    assert str(body["endpoint"]) not in str(first)
    answer = await world.http.post(path, json=body | {"endpoint": "https://10.0.0.1/"})
    error = answer.json()["error"]
    assert (error["field"], error["code"]) == ("endpoint", "address_not_allowed")


async def test_each_browser_gets_it_once_although_another_fails(world: World, receiver: Receiver) -> None:
    ana = await world.user()
    async with receiving(503, 201) as failing:
        await subscribe(world, ana["id"], Browser(), receiver.url)
        await subscribe(world, ana["id"], Browser(), failing.url)
        await world.enrollment(user_id=ana["id"])
        await work(world)
        await call(world)
        world.clock.move(seconds=6)
        await call(world)
        assert (len(receiver.calls), len(failing.calls)) == (1, 2)
    assert await sent(world, "web_push") == ["assigned"]


async def test_a_compressed_key_is_refused(world: World) -> None:
    ana, browser = await world.user(), Browser()
    point = browser.private.public_key().public_bytes(Encoding.X962, PublicFormat.CompressedPoint)
    body = {"endpoint": "https://push.example.com/1", "keys": browser.keys | {"p256dh": _encode(point)}}
    answer = await world.http.post(f"/v1/users/{ana['id']}/push-subscriptions", json=body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "keys.p256dh")


async def test_a_person_has_few_addresses(world: World) -> None:
    ana = await world.user()
    for number in range(11):
        body = {"endpoint": f"https://push.example.com/{number}", "keys": Browser().keys}
        answer = await world.http.post(f"/v1/users/{ana['id']}/push-subscriptions", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "too_many_reminder_addresses")


async def test_whatsapp_by_a_providers_api(world: World, receiver: Receiver) -> None:
    ana = await world.user()
    async with world.tx() as tx:
        await addresses.add_phone(tx, UUID(ana["id"]), "+5511999990000")
    enrollment = await world.enrollment(user_id=ana["id"])
    await work(world)
    providers = Providers(WhatsApp(receiver.url, "s3cret"))
    calls = CallPeople(GUARD, "https://learn.example.com", "mailto:no-reply@example.com", providers)
    assert await calls.run_in(world.database, world.tenant.id) == 1
    (received,) = receiver.calls
    assert received.headers["authorization"] == "Bearer s3cret"
    body = json.loads(received.body)
    assert (body["to"], body["type"]) == ("+5511999990000", "text")
    assert f"/learn/enrollments/{enrollment['id']}" in body["text"]["body"]
    assert await sent(world, "whatsapp") == ["assigned"]


async def test_whatsapp_without_a_provider_is_not_sent(world: World) -> None:
    ana = await world.user()
    async with world.tx() as tx:
        await addresses.add_phone(tx, UUID(ana["id"]), "+5511999990000")
    await world.enrollment(user_id=ana["id"])
    await work(world)
    assert await call(world) == 1
    assert await sent(world, "whatsapp") == []
    assert await call(world) == 0
