"""/admin/settings, and the effects of the settings."""

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from conftest import World
from trilha.core.errors import Invalid
from trilha.platform.audit import queries as audit
from trilha.platform.audit.schema import AuditQuery, AuditRecord
from trilha.platform.tenants import logos
from web.panel.signing_in import PASSWORD, send, signed_in

PATH = "/admin/settings"


async def records(world: World) -> list[AuditRecord]:
    async with world.tx() as tx:
        page = await audit.list_page(tx, AuditQuery(action="tenant.", limit=100))
    return [each for each in page.data if each.action != "tenant.created"]


def image(kind: str = "PNG", size: tuple[int, int] = (300, 100), **options: object) -> bytes:
    written = BytesIO()
    Image.new("RGB", size, "#aa3300").save(written, kind, **options)
    return written.getvalue()


async def test_name_language_and_time_zone(world: World) -> None:
    admin = await signed_in(world)
    form = {"name": "Aurora", "locale": "en", "time_zone": "America/Manaus"}
    assert (await send(admin, PATH, **form)).headers["location"] == PATH
    page = (await admin.get(PATH)).text
    assert "The settings were saved." in page
    assert 'value="Aurora"' in page
    assert "<option selected>America/Manaus</option>" in page
    (record,) = await records(world)
    assert (record.action, record.detail) == ("tenant.settings_changed", form)
    await send(admin, PATH, **form)
    assert len(await records(world)) == 1, "what is as it was is no change"


async def test_what_is_wrong_is_told_and_nothing_is_changed(world: World) -> None:
    admin = await signed_in(world)
    page = await send(admin, PATH, name=" ", locale="fr", time_zone="Mars/Olympus")
    assert page.status_code == 422
    for sentence in ("Choose one of the time zones.", "Choose one of the options."):
        assert sentence in page.text
    page = await send(admin, f"{PATH}/security", password_minimum="7")
    assert page.status_code == 422
    assert "Enter a number from 8 to 64." in page.text
    page = await send(admin, f"{PATH}/appearance", brand_colour="red;}")
    assert page.status_code == 422
    assert await records(world) == []


async def test_a_colour_is_previewed_kept_and_taken_back(world: World) -> None:
    admin = await signed_in(world)
    address = f"{PATH}/appearance"
    part = await admin.get(f"{address}/preview", params={"brand_colour": "#AA3300"})
    assert 'href="/brand/aa3300-' in part.text
    assert "<link" not in (await admin.get(f"{address}/preview", params={"brand_colour": "#zz"})).text
    page = await send(admin, address, brand_colour="#aa3300", step="preview")
    assert (page.status_code, 'href="/brand/aa3300-' in page.text) == (200, True)
    assert "aa3300" not in (await admin.get("/admin")).text
    await send(admin, address, brand_colour="#aa3300")
    assert 'href="/brand/aa3300-' in (await admin.get("/admin")).text
    world.clock.move(seconds=1)
    await send(admin, address, brand_colour="#aa3300", step="reset")
    assert "/brand/" not in (await admin.get("/admin")).text
    assert [each.detail["brand_colour"] for each in await records(world)] == [None, "#aa3300"]


@pytest.mark.parametrize(("kind", "stored"), [("PNG", "png"), ("WEBP", "png"), ("JPEG", "jpg")])
async def test_a_logo_is_served_to_anybody_at_an_address_of_its_own(
    world: World, kind: str, stored: str
) -> None:
    admin = await signed_in(world)
    sent = await send(admin, f"{PATH}/logo", logo=("../x.html", image(kind), "text/html"))
    assert sent.headers["location"] == f"{PATH}/appearance"
    page = (await admin.get(f"{PATH}/appearance")).text
    name = page.partition('src="/logos/')[2].partition('"')[0]
    answer = await world.client().get(f"/logos/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == {"png": "image/png", "jpg": "image/jpeg"}[stored]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert Image.open(BytesIO(answer.content)).size == (300, 100)
    world.clock.move(seconds=1)
    await send(admin, f"{PATH}/logo/remove")
    assert "/logos/" not in (await admin.get("/admin")).text
    assert (await world.client().get(f"/logos/{name}")).status_code == 404
    assert [each.action for each in await records(world)] == ["tenant.logo_removed", "tenant.logo_changed"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "Fill in this field."),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", "Choose an image in PNG, JPEG or WebP."),
        (image("GIF"), "Choose an image in PNG, JPEG or WebP."),
        (image()[:60], "Choose an image in PNG, JPEG or WebP."),
        (image(size=(4001, 1)), "Choose an image of up to 1 MB and 4,000 pixels per side."),
        (image() + b"\0" * logos.MAX_BYTES, "Choose an image of up to 1 MB"),
    ],
    ids=["empty", "svg", "gif", "cut", "wide", "heavy"],
)
async def test_what_is_no_logo_is_refused(world: World, content: bytes, sentence: str) -> None:
    admin = await signed_in(world)
    page = await send(admin, f"{PATH}/logo", logo=("logo.png", content, "image/png"))
    assert page.status_code == 422
    assert sentence in page.text
    assert 'value="#0b6677"' in page.text
    assert await records(world) == []


