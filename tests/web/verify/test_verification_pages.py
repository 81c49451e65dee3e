"""/verify: the public page of a certificate, by its code or its file."""

import hashlib
from dataclasses import replace
from datetime import datetime
from random import randrange
from typing import Any
from uuid import UUID

import httpx2
import pytest

from conftest import CPF, Clock, World
from training.certificates.holders import attach, completed, reissue, revoke, stored
from trilha import app as trilha_app
from trilha.app import PERSONAL_DATA
from trilha.core.database import Database
from trilha.core.file_store import open_file_store
from trilha.core.types import Name
from trilha.platform.tenants import actions as tenants
from trilha.platform.tenants.schema import BrandSettings, Colour
from trilha.settings import Settings

UNKNOWN = "0000-0000-0000-0000"
VALID = "This certificate is valid"


def reader(world: World, app: object = None, address: str = "") -> httpx2.AsyncClient:
    """Creates a visitor with their own address, so that other requests do not count."""
    client = world.client(app=app, address=address or f"198.51.{randrange(256)}.{randrange(256)}")
    client.cookies.set("trilha_locale", "en", domain="trilha.test", path="/")
    return client


async def told(world: World, code: str) -> str:
    answer = await reader(world).get(f"/verify/{code}")
    assert answer.status_code == 200, answer.text
    return answer.text


async def test_a_valid_one_is_told_with_a_masked_document_and_whose_it_is(world: World) -> None:
    async with world.tx() as tx:
        await tenants.change(tx, BrandSettings(brand_colour=Colour("#aa3300")))
    user = await world.user(name="Ana Lima", cpf=CPF)
    course = await world.course(title="Direção defensiva", certificate_validity_months=24)
    id = await completed(world, enrollment=await world.enrollment(user_id=user["id"], course_id=course))
    page = await told(world, (await stored(world, id)).code)
    for words in (VALID, "Ana Lima", "***.***.***-25", "Direção defensiva", "10 min", "/brand/"):
        assert words in page
    assert "529" not in page
    assert user["email"] not in page


@pytest.mark.parametrize("code", [UNKNOWN, "x", "7K2M-9QXR-4TVB-H3NU", "%00", "a" * 3000, "%20"])
async def test_an_unknown_one(world: World, code: str) -> None:
    assert "We did not find this code" in await told(world, code)


async def test_a_revoked_one_says_since_when_and_not_why(world: World) -> None:
    id = await completed(world)
    await revoke(world, id, "Answers were copied")
    page = await told(world, (await stored(world, id)).code)
    assert "This certificate was revoked" in page
    assert f'datetime="{world.clock.now.astimezone().date().isoformat()[:7]}' in page
    assert "copied" not in page
    assert VALID not in page


async def test_an_expired_one(world: World) -> None:
    certificate = await stored(world, await completed(world, certificate_validity_months=1))
    assert certificate.expires_at
    world.clock.now = datetime.fromisoformat(certificate.expires_at)
    assert "This certificate has expired" in await told(world, certificate.code)


async def test_one_that_was_replaced_says_so_and_does_not_lead_to_the_newer_one(world: World) -> None:
    id = await completed(world)
    new = await reissue(world, id)
    page = await told(world, (await stored(world, id)).code)
    assert "This certificate was replaced" in page
    assert new.display_code not in page
    assert str(new.id) not in page
    assert VALID in await told(world, new.code)


async def test_an_erased_persons_has_no_name(world: World) -> None:
    user = await world.user(name="Zuleide Prado", cpf=CPF)
    id = await completed(world, enrollment=await world.enrollment(user_id=user["id"]))
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, UUID(user["id"]))
    page = await told(world, (await stored(world, id)).code)
    assert VALID in page
    assert "Name erased" in page
    assert "Zuleide" not in page


