"""POST /v1/users"""

import pytest

from conftest import CNH, CPF, PHONE, World


async def test_answers_the_user_with_documents_masked(world: World) -> None:
    answer = await world.http.post(
        "/v1/users",
        json={
            "email": " Ana.Lima@Exemplo.COM ",
            "name": " Ana Lima ",
            "cpf": CPF,
            "phone": PHONE,
            "birth_date": "1990-05-17",
            "cnh": {"numero": CNH, "categoria": "AB", "validade": "2099-01-31", "ear": True},
        },
    )
    assert answer.status_code == 201
    user = answer.json()["data"]
    assert user["email"] == "ana.lima@exemplo.com"
    assert user["name"] == "Ana Lima"
    assert (user["role"], user["status"], user["xp"], user["level"]) == ("learner", "ACTIVE", 0, 1)
    assert user["cpf"] == "***.***.***-25"
    assert user["phone"] == "(**) *****-**21"
    assert user["birth_date"] == "****-**-**"
    assert user["cnh"] == {
        "numero": "*********09",
        "categoria": "AB",
        "validade": "2099-01-31",
        "ear": True,
    }
    assert await world.events("user.created") == [
        ("user.created", {"user_id": user["id"], "role": "learner", "status": "ACTIVE"})
    ]


async def test_shows_a_temporary_password_only_when_none_was_sent(world: World) -> None:
    without = await world.http.post("/v1/users", json={"email": "a@example.com", "name": "A"})
    assert len(without.json()["_meta"]["temporary_password"]) == 16
    given = await world.http.post(
        "/v1/users", json={"email": "b@example.com", "name": "B", "password": "correct horse"}
    )
    assert "_meta" not in given.json()


async def test_refuses_an_email_that_exists_in_any_spelling(world: World) -> None:
    await world.user(email="ana@example.com")
    answer = await world.http.post("/v1/users", json={"email": "ANA@example.com", "name": "A"})
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "email_exists"


@pytest.mark.parametrize(
    ("members", "field", "code"),
    [
        ({"email": "nobody"}, "email", "invalid_email"),
        ({"email": "a@b"}, "email", "invalid_email"),
        ({"name": "  "}, "name", "too_short"),
        ({"name": "x" * 121}, "name", "too_long"),
        ({"name": "a\x00b"}, "name", "invalid_text"),
        ({"role": "admin"}, "role", "role_not_allowed"),
        ({"role": "boss"}, "role", "invalid_value"),
        ({"password": "short"}, "password", "too_short"),
        ({"password": "x" * 129}, "password", "too_long"),
        ({"password": "Senha123"}, "password", "password_common"),
        ({"password": "a better\x00one"}, "password", "invalid_text"),
        ({"name": "Marina", "password": "marina2026"}, "password", "password_is_name"),
        ({"email": "marina@example.com", "password": "Marina.99"}, "password", "password_is_name"),
        ({"business_unit_id": "7"}, "business_unit_id", "invalid_uuid"),
        ({"cpf": "529.982.247-26"}, "cpf", "invalid_cpf"),
        ({"cpf": "111.111.111-11"}, "cpf", "invalid_cpf"),
        ({"phone": "10 98765-4321"}, "phone", "invalid_phone"),
        ({"phone": "11 8765-432"}, "phone", "invalid_phone"),
        ({"birth_date": "1990-02-30"}, "birth_date", "invalid_birth_date"),
        ({"birth_date": "1790-02-03"}, "birth_date", "invalid_birth_date"),
        ({"birth_date": "2020-02-03"}, "birth_date", "underage"),
        ({"cnh": {}}, "cnh.numero", "required"),
        ({"cnh": 7}, "cnh", "invalid_type"),
        ({"shoe_size": 41}, "shoe_size", "unknown_field"),
    ],
)
async def test_names_what_is_wrong(world: World, members: dict[str, object], field: str, code: str) -> None:
    body = {"email": "ana@example.com", "name": "Ana"} | members
    answer = await world.http.post("/v1/users", json=body)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert (error["type"], error["field"], error["code"]) == ("validation_error", field, code)


async def test_the_company_is_no_password(world: World) -> None:
    body = {"email": "ana@example.com", "name": "Ana", "password": f"{world.tenant.slug}2026"}
    answer = await world.http.post("/v1/users", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "password_is_name")
    assert (await world.http.get("/v1/users?email=ana@example.com")).json()["data"] == []


async def test_names_everything_that_is_wrong_at_once(world: World) -> None:
    cnh = {"numero": "1", "categoria": "Z", "validade": "2001-01-01", "ear": "yes"}
    answer = await world.http.post(
        "/v1/users", json={"name": "", "cpf": "1", "birth_date": "2020-01-01", "cnh": cnh, "x": 1}
    )
    assert [(each["field"], each["code"]) for each in answer.json()["error"]["detail"]] == [
        ("email", "required"),
        ("name", "too_short"),
        ("cpf", "invalid_cpf"),
        ("cnh.numero", "invalid_cnh_number"),
        ("cnh.categoria", "invalid_cnh_category"),
        ("cnh.ear", "invalid_type"),
        ("x", "unknown_field"),
        ("birth_date", "underage"),
    ]


@pytest.mark.parametrize(("born", "status"), [("2008-11-21", 201), ("2008-11-22", 400)])
async def test_takes_people_from_their_eighteenth_birthday(world: World, born: str, status: int) -> None:
    # 02:59 UTC is still the day before in São Paulo.
    world.clock.now = world.clock.now.replace(year=2026, month=11, day=22, hour=2, minute=59)
    answer = await world.http.post(
        "/v1/users", json={"email": "a@example.com", "name": "A", "birth_date": born}
    )
    assert answer.status_code == status
