"""Photos that confirm who takes a course: consent, comparison, review, completion, and their end."""

import base64
import json
from datetime import timedelta
from io import BytesIO
from typing import Any
from uuid import UUID

import httpx2
import pytest
from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from conftest import World
from trilha.app import PERSONAL_DATA
from trilha.core.errors import Invalid
from trilha.core.types import Timestamp
from trilha.training.courses import images
from trilha.training.identity import actions, photo_queries, queries, review_queries
from trilha.training.identity.jobs import delete_old_photos
from trilha.training.identity.photos import read_face
from trilha.training.identity.rules import draw_due_seconds, judge
from trilha.training.identity.schema import Comparison, IdentityRule
from trilha.training.learning.completion import actions as completion
from trilha.training.learning.evidence import queries as evidence
from web.learn.signing_in import send, signed_in

QUEUE = "/admin/identity"


def picture(color: str = "gray", side: int = 64) -> str:
    written = BytesIO()
    Image.new("RGB", (side, side), color).save(written, "JPEG")
    return base64.b64encode(written.getvalue()).decode()


def face(number: float) -> str:
    """Returns the description of somebody's face: people with close numbers look alike."""
    return json.dumps([number] + [0.0] * 127)


class Story:
    """A learner in a course that asks for photos, and an administrator."""

    def __init__(self, world: World, user: dict[str, Any], enrollment: dict[str, Any]) -> None:
        self.world = world
        self.user = user
        self.enrollment = enrollment
        self.course = f"/learn/enrollments/{enrollment['id']}"
        self.page = f"{self.course}/identity"
        self.learner: httpx2.AsyncClient
        self.admin: httpx2.AsyncClient
        self.admin_email = ""

    async def consent(self, decision: str = "agree", version: int = 0) -> httpx2.Response:
        form = {"decision": decision, "version": str(version)}
        return await send(self.learner, self.course, f"{self.page}/consent", **form)

    async def photo(self, number: float = 0.1, **fields: str) -> httpx2.Response:
        form = {"photo": picture(), "descriptor": face(number), "faces": "1"} | fields
        return await send(self.learner, self.course, f"{self.page}/photo", **form)

    async def statuses(self) -> list[str]:
        async with self.world.tx() as tx:
            return [each.status for each in await queries.list_checks(tx, UUID(self.enrollment["id"]))]

    async def doubtful(self) -> str:
        async with self.world.tx() as tx:
            (check,) = await review_queries.list_doubtful(tx)
        return f"{QUEUE}/{check.id}"

    async def accept(self) -> None:
        path = await self.doubtful()
        assert (await send(self.admin, path, f"{path}/accept")).headers["location"] == QUEUE

    async def study(self) -> None:
        """Completes the only module, and reassesses the enrollment."""
        id = UUID(self.enrollment["id"])
        async with self.world.tx() as tx:
            head = await evidence.lock_head(tx, id)
            await tx.execute(
                "UPDATE all_enrollments SET status = 'IN_PROGRESS', started_at = :now "
                "WHERE tenant_id = :tenant AND id = :id",
                id=id,
            )
            await tx.execute(
                """
                INSERT INTO module_progress (tenant_id, enrollment_id, module_id, progress, completed_at,
                                             started_at)
                SELECT :tenant, CAST(:id AS uuid), id, 100, CAST(:now AS timestamptz),
                       CAST(:now AS timestamptz)
                FROM modules WHERE tenant_id = :tenant AND course_id = :course
                RETURNING tenant_id
                """,
                id=id,
                course=head.course_id,
            )
        async with self.world.tx() as tx:
            await completion.reassess(tx, await evidence.lock_head(tx, id))

    async def status(self) -> str:
        answer = await self.world.http.get(f"/v1/enrollments/{self.enrollment['id']}")
        status: str = answer.json()["data"]["status"]
        return status


async def tell(world: World, *, random_photos: int = 0, blocking: bool = True) -> Story:
    user = await world.user(name="Rosa Prado")
    course = await world.course()
    story = Story(world, user, await world.enrollment(user_id=user["id"], course_id=course))
    async with world.tx() as tx:
        await actions.change_settings(
            tx, enabled=True, retention_days=30, service_url=None, token="", text=""
        )
        await actions.change_rule(tx, course, IdentityRule(random_photos, 0.5, blocking))
    admin = await world.user(name="Admin")
    await world.promote(admin["id"], "admin")
    story.learner = await signed_in(world, user["email"])
    story.admin = await signed_in(world, admin["email"])
    story.admin_email = admin["email"]
    return story


