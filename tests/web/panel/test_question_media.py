"""Pictures and audio of questions: uploaded in the panel, asked in the player."""

from io import BytesIO

import httpx2
import pytest
from PIL import Image

from conftest import World
from training.learning.quiz_takers import CHOICE, quiz_learner
from trilha.training.learning.studies import materials
from trilha.training.quizzes.schema import Question
from web.panel.test_quizzes import questions_of, quiz_page
from web.panel.training_pages import browsing, flash, send

MP3 = b"ID3" + b"\x00" * 200


def png(width: int = 30, height: int = 20) -> bytes:
    written = BytesIO()
    Image.new("RGB", (width, height), "#0b6677").save(written, "PNG")
    return written.getvalue()


async def upload(
    client: httpx2.AsyncClient, address: str, content: bytes, text: str, **fields: str
) -> httpx2.Response:
    return await send(
        client, address, files={"file": ("arquivo" if content else "", content)}, text=text, **fields
    )


async def test_pictures_and_audio_are_added_changed_and_removed(world: World) -> None:
    admin = await browsing(world)
    course, module, address = await quiz_page(world, CHOICE)
    (question,) = await questions_of(world, course, module)
    page = f"{address}/questions/{question.id}"
    slot = f"{page}/media/picture"
    assert "Add" in (await admin.get(page)).text
    for content, text, field in (
        (b"", "Um sinal", "file"),
        (png(), " ", "text"),
        (b"no picture", "Um sinal", "file"),
        (png(), "x" * 501, "text"),
    ):
        refused = await upload(admin, slot, content, text)
        assert (refused.status_code, f'id="{field}-error"' in refused.text) == (422, True)
    assert flash(await upload(admin, slot, png(), "Um sinal verde"))
    choice = f"choice-{question.choices[0].id}"
    assert flash(await upload(admin, f"{page}/media/{choice}", png(10, 10), "Verde"))
    assert flash(await upload(admin, f"{page}/media/audio", MP3, "De que cor é?"))
    assert (await upload(admin, f"{page}/media/audio", b"no audio" * 9, "?")).status_code == 422
    assert (await admin.get(f"{page}/media/choice-none")).status_code == 404
    stored = await only_question(world, course, module)
    assert stored.picture
    assert stored.audio
    assert stored.picture.alt == "Um sinal verde"
    assert stored.choices[0].picture
    served = await admin.get(f"/admin/media/{stored.audio.file_id}")
    assert (served.content, served.headers["content-type"]) == (MP3, "audio/mpeg")
    shown = await admin.get(f"/admin/media/{stored.picture.file_id}")
    assert shown.headers["content-type"] == "image/webp"
    preview = await admin.get(f"{page}/preview")
    assert f'src="/admin/media/{stored.picture.file_id}" alt="Um sinal verde"' in preview.text
    assert "media-src 'self'" in preview.headers["content-security-policy"]
    # Another text keeps the file, and saving the question keeps both.
    assert flash(await upload(admin, slot, b"", "Um sinal"))
    ids = [each.id for each in stored.choices]
    texts = [each.text for each in stored.choices]
    assert flash(await send(admin, page, text="Que cor?", choice_id=ids, choice_text=texts, right="0"))
    changed = await only_question(world, course, module)
    assert changed.picture
    assert (changed.text, changed.picture.alt) == ("Que cor?", "Um sinal")
    assert changed.picture.file_id == stored.picture.file_id
    assert (changed.audio, changed.choices[0].picture) == (stored.audio, stored.choices[0].picture)
    assert flash(await upload(admin, slot, b"", "", step="remove"))
    assert (await only_question(world, course, module)).picture is None


async def only_question(world: World, course: object, module: object) -> Question:
    (question,) = await questions_of(world, course, module)  # type: ignore[arg-type]
    return question


async def test_a_new_question_leads_to_its_media(world: World) -> None:
    admin = await browsing(world)
    course, module, address = await quiz_page(world)
    added = await send(
        admin, f"{address}/questions/new/true_false", text="?", right="true", weight="1", step="media"
    )
    question = await only_question(world, course, module)
    assert added.headers["location"] == f"{address}/questions/{question.id}"


@pytest.mark.parametrize("kind", ["picture", "audio"])
async def test_a_launch_serves_what_its_questions_show(world: World, kind: str) -> None:
    admin = await browsing(world)
    course, module, address = await quiz_page(world, CHOICE)
    (question,) = await questions_of(world, course, module)
    content = png() if kind == "picture" else MP3
    await upload(admin, f"{address}/questions/{question.id}/media/{kind}", content, "Um texto")
    (question,) = await questions_of(world, course, module)
    shown = question.picture or question.audio
    assert shown
    member = {
        kind: {"file_id": str(shown.file_id), ("alt" if kind == "picture" else "transcript"): "Um texto"}
    }
    ana = await quiz_learner(world, CHOICE | member)
    quiz = await ana.take()
    view = (await quiz.shown()).questions[0]
    assert (view.picture or view.audio) == shown
    async with world.tx() as tx:
        assert await materials.list_file_ids(tx, quiz.launched.launch_id) == {shown.file_id}
    other = await (await quiz_learner(world, CHOICE)).take()
    async with world.tx() as tx:
        assert await materials.list_file_ids(tx, other.launched.launch_id) == set()
