"""GET /v1/courses/{id}"""

import pytest

from conftest import World


async def test_answers_the_course(world: World) -> None:
    course = await world.course(
        title="Trabalho em altura",
        slug="altura",
        description="NR-35",
        difficulty="ADVANCED",
        duration_hours=7.5,
        tags=["nr-35"],
        category="Segurança",
    )
    answer = await world.http.get(f"/v1/courses/{course}")
    assert answer.status_code == 200
    shown = answer.json()["data"]
    moment = world.clock.now.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    assert shown == {
        "id": str(course),
        "title": "Trabalho em altura",
        "description": "NR-35",
        "slug": "altura",
        "status": "PUBLISHED",
        "difficulty": "ADVANCED",
        "duration_hours": 7.5,
        "thumbnail_url": None,
        "category_id": shown["category_id"],
        "category": "Segurança",
        "tags": ["nr-35"],
        "self_enrollment": "CLOSED",
        "certificate_validity_months": None,
        "regulation": None,
        "language": "pt-BR",
        "languages": ["pt-BR"],
        "created_at": moment,
        "updated_at": moment,
    }
    assert shown["category_id"]
    for type, status in (("course.created", "DRAFT"), ("course.updated", "PUBLISHED")):
        told = {"course_id": str(course), "slug": "altura", "status": status}
        assert await world.events(type) == [(type, told)]


@pytest.mark.parametrize("id", ["1b4e28ba-2fa1-41d2-883f-0016d3cca427", "7"])
async def test_a_course_that_is_not_there(world: World, id: str) -> None:
    answer = await world.http.get(f"/v1/courses/{id}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "course_not_found")
