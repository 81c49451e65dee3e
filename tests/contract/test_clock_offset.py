"""TRILHA_CLOCK_OFFSET moves the clock of the server, the worker and the commands."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from click.testing import CliRunner

from running import running, wait_until
from trilha.cli import main
from trilha.core import clock
from trilha.settings import load

OFFSET = timedelta(days=400)


@pytest.fixture(autouse=True)
def _unshifted() -> Iterator[None]:
    """Commands run in this process, and set its clock."""
    yield
    clock.shift(timedelta())


def is_shifted(text: Any) -> bool:
    ahead = datetime.fromisoformat(str(text)) - datetime.now(UTC)
    return abs(ahead - OFFSET) < timedelta(minutes=5)


def test_loading_the_settings_sets_the_clock() -> None:
    load({"TRILHA_CLOCK_OFFSET": "36h"})
    assert timedelta(hours=35) < clock.system_clock() - datetime.now(UTC) < timedelta(hours=37)
    load({})
    assert clock.system_clock() - datetime.now(UTC) < timedelta(hours=1)


@pytest.mark.parametrize("command", ["settings", "migrate", "serve", "work", "up"])
@pytest.mark.parametrize("offset", ["0s", "400d"])
def test_production_refuses_it(tmp_path: Path, command: str, offset: str) -> None:
    variables = {"TRILHA_ENV": "production", "TRILHA_CLOCK_OFFSET": offset, "TRILHA_DATA_DIR": str(tmp_path)}
    done = CliRunner().invoke(main, [command], env=variables)
    assert done.exit_code == 1
    assert "TRILHA_CLOCK_OFFSET works only in development" in done.stderr


def test_every_process_is_ahead(tmp_path: Path) -> None:
    with running(tmp_path, TRILHA_CLOCK_OFFSET="400d") as trilha:
        tenant = trilha.command("tenant", "create", "--slug", "acme", "--name", "Acme")
        assert is_shifted(tenant["created_at"])
        scopes = "users:write,users:read,webhooks:read"
        made = trilha.command("api-key", "create", "--tenant", "acme", "--name", "k", "--scopes", scopes)
        headers = {"authorization": f"Bearer {made['key']}"}
        with httpx2.Client(base_url=f"{trilha.url}/v1", headers=headers) as http:
            user = http.post("/users", json={"email": "ana@example.com", "name": "Ana"}).json()["data"]
            assert is_shifted(user["created_at"])
            http.post(f"/users/{user['id']}/suspend").raise_for_status()

            # Only the worker relays events into the forward feed.
            def is_relayed() -> bool:
                page = http.get("/events", params={"after": first["id"]}).json()
                return "user.suspended" in {event["type"] for event in page["data"]}

            first = http.get("/events").json()["data"][-1]
            wait_until(is_relayed)
            assert is_shifted(datetime.fromtimestamp(first["created"], UTC))