async def module_of(story: Story) -> str:
    async with story.world.tx() as tx:
        id = await tx.value(
            "SELECT id FROM modules WHERE tenant_id = :tenant AND course_id = :course",
            course=UUID(story.enrollment["course_id"]),
        )
    return f"{story.course}/modules/{id}"


async def test_a_course_from_the_first_photo_to_its_completion(world: World) -> None:
    story = await tell(world)
    module = await module_of(story)
    assert (await story.learner.get(module)).headers["location"] == story.page
    assert "compares them with your first photo" in (await story.learner.get(story.page)).text
    assert (await story.consent()).headers["location"] == story.page
    page = await story.learner.get(story.page)
    assert "Photo at the start" in page.text
    assert "camera=(self)" in page.headers["permissions-policy"]
    assert (await story.photo()).headers["location"] == story.course
    assert await story.statuses() == ["DOUBTFUL", "PENDING"]
    # The first photo waits for an administrator, and the module opens meanwhile.
    assert (await story.learner.get(module)).headers.get("location") != story.page
    await story.study()
    assert await story.status() == "IN_PROGRESS"
    course = (await story.learner.get(story.course)).text
    assert "Confirm your identity" in course
    await story.accept()
    assert await story.status() == "IN_PROGRESS"
    assert "Photo at the end" in (await story.learner.get(story.page)).text
    await story.photo(0.2)
    assert await story.statuses() == ["ACCEPTED", "MATCHED"]
    assert await story.status() == "COMPLETED"


async def test_a_photo_that_does_not_match_waits_for_a_person(world: World) -> None:
    story = await tell(world)
    await story.consent()
    await story.photo()
    await story.accept()
    await story.study()
    await story.photo(0.9)
    assert await story.statuses() == ["ACCEPTED", "DOUBTFUL"]
    assert await story.status() == "IN_PROGRESS"
    path = await story.doubtful()
    page = (await story.admin.get(path)).text
    assert "80; up to 50 matches by itself" in page
    for side in ("photo", "reference"):
        picture_of = await story.admin.get(f"{path}/pictures/{side}")
        assert picture_of.headers["content-type"] == "image/jpeg"
        assert picture_of.headers["cache-control"] == "no-store"
    async with world.tx() as tx:
        viewed = await tx.rows(
            "SELECT detail FROM audit_records WHERE tenant_id = :tenant AND action = 'identity.photo_viewed'"
        )
    assert sorted(each["detail"]["side"] for each in viewed) == ["photo", "reference"]
    assert (await send(story.admin, path, f"{path}/refuse", reason=" ")).status_code == 422
    await send(story.admin, path, f"{path}/refuse", reason="Outra pessoa na foto")
    assert (await story.admin.get(path)).status_code == 404
    assert "Outra pessoa na foto" in (await story.learner.get(story.page)).text
    await story.photo(0.1)
    assert await story.status() == "COMPLETED"


async def test_nobody_and_two_people_are_refused(world: World) -> None:
    story = await tell(world)
    await story.consent()
    nobody = await story.photo(faces="0")
    assert nobody.status_code == 422
    assert "We see no face in the photo." in nobody.text
    assert "camera=(self)" in nobody.headers["permissions-policy"]
    assert "more than one face" in (await story.photo(faces="2")).text
    assert await story.statuses() == ["PENDING", "PENDING"]


@pytest.mark.parametrize(
    "fields",
    [
        {"photo": "no base64"},
        {"photo": base64.b64encode(b"\xff\xd8\xff no jpeg").decode()},
        {"photo": base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()},
        {"descriptor": "[]"},
        {"descriptor": "[" * 5000},
        {"descriptor": json.dumps(["1"] * 128)},
        {"descriptor": json.dumps([1e308] * 128)},
        {"descriptor": "[" + "NaN," * 127 + "NaN]"},
    ],
)
async def test_nonsense_is_refused(world: World, fields: dict[str, str]) -> None:
    story = await tell(world)
    await story.consent()
    assert (await story.photo(**fields)).status_code == 422
    assert await story.statuses() == ["PENDING", "PENDING"]


