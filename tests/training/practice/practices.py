"""A course with a practical module, its assessor and learners."""

import json
import re
from io import BytesIO
from typing import Any
from uuid import UUID

import httpx2
from PIL import Image

from conftest import World
from trilha.training.classes.jobs import JUDGE_PRESENCE
from web.panel.training_pages import browsing, id_of, send

ITEMS = [
    {"title": "Inspeciona o cinto", "criteria": "Antes de vestir."},
    {"title": "Conecta o talabarte"},
]
DRAWING = json.dumps([[10, 10, 200, 100, 400, 20]])
TITLE = "Instrutor de NR-35"


class Practice:
    """A published course of one practical module, and what tests ask of it."""

    def __init__(self, world: World, course_id: str, module: dict[str, Any]) -> None:
        self.world = world
        self.course_id = course_id
        self.module = module
        self.assessor: httpx2.AsyncClient
        self.assessor_id: UUID

    @property
    def module_id(self) -> str:
        return str(self.module["id"])

    async def post(self, path: str, **body: Any) -> httpx2.Response:
        return await self.world.http.post(f"/v1/{path}", json=body)

    async def qualify(self, user_id: object, **members: Any) -> dict[str, Any]:
        body = {
            "title": TITLE,
            "issuing_body": "CREA-SP",
            "register_number": "5069",
            "valid_from": "2020-01-01",
        }
        answer = await self.post("qualifications", user_id=str(user_id), **body | members)
        assert answer.status_code == 201, answer.text
        data: dict[str, Any] = answer.json()["data"]
        return data

    async def enroll(self, **members: Any) -> dict[str, Any]:
        """Returns the enrollment of a new person."""
        user = await self.world.user(**members)
        answer = await self.post("enrollments", user_id=user["id"], course_id=self.course_id)
        assert answer.status_code == 201, answer.text
        return {**answer.json()["data"], "email": user["email"]}

    async def record(self, enrollment: dict[str, Any], *ratings: str, **members: Any) -> httpx2.Response:
        body = {
            "enrollment_id": enrollment["id"],
            "module_id": self.module_id,
            "assessor_id": str(self.assessor_id),
            "ratings": [
                {"item_id": item["id"], "rating": rating}
                for item, rating in zip(self.module["items"], ratings, strict=False)
            ],
        }
        return await self.post("practice-assessments", **body | members)

    async def read(self, id: str) -> dict[str, Any]:
        data: dict[str, Any] = (await self.world.http.get(f"/v1/practice-assessments/{id}")).json()["data"]
        return data

    async def sign(self, id: str, browser: httpx2.AsyncClient | None = None) -> httpx2.Response:
        """Signs as the assessor, or in another person's browser."""
        address = f"/admin/practice/assessments/{id}/sign"
        return await send(browser or self.assessor, address, signature=DRAWING)

    async def sign_as_learner(
        self, browser: httpx2.AsyncClient, enrollment: dict[str, Any], id: str
    ) -> httpx2.Response:
        here = f"/learn/enrollments/{enrollment['id']}/practice/{self.module_id}"
        token = re.search(r'name="csrf_token" value="([0-9a-f]+)"', (await browser.get("/learn")).text)
        assert token
        return await browser.post(
            f"{here}/sign",
            data={
                "csrf_token": token[1],
                "assessment_id": id,
                "signature": DRAWING,
            },
        )

    async def judge(self) -> None:
        await JUDGE_PRESENCE.run_in(self.world.database, self.world.tenant.id)

    async def status(self, enrollment: dict[str, Any]) -> str:
        answer = await self.world.http.get(f"/v1/enrollments/{enrollment['id']}")
        return str(answer.json()["data"]["status"])


def build_photo() -> bytes:
    """Returns a photo with metadata."""
    written, exif = BytesIO(), Image.Exif()
    exif[0x010E] = "Segredo"
    Image.new("RGB", (40, 30), "red").save(written, "JPEG", exif=exif)
    return written.getvalue()


async def make_admin(world: World) -> str:
    """Returns the id of a new administrator, which the API cannot create."""
    id: str = (await world.user())["id"]
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE users SET role = 'admin' WHERE tenant_id = :tenant AND id = :id", id=UUID(id)
        )
    return id


async def offer(world: World, **members: Any) -> Practice:
    """Publishes a course of one practice, whose assessor is a qualified administrator."""
    made = await world.http.post("/v1/courses", json={"title": "NR-35, prática"})
    course_id = made.json()["data"]["id"]
    new = {
        "title": "Prática",
        "type": "PRACTICE",
        "duration_minutes": 120,
        "items": ITEMS,
        "qualification": TITLE,
    }
    answer = await world.http.post(f"/v1/courses/{course_id}/modules", json=new | members)
    assert answer.status_code == 201, answer.text
    published = await world.http.post(f"/v1/courses/{course_id}/publish")
    assert published.is_success, published.text
    practice = Practice(world, course_id, answer.json()["data"])
    practice.assessor = await browsing(world)
    practice.assessor_id = await id_of(world, "admin")
    await practice.qualify(practice.assessor_id)
    return practice