def test_what_an_image_brings_along_is_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "logo"
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    raw = image("JPEG", exif=exif) + b"<script>alert(1)</script>"
    path.write_bytes(raw)
    assert b"taken at home" in raw
    kept = logos.read(path, len(raw)).content
    assert b"taken at home" not in kept
    assert b"<script>" not in kept
    path.write_bytes(image(size=(3000, 2000)))
    assert Image.open(BytesIO(logos.read(path, 1000).content)).size == (360, 240)
    path.write_bytes(b"GIF89a")
    with pytest.raises(Invalid):
        logos.read(path, 6)


async def test_a_password_is_as_long_as_the_company_asks(world: World) -> None:
    admin = await signed_in(world)
    await send(admin, f"{PATH}/security", password_minimum="16")
    page = "/login/password"
    assert "At least 16 characters." in (await admin.get(page)).text
    short = await send(admin, page, on=page, current_password=PASSWORD, new_password="fifteen letters")
    assert short.status_code == 422
    assert "This password is too short." in short.text
    by_api = {"current_password": PASSWORD, "new_password": "fifteen letters"}
    session = {"authorization": f"Bearer {admin.cookies['trilha_session']}"}
    refused = await world.client().post("/api/auth/password", json=by_api, headers=session)
    assert refused.status_code == 400
    assert refused.json()["error"]["detail"][0]["code"] == "password_below_minimum"
    done = await send(admin, page, on=page, current_password=PASSWORD, new_password="sixteen letters!")
    assert done.headers["location"] == "/admin"


async def test_administrators_are_led_to_a_second_factor(world: World) -> None:
    admin, manager = await signed_in(world), await signed_in(world, "gestor")
    await send(
        admin,
        f"{PATH}/security",
        password_minimum="8",
        second_factor_required="true",
        passkeys_allowed="true",
    )
    assert (await admin.get("/admin")).headers["location"] == "/learn/security/authenticator"
    assert (await manager.get("/admin")).status_code == 200
    (record,) = await records(world)
    assert record.detail == {"second_factor_required": True}


async def test_one_company_s_settings_are_not_another_s(world: World, stranger: World) -> None:
    await send(await signed_in(world), PATH, name="Aurora", locale="en", time_zone="UTC")
    assert "Aurora" not in (await (await signed_in(stranger)).get(PATH)).text


async def test_retention_periods(world: World) -> None:
    admin = await signed_in(world)
    path = f"{PATH}/retention"
    assert (await send(admin, path, sign_in_days="365", event_days="")).headers["location"] == path
    page = (await admin.get(path)).text
    assert 'name="sign_in_days" type="text" value="365"' in page
    (record,) = await records(world)
    assert (record.action, record.detail) == ("tenant.settings_changed", {"sign_in_days": 365})


async def test_a_retention_period_below_the_minimum_is_refused(world: World) -> None:
    admin = await signed_in(world)
    page = await send(admin, f"{PATH}/retention", sign_in_days="30", audit_log_days="long")
    assert page.status_code == 422
    assert "Enter at least the number of days shown above, and at most 36,500." in page.text
    assert "Enter a number of days, or leave the field empty." in page.text
    assert await records(world) == []
