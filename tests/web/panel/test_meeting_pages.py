"""/admin/meetings: services for video calls are set up, tested and removed."""

from collections.abc import AsyncIterator

import pytest

from conftest import World
from training.classes.classes import offer
from training.meetings.doubles import ACCOUNT, CREDENTIALS, ORGANIZER, SERVICE_KEY, Doubles, running_doubles
from training.meetings.test_meetings import ask, make
from trilha.app import create_app
from trilha.core.clock import Clock
from trilha.core.database import Database
from trilha.settings import Settings
from trilha.training.meetings import actions, feature
from trilha.training.meetings.video_calls import REASONS as SERVICE_REASONS
from trilha.web.panel.meetings.pages import REASONS
from web.panel.training_pages import browsing, flash, send

HOME = "/admin/meetings"
NO_FILE = {"key": ("", b"")}
TEXTS = {"account": "account-id", "client_id": "client-id", "secret": "s3cret/+"}


@pytest.fixture
async def doubles(
    world: World, settings: Settings, database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Doubles]:
    """Lets the pages call doubles."""
    async with running_doubles() as running:
        monkeypatch.setattr(feature, "_build_services", lambda _: running.services)
        world.app = create_app(settings, database, clock)
        yield running


async def test_zoom_is_set_up_tested_and_removed(world: World, doubles: Doubles) -> None:
    admin = await browsing(world)
    assert "Needs a server-to-server OAuth app" in (await admin.get(HOME)).text
    done = await send(admin, f"{HOME}/zoom", files=NO_FILE, organizer=f" {ORGANIZER} ", **TEXTS)
    assert flash(done) == "Zoom was set up. Test it now."
    page = (await admin.get(HOME)).text
    assert ORGANIZER in page
    assert "Not tested yet" in page
    for secret in TEXTS.values():
        assert secret not in page
        assert secret not in (await admin.get(f"{HOME}/zoom")).text
    tested = await send(admin, f"{HOME}/zoom/test")
    assert flash(tested) == "Zoom accepted the credentials."
    assert "Not tested yet" not in (await admin.get(HOME)).text
    # Another organizer keeps the credentials.
    await send(admin, f"{HOME}/zoom", files=NO_FILE, organizer="outra@example.com")
    async with world.tx() as tx:
        service = await actions.open_service(tx, "zoom")
    assert service is not None
    assert (service.organizer, service.credentials) == ("outra@example.com", CREDENTIALS["zoom"])
    assert "Links that were already created stay" in (await admin.get(f"{HOME}/zoom/remove")).text
    assert flash(await send(admin, f"{HOME}/zoom/remove")) == "Zoom was removed."
    async with world.tx() as tx:
        assert await actions.open_service(tx, "zoom") is None
    assert (await admin.get(f"{HOME}/zoom/remove")).status_code == 404
    assert doubles.calls == []


async def test_a_refusal_is_told(world: World, doubles: Doubles) -> None:
    admin = await browsing(world)
    await send(admin, f"{HOME}/teams", files=NO_FILE, organizer=ORGANIZER, **TEXTS)
    tested = await send(admin, f"{HOME}/teams/test")
    assert "refused the credentials" in flash(tested)
    assert "The last request failed" in (await admin.get(HOME)).text


async def test_a_key_of_google(world: World, doubles: Doubles) -> None:
    admin = await browsing(world)
    path = f"{HOME}/google_meet"
    for content in (b"{}", b"[", b'{"client_email": "a@b.c", "private_key": "x"}', b"x" * 100_000):
        wrong = await send(admin, path, files={"key": ("k.json", content)}, organizer=ORGANIZER)
        assert wrong.status_code == 422
        assert "Choose the JSON key of a service account" in wrong.text
    nothing = await send(admin, path, files={"key": ("", b"")}, organizer=ORGANIZER)
    assert nothing.status_code == 422
    done = await send(admin, path, files={"key": ("k.json", SERVICE_KEY.encode())}, organizer=ORGANIZER)
    assert flash(done) == "Google Meet was set up. Test it now."
    assert ACCOUNT not in (await admin.get(path)).text
    tested = await send(admin, f"{HOME}/google_meet/test")
    assert flash(tested) == "Google Meet accepted the credentials."


async def test_what_is_missing_is_told(world: World, doubles: Doubles) -> None:
    admin = await browsing(world)
    for left_out in ("account", "client_id", "secret"):
        page = await send(
            admin, f"{HOME}/zoom", files=NO_FILE, organizer=ORGANIZER, **{**TEXTS, left_out: " "}
        )
        assert page.status_code == 422
        assert "Fill in every field of the credentials." in page.text
        assert TEXTS["secret"] not in page.text
    for organizer in ("", "  "):
        assert (
            await send(admin, f"{HOME}/zoom", files=NO_FILE, organizer=organizer, **TEXTS)
        ).status_code == 422
    for path in (f"{HOME}/skype", f"{HOME}/skype/remove"):
        assert (await admin.get(path)).status_code == 404
    assert (await send(admin, f"{HOME}/zoom/test")).status_code == 404


async def test_sessions_without_a_link_are_listed(world: World, doubles: Doubles) -> None:
    admin = await browsing(world)
    classes = await offer(world)
    made = await classes.create(title="Turma do Zoom")
    await send(admin, f"{HOME}/zoom", files=NO_FILE, organizer=ORGANIZER, **TEXTS)
    await ask(world, made["sessions"][0]["id"], "zoom")
    doubles.failure = 403
    await make(world, doubles.services)
    page = (await admin.get(HOME)).text
    assert "Turma do Zoom" in page
    assert "may not create meetings for the organizer" in page


async def test_it_is_the_administrators_alone(world: World, doubles: Doubles) -> None:
    for role in ("gestor", "instrutor"):
        client = await browsing(world, role)  # type: ignore[arg-type]
        assert (await client.get(HOME)).status_code == 403
        assert (await client.get(f"{HOME}/zoom")).status_code == 403


def test_every_reason_has_a_sentence() -> None:
    assert REASONS.keys() == SERVICE_REASONS.keys()
