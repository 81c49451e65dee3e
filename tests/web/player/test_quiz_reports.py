"""The requests of a quiz page over HTTP at the content origin: answers and recordings."""

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from conftest import World
from training.learning.quiz_takers import NUMBER, RIGHT_OR_NOT, VOICE, WEBM, Taker, quiz_learner
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.sealed_files import SealedFiles
from trilha.core.secrets import Keyring
from trilha.settings import Settings
from trilha.training.learning.voice_answers import actions as voice
from trilha.training.learning.voice_answers import recordings
from web.player.playing import file_store
from web.player.test_content_origin import origin_of


class QuizPage:
    """A script with the token of a launch."""

    def __init__(self, world: World, quiz: Taker) -> None:
        label = origin_of(world).label(world.tenant.id, None)
        self.http = world.client()
        self.http.headers["host"] = f"{label}.content.localhost:8000"
        self.address = f"/l/{quiz.launched.token}"

    async def post(self, body: object) -> httpx2.Response:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.http.post(f"{self.address}/answers", content=content)

    async def put(self, question: object, content: bytes, query: str = "") -> httpx2.Response:
        return await self.http.put(f"{self.address}/voice/{question}{query}", content=content)


async def opened(world: World, *questions: dict[str, Any]) -> tuple[Taker, QuizPage]:
    quiz = await (await quiz_learner(world, *questions)).take()
    return quiz, QuizPage(world, quiz)


def files_of(world: World, settings: Settings) -> list[Path]:
    folder = settings.data_dir / "files" / recordings.build_tenant_prefix(world.tenant.id)
    return [each for each in folder.rglob("*") if each.is_file()]


async def test_answers_are_kept_and_graded(world: World) -> None:
    quiz, page = await opened(world, RIGHT_OR_NOT, NUMBER)
    ids = {each.kind: str(each.id) for each in (await quiz.shown()).questions}
    body = {"answers": {ids["numeric"]: {"response": "dois"}}, "launch": {"sequence": 1}}
    kept = await page.post(body)
    assert (kept.status_code, kept.json()["outcome"]) == (200, "APPLIED")
    assert kept.json()["problems"] == {ids["numeric"]: "invalid_number"}
    body = {
        "answers": {ids["numeric"]: {"response": "2,5"}, ids["true_false"]: {"response": True}},
        "hand_in": True,
        "launch": {"sequence": 2},
    }
    done = (await page.post(body)).json()
    assert (done["result"], done["errorCode"], done["completed"]) == (True, 0, True)
    late = await page.post({"answers": {}, "launch": {"sequence": 3}})
    assert (late.status_code, late.json()["result"], late.json()["outcome"]) == (409, False, "CLOSED")
    again = await page.post({"again": True, "launch": {"sequence": 4}})
    assert again.json()["outcome"] == "CLOSED"  # the course is completed


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'{"launch": {"sequence": true}}',
        b'{"answers": [], "launch": {"sequence": 1}}',
        b'{"answers": {"x": 1, "\\u0000": {}, "y": {"response": {"a": [1e308]}}}, "launch": {"sequence": 1}}',
        b'{"answers": {"\\ud800": {}}, "launch": {"sequence": 1}}',
        b'{"answers": {"QUESTION": {"response": [["a"], {}], "latency": -1e308}}, "launch": {"sequence": 1}}',
        b'{"answers": {"QUESTION": {"response": 1e400}}, "launch": {"sequence": 1}}',
        b'{"answers": {"QUESTION": {"response": "\\u0000"}}, "launch": {"sequence": 1}}',
        b'{"answers": {"QUESTION": null}, "hand_in": "yes", "again": 1, "launch": {"sequence": 1}}',
    ],
)
async def test_nothing_that_is_sent_is_a_fault_of_ours(world: World, body: bytes) -> None:
    quiz, page = await opened(world, RIGHT_OR_NOT)
    answer = await page.post(body.replace(b"QUESTION", str(await quiz.question("true_false")).encode()))
    assert answer.status_code < 500, answer.text
    assert isinstance(answer.json()["result"], bool)
    assert (await quiz.shown()).state == "OPEN"
    assert [each.response for each in (await quiz.shown()).questions] == [None]


