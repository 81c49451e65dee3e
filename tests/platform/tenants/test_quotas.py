"""Quotas refuse what exceeds them, by every way, and leave alone what is there already."""

import asyncio
import json
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from click.testing import CliRunner

from access.scim.providers import USER, U, new_token
from access.sso.federation import Company
from conftest import World
from metering import calls_of, limit, send_mails, usage_of, write_mail
from people.people_import.files import HEADER, text
from trilha.cli import main
from trilha.core.errors import BusinessRule
from trilha.core.file_store import open_file_store
from trilha.people.people_import import actions as imports
from trilha.people.people_import import jobs
from trilha.people.people_import import queries as import_queries
from trilha.people.people_import.files import ImportFiles
from trilha.people.users import actions as users
from trilha.training.scorm import actions as packages
from trilha.training.scorm.schema import StoredArchive
from web.panel.signing_in import send, signed_in


def new_person(**members: Any) -> dict[str, Any]:
    return {"email": f"{uuid4().hex}@example.com", "name": "Ana"} | members


def check(answer: httpx2.Response, quota: str, allowed: int) -> None:
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (422, "quota_exceeded")
    assert error["detail"] == {"quota": quota, "limit": allowed}


async def count_active(world: World) -> int:
    return (await usage_of(world)).active_people or 0


async def test_the_api_creates_and_reactivates_no_more_people(world: World) -> None:
    first, _ = await world.user(), await world.user()
    await limit(world, max_people=2)
    check(await world.http.post("/v1/users", json=new_person()), "max_people", 2)
    assert (await world.http.post(f"/v1/users/{first['id']}/suspend")).status_code == 204
    await world.user()
    check(await world.http.post(f"/v1/users/{first['id']}/reactivate"), "max_people", 2)
    assert await count_active(world) == 2
    # What exists can be changed.
    await limit(world, max_people=1)
    answer = await world.http.patch(f"/v1/users/{first['id']}", json={"name": "Ana Lima"})
    assert answer.status_code == 200


async def test_bulk_creates_those_for_whom_there_is_room(world: World) -> None:
    known = await world.user()
    await limit(world, max_people=3)
    items = [new_person(), {"email": known["email"], "name": "Known"}, new_person(), new_person()]
    answer = (await world.http.put("/v1/users/bulk", json={"users": items})).json()["data"]
    assert (answer["created"], answer["updated"], answer["failed"]) == (2, 1, 1)
    (error,) = answer["errors"]
    assert (error["index"], error["code"], error["detail"]["limit"]) == (3, "quota_exceeded", 3)


async def test_the_panel_says_that_the_plan_is_used_up(world: World) -> None:
    admin = await signed_in(world)
    await limit(world, max_people=1)
    form = {"name": "Bia", "email": "bia@example.com", "role": "learner", "entry": "invitation"}
    answer = await send(admin, "/admin/people/new", on="/admin/people/new", **form)
    assert answer.status_code == 422
    assert "exceeds your company" in answer.text


async def test_scim_creates_and_activates_no_more_people(world: World) -> None:
    http = world.client(await new_token(world))
    body = {"schemas": [USER], "userName": "ana@example.com", "name": {"givenName": "Ana", "familyName": "L"}}
    body |= {"emails": [{"value": "ana@example.com", "primary": True}]}
    await limit(world, max_people=0)
    headers = {"content-type": "application/scim+json"}
    answer = await http.post(U, content=json.dumps(body), headers=headers)
    assert (answer.status_code, await count_active(world)) == (422, 0)
    assert "quota" in answer.json()["detail"]


async def test_single_sign_on_creates_no_more_people(company: Company) -> None:
    await limit(company.world, max_people=await count_active(company.world))
    assert await company.refused() == "people_quota_exceeded"


