"""Work that a browser has held, sent by the application's page with the person's session."""

import json
from collections.abc import Sequence
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from conftest import World
from training.learning.learners import Learner, learner
from training.learning.quiz_takers import quiz_learner
from training.learning.students import article, document, student, video
from trilha.app import PERSONAL_DATA
from trilha.people.users.schema import User
from trilha.training.learning import transcripts
from web.panel.signing_in import browser_of, made, signed_in


class Browser:
    """A person's browser, with the queue of one launch."""

    def __init__(self, world: World, ana: Learner, client: httpx2.AsyncClient) -> None:
        self.world = world
        self.ana = ana
        self.client = client
        self.launch_id = ""
        self.origin = ""
        self.path = ""

    async def open(self, module: int = 0) -> dict[str, Any]:
        path = f"/learn/enrollments/{self.ana.id}/modules/{self.ana.modules[module]}/launches"
        answer = await self.client.post(path)
        assert answer.status_code == 200, answer.text
        made: dict[str, Any] = answer.json()
        address = urlsplit(made["address"])
        self.origin, self.path = made["origin"], address.path
        async with self.world.tx() as tx:
            self.launch_id = str(
                await tx.value(
                    "SELECT id FROM launches WHERE tenant_id = :tenant ORDER BY started_at DESC, number DESC"
                )
            )
        return made

    async def send(self, kind: str, body: object) -> dict[str, Any]:
        """Sends a report like the frame, with the launch's own token."""
        host = urlsplit(self.origin).netloc
        answer = await self.world.client().post(self.path + kind, json=body, headers={"host": host})
        said: dict[str, Any] = answer.json()
        return said

    async def hand_over(self, kind: str, body: object, **query: str) -> httpx2.Response:
        asked = {"launch": self.launch_id, "kind": kind, "origin": self.origin} | query
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.client.post("/learn/held", params=asked, content=content)

    async def outcome(self, kind: str, body: object) -> str:
        answer = await self.hand_over(kind, body)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["outcome"])

    async def kept(self) -> Sequence[Any]:
        async with self.world.tx() as tx:
            return await tx.rows(
                """
                SELECT kind, outcome, status, score, answers, body FROM unapplied_reports
                WHERE tenant_id = :tenant ORDER BY received_at, sequence
                """
            )


def numbered(sequence: int, **body: Any) -> dict[str, Any]:
    return body | {"launch": {"sequence": sequence, "final": False, "sent_at": 1_764_000_000_000}}


def status(sequence: int, status: str, score: int, **cmi: Any) -> dict[str, Any]:
    core = {"lesson_status": status, "score": {"raw": str(score)}}
    return numbered(sequence, cmi={"core": core} | cmi)


async def browser(world: World, ana: Learner, user: User) -> Browser:
    return Browser(world, ana, await browser_of(world, user))


@pytest.fixture
async def user(world: World) -> User:
    return await made(world)


@pytest.fixture
async def ana(world: World, user: User) -> Browser:
    return await browser(world, await learner(world, user_id=str(user.id)), user)


async def test_it_counts_however_late_it_comes(ana: Browser) -> None:
    await ana.open()
    assert (await ana.send("commit", status(1, "failed", 50)))["outcome"] == "APPLIED"
    ana.world.clock.move(minutes=90)
    assert (await ana.send("commit", status(2, "passed", 90)))["outcome"] == "EXPIRED"
    assert await ana.outcome("commit", status(2, "passed", 90)) == "APPLIED"
    read = await ana.ana.read()
    assert (read["status"], read["score"]) == ("COMPLETED", 90)
    assert (await ana.open())["review"]
    assert await ana.kept() == []


async def test_it_brings_no_launch_back_to_life(ana: Browser) -> None:
    await ana.open()
    ana.world.clock.move(minutes=11)
    assert await ana.outcome("commit", status(1, "incomplete", 10)) == "APPLIED"
    assert (await ana.send("commit", status(2, "passed", 90)))["outcome"] == "EXPIRED"


