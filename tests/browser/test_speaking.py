"""Voice answers: recorded, uploaded and graded. This needs the full browser, because the headless shell has
no audio.
"""

import re
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest
from playwright.async_api import Browser, expect

from browser import chromium
from browser.fixtures import launched_or_skipped
from browser.flows import Entering, Visits
from browser.test_taking_quizzes import hand_in, is_saved, path, ready, taking
from conftest import World
from training.learning.quiz_takers import VOICE


@pytest.fixture(scope="module")
async def launched() -> AsyncIterator[Browser]:
    async with launched_or_skipped(chromium.WHOLE) as browser:
        yield browser


async def test_a_voice_answer_is_recorded_heard_and_graded(
    world: World, visits: Visits, entered: Entering, axe: str
) -> None:
    learner, visit = await taking(world, visits, VOICE, pass_mark=50)
    frame = await ready(visit)
    origin = re.match(r"https?://[^/]+", visit.page.frames[1].url)
    assert origin
    await visit.page.context.grant_permissions(["microphone"], origin=origin[0])
    await visit.page.context.grant_permissions(["microphone"], origin=visit.address)
    await frame.locator("[data-record]").click()
    await expect(frame.locator("[role=timer]")).to_contain_text("0:01")
    await frame.locator("[data-stop]").click()
    await expect(frame.locator("[role=status]")).to_have_text("Gravação salva.")
    await is_saved(visit)
    await visit.page.reload()
    frame = await ready(visit)
    await expect(frame.locator("[data-voice]")).to_have_attribute("data-state", "kept")
    await _plays(visit.page.frames[1])
    await hand_in(frame)
    await expect(frame.locator(".quiz__verdict")).to_contain_text("Aguardando correção")
    assert [each for each in await learner.told() if each.startswith("voice")] == ["voice_activity.completed"]
    await visit.go(f"/learn/enrollments/{learner.id}")
    await expect(visit.page.locator(".modules__state")).to_contain_text("Aguardando correção")
    await visit.go(path(learner))
    admin = await entered("admin")
    await admin.go("/admin/answers")
    await admin.follow("Diga como foi.")
    await _plays(admin.page.main_frame)
    await admin.is_usable(axe)
    await admin.send(grade="75", comment="Muito bem.")
    await admin.is_told("A resposta foi corrigida, e com ela a tentativa. O aluno será avisado.")
    await visit.page.reload()
    result = visit.page.frame_locator("#content")
    await expect(result.locator(".quiz__score")).to_contain_text("75")
    await expect(result.locator(".quiz__question")).to_contain_text("Muito bem.")
    assert (await learner.read())["status"] == "COMPLETED"


async def _plays(frame: Any) -> None:
    """Checks that the browser can play the recording on the page."""
    await frame.evaluate(
        """async () => {
            const audio = document.querySelector("audio");
            audio.preload = "auto";
            audio.load();
            if (audio.readyState < 2) await new Promise((done, failed) => {
                audio.addEventListener("loadeddata", done, { once: true });
                audio.addEventListener("error", () => failed(new Error(audio.error.message)), { once: true });
            });
        }"""
    )


async def test_a_blocked_microphone_is_explained_and_a_file_will_do(world: World, visits: Visits) -> None:
    learner, visit = await taking(world, visits, VOICE)
    frame = await ready(visit)
    await frame.locator("[data-record]").click()
    await expect(frame.locator("[role=status]")).to_contain_text("O microfone está bloqueado.")
    file = {"name": "notas.txt", "mimeType": "text/plain", "buffer": b"no recording"}
    await frame.locator("[data-file]").set_input_files([file])  # type: ignore[list-item]
    await expect(frame.locator("[role=status]")).to_contain_text("Escolha uma gravação em WebM")
    sound = {"name": "voz.wav", "mimeType": "audio/wav", "buffer": _wav()}
    await frame.locator("[data-file]").set_input_files([sound])  # type: ignore[list-item]
    await expect(frame.locator("[role=status]")).to_have_text("Gravação salva.")
    await is_saved(visit)
    await frame.locator("[data-remove]").click()
    await expect(frame.locator("[role=status]")).to_have_text("Gravação removida.")
    await is_saved(visit)
    await visit.page.reload()
    frame = await ready(visit)
    await expect(frame.locator("[data-voice]")).to_have_attribute("data-state", "none")
    assert isinstance(learner.id, UUID)


def _wav() -> bytes:
    """Returns a tenth of a second of silence."""
    samples = b"\x80" * 800
    head = b"RIFF" + (36 + len(samples)).to_bytes(4, "little") + b"WAVEfmt " + (16).to_bytes(4, "little")
    form = b"\x01\x00\x01\x00" + (8000).to_bytes(4, "little") * 2 + b"\x01\x00\x08\x00"
    return head + form + b"data" + len(samples).to_bytes(4, "little") + samples
