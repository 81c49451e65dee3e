"""GET /v1/certificates/verify/{code}: anyone may call it, and the answer has the same form for every code."""

import time
from dataclasses import replace
from datetime import datetime, timedelta
from statistics import median
from typing import Any
from uuid import UUID

import pytest

from conftest import CPF, Clock, World
from training.certificates.holders import attach, completed, reissue, revoke, row, stored, verify
from trilha import app as trilha_app
from trilha.app import PERSONAL_DATA
from trilha.core.database import Database
from trilha.core.file_store import open_file_store
from trilha.core.web.rate_limits import Limit
from trilha.settings import Settings
from trilha.training.certificates import unscoped

UNKNOWN = "0000-0000-0000-0000"


async def test_a_valid_one(world: World) -> None:
    user = await world.user(name="Ana Lima", cpf=CPF)
    course = await world.course(title="Direção defensiva", certificate_validity_months=24)
    id = await completed(world, enrollment=await world.enrollment(user_id=user["id"], course_id=course))
    certificate = await stored(world, id)
    assert await verify(world, certificate.display_code) == {
        "verified": True,
        "certificate": {
            "verification_code": certificate.display_code,
            "user_name": "Ana Lima",
            "holder_cpf": "***.***.***-25",
            "course_title": "Direção defensiva",
            "issued_by": "Test",
            "issued_at": certificate.issued_at,
            "expires_at": certificate.expires_at,
        },
    }


@pytest.mark.parametrize("code", [UNKNOWN, "0", "nonsense", "%20", "7K2M-9QXR-4TVB-H3NU", "%00", "a" * 5000])
async def test_an_unknown_one(world: World, code: str) -> None:
    assert await verify(world, code) == {"verified": False, "reason": "not_found"}


async def test_without_a_document_there_is_none(world: World) -> None:
    code = (await stored(world, await completed(world))).code
    assert (await verify(world, code))["certificate"]["holder_cpf"] is None


async def test_a_revoked_one(world: World) -> None:
    id = await completed(world)
    code = (await stored(world, id)).display_code
    before = await verify(world, code)
    await revoke(world, id, "Fraud by Ana Lima")
    after = await verify(world, code)
    assert after == {"verified": False, "reason": "revoked", "certificate": before["certificate"]}


async def test_an_expired_one_from_that_very_moment(world: World) -> None:
    certificate = await stored(world, await completed(world, certificate_validity_months=1))
    assert certificate.expires_at is not None
    world.clock.now = datetime.fromisoformat(certificate.expires_at) - timedelta(milliseconds=1)
    assert (await verify(world, certificate.code))["verified"] is True
    world.clock.move(milliseconds=1)
    after = await verify(world, certificate.code)
    assert (after["verified"], after["reason"]) == (False, "expired")
    assert after["certificate"]["expires_at"] == certificate.expires_at


async def test_one_that_was_replaced(world: World) -> None:
    id = await completed(world)
    code = (await stored(world, id)).code
    new = await reissue(world, id)
    old = await verify(world, code)
    assert (old["verified"], old["reason"]) == (False, "revoked")
    # The holder of the old code does not get the new one.
    assert new.display_code not in str(old)
    assert (await verify(world, new.code))["verified"] is True


async def test_an_erased_persons_verifies_without_a_name(world: World) -> None:
    user = await world.user(cpf=CPF)
    id = await completed(world, enrollment=await world.enrollment(user_id=user["id"]))
    code = (await stored(world, id)).code
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, UUID(user["id"]))
    told = await verify(world, code)
    assert told["verified"] is True
    assert (told["certificate"]["user_name"], told["certificate"]["holder_cpf"]) == (None, None)


@pytest.mark.parametrize(
    "write", [str.lower, lambda code: code.replace("-", "%20"), lambda code: f"%20{code}%20"]
)
async def test_a_code_as_people_type_it(world: World, write: Any) -> None:
    certificate = await stored(world, await completed(world))
    told = await verify(world, write(certificate.display_code))
    assert (told["verified"], told["certificate"]["verification_code"]) == (True, certificate.display_code)


async def test_of_every_tenant_to_everybody(world: World, stranger: World) -> None:
    code = (await stored(world, await completed(world))).code
    for client in (world.client(), stranger.http, world.client("trl_live_nonsense")):
        answer = await client.get(f"/v1/certificates/verify/{code}")
        assert (answer.status_code, answer.json()["data"]["verified"]) == (200, True)
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["cache-control"] == "no-store"


async def test_a_suspended_tenants_certificates_stay_true(world: World, owner: Any) -> None:
    code = (await stored(world, await completed(world))).code
    async with owner() as each:
        await each.set_status(world.tenant.slug, "SUSPENDED")
    assert (await verify(world, code))["verified"] is True


async def test_the_sixty_first_call_of_a_minute(
    world: World, settings: Settings, database: Database, clock: Clock
) -> None:
    limited = replace(settings, limit_verify=Settings().limit_verify)
    assert limited.limit_verify == Limit(60, 60)
    app = trilha_app.create_app(limited, database, clock)
    client = world.client(app=app, address="203.0.113.61")
    code = (await stored(world, await completed(world))).code
    codes = [code, UNKNOWN, "nonsense"]
    answers = [await client.get(f"/v1/certificates/verify/{codes[n % 3]}") for n in range(61)]
    assert [each.status_code for each in answers] == [200] * 60 + [429]
    refused = answers[-1]
    assert refused.json()["error"]["code"] == "rate_limit_exceeded"
    assert 0 < int(refused.headers["retry-after"]) <= 60
    clock.move(seconds=60)
    assert (await client.get(f"/v1/certificates/verify/{code}")).status_code == 200


async def test_it_is_found_by_the_bytes_of_its_pdf(world: World, settings: Settings) -> None:
    id = await completed(world)
    digest = await attach(
        world, open_file_store(None, settings.data_dir / "files"), id, world.tenant.id.bytes
    )
    found = await unscoped.find_by_file(world.database, digest)
    assert found is not None
    assert (found.tenant_id, found.id) == (world.tenant.id, id)
    assert await unscoped.find_by_file(world.database, digest[::-1]) is None


async def test_the_second_role_reads_no_document(world: World) -> None:
    id = await completed(world)
    assert (await row(world, id))["holder_cpf"] is None
    async with world.database.unscoped() as connection:
        for column in ("holder_cpf", "evidence_hash", "user_id", "revocation_reason", "paper", "badge"):
            with pytest.raises(Exception, match="permission denied"):
                await connection.rows(f"SELECT {column} FROM certificates LIMIT 1")


@pytest.mark.long
async def test_known_and_unknown_codes_take_as_long(world: World) -> None:
    """The medians of 200 alternating calls differ by less than a tenth."""
    known = (await stored(world, await completed(world))).code
    client = world.client()
    taken: dict[str, list[float]] = {known: [], "0123456789ABCDEF": [], "nonsense": []}
    for _ in range(220):
        for code, times in taken.items():
            start = time.perf_counter()
            answer = await client.get(f"/v1/certificates/verify/{code}", headers={"x-forwarded-for": "::1"})
            times.append(time.perf_counter() - start)
            assert answer.status_code in (200, 429)
    middles = [median(times[20:]) for times in taken.values()]
    assert max(middles) / min(middles) < 1.1, middles