async def test_two_pages_that_send_the_same_send_it_once(ana: Browser) -> None:
    await ana.open()
    sent = [await ana.outcome("commit", status(n, "failed", 50 + n)) for n in (1, 1, 2, 1, 2)]
    assert sent == ["APPLIED", "REPEATED", "APPLIED", "STALE", "REPEATED"]


async def test_a_completed_enrollment_takes_what_adds(world: World, user: User) -> None:
    ana = await browser(world, await student(world, await video(world, 60), user_id=str(user.id)), user)
    await ana.open()
    world.clock.move(seconds=60)
    assert await ana.outcome("watched", numbered(1, ranges=[[0, 58]], length=60)) == "APPLIED"
    assert (await ana.ana.read())["status"] == "COMPLETED"
    world.clock.move(seconds=60)
    assert await ana.outcome("watched", numbered(2, ranges=[[0, 60]], length=60)) == "APPLIED"
    async with world.tx() as tx:
        studied = await tx.value("SELECT studied FROM attempts WHERE tenant_id = :tenant")
    assert studied["ranges"] == [[0, 60]]
    await ana.open()
    assert await ana.outcome("watched", numbered(1, ranges=[[0, 60]], length=60)) == "REVIEW"
    assert await ana.kept() == []


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("watched", {"ranges": [[0, 60]], "length": 60}),
        ("dwelled", {"pages": {str(n): 2 for n in range(1, 31)}, "count": 30}),
        ("read", {"seconds": 60, "furthest": 1}),
    ],
)
async def test_more_time_than_has_passed_is_not_counted_and_told(
    world: World, user: User, kind: str, said: dict[str, Any]
) -> None:
    makers = {"watched": partial(video, world, 60), "dwelled": partial(document, world, 30)}
    module = await makers[kind]() if kind in makers else article(600)
    ana = await browser(world, await student(world, module, user_id=str(user.id)), user)
    await ana.open()
    world.clock.move(seconds=10)
    answer = (await ana.hand_over(kind, numbered(1, **said))).json()
    assert answer["outcome"] == "APPLIED"
    assert "part of the study time" in answer["problem"]
    assert 0 < (await ana.ana.read())["progress"] < 40
    assert [(each["kind"], each["outcome"]) for each in await ana.kept()] == [(kind, "PARTLY")]


async def test_what_cannot_be_applied_is_told_and_kept_once(ana: Browser) -> None:
    await ana.open()
    first = ana.launch_id
    await ana.open()
    assert (await ana.send("commit", status(1, "incomplete", 10)))["outcome"] == "APPLIED"
    ana.launch_id = first
    body = status(1, "passed", 90, interactions={"0": {"id": "q1"}, "1": {"id": "q2"}})
    for _again in range(2):
        answer = (await ana.hand_over("commit", body)).json()
        assert answer["outcome"] == "SUPERSEDED"
        assert answer["problem"].startswith("M0, Nov 24, 2025 1:00")
        assert "elsewhere" in answer["problem"]
    (kept,) = await ana.kept()
    assert {name: kept[name] for name in ("kind", "outcome", "status", "score", "answers")} == {
        "kind": "commit",
        "outcome": "SUPERSEDED",
        "status": "passed",
        "score": 90,
        "answers": 2,
    }
    boss = await signed_in(ana.world, "admin")
    page = await boss.get(f"/admin/enrollments/{ana.ana.id}/launches/{first}")
    assert "Unapplied reports" in page.text
    assert "The module was opened elsewhere afterward" in page.text
    async with ana.world.tx() as tx:
        (module,) = (await transcripts.load_modules(tx, [ana.ana.id]))[ana.ana.id]
        assert [(each.outcome, each.score) for each in module.unrecorded] == [("SUPERSEDED", 90)]
        await PERSONAL_DATA.erase(tx, ana.ana.user_id)
    assert await ana.kept() == []


