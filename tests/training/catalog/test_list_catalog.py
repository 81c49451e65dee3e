"""GET /v1/catalog"""

from conftest import World
from trilha.training.courses import actions


async def titles(world: World, **query: str) -> list[str]:
    answer = await world.http.get("/v1/catalog", params=query)
    assert answer.status_code == 200, answer.text
    return [each["title"] for each in answer.json()["data"]]


async def test_only_published_courses_that_are_not_closed(world: World) -> None:
    await world.course(title="Zelo", self_enrollment="OPEN")
    await world.course(title="Altura", self_enrollment="APPROVAL")
    await world.course(title="Fechado")
    await world.course(title="Rascunho", self_enrollment="OPEN", publish=False)
    old = await world.course(title="Antigo", self_enrollment="OPEN")
    async with world.tx() as tx:
        await actions.archive(tx, old)
    assert await titles(world) == ["Altura", "Zelo"]
    answer = (await world.http.get("/v1/catalog")).json()["data"][0]
    assert answer == (await world.http.get(f"/v1/courses/{answer['id']}")).json()["data"]
    assert answer["self_enrollment"] == "APPROVAL"


async def test_filters(world: World) -> None:
    await world.course(title="Direção Defensiva", self_enrollment="OPEN", category="Trânsito", tags=["frota"])
    await world.course(title="Brigada", self_enrollment="APPROVAL", category="Segurança")
    await world.course(title="Direção segura", category="Trânsito")
    assert await titles(world, q="direcao") == ["Direção Defensiva"]
    assert await titles(world, tags="frota,outra") == ["Direção Defensiva"]
    assert await titles(world, self_enrollment="APPROVAL") == ["Brigada"]
    categories = (await world.http.get("/v1/categories")).json()["data"]
    ids = {each["name"]: each["id"] for each in categories}
    assert await titles(world, category_id=ids["Trânsito"]) == ["Direção Defensiva"]
    assert (await world.http.get("/v1/catalog", params={"self_enrollment": "CLOSED"})).status_code == 400


async def test_pages_by_title(world: World) -> None:
    names = ["Ácido", "Básico", "Çedilha", "Direção"]
    for name in reversed(names):
        await world.course(title=name, self_enrollment="OPEN")
        await world.course(title=name)
    seen, cursor = [], None
    while True:
        query = {"limit": "3"} | ({"cursor": cursor} if cursor else {})
        page = (await world.http.get("/v1/catalog", params=query)).json()
        seen += [each["title"] for each in page["data"]]
        cursor = page["next_cursor"]
        if not page["has_more"]:
            break
    assert seen == names
