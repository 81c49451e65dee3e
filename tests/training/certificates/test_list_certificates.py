"""GET /v1/certificates, /v1/certificates/{id}, /v1/users/{id}/certificates"""

from typing import Any

import pytest

from conftest import World
from training.certificates.holders import attach, completed, read, reissue, revoke, row
from trilha.core.file_store import open_file_store
from trilha.settings import Settings

MEMBERS = {
    *("id", "verification_code", "user_id", "enrollment_id", "course_id", "pdf_url", "issued_at"),
    "pdf_a1b_url",
    *("expires_at", "verification_url"),
}


async def page(world: World, path: str = "/v1/certificates", **query: Any) -> dict[str, Any]:
    answer = await world.http.get(path, params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def ids(world: World, **query: Any) -> list[str]:
    return [each["id"] for each in (await page(world, **query))["data"]]


async def test_one(world: World) -> None:
    enrollment = await world.enrollment(course_id=await world.course(certificate_validity_months=12))
    id = await completed(world, enrollment=enrollment)
    data, kept = await read(world, id), await row(world, id)
    assert set(data) == MEMBERS
    code = "-".join(kept["code"][start : start + 4] for start in (0, 4, 8, 12))
    assert data == {
        "id": str(id),
        "verification_code": code,
        "user_id": enrollment["user_id"],
        "enrollment_id": enrollment["id"],
        "course_id": enrollment["course_id"],
        "pdf_url": None,
        "pdf_a1b_url": None,
        "issued_at": kept["issued_at"],
        "expires_at": kept["expires_at"],
        "verification_url": f"{Settings().address}/verify/{code}",
    }


@pytest.mark.parametrize("id", ["1b4e28ba-2fa1-41d2-883f-0016d3cca427", "7"])
async def test_one_that_is_not_there(world: World, stranger: World, id: str) -> None:
    for each in (id, str(await completed(stranger))):
        answer = await world.http.get(f"/v1/certificates/{each}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "certificate_not_found")


async def test_newest_first_in_pages(world: World) -> None:
    made = []
    for _ in range(5):
        made.append(str(await completed(world)))
        world.clock.move(seconds=1)
    first = await page(world, limit=2)
    second = await page(world, limit=2, cursor=first["next_cursor"])
    third = await page(world, limit=2, cursor=second["next_cursor"])
    walked = [each["id"] for part in (first, second, third) for each in part["data"]]
    assert walked == made[::-1]
    assert (third["has_more"], third["next_cursor"]) == (False, None)
    query = {"cursor": first["next_cursor"], "user_id": made[0]}
    answer = await world.http.get("/v1/certificates", params=query)
    assert answer.json()["error"]["code"] == "invalid_cursor"


async def test_filters(world: World) -> None:
    course = await world.course()
    enrollment = await world.enrollment(course_id=course)
    mine = str(await completed(world, enrollment=enrollment))
    same_course = str(await completed(world, enrollment=await world.enrollment(course_id=course)))
    world.clock.move(seconds=1)
    same_user = str(await completed(world, enrollment=await world.enrollment(user_id=enrollment["user_id"])))
    await completed(world)
    user = enrollment["user_id"]
    assert set(await ids(world, user_id=user)) == {mine, same_user}
    assert set(await ids(world, course_id=str(course))) == {mine, same_course}
    assert await ids(world, user_id=user, course_id=str(course)) == [mine]
    assert await ids(world, user_id="1b4e28ba-2fa1-41d2-883f-0016d3cca427") == []
    listed = await page(world, f"/v1/users/{user}/certificates", limit=1)
    assert [each["id"] for each in listed["data"]] == [same_user]
    rest = await page(world, f"/v1/users/{user}/certificates", cursor=listed["next_cursor"])
    assert [each["id"] for each in rest["data"]] == [mine]


async def test_what_has_changed_since(world: World, settings: Settings) -> None:
    first, second = await completed(world), await completed(world)
    third = await completed(world)
    world.clock.move(seconds=10)
    since = world.clock.now.isoformat()
    assert await ids(world, updated_since=since) == []
    await revoke(world, second)
    world.clock.move(seconds=1)
    await attach(world, open_file_store(None, settings.data_dir / "files"), first, b"%PDF-1.7")
    assert await ids(world, updated_since=since) == [str(second), str(first)]
    world.clock.move(seconds=1)
    anew = await reissue(world, third)
    assert set(await ids(world, updated_since=world.clock.now.isoformat())) == {str(third), str(anew.id)}


async def test_only_some_members(world: World) -> None:
    id = await completed(world)
    assert (await page(world, fields="pdf_url"))["data"] == [{"id": str(id), "pdf_url": None}]
    answer = await world.http.get(f"/v1/certificates/{id}?fields=issued_at")
    assert set(answer.json()["data"]) == {"id", "issued_at"}
    answer = await world.http.get("/v1/certificates?fields=holder_cpf")
    assert answer.json()["error"]["code"] == "invalid_value"


@pytest.mark.parametrize(
    "path", ["/v1/certificates", "/v1/certificates/{id}", "/v1/users/{user}/certificates"]
)
async def test_the_scope(world: World, path: str) -> None:
    id = await completed(world)
    user = (await row(world, id))["user_id"]
    other = world.client(await world.key("users:read"))
    answer = await other.get(path.format(id=id, user=user))
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "insufficient_scope")


async def test_another_tenant_sees_none(world: World, stranger: World) -> None:
    id = await completed(world)
    user = (await row(world, id))["user_id"]
    assert (await page(stranger))["data"] == []
    assert (await page(stranger, user_id=str(user)))["data"] == []
    assert (await stranger.http.get(f"/v1/users/{user}/certificates")).status_code == 404