async def test_an_enrollment_that_ran_out_takes_nothing_and_keeps_it(ana: Browser) -> None:
    await ana.open()
    async with ana.world.tx() as tx:
        await tx.execute("UPDATE all_enrollments SET expires_at = :now WHERE tenant_id = :tenant")
    answer = (await ana.hand_over("commit", status(1, "passed", 90))).json()
    assert (answer["outcome"], "the course had expired" in answer["problem"]) == ("EXPIRED", True)
    assert [each["outcome"] for each in await ana.kept()] == ["EXPIRED"]
    page = await ana.client.get(f"/learn/enrollments/{ana.ana.id}/modules/{ana.ana.modules[0]}")
    assert page.status_code == 409
    assert f'data-origins="{ana.origin}"' in page.text


async def test_answers_to_a_quiz_that_was_handed_in_are_kept(world: World, user: User) -> None:
    taker = await quiz_learner(world, user_id=str(user.id))
    ana = await browser(world, taker, user)
    await ana.open()
    async with world.tx() as tx:
        rows = await tx.rows("SELECT questions FROM quiz_attempts WHERE tenant_id = :tenant")
    question = rows[0]["questions"][0]["id"]
    said = {question: {"response": None, "latency": 1}}
    assert await ana.outcome("answers", numbered(1, answers=said, hand_in=True)) == "APPLIED"
    assert await ana.outcome("answers", numbered(2, answers=said)) == "CLOSED"
    assert [(each["kind"], each["answers"]) for each in await ana.kept()] == [("answers", 1)]


async def test_nobody_sends_for_another_persons_launch(world: World, ana: Browser) -> None:
    await ana.open()
    other = await made(world)
    thief = await browser(world, await learner(world, user_id=str(other.id)), other)
    thief.launch_id, thief.origin = ana.launch_id, ana.origin
    assert (await thief.hand_over("commit", status(1, "passed", 100))).status_code == 404
    assert (await ana.ana.read())["progress"] == 0


async def test_a_page_of_somebody_who_has_left_keeps_its_work(world: World, ana: Browser) -> None:
    """Her page is still open, and somebody else has signed in since: a browser forgets what gets a 404."""
    await ana.open()
    other = await made(world)
    page = await browser(world, await learner(world, user_id=str(other.id)), other)
    page.launch_id, page.origin = ana.launch_id, ana.origin
    user = str((await ana.ana.read())["user_id"])
    assert (await page.hand_over("commit", status(1, "passed", 100), user=user)).status_code == 403
    assert (await ana.hand_over("commit", status(1, "passed", 100), user=user)).status_code == 200


@pytest.mark.parametrize("origin", ["http://0123456789abcdef0123.content.localhost:8000", "null", ""])
async def test_no_content_sends_for_the_launch_of_another(ana: Browser, origin: str) -> None:
    await ana.open()
    answer = await ana.hand_over("commit", status(1, "passed", 100), origin=origin)
    assert answer.status_code in (400, 404)
    assert (await ana.ana.read())["progress"] == 0


async def test_another_site_sends_nothing(ana: Browser) -> None:
    await ana.open()
    ana.client.headers["sec-fetch-site"] = "cross-site"
    assert (await ana.hand_over("commit", status(1, "passed", 100))).status_code == 403


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("commit", b""),
        ("commit", b"[]"),
        ("commit", b"\xff\x00"),
        ("commit", b'{"launch": {"sequence": 1e999}}'),
        ("watched", b'{"launch": {"sequence": 1, "final": false}}'),
        ("read", b"x" * 300_000),
    ],
)
async def test_what_is_no_report_is_kept_and_blocks_nothing(ana: Browser, kind: str, body: bytes) -> None:
    await ana.open()
    assert await ana.outcome(kind, body) == "INVALID"
    assert [bytes(each["body"]) for each in await ana.kept()] == [body]
    assert await ana.outcome("commit", status(1, "passed", 90)) == "APPLIED"


