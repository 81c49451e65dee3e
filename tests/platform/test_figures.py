"""What is counted for /metrics, and the worker's port for it."""

import asyncio
import socket
from functools import cache

import pytest

from conftest import World
from trilha.core import metrics
from trilha.platform.metrics import worker_port
from trilha.settings import Settings
from web.player.materials import article, taking
from web.player.test_studies import opened

TOKEN = "t" * 20


async def test_a_port_in_use_does_not_stop_the_worker(
    world: World, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        settings = Settings(metrics_token=TOKEN, metrics_port=other.getsockname()[1])
        await worker_port.serve(settings, world.database, asyncio.Event())
    assert "metrics port cannot be used" in capfd.readouterr().err


async def test_renders_and_reports_are_counted(
    world: World, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setattr(metrics, "_meters", meters())
    content = await opened(await taking(world, None, article("Um")))
    for _ in range(2):
        await content.post("read", seconds=3, furthest=0.5)
    metrics.count_render("done", 0.2)
    counted = {
        tuple(sample.labels.values()): sample.value
        for counter in (meters().reports, meters().renders)
        for family in counter.collect()
        for sample in family.samples
        if sample.name.endswith("_total")
    }
    assert counted == {("read", "APPLIED"): 1, ("read", "REPEATED"): 1, ("done",): 1}


@cache
def meters() -> metrics.Meters:
    return metrics.Meters()
