"""Certificates of training elsewhere: uploaded by a learner, accepted or refused by an administrator."""

from datetime import timedelta

import pytest

from conftest import World
from training.requirements.settling import enrolled, require, settle, standing
from trilha.core.types import Name
from trilha.people.business_units import actions as units
from trilha.people.business_units.schema import NewBusinessUnit
from web.panel.signing_in import browser_of, made, send, signed_in

PATH = "/admin/external-certificates"
PDF = b"%PDF-1.7\n" + b"x" * 1000


async def test_an_accepted_certificate_satisfies_the_requirement(world: World) -> None:
    user = await made(world, "learner", name="Ana Lima")
    await require(world, title="NR-35", renew_months=24)
    (enrollment,) = await enrolled(world, user.id)
    learner, admin = await browser_of(world, user), await signed_in(world)
    page = f"/learn/enrollments/{enrollment['id']}"
    form = f"{page}/external-certificate"
    assert form in (await learner.get(page)).text
    day = f"{world.clock.now - timedelta(days=100):%Y-%m-%d}"
    file = ("nr35.pdf", PDF, "application/pdf")
    assert (await send(learner, form, completed_on=day, issuer="Senai", file=file)).status_code == 303
    assert "being checked" in (await learner.get(form)).text
    assert (await send(learner, form, completed_on=day, issuer="Senai", file=file)).status_code in (409, 422)
    assert f'href="{PATH}"' in (await admin.get("/admin")).text
    listed = (await admin.get(PATH)).text
    assert all(each in listed for each in ("Ana Lima", "Senai"))
    one = f"{PATH}/{listed.split(PATH + '/')[1][:36]}"
    assert (await admin.get(one)).status_code == 200
    answer = await admin.get(f"{one}/file")
    assert (answer.content, answer.headers["content-type"]) == (PDF, "application/pdf")
    assert answer.headers["content-disposition"].startswith("attachment")
    assert (await send(admin, f"{one}/accept")).status_code == 303
    await settle(world)
    (state,) = await standing(world, user.id)
    assert state["state"] == "VALID"
    (enrollment,) = await enrolled(world, user.id)
    assert (enrollment["status"], enrollment["imported_from"]) == ("COMPLETED", "Senai")
    assert (await send(admin, f"{one}/accept")).status_code == 404


async def test_a_refused_certificate_can_be_sent_again(world: World) -> None:
    user = await made(world, "learner")
    await require(world)
    (enrollment,) = await enrolled(world, user.id)
    learner, admin = await browser_of(world, user), await signed_in(world)
    form = f"/learn/enrollments/{enrollment['id']}/external-certificate"
    file = ("a.png", b"\x89PNG\r\n\x1a\n" + b"x" * 10, "image/png")
    await send(learner, form, completed_on="2026-01-02", issuer="Senai", file=file)
    one = f"{PATH}/{(await admin.get(PATH)).text.split(PATH + '/')[1][:36]}"
    assert (await send(admin, f"{one}/refuse", reason=" ")).status_code == 422
    assert (await send(admin, f"{one}/refuse", reason="Ilegível")).status_code == 303
    assert "Ilegível" in (await learner.get(form)).text
    again = await send(learner, form, completed_on="2026-01-02", issuer="Senai", file=file)
    assert again.status_code == 303
    manager = await signed_in(world, "gestor")
    assert "Senai" not in (await manager.get(PATH)).text


async def test_nobody_accepts_their_own(world: World) -> None:
    user = await made(world, "gestor")
    async with world.tx() as tx:
        unit = await units.create(tx, NewBusinessUnit(name=Name("Fábrica")))
        await units.set_managers(tx, unit.id, [user.id])
    await world.http.patch(f"/v1/users/{user.id}", json={"business_unit_id": str(unit.id)})
    enrollment = await world.enrollment(user_id=str(user.id))
    manager = await browser_of(world, user)
    form = f"/learn/enrollments/{enrollment['id']}/external-certificate"
    file = ("a.pdf", PDF, "application/pdf")
    await send(manager, form, completed_on="2026-01-02", issuer="Senai", file=file)
    one = f"{PATH}/{(await manager.get(PATH)).text.split(PATH + '/')[1][:36]}"
    assert (await send(manager, f"{one}/accept")).status_code == 403


@pytest.mark.parametrize(
    "wrong",
    [
        {"file": ("a.pdf", b"<html>", "application/pdf")},
        {"file": ("a.pdf", b"", "application/pdf")},
        {"file": ("a.pdf", b"%PDF-" + b"x" * 2 * 1024 * 1024, "application/pdf")},
        {"completed_on": "2999-01-01"},
        {"completed_on": "gestern"},
        {"issuer": ""},
    ],
)
async def test_a_wrong_upload_is_refused(world: World, wrong: dict[str, object]) -> None:
    user = await made(world, "learner")
    enrollment = await world.enrollment(user_id=str(user.id))
    learner = await browser_of(world, user)
    form = f"/learn/enrollments/{enrollment['id']}/external-certificate"
    fields = {"completed_on": "2026-01-02", "issuer": "Senai", "file": ("a.pdf", PDF, "application/pdf")}
    assert (await send(learner, form, **(fields | wrong))).status_code in (413, 422)