async def test_who_refuses_is_identified_by_hand(world: World) -> None:
    story = await tell(world)
    refused = await story.consent("refuse")
    assert refused.headers["location"] == story.course
    assert (await story.photo()).status_code == 422
    # Learning goes on; the completion waits.
    assert (await story.learner.get(await module_of(story))).headers.get("location") != story.page
    await story.study()
    assert await story.status() == "IN_PROGRESS"
    assert "Rosa Prado" in (await story.admin.get(QUEUE)).text
    path = f"{QUEUE}/enrollments/{story.enrollment['id']}"
    await send(story.admin, path, path, reason="Identidade mostrada em chamada de vídeo")
    assert await story.status() == "COMPLETED"
    assert (await story.admin.get(path)).status_code == 404


async def test_withdrawing_deletes_the_photos(world: World) -> None:
    story = await tell(world)
    await story.consent()
    await story.photo()
    path = await story.doubtful()
    await story.consent("refuse")
    async with world.tx() as tx:
        for table in ("identity_photos", "identity_references"):
            assert await tx.value(f"SELECT count(*) FROM {table} WHERE tenant_id = :tenant") == 0
    assert "The photo was deleted" in (await story.admin.get(path)).text
    assert (await story.admin.get(f"{path}/pictures/photo")).status_code == 404


async def test_another_text_asks_again(world: World) -> None:
    story = await tell(world)
    await story.consent()
    async with world.tx() as tx:
        await actions.change_settings(
            tx, enabled=True, retention_days=30, service_url=None, token="", text="Outro texto"
        )
    assert (await story.photo()).status_code == 422
    page = (await story.learner.get(story.page)).text
    assert "Outro texto" in page
    assert 'name="version" value="1"' in page
    # Whoever agrees on a page from before reads the new text first.
    late = await story.consent()
    assert late.status_code == 422
    assert "The text has changed." in late.text
    assert "Outro texto" in late.text
    await story.consent(version=1)
    assert (await story.photo()).status_code == 303
    async with world.tx() as tx:
        versions = await tx.rows(
            "SELECT version FROM identity_consents WHERE tenant_id = :tenant ORDER BY version"
        )
    assert versions[-1]["version"] == 1


async def test_photos_are_sealed_and_deleted_on_their_last_day(world: World) -> None:
    story = await tell(world)
    await story.consent()
    await story.photo()
    async with world.tx() as tx:
        (row,) = await tx.rows("SELECT * FROM identity_photos WHERE tenant_id = :tenant")
        assert row["retained_until"] == Timestamp.of(tx.now + timedelta(days=30))
    assert b"\xff\xd8\xff" not in row["photo"]
    assert b"0.1" not in row["descriptor"]
    world.clock.move(days=30, seconds=-1)
    async with world.tx() as tx:
        assert await delete_old_photos(tx) == 0
    world.clock.move(seconds=1)
    async with world.tx() as tx:
        assert await delete_old_photos(tx) == 1
        assert await photo_queries.find_reference(tx, UUID(story.user["id"])) is None


async def test_nothing_of_a_face_leaves(world: World) -> None:
    story = await tell(world)
    await story.consent()
    await story.photo(0.123456)
    exported = (await story.learner.get("/api/users/me/data-export")).json()
    assert exported["identity_consents"][0]["agreed"] is True
    assert exported["identity_checks"][0].keys() == {"course", "moment", "status", "taken_at"}
    async with world.tx() as tx:
        records = await tx.rows(
            "SELECT action, detail FROM audit_records WHERE tenant_id = :tenant AND action LIKE 'identity.%'"
        )
    assert {"identity.agreed", "identity.photo_taken"} <= {row["action"] for row in records}
    told = json.dumps([exported["identity_checks"], [row["detail"] for row in records]], default=str)
    told += json.dumps(await world.events(), default=str)
    for secret in ("123456", "descriptor", "distance", picture()[:40]):
        assert secret not in told
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, UUID(story.user["id"]))
        for table in ("identity_photos", "identity_references", "identity_consents"):
            assert await tx.value(f"SELECT count(*) FROM {table} WHERE tenant_id = :tenant") == 0


