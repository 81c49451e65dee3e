"""`trilha webhooks` shows the same history of an endpoint as the API."""

import asyncio
import json
from typing import Any

import pytest
from click.testing import CliRunner

from conftest import World
from posting import run_job
from trilha.cli import main
from trilha.platform.webhooks import jobs


async def run(world: World, *arguments: str) -> Any:
    """Runs a command in a thread, because commands have their own event loop."""
    environment = {"TRILHA_DATABASE_URL": world.url, "TRILHA_MASTER_KEY": "6b" * 32}
    options = [*arguments, "--tenant", world.tenant.slug, "--json"]
    result = await asyncio.to_thread(CliRunner().invoke, main, ["webhooks", *options], env=environment)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize("status", ["pending", "PENDING"])
async def test_lists_and_sends_again(world: World, status: str) -> None:
    body = {"url": "https://hooks.example.com/", "events": ["user.*"]}
    endpoint = (await world.http.post("/v1/webhooks", json=body)).json()["data"]
    (listed,) = await run(world, "list")
    assert (listed["id"], listed["events"]) == (endpoint["id"], ["user.*"])
    await world.user()
    await run_job(jobs.RELAY, world)
    of = ("--id", endpoint["id"])
    path = f"/v1/webhooks/{endpoint['id']}"
    (delivery,) = (await world.http.get(f"{path}/deliveries")).json()["data"]
    assert await run(world, "deliveries", *of, "--status", status) == [delivery]
    again = await run(world, "retry", *of, "--delivery", delivery["id"])
    assert (again["id"], again["status"]) == (delivery["id"], "PENDING")
    span = ("--since", "2026-01-01", "--until", "2026-02-01T10:00:00")
    asked = await run(world, "replay", *of, *span, "--type", "user.*")
    assert (asked["until"], asked["event_types"]) == ("2026-02-01T10:00:00.000Z", ["user.*"])
    assert (await world.http.get(f"{path}/replays/{asked['id']}")).json()["data"] == asked
