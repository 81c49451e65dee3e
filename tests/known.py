"""One of everything that a path may name."""

from typing import Any

from conftest import World


async def known_ids(world: World) -> dict[str, str]:
    """By the parameter that each goes into."""
    enrollment = await world.enrollment()
    new = {"url": "https://hooks.example.com/", "events": ["user.created"]}
    webhook = await _made(world, "/v1/webhooks", json=new)
    delivery = await _made(world, f"/v1/webhooks/{webhook}/test")
    ids = {name: enrollment[name] for name in ("user_id", "course_id")}
    return ids | {"enrollment_id": enrollment["id"], "webhook_id": webhook, "delivery_id": delivery}


async def _made(world: World, path: str, **sent: Any) -> str:
    answer = await world.http.post(path, **sent)
    assert answer.is_success, answer.text
    id: str = answer.json()["data"]["id"]
    return id