async def test_random_photos_come_with_the_study_time(world: World) -> None:
    story = await tell(world, random_photos=2)
    await story.consent()
    await story.photo()
    assert await story.statuses() == ["DOUBTFUL", "PENDING", "PENDING", "PENDING"]
    assert "No photo is needed now" in (await story.learner.get(story.page)).text
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE learning_heads SET credited_seconds = 541 WHERE tenant_id = :tenant"
        )  # of 600
    assert "Photo during the course" in (await story.learner.get(story.page)).text
    assert (await story.learner.get(await module_of(story))).headers["location"] == story.page


async def test_a_course_that_does_not_block(world: World) -> None:
    story = await tell(world, blocking=False)
    assert (await story.learner.get(await module_of(story))).headers.get("location") != story.page
    await story.study()
    assert await story.status() == "COMPLETED"


async def test_other_people_and_tenants(world: World, stranger: World) -> None:
    story = await tell(world)
    await story.consent()
    await story.photo()
    path = await story.doubtful()
    other = await tell(stranger)
    assert (await other.learner.get(story.page)).status_code == 404
    assert (await other.admin.get(path)).status_code == 404
    assert (await other.admin.get(f"{path}/pictures/photo")).status_code == 404
    assert (await send(other.admin, QUEUE, f"{path}/accept")).status_code == 404
    own = await signed_in(world, (await world.user())["email"])
    assert (await own.get(story.page)).status_code == 404
    assert (await own.get(f"{path}/pictures/photo")).status_code == 403


async def test_a_person_takes_five_photos_at_most(world: World) -> None:
    story = await tell(world)
    await story.consent()
    for _ in range(5):
        assert (await story.photo()).status_code == 303
        path = await story.doubtful()
        await send(story.admin, path, f"{path}/refuse", reason="Escura")
        listed = (await story.admin.get(QUEUE)).text
    assert "took 5 photos without success" in listed
    assert "did not agree" not in listed
    assert "You took several photos already" in (await story.learner.get(story.page)).text
    assert (await story.photo()).status_code == 422
    path = f"{QUEUE}/enrollments/{story.enrollment['id']}"
    assert path in listed
    await send(story.admin, path, path, reason="Identidade mostrada em chamada de vídeo")
    assert (await story.learner.get(await module_of(story))).headers.get("location") != story.page
    assert "without success" not in (await story.admin.get(QUEUE)).text


async def test_the_settings_of_a_company_and_a_course(world: World) -> None:
    story = await tell(world)
    path = f"{QUEUE}/settings"
    fields = {"enabled": "true", "retention_days": "90", "text": "Nosso texto", "service_url": "nonsense"}
    assert (await send(story.admin, path, path, **fields)).status_code == 422
    fields["service_url"] = ""
    assert (await send(story.admin, path, path, **fields)).headers["location"] == QUEUE
    assert "Nosso texto" in (await story.admin.get(path)).text
    course = f"/admin/courses/{story.enrollment['course_id']}"
    rule = {"asks": "true", "random_photos": "6", "threshold": "50"}
    assert (await send(story.admin, f"{course}/identity", "", **rule)).status_code == 422
    rule["random_photos"] = "3"
    assert (await send(story.admin, f"{course}/identity", "", **rule)).headers["location"] == course
    async with world.tx() as tx:
        assert await queries.find_rule(tx, UUID(story.enrollment["course_id"])) == IdentityRule(3, 0.5, False)
    off = {"random_photos": "3", "threshold": "50"}
    await send(story.admin, f"{course}/identity", "", **off)
    assert (await story.learner.get(story.page)).headers["location"] == story.course


def test_random_times_are_inside_the_course() -> None:
    assert draw_due_seconds(10, [0.0, 1.0, 0.5]) == [60, 300, 540]
    assert draw_due_seconds(0, [0.3]) == [0]


def test_a_person_decides_wherever_the_model_cannot() -> None:
    assert judge(Comparison(0.5), 0.5, is_reference_confirmed=True) == "MATCHED"
    assert judge(Comparison(0.51), 0.5, is_reference_confirmed=True) == "DOUBTFUL"
    assert judge(Comparison(0.1), 0.5, is_reference_confirmed=False) == "DOUBTFUL"
    assert judge(Comparison(None), 0.5, is_reference_confirmed=True) == "DOUBTFUL"


