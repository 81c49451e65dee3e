"""The API that creates and changes courses and their modules."""

from typing import Any
from uuid import uuid4

import httpx2
import pytest

from conftest import World
from trilha.core.credentials import Scope

REGULATION = {
    "kind": "traffic",
    "minimum_workload_minutes": 60,
    "minimum_score": 70.0,
    "sequential": True,
    "required_profile_fields": ["cpf"],
}
MEMBERS = {
    "title": "Direção segura",
    "slug": "direcao",
    "description": "Pátio",
    "difficulty": "BEGINNER",
    "duration_hours": 2.5,
    "tags": ["pátio"],
    "category": "Trânsito",
    "certificate_validity_months": 24,
    "regulation": REGULATION,
    "self_enrollment": "OPEN",
}
ARTICLE = {"title": "Manobras", "body": "Antes de dar ré, **desça e olhe**."}
QUESTION = {"kind": "true_false", "text": "Pode?", "right": False}
QUIZ = {"title": "Prova", "type": "QUIZ", "questions": [QUESTION]}


def code(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def field(answer: httpx2.Response) -> tuple[str, str]:
    error = answer.json()["error"]
    return error["field"], error["code"]


async def create(world: World, **members: Any) -> dict[str, Any]:
    answer = await world.http.post("/v1/courses", json={"title": "Direção segura"} | members)
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def add(world: World, course: dict[str, Any], **members: Any) -> dict[str, Any]:
    answer = await world.http.post(f"/v1/courses/{course['id']}/modules", json=ARTICLE | members)
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def list_titles(world: World, course: dict[str, Any]) -> list[str]:
    page = (await world.http.get(f"/v1/courses/{course['id']}/modules")).json()
    return [each["title"] for each in page["data"]]


async def test_every_member_is_read_back(world: World) -> None:
    course = await create(world, **MEMBERS)
    assert course == course | MEMBERS | {"status": "DRAFT"}
    assert (await world.http.get(f"/v1/courses/{course['id']}")).json()["data"] == course
    assert (await world.http.get("/v1/courses?slug=direcao")).json()["data"] == [course]
    categories = (await world.http.get("/v1/categories")).json()["data"]
    assert {"id": course["category_id"], "name": "Trânsito"} in categories


async def test_a_slug_is_made_from_the_title(world: World) -> None:
    assert [(await create(world))["slug"] for _ in range(2)] == ["direcao-segura", "direcao-segura-2"]
    answer = await world.http.post("/v1/courses", json={"title": "A", "slug": "direcao-segura"})
    assert code(answer) == (409, "course_slug_exists")


async def test_null_clears_and_what_is_left_out_stays(world: World) -> None:
    course = await create(world, **MEMBERS)
    cleared = {
        "description": None,
        "difficulty": None,
        "category": None,
        "certificate_validity_months": None,
        "regulation": None,
    }
    address = f"/v1/courses/{course['id']}"
    changed = (await world.http.patch(address, json={"title": "Outro", **cleared})).json()["data"]
    same = {name: course[name] for name in ("slug", "duration_hours", "tags", "self_enrollment")}
    assert changed == changed | cleared | same | {"title": "Outro", "category_id": None}
    for name in ("title", "slug", "duration_hours", "tags", "self_enrollment"):
        assert (await world.http.patch(address, json={name: None})).status_code == 400


async def test_events_follow_changes_and_nothing_else(world: World) -> None:
    course = await create(world, **MEMBERS)
    address = f"/v1/courses/{course['id']}"
    module = await add(world, course, duration_minutes=60)
    own = f"{address}/modules/{module['id']}"
    for _ in range(2):
        await world.http.patch(address, json=MEMBERS)
        await world.http.patch(own, json=ARTICLE)
        await world.http.post(f"{own}/move", json={"position": 7})
        await world.http.post(f"{address}/publish")
    for _ in range(2):
        await world.http.post(f"{address}/archive")
    events = [(type, data["status"]) for type, data in await world.events() if type.startswith("course.")]
    assert events == [
        ("course.created", "DRAFT"),
        ("course.updated", "DRAFT"),
        ("course.updated", "PUBLISHED"),
        ("course.archived", "ARCHIVED"),
    ]


async def test_a_course_is_published_archived_and_published_again(world: World) -> None:
    course = await create(world)
    address = f"/v1/courses/{course['id']}"
    assert code(await world.http.post(f"{address}/archive")) == (422, "course_is_draft")
    assert code(await world.http.post(f"{address}/publish")) == (422, "course_without_modules")
    module = await add(world, course)
    for verb, status in (("publish", "PUBLISHED"), ("archive", "ARCHIVED"), ("publish", "PUBLISHED")):
        for _ in range(2):
            answer = await world.http.post(f"{address}/{verb}")
            assert (answer.status_code, answer.json()["data"]["status"]) == (200, status)
    own = f"{address}/modules/{module['id']}"
    assert code(await world.http.patch(own, json={"required": False})) == (422, "course_without_modules")
    assert code(await world.http.delete(own)) == (422, "course_without_modules")
    assert await list_titles(world, course) == ["Manobras"]


async def test_modules_are_added_changed_moved_and_removed(world: World) -> None:
    course = await create(world)
    address = f"/v1/courses/{course['id']}/modules"
    one, two, three = [await add(world, course, title=title) for title in ("Um", "Dois", "Três")]
    assert three == three | {"position": 3, "type": "ARTICLE", "duration_minutes": 1, "required": True}
    changes = {"title": "Mais", "duration_minutes": 30, "required": False, "body": "Outro"}
    changed = (await world.http.patch(f"{address}/{two['id']}", json=changes)).json()["data"]
    del changes["body"]
    assert changed == changed | changes
    moved = await world.http.post(f"{address}/{three['id']}/move", json={"position": 1})
    assert (moved.status_code, moved.json()["data"]["position"]) == (200, 1)
    assert await list_titles(world, course) == ["Três", "Um", "Mais"]
    assert (await world.http.delete(f"{address}/{one['id']}")).status_code == 204
    assert code(await world.http.delete(f"{address}/{one['id']}")) == (404, "module_not_found")
    assert await list_titles(world, course) == ["Três", "Mais"]


async def test_an_article_is_rendered_when_it_is_saved(world: World) -> None:
    module = await add(world, await create(world))
    async with world.tx() as tx:
        html = await tx.value(
            "SELECT html FROM rendered_lessons WHERE tenant_id = :tenant AND module_id = :id",
            id=module["id"],
        )
    assert "<strong>desça e olhe</strong>" in html


async def test_an_unchanged_text_is_not_saved_again(world: World) -> None:
    course = await create(world)
    module = await add(world, course)
    own = f"/v1/courses/{course['id']}/modules/{module['id']}"
    async with world.tx() as tx:  # what another rendering would replace
        await tx.execute("UPDATE rendered_lessons SET html = 'kept' WHERE tenant_id = :tenant")
    before = await world.events("course.updated")
    for body in ({"body": ARTICLE["body"]}, {"body": ARTICLE["body"], "title": "Outro título"}):
        assert (await world.http.patch(own, json=body)).status_code == 200
    async with world.tx() as tx:
        assert await tx.value("SELECT html FROM rendered_lessons WHERE tenant_id = :tenant") == "kept"
        assert await tx.value("SELECT count(*) FROM lesson_versions WHERE tenant_id = :tenant") == 0
    assert len(await world.events("course.updated")) == len(before) + 1  # of the title
    assert (await world.http.patch(own, json={"body": "Outro texto"})).status_code == 200
    async with world.tx() as tx:
        assert "Outro texto" in await tx.value("SELECT html FROM rendered_lessons WHERE tenant_id = :tenant")


async def test_minutes_that_are_left_out_are_estimated(world: World) -> None:
    course = await create(world)
    text = " ".join(["palavra"] * 1001)
    for minutes, expected in (({}, 6), ({"duration_minutes": 0}, 0), ({"duration_minutes": 25}, 25)):
        assert (await add(world, course, body=text, **minutes))["duration_minutes"] == expected
    own = f"/v1/courses/{course['id']}/modules"
    first = (await world.http.get(own)).json()["data"][0]
    changed = await world.http.patch(f"{own}/{first['id']}", json={"body": "Um texto curto"})
    assert changed.json()["data"]["duration_minutes"] == 1


async def test_a_quiz_has_its_questions(world: World) -> None:
    course = await create(world)
    address = f"/v1/courses/{course['id']}/modules"
    choices = [{"text": "Sim", "right": True}, {"text": "Não"}]
    questions = [QUESTION | {"pool": "A"}, {"kind": "single", "text": "E?", "choices": choices}]
    settings = {"pass_mark": 80, "draws": {"A": 1}}
    answer = await world.http.post(address, json=QUIZ | {"questions": questions, "quiz": settings})
    assert (answer.status_code, answer.json()["data"]["type"]) == (201, "QUIZ")
    async with world.tx() as tx:
        stored = await tx.rows("SELECT text FROM questions WHERE tenant_id = :tenant ORDER BY position")
    assert [row["text"] for row in stored] == ["Pode?", "E?"]
    body = await world.http.patch(f"{address}/{answer.json()['data']['id']}", json={"body": "x"})
    assert field(body) == ("body", "invalid_value")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"title": "A"}, ("body", "required")),
        (ARTICLE | {"questions": [QUESTION]}, ("questions", "invalid_value")),
        (ARTICLE | {"quiz": {}}, ("quiz", "invalid_value")),
        (ARTICLE | {"type": "VIDEO"}, ("source_url", "required")),
        (ARTICLE | {"content": {}}, ("content", "unknown_field")),
        (ARTICLE | {"duration_minutes": 100_001}, ("duration_minutes", "out_of_range")),
        (ARTICLE | {"body": "a\x00"}, ("body", "invalid_text")),
        ({"title": "A", "type": "QUIZ"}, ("questions", "required")),
        (QUIZ | {"body": "a"}, ("body", "invalid_value")),
        (QUIZ | {"quiz": {"draws": {"B": 1}}}, ("quiz.draws", "unknown_pool")),
        (QUIZ | {"questions": [QUESTION | {"right": None}]}, ("questions.0.right", "required")),
        (QUIZ | {"questions": [QUESTION] * 501}, ("questions", "too_long")),
        (QUIZ | {"questions": [QUESTION | {"picture": {}}]}, ("questions.0.picture", "unknown_field")),
    ],
)
async def test_of_a_module_that_is_wrong(world: World, body: Any, told: tuple[str, str]) -> None:
    course = await create(world)
    answer = await world.http.post(f"/v1/courses/{course['id']}/modules", json=body)
    assert (answer.status_code, *field(answer)) == (400, *told)
    assert await list_titles(world, course) == []


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        ([{"text": "a"}, {"text": "b"}], "one_right_choice"),
        ([{"text": "a", "right": True}, {"text": "A"}], "duplicate_choice"),
    ],
)
async def test_of_a_question_that_is_wrong(world: World, choices: Any, told: str) -> None:
    course = await create(world)
    question = {"kind": "single", "text": "E?", "choices": choices}
    answer = await world.http.post(
        f"/v1/courses/{course['id']}/modules", json=QUIZ | {"questions": [question]}
    )
    assert code(answer) == (400, told)


