"""GET /v1/courses by slug, category and text, and GET /v1/categories."""

from uuid import uuid4

from conftest import World


async def found(world: World, query: str) -> list[str]:
    answer = await world.http.get(f"/v1/courses?{query}")
    assert answer.status_code == 200, answer.text
    return [each["slug"] for each in answer.json()["data"]]


async def test_finds_courses(world: World) -> None:
    await world.course(slug="altura", title="Trabalho em Altura", category="Segurança")
    world.clock.move(seconds=1)
    await world.course(slug="direcao", title="Direção defensiva", category="Trânsito", publish=False)
    names = (await world.http.get("/v1/categories")).json()["data"]
    ids = {each["name"]: each["id"] for each in names}
    assert [each["name"] for each in names] == ["Segurança", "Trânsito"]
    for query, expected in (
        ("slug=altura", ["altura"]),
        ("slug=ALTURA", ["altura"]),
        ("slug=alt", []),
        (f"category_id={ids['Trânsito']}", ["direcao"]),
        (f"category_id={uuid4()}", []),
        ("q=DIRECAO", ["direcao"]),
        ("q=em altura", ["altura"]),
        ("q=a", ["direcao", "altura"]),
        ("q=%25", []),
        ("status=draft", ["direcao"]),
        ("status=Published&q=direção", []),
    ):
        assert await found(world, query) == expected, query


async def test_categories_are_a_tenants_own_and_come_in_pages(world: World, stranger: World) -> None:
    for name in ("C", "A", "B"):
        await world.course(category=name)
    await stranger.course(category="Theirs")
    first = (await world.http.get("/v1/categories?limit=2")).json()
    rest = (await world.http.get(f"/v1/categories?limit=2&cursor={first['next_cursor']}")).json()
    assert [each["name"] for each in first["data"] + rest["data"]] == ["A", "B", "C"]
    assert (first["has_more"], rest["has_more"]) == (True, False)
    shown = (await world.http.get("/v1/categories?fields=name")).json()["data"]
    assert shown[0].keys() == {"id", "name"}


async def test_refuses_a_filter_it_cannot_read(world: World) -> None:
    for query, field, code in (
        ("slug=a_b", "slug", "invalid_value"),
        ("category_id=7", "category_id", "invalid_uuid"),
        ("q=%20", "q", "too_short"),
        ("status=gone", "status", "invalid_value"),
    ):
        error = (await world.http.get(f"/v1/courses?{query}")).json()["error"]
        assert (error["field"], error["code"]) == (field, code)