def test_a_photo_is_made_small_and_loses_what_else_was_in_it() -> None:
    written = BytesIO()
    exif = Image.Exif()
    exif[0x010F] = "Camera of Rosa"
    Image.new("RGB", (1200, 900), "gray").save(written, "JPEG", exif=exif)
    text = base64.b64encode(written.getvalue()).decode()
    read = read_face(text, face(0.1), 1, needs_descriptor=True)
    assert b"Camera of Rosa" not in read.photo
    with Image.open(BytesIO(read.photo)) as image:
        assert image.size == (640, 480)


async def test_every_enrollment_asks_for_its_photos(world: World) -> None:
    """Consent is given once for a text, and photos are planned for each course."""
    first = await tell(world)
    await first.consent()
    course = await world.course()
    second = Story(world, first.user, await world.enrollment(user_id=first.user["id"], course_id=course))
    second.learner, second.admin = first.learner, first.admin
    async with world.tx() as tx:
        await actions.change_rule(tx, course, IdentityRule(1, 0.5, blocking=True))
    module = await module_of(second)
    assert (await second.learner.get(module)).headers["location"] == second.page
    assert "No photo is needed now" not in (await second.learner.get(second.page)).text
    assert await second.statuses() == []
    await second.consent()
    assert await second.statuses() == ["PENDING", "PENDING", "PENDING"]
    assert (await second.photo()).headers["location"] == second.course


async def test_a_deleted_photo_is_not_accepted(world: World) -> None:
    story = await tell(world)
    await story.consent()
    await story.photo()
    path = await story.doubtful()
    world.clock.move(days=31)
    async with world.tx() as tx:
        assert await delete_old_photos(tx) == 1
    story.admin = await signed_in(world, story.admin_email)
    assert "Accept photo" not in (await story.admin.get(path)).text
    assert (await send(story.admin, path, f"{path}/accept")).status_code == 404
    assert await story.statuses() == ["DOUBTFUL", "PENDING"]


async def test_courses_are_judged_anew_when_photos_are_turned_off(world: World) -> None:
    story = await tell(world)
    await story.study()
    assert await story.status() == "IN_PROGRESS"
    async with world.tx() as tx:
        await tx.execute("DELETE FROM changed_courses WHERE tenant_id = :tenant")
        for enabled in (True, False, False):
            await actions.change_settings(
                tx, enabled=enabled, retention_days=30, service_url=None, token="", text=""
            )
            listed = await tx.rows("SELECT course_id FROM changed_courses WHERE tenant_id = :tenant")
            expected = [] if enabled else [story.enrollment["course_id"]]
            assert [str(row["course_id"]) for row in listed] == expected


@pytest.mark.parametrize("segment", [b"Exif\0\0rubbish", b"Exif\0\0II*\0", b"Exif\0\0MM\0*\0"])
def test_broken_metadata_is_no_fault_of_the_server(segment: bytes) -> None:
    written = BytesIO()
    Image.new("RGB", (64, 64), "gray").save(written, "JPEG", dpi=(72, 72))
    content = written.getvalue()
    broken = content[:20] + b"\xff\xe1" + (len(segment) + 2).to_bytes(2) + segment + content[20:]
    text = base64.b64encode(broken).decode()
    with pytest.raises(Invalid, match="photo_not_readable"):
        read_face(text, face(0.1), 1, needs_descriptor=True)
    with pytest.raises(Invalid, match="not_an_image"):
        images.convert(broken, most_side=100)


def test_a_large_photo_is_decoded_at_a_fraction_of_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    drafts: list[tuple[int, int]] = []
    draft = JpegImageFile.draft

    def note(image: JpegImageFile, mode: str, size: tuple[int, int]) -> Any:
        drafts.append(size)
        return draft(image, mode, size)

    monkeypatch.setattr(JpegImageFile, "draft", note)
    found = read_face(picture(side=4000), face(0.1), 1, needs_descriptor=True)
    assert drafts == [(640, 640)]
    with Image.open(BytesIO(found.photo)) as image:
        assert image.size == (640, 640)