async def test_a_text_that_is_too_complex_adds_no_module(world: World) -> None:
    course = await create(world)
    address = f"/v1/courses/{course['id']}/modules"
    answer = await world.http.post(address, json=ARTICLE | {"body": "[" * 20_000})
    assert code(answer) == (400, "text_too_complex")
    assert await list_titles(world, course) == []


async def test_bodies_are_bounded(world: World) -> None:
    course = await create(world)
    address = f"/v1/courses/{course['id']}/modules"
    assert field(await world.http.post(address, json=ARTICLE | {"body": "a" * 400_001})) == (
        "body",
        "too_long",
    )
    whole = await world.http.post(address, json=ARTICLE | {"body": "á" * 400_000})
    assert whole.status_code == 201
    deep = b'{"title":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    answer = await world.http.post("/v1/courses", content=deep, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    for body in ({"tags": ["a"] * 21}, {"description": "a" * 10_001}, {"regulation": {"kind": "x"}}):
        assert (await world.http.post("/v1/courses", json={"title": "A"} | body)).status_code == 400


async def test_the_scope_is_required_and_offered(world: World) -> None:
    reader = world.client(await world.key(Scope.COURSES_READ))
    assert code(await reader.post("/v1/courses", json={"title": "A"})) == (403, "insufficient_scope")
    writer = world.client(await world.key(Scope.COURSES_WRITE))
    assert (await writer.post("/v1/courses", json={"title": "A"})).status_code == 201
    assert code(await writer.get("/v1/courses")) == (403, "insufficient_scope")


async def test_a_repeated_call_creates_one_course(world: World) -> None:
    headers = {"idempotency-key": "one"}
    first, again = [
        await world.http.post("/v1/courses", json={"title": "A"}, headers=headers) for _ in range(2)
    ]
    assert first.content == again.content
    assert len(await world.events("course.created")) == 1


async def test_ids_of_another_course_are_not_found(world: World) -> None:
    course, other = await create(world), await create(world)
    module = await add(world, course)
    own = f"/v1/courses/{other['id']}/modules/{module['id']}"
    assert code(await world.http.patch(own, json={"title": "A"})) == (404, "module_not_found")
    assert code(await world.http.post(f"{own}/move", json={"position": 1})) == (404, "module_not_found")
    assert code(await world.http.delete(own)) == (404, "module_not_found")
    nowhere = f"/v1/courses/{uuid4()}"
    assert code(await world.http.patch(nowhere, json={})) == (404, "course_not_found")
    for verb in ("publish", "archive"):
        assert code(await world.http.post(f"{nowhere}/{verb}")) == (404, "course_not_found")
