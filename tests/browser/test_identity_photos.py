"""Identity photos with Chromium's camera, whose pictures come from a file.

Nobody's face is in the repository, so a double of the model takes the colors of the camera for faces: green
is a person, red is another one, blue is two people, black is nobody. The model itself is loaded once, and
sees nobody.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

import pytest
from PIL import Image
from playwright.async_api import Browser, Route, async_playwright, expect

from browser import chromium
from browser.flows import Visit
from conftest import World
from trilha.training.identity import actions, queries, review_queries
from trilha.training.identity.schema import IdentityRule
from web.panel.signing_in import PASSWORD

_MODEL = """
const look = (canvas) => {
  const [red, green, blue] = canvas.getContext("2d").getImageData(9, 9, 1, 1).data;
  const person = (number) => ({ descriptor: Float32Array.from({ length: 128 }, (_, n) => (n ? 0 : number)) });
  if (blue > 128) return [person(0), person(1)];
  return green > 90 ? [person(0)] : red > 128 ? [person(1)] : [];
};
const nothing = { loadFromUri: async () => {} };
export const nets = { tinyFaceDetector: nothing, faceLandmark68Net: nothing, faceRecognitionNet: nothing };
export class TinyFaceDetectorOptions {}
export const detectAllFaces = (canvas) => ({
  withFaceLandmarks: () => ({ withFaceDescriptors: async () => look(canvas) }),
});
"""
_TIMEOUT = 60_000
_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--use-fake-device-for-media-stream")


@asynccontextmanager
async def camera(folder: Path, color: str, *, allowed: bool = True) -> AsyncIterator[Browser]:
    """Starts a browser whose camera shows one color."""
    picture = folder / f"{color}.mjpeg"
    Image.new("RGB", (640, 480), color).save(picture, "JPEG")
    arguments = [*_ARGUMENTS, f"--use-file-for-fake-video-capture={picture}"]
    arguments.append("--use-fake-ui-for-media-stream" if allowed else "--deny-permission-prompts")
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(executable_path=chromium.CHROMIUM, args=arguments)
        yield launched
        await launched.close()


async def _answer(route: Route) -> None:
    await route.fulfill(body=_MODEL, content_type="text/javascript")


async def enrolled(world: World) -> tuple[str, str, UUID]:
    """Returns the e-mail address, the page of the photos and the enrollment of a learner."""
    user = await world.user(password=PASSWORD)
    course = await world.course()
    enrollment = await world.enrollment(user_id=user["id"], course_id=course)
    async with world.tx() as tx:
        await actions.change_settings(
            tx, enabled=True, retention_days=30, service_url=None, token="", text=""
        )
        await actions.change_rule(tx, course, IdentityRule(0, 0.5, True))
        await actions.decide_consent(tx, UUID(user["id"]), UUID(enrollment["id"]), 0, agreed=True)
    return user["email"], f"/learn/enrollments/{enrollment['id']}/identity", UUID(enrollment["id"])


async def at_camera(
    world: World, address: str, launched: Browser, person: tuple[str, str, UUID], *, double: bool = True
) -> Visit:
    context = await chromium.new_context(launched, "desktop")
    visit = Visit(await context.new_page(), address)
    if double:
        await visit.page.route("**/face-api.esm.js", _answer)
    await visit.sign_in(world, person[0])
    await visit.page.wait_for_url("**/learn")
    await visit.go(person[1])
    await visit.press("Ligar a câmera")
    return visit


async def statuses(world: World, enrollment_id: UUID) -> list[str]:
    async with world.tx() as tx:
        return [each.status for each in await queries.list_checks(tx, enrollment_id)]


async def accept(world: World) -> None:
    async with world.tx() as tx:
        (check,) = await review_queries.list_doubtful(tx)
        await actions.accept(tx, check, check.user_id)
        # The end of the course: only the last photo is missing.
        await tx.execute(
            "UPDATE identity_checks SET moment = 'START' WHERE tenant_id = :tenant AND moment = 'END'"
        )


@pytest.mark.parametrize(
    ("color", "status"), [("green", "MATCHED"), ("red", "DOUBTFUL")], ids=["match", "no-match"]
)
async def test_a_face_is_compared_with_the_first_one(
    world: World, address: str, tmp_path: Path, axe: str, color: str, status: str
) -> None:
    person = await enrolled(world)
    async with camera(tmp_path, "green") as launched:
        visit = await at_camera(world, address, launched, person)
        await expect(visit.page.get_by_role("button", name="Tirar foto")).to_be_visible(timeout=_TIMEOUT)
        await visit.is_usable(axe)
        await visit.press("Tirar foto")
        await visit.is_told("Um administrador vai conferi-la")
        assert visit.said == []
    assert await statuses(world, person[2]) == ["DOUBTFUL", "PENDING"]
    await accept(world)
    async with camera(tmp_path, color) as launched:
        visit = await at_camera(world, address, launched, person)
        await visit.press("Tirar foto")
        await visit.page.wait_for_url(f"**/enrollments/{person[2]}")
    assert await statuses(world, person[2]) == ["ACCEPTED", status]


@pytest.mark.parametrize(
    ("color", "words"),
    [("black", "Não vemos nenhum rosto."), ("blue", "Vemos mais de um rosto.")],
    ids=["nobody", "two-people"],
)
async def test_a_photo_needs_one_face(
    world: World, address: str, tmp_path: Path, color: str, words: str
) -> None:
    person = await enrolled(world)
    async with camera(tmp_path, color) as launched:
        visit = await at_camera(world, address, launched, person)
        await visit.press("Tirar foto")
        await expect(visit.page.get_by_text(words)).to_be_visible(timeout=_TIMEOUT)
    assert await statuses(world, person[2]) == ["PENDING", "PENDING"]


async def test_a_refused_camera_leads_to_another_way(
    world: World, address: str, tmp_path: Path, axe: str
) -> None:
    person = await enrolled(world)
    async with camera(tmp_path, "green", allowed=False) as launched:
        visit = await at_camera(world, address, launched, person)
        await expect(visit.page.get_by_text("Não foi possível usar a câmera.")).to_be_visible()
        await visit.is_usable(axe)
        await visit.press("Retirar consentimento")
        await visit.is_told("confirmará a sua identidade de outra forma")


async def test_the_model_itself_runs_under_our_policy_and_sees_nobody(
    world: World, address: str, tmp_path: Path
) -> None:
    person = await enrolled(world)
    async with camera(tmp_path, "gray") as launched:
        visit = await at_camera(world, address, launched, person, double=False)
        button = visit.page.get_by_role("button", name="Tirar foto")
        await expect(button).to_be_visible(timeout=2 * _TIMEOUT)
        await button.click()
        await expect(visit.page.get_by_text("Não vemos nenhum rosto.")).to_be_visible(timeout=2 * _TIMEOUT)
        assert not [each for each in visit.said if "Content Security Policy" in each]
