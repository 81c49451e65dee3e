"""/learn/profile: documents, language; /learn/my-data."""

import pytest

from conftest import CNH, CPF, PHONE, World
from web.learn.signing_in import learner, send, signed_in, token_in

DOCUMENTS = "/learn/profile/documents"
LICENCE = {"cnh_numero": CNH, "cnh_categoria": "AB", "cnh_validade": "2099-01-31", "cnh_ear": "true"}


async def read(world: World, user: str) -> dict[str, object]:
    found: dict[str, object] = (await world.http.get(f"/v1/users/{user}")).json()["data"]
    return found


async def test_documents_are_masked(world: World) -> None:
    user, client = await learner(world, cpf=CPF, phone=PHONE, birth_date="1990-05-17", department="Frota")
    page = (await client.get("/learn/profile")).text
    for words in (user["name"], user["email"], "Frota", "***.***.***-25", "(**) *****-**21", "**/**/****"):
        assert words in page
    assert "1990" not in page


async def test_documents_are_completed_by_the_person(world: World) -> None:
    user, client = await learner(world)
    saved = await send(client, DOCUMENTS, "", cpf=CPF, phone=PHONE, birth_date="1990-05-17", **LICENCE)
    assert (saved.status_code, saved.headers["location"]) == (303, "/learn/profile")
    after = await read(world, user["id"])
    assert (after["cpf"], after["birth_date"]) == ("***.***.***-25", "****-**-**")
    assert after["cnh"] == {"numero": "*********09", "categoria": "AB", "validade": "2099-01-31", "ear": True}
    async with world.tx() as tx:
        (record,) = await tx.rows(
            """
            SELECT actor_kind, actor FROM audit_records
            WHERE tenant_id = :tenant AND action = 'user.updated'
            """
        )
    assert (record["actor_kind"], record["actor"]) == ("session", user["id"])
    assert "Your documents were saved." in (await client.get("/learn/profile")).text


async def test_what_is_on_record_is_not_replaced_by_the_person(world: World) -> None:
    user, client = await learner(world, cpf=CPF, birth_date="1990-05-17")
    page = (await client.get(DOCUMENTS)).text
    assert 'name="cpf"' not in page
    assert 'name="birth_date"' not in page
    token = token_in(page)
    crafted = {"csrf_token": token, "cpf": "111.444.777-35", "birth_date": "1980-01-01", "phone": PHONE}
    assert (await client.post(DOCUMENTS, data=crafted)).status_code == 303
    after = await read(world, user["id"])
    assert (after["cpf"], after["phone"]) == ("***.***.***-25", "(**) *****-**21")
    assert await client.get("/learn/profile")


async def test_nothing_filled_in_changes_nothing(world: World) -> None:
    _, client = await learner(world)
    before = await world.events()
    assert (await send(client, DOCUMENTS, "", cpf="", phone="")).status_code == 303
    assert "No changes to save." in (await client.get("/learn/profile")).text
    assert await world.events() == before


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"cpf": "123"}, "Enter the 11 digits of the CPF."),
        ({"phone": "12"}, "Enter the area code and the number"),
        ({"birth_date": "2020-01-01"}, "at least 18"),
        ({"cnh_numero": CNH}, "Fill in this field."),
        ({"cnh_ear": "true"}, "Fill in this field."),
        (LICENCE | {"cnh_validade": "2001-01-01"}, "has expired"),
        (LICENCE | {"cnh_categoria": "Z"}, "Choose one of the categories."),
    ],
)
async def test_what_is_wrong_is_told_where_it_is(world: World, fields: dict[str, str], words: str) -> None:
    user, client = await learner(world)
    page = await send(client, DOCUMENTS, "", **fields)
    assert page.status_code == 422
    assert words in page.text
    assert (await read(world, user["id"]))["cnh"] is None


async def test_the_cpf_of_somebody_else(world: World) -> None:
    await world.user(cpf=CPF)
    _, client = await learner(world)
    page = await send(client, DOCUMENTS, "", cpf=CPF)
    assert page.status_code == 422
    assert "belongs to someone else" in page.text


async def test_back_to_the_course_that_asked(world: World) -> None:
    user, client = await learner(world)
    enrollment = (await world.enrollment(user_id=user["id"]))["id"]
    page = await client.get(f"{DOCUMENTS}?enrollment={enrollment}")
    assert f'name="enrollment" value="{enrollment}"' in page.text
    saved = await send(client, DOCUMENTS, "", phone=PHONE, enrollment=enrollment)
    assert saved.headers["location"] == f"/learn/enrollments/{enrollment}"
    wrong = await send(client, DOCUMENTS, "", enrollment="//evil.test")
    assert wrong.status_code == 422


async def test_the_language_is_the_persons_own_everywhere(world: World) -> None:
    user, client = await learner(world)
    assert '<html lang="en">' in (await client.get("/learn/profile")).text
    await send(client, "/learn/profile", "/learn/profile/language", locale="pt-BR")
    page = (await client.get("/learn/profile")).text
    assert '<html lang="pt-BR">' in page
    assert "O idioma foi salvo." in page
    # The switch in the menu changes the same setting, which applies in another browser too.
    switched = await send(client, "/learn", "/learn/preferences", locale="en", next="/learn/security")
    assert switched.headers["location"] == "/learn/security"
    other = await signed_in(world, user["email"])
    other.cookies.delete("trilha_locale")
    assert '<html lang="en">' in (await other.get("/learn")).text
    await send(client, "/learn/profile", "/learn/profile/language", locale="")
    other.cookies.delete("trilha_locale")
    assert '<html lang="pt-BR">' in (await other.get("/learn")).text
    away = await send(client, "/learn", "/learn/preferences", theme="dark", next="//evil.test")
    assert away.headers["location"] == "/"


async def test_my_data(world: World) -> None:
    user, client = await learner(world)
    page = (await client.get("/learn/my-data")).text
    assert 'href="/api/users/me/data-export"' in page
    export = await client.get("/api/users/me/data-export")
    assert export.json()["profile"]["id"] == user["id"]