async def test_a_recording_is_kept_heard_and_replaced(world: World, settings: Settings) -> None:
    quiz, page = await opened(world, VOICE)
    question = await quiz.question("voice")
    assert (await page.http.get(f"{page.address}/voice/{question}")).status_code == 404
    kept = await page.put(question, WEBM, "?seconds=3.5")
    assert (kept.status_code, kept.json()["outcome"]) == (200, "APPLIED")
    heard = await page.http.get(f"{page.address}/voice/{question}?of=1", headers={"range": "bytes=0-3"})
    assert (heard.status_code, heard.content, heard.headers["content-type"]) == (206, WEBM[:4], "audio/webm")
    other = WEBM + b"more"
    await page.put(question, other)
    assert (await page.http.get(f"{page.address}/voice/{question}")).content == other
    assert len(files_of(world, settings)) == 2  # until the worker removes it
    await quiz.send(hand_in=True)
    late = await page.put(question, WEBM)
    assert (late.status_code, late.json()["outcome"]) == (409, "CLOSED")
    assert len(files_of(world, settings)) == 2
    assert (await page.http.get(f"{page.address}/voice/{question}")).content == other


async def test_a_recording_stays_where_it_is_named_or_nobody_can_say(
    world: World, settings: Settings, keyring: Keyring
) -> None:
    quiz, _ = await opened(world, VOICE)
    files, question = SealedFiles(file_store(settings), keyring), await quiz.question("voice")
    named = await recordings.store_recording(files, world.tenant.id, WEBM)
    async with world.tx() as tx:
        await voice.apply_recording(tx, quiz.launched.launch_id, question, named, 1.0)
    unnamed = await recordings.store_recording(files, world.tenant.id, WEBM)
    gone = Database(serving_urls(world.url, keyring), world.clock, keyring)
    await gone.open()
    await gone.close()
    await recordings.delete_unused_recording(files, world.database, world.tenant.id, named)
    await recordings.delete_unused_recording(files, gone, world.tenant.id, unnamed)
    assert {each.name for each in files_of(world, settings)} == {str(named.id), str(unnamed.id)}
    await recordings.delete_unused_recording(files, world.database, world.tenant.id, unnamed)
    assert {each.name for each in files_of(world, settings)} == {str(named.id)}


async def test_what_is_no_recording_leaves_nothing(world: World, settings: Settings) -> None:
    quiz, page = await opened(world, VOICE, RIGHT_OR_NOT)
    question = await quiz.question("voice")
    for content, status, outcome in (
        (b"", 400, "REQUIRED"),
        (b"<script>", 400, "UNKNOWN_RECORDING"),
        (WEBM + b"\x00" * recordings.MAX_BYTES, 413, "PAYLOAD_TOO_LARGE"),
    ):
        refused = await page.put(question, content)
        assert (refused.status_code, refused.json()["outcome"]) == (status, outcome)
    for address in (uuid4(), await quiz.question("true_false"), "nothing"):
        assert (await page.put(address, WEBM)).status_code == 404
    assert (await page.put(question, WEBM, "?seconds=x")).status_code == 400
    assert files_of(world, settings) == []


async def test_who_has_not_the_token_gets_nothing(world: World, stranger: World) -> None:
    quiz, page = await opened(world, VOICE)
    question = await quiz.question("voice")
    await page.put(question, WEBM)
    other_quiz, other = await opened(stranger, VOICE)
    assert (await other.http.get(f"{other.address}/voice/{question}")).status_code == 404
    assert (await other.put(question, WEBM)).status_code == 404
    page.address = "/l/" + "x" * 43
    assert (await page.put(question, WEBM)).status_code == 404
    assert (await page.post({"launch": {"sequence": 1}})).status_code == 404
    other.address = f"/l/{quiz.launched.token}"  # at another tenant's host
    assert (await other.http.get(f"{other.address}/voice/{question}")).status_code == 404
    assert [each.response for each in (await other_quiz.shown()).questions] == [None]