async def test_one_launch_keeps_no_more_than_it_may(ana: Browser) -> None:
    await ana.open()
    first = ana.launch_id
    await ana.open()
    await ana.send("commit", status(1, "incomplete", 10))
    ana.launch_id = first
    for n in range(1, 26):
        text = f"{n:03}" * 100_000
        assert await ana.outcome("commit", numbered(n, cmi={"suspend_data": text})) == "SUPERSEDED"
        ana.world.clock.move(seconds=1)
    kept = await ana.kept()
    assert len(kept) == 20
    assert sum(len(each["body"] or b"") for each in kept) <= 4 * 1024 * 1024
    assert json.loads(kept[-1]["body"] or b"{}").get("launch", {}).get("sequence") in (25, None)


async def test_many_launches_keep_no_more_than_one_attempt_may(ana: Browser) -> None:
    """Opening a module again and again does not fill the disk with invalid reports."""
    for _ in range(6):
        await ana.open()
        for n in range(2):
            assert await ana.outcome("commit", b"%d" % n * (2 * 1024 * 1024 - 1)) == "INVALID"
        ana.world.clock.move(minutes=1)
    kept = await ana.kept()
    assert len(kept) == 12
    assert sum(len(each["body"] or b"") for each in kept) <= 16 * 1024 * 1024


async def test_a_launch_ends_with_its_session(world: World, ana: Browser, user: User) -> None:
    await ana.open()
    assert (await ana.send("commit", status(1, "failed", 50)))["outcome"] == "APPLIED"
    await ana.client.post("/logout", data={"csrf_token": ana.client.headers["x-csrf-token"]})
    for kind, body in (
        ("commit", status(2, "passed", 90)),
        ("heartbeat", {"visible": True}),
        ("trace", {"calls": []}),
    ):
        assert (await ana.send(kind, body))["outcome"] == "SESSION_OVER"
    assert (await ana.ana.read())["status"] == "IN_PROGRESS"
    ana.client = await browser_of(world, user)
    assert await ana.outcome("commit", status(2, "passed", 90)) == "APPLIED"


@pytest.mark.parametrize("end", ["password", "suspended", "absolute"])
async def test_whatever_ends_the_session_ends_the_launch(world: World, ana: Browser, end: str) -> None:
    await ana.open()
    async with world.tx() as tx:
        if end == "password":
            await tx.execute(
                "UPDATE users SET session_epoch = session_epoch + 1 WHERE tenant_id = :tenant AND id = :id",
                id=ana.ana.user_id,
            )
        elif end == "absolute":
            await tx.execute("UPDATE sessions SET expires_at = :now WHERE tenant_id = :tenant")
    if end == "suspended":
        await world.http.post(f"/v1/users/{ana.ana.user_id}/suspend")
    assert (await ana.send("commit", status(1, "passed", 90)))["outcome"] == "SESSION_OVER"


async def test_a_session_that_was_idle_does_not_end_a_launch_that_goes_on(ana: Browser) -> None:
    await ana.open()
    for _ in range(30):
        ana.world.clock.move(minutes=5)
        assert (await ana.send("heartbeat", {"visible": True}))["outcome"] == "APPLIED"
    assert (await ana.client.get("/learn")).status_code == 303
    assert (await ana.send("commit", status(1, "passed", 90)))["outcome"] == "APPLIED"


async def test_answers_that_were_left_out_are_told_to_the_administrator(ana: Browser) -> None:
    await ana.open()
    body = status(1, "passed", 90)
    body["launch"]["left_out"] = 1200
    assert (await ana.send("commit", body))["outcome"] == "APPLIED"
    boss = await signed_in(ana.world, "admin")
    page = await boss.get(f"/admin/enrollments/{ana.ana.id}/launches/{ana.launch_id}")
    assert "1,200" in page.text