async def test_an_import_refuses_the_rows_that_are_too_many(world: World, tmp_path: Path) -> None:
    await limit(world, max_people=2)
    rows = [["Ana", f"p{n}@example.com", *[""] * (len(HEADER) - 2)] for n in range(3)]
    raw = text(rows).encode()
    files = ImportFiles(open_file_store(None, tmp_path), world.database.keyring)
    path = await files.keep(world.tenant.id, raw)
    async with world.tx() as tx:
        started = await imports.start(tx, imports.inspect(raw), path, "rh.csv", dry_run=False)
    await jobs.run_next(world.database, files, world.tenant.id, started.id, address="https://trilha.test")
    async with world.tx() as tx:
        problems = await import_queries.list_problems(tx, started.id, limit=10)
    assert [(each.line, each.code) for each in problems] == [(4, "quota_exceeded")]
    assert await count_active(world) == 2


async def test_a_person_who_returns_needs_room(world: World) -> None:
    person = await world.user()
    async with world.tx() as tx:
        await users.deactivate(tx, UUID(person["id"]))
    await limit(world, max_people=0)
    with pytest.raises(BusinessRule, match="quota_exceeded"):
        async with world.tx() as tx:
            await users.activate(tx, UUID(person["id"]))


async def test_uploads_are_refused_before_they_are_stored(world: World) -> None:
    await limit(world, max_storage_bytes=100)
    for size in (60, 41):
        archive = StoredArchive(uuid4(), f"archives/{size}", f"{size:064}", size)
        async with world.tx() as tx:
            if size == 60:
                await packages.start_import(tx, archive, "a.zip")
                continue
            with pytest.raises(BusinessRule) as refused:
                await packages.start_import(tx, archive, "b.zip")
            assert refused.value.detail == {"quota": "max_storage_bytes", "limit": 100}


async def test_calls_are_refused_until_there_are_more(world: World) -> None:
    calls = calls_of(world.app)
    await world.http.get("/v1/users")
    await calls.write()
    await limit(world, max_api_calls_per_month=1)
    await calls.write()
    await world.http.get("/v1/users")
    await calls.write()
    answer = await world.http.get("/v1/users")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (429, "call_quota_exceeded")
    assert error["detail"] == {"quota": "max_api_calls_per_month", "limit": 1}
    assert 0 < int(answer.headers["retry-after"]) <= 31 * 86_400
    assert (await usage_of(world)).exceeded == ["max_api_calls_per_month"]
    await limit(world, max_api_calls_per_month=1000)
    await calls.write()
    assert (await world.http.get("/v1/users")).status_code == 200
    await limit(world, max_api_calls_per_month=1)
    await calls.write()
    await world.http.get("/v1/users")
    await calls.write()
    world.clock.move(days=32)
    await calls.write()
    assert (await world.http.get("/v1/users")).status_code == 200


async def test_mails_are_held_back_until_there_are_more(world: World) -> None:
    await limit(world, max_mails_per_month=1)
    for _ in range(3):
        await write_mail(world)
    assert await send_mails(world) == 1
    usage = await usage_of(world)
    assert (usage.mails, usage.mails_waiting, usage.exceeded) == (1, 2, ["max_mails_per_month"])
    await limit(world, max_mails_per_month=None)
    assert await send_mails(world) == 2


async def test_the_command_changes_only_what_it_names(world: World, tmp_path: Path) -> None:
    environment = {"TRILHA_DATABASE_URL": world.url, "TRILHA_MASTER_KEY": "6b" * 32}
    environment |= {"TRILHA_DATA_DIR": str(tmp_path)}

    def run(*options: str) -> Any:
        arguments = ["tenant", "quota", "--tenant", world.tenant.slug, *options, "--json"]
        done = CliRunner().invoke(main, arguments, env=environment)
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    set_people = await asyncio.to_thread(run, "--people", "500", "--mails", "9")
    assert (set_people["max_people"], set_people["max_mails_per_month"]) == (500, 9)
    assert (await asyncio.to_thread(run, "--mails", "none"))["max_mails_per_month"] is None
    assert (await asyncio.to_thread(run))["max_people"] == 500


async def test_quotas_are_on_record(world: World) -> None:
    for _ in range(2):
        await limit(world, max_people=5)
    async with world.tx() as tx:
        rows = await tx.rows(
            "SELECT detail FROM audit_records WHERE tenant_id = :tenant AND action = 'tenant.quotas_changed'"
        )
    assert [row["detail"]["max_people"] for row in rows] == [5]