async def test_a_name_is_text(world: World) -> None:
    user = await world.user(name="<b>Ana</b> & “Zé”")
    id = await completed(world, enrollment=await world.enrollment(user_id=user["id"]))
    page = await told(world, (await stored(world, id)).code)
    assert "&lt;b&gt;Ana&lt;/b&gt; &amp;" in page


async def test_the_form_leads_to_the_page_of_the_code_as_it_is_shown(world: World) -> None:
    certificate = await stored(world, await completed(world))
    typed = f"  {certificate.display_code.lower().replace('-', ' ')} "
    answer = await reader(world).get("/verify", params={"code": typed})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/verify/{certificate.display_code}")
    wrong = await reader(world).get("/verify", params={"code": "7K2M"})
    assert wrong.status_code == 422
    assert "16 letters and numbers" in wrong.text
    assert 'value="7K2M"' in wrong.text
    empty = await reader(world).get("/verify?code=&tenant=x")
    assert (empty.status_code, "field__error" in empty.text) == (200, False)


async def test_a_file_is_found_by_its_digest(world: World, settings: Settings) -> None:
    store = open_file_store(None, settings.data_dir / "files")
    id = await completed(world)
    digest = await attach(world, store, id, b"%PDF " + id.bytes)
    page = (await reader(world).get(f"/verify?file={digest.hex()}")).text
    assert VALID in page
    assert "is identical to the one that was issued" in page
    other = (await reader(world).get(f"/verify?file={hashlib.sha256(digest).hexdigest()}")).text
    assert "We did not recognize this file" in other
    await revoke(world, id)
    assert VALID not in (await reader(world).get(f"/verify?file={digest.hex()}")).text
    assert (await reader(world).get("/verify?file=abc")).status_code == 400


async def test_in_the_tenants_language_where_the_reader_has_chosen_none(world: World) -> None:
    code = (await stored(world, await completed(world))).code
    client = world.client(address="198.51.100.7")
    client.headers["accept-language"] = "en"
    page = (await client.get(f"/verify/{code}")).text
    assert "Este certificado é válido" in page
    assert 'lang="pt-BR"' in page


async def test_it_is_kept_by_nobody_and_not_for_search_engines(world: World) -> None:
    code = (await stored(world, await completed(world))).code
    for path in ("/verify", f"/verify/{code}", f"/verify/{UNKNOWN}", "/verify?code=x"):
        headers = (await reader(world).get(path)).headers
        assert headers["cache-control"] == "no-store"
        assert headers["x-robots-tag"] == "noindex, nofollow"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-frame-options"] == "DENY"


async def test_pages_and_api_are_counted_together_by_address(
    world: World, settings: Settings, database: Database, clock: Clock
) -> None:
    limited = replace(settings, limit_verify=Settings().limit_verify)
    app = trilha_app.create_app(limited, database, clock)
    client = reader(world, app=app, address="203.0.113.77")
    code = (await stored(world, await completed(world))).code
    paths = [f"/verify/{code}", f"/v1/certificates/verify/{code}", f"/verify?file={'0' * 64}", "/verify/x"]
    statuses = [(await client.get(paths[n % 4])).status_code for n in range(60)]
    assert statuses == [200] * 60
    refused = await client.get(f"/verify/{code}")
    assert refused.status_code == 429
    assert 0 < int(refused.headers["retry-after"]) <= 60
    assert "Too many attempts" in refused.text
    assert (await client.get(f"/v1/certificates/verify/{code}")).status_code == 429
    # Opening the form alone does not count as a request.
    assert (await client.get("/verify")).status_code == 200
    other = reader(world, app=app, address="203.0.113.78")
    assert (await other.get(f"/verify/{code}")).status_code == 200


async def test_of_a_suspended_company_it_stays_true(world: World, owner: Any) -> None:
    code = (await stored(world, await completed(world))).code
    async with owner() as each:
        await each.set_status(world.tenant.slug, "SUSPENDED")
    page = await told(world, code)
    assert VALID in page
    assert Name(world.tenant.name) in page
