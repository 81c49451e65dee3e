"""A person's data export contains everything about them, however much it is."""

import asyncio
import tracemalloc
from functools import partial
from typing import Any, get_args
from uuid import UUID, uuid4

import httpx2
import msgspec
import pytest
from jsonschema import Draft202012Validator

from conftest import CNH, CPF, PHONE, World
from training.learning.learners import learner
from training.learning_paths import following
from trilha.app import PERSONAL_DATA
from trilha.core.errors import NotFound
from trilha.core.types import dec_hook, schema_hook
from trilha.feature import ExportReader
from trilha.web.learn.my_data.api import DataExport

SCHEMA = Draft202012Validator(msgspec.json.schema(DataExport, schema_hook=schema_hook))


# The number of enrollments, and the maximum memory in bytes for all of them.
decades = pytest.mark.parametrize(
    ("count", "most"), [(500, 1_500_000), pytest.param(2_000, 3_000_000, marks=pytest.mark.long)]
)


def reader(world: World) -> ExportReader:
    reading = partial(world.database.transaction, world.tenant.id, read_only=True)
    return ExportReader(reading, "http://trilha.test", world.database.keyring)


async def exported(world: World, user_id: str) -> bytes:
    return b"".join([piece async for piece in await PERSONAL_DATA.export(reader(world), UUID(user_id))])


async def many(world: World, user_id: str, count: int) -> None:
    """Creates ten years of courses, each taken once, in every status."""
    async with world.tx() as tx:
        await tx.execute(
            """
            WITH taught AS (
                INSERT INTO courses (tenant_id, title, slug, status, created_at, updated_at)
                SELECT :tenant, 'Curso ' || n, :prefix || n, 'PUBLISHED', :now, :now
                FROM generate_series(1, CAST(:count AS int)) AS n RETURNING id, slug),
            parts AS (
                INSERT INTO all_modules (tenant_id, course_id, position, title, type, duration_minutes,
                                         required, created_at, updated_at)
                SELECT :tenant, id, position, 'Parte ' || position, 'ARTICLE', 30, true, :now, :now
                FROM taught, generate_series(1, 3) AS position)
            INSERT INTO enrollments (tenant_id, user_id, course_id, status, current, progress, score,
                                     started_at, completed_at, created_at, updated_at)
            SELECT :tenant, :user_id, id, 'COMPLETED', true, 100, 90, :now, :now,
                   CAST(:now AS timestamptz) - random() * interval '10 years', :now
            FROM taught
            """,
            user_id=UUID(user_id),
            prefix=f"{uuid4().hex}-",
            count=count,
        )


async def test_it_has_every_part_and_agrees_with_its_schema(world: World) -> None:
    cnh = {"numero": CNH, "categoria": "AB", "validade": "2099-01-31", "ear": True}
    user = await world.user(cpf=CPF, phone=PHONE, birth_date="1990-05-17", cnh=cnh)
    enrollment = await world.enrollment(user_id=user["id"])
    await world.enrollment()  # another person's
    text = await exported(world, user["id"])
    value = msgspec.json.decode(text)
    assert list(SCHEMA.iter_errors(value)) == []
    assert msgspec.json.decode(text, type=DataExport, dec_hook=dec_hook)
    assert list(value) == list(DataExport.__struct_fields__)
    # Masked exactly as on every read.
    assert value["profile"] == (await world.http.get(f"/v1/users/{user['id']}")).json()["data"]
    assert value["enrollments"] == [enrollment]
    (progress,), (transcript,) = value["progress"], value["transcripts"]
    assert {each["enrollment_id"] for each in (progress, transcript)} == {enrollment["id"]}
    assert progress["course_title"] == "Segurança"
    assert [each["title"] for each in transcript["modules"]] == ["Um"]
    assert value["certificates"] == []
    for document in ("529982247", "529.982", CNH, "1990", "98765-4321"):
        assert document not in text.decode()


async def test_it_has_the_learning_paths_that_one_is_on(world: World) -> None:
    user, course = await world.user(), await world.course()
    path_id = await following.path(world, course, title="Integração")
    await following.assign(world, path_id, UUID(user["id"]))
    await following.assign(world, path_id, UUID((await world.user())["id"]))
    (found,) = msgspec.json.decode(await exported(world, user["id"]))["learning_paths"]
    assert (found["learning_path_id"], found["title"]) == (str(path_id), "Integração")
    assert (found["due_at"], found["completed_at"]) == (None, None)


async def test_a_transcript_has_every_attempt_and_the_latest_answers(world: World) -> None:
    ana = await learner(world, 10, 20)
    other = await learner(world, user_id=ana.user_id)
    wrong = {"id": "q1", "type": "choice", "student_response": "a", "result": "wrong"}
    first = await ana.launch()
    failed = {"lesson_status": "failed", "score": {"raw": "20"}}
    await first.commit(final=True, core=failed, interactions={"0": wrong})
    world.clock.move(minutes=5)
    again = await ana.launch()
    passed = {"lesson_status": "passed", "score": {"raw": "90"}}
    right = wrong | {"student_response": "b", "result": "correct"}
    await again.commit(final=True, core=passed, interactions={"0": wrong, "1": right})
    await other.launch()
    text = await exported(world, str(ana.user_id))
    value = msgspec.json.decode(text)
    assert list(SCHEMA.iter_errors(value)) == []
    told = {each["enrollment_id"]: each["modules"] for each in value["transcripts"]}
    begun, rest = told[str(ana.id)]
    assert [
        (each["number"], each["status"], each["progress"], each["score"], each["ended_at"] is not None)
        for each in begun["attempts"]
    ] == [(1, "failed", 100, 20, True), (2, "passed", 100, 90, True)]
    assert [(each["interaction_id"], each["response"]) for each in begun["answers"]] == [("q1", "b")]
    assert (begun["progress"], begun["score"], begun["completed_at"] is not None) == (100, 90, True)
    assert (rest["attempts"], rest["answers"], rest["progress"]) == ([], [], 0)
    assert [(each["number"], each["status"]) for each in told[str(other.id)][0]["attempts"]] == [
        (1, "unknown")
    ]


async def test_what_was_cancelled_is_there_and_says_so(world: World) -> None:
    """It has ended, and the training in it is still on record."""
    ana = await learner(world, 10)
    first = await ana.launch()
    await first.commit(final=True, core={"lesson_status": "failed", "score": {"raw": "20"}})
    kept = await world.enrollment(user_id=ana.user_id)
    assert (await world.http.delete(f"/v1/enrollments/{ana.id}")).status_code == 204
    value = msgspec.json.decode(await exported(world, str(ana.user_id)))
    assert list(SCHEMA.iter_errors(value)) == []
    cancelled_at = world.clock.now.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    for part, name in (
        ("enrollments", "id"),
        ("progress", "enrollment_id"),
        ("transcripts", "enrollment_id"),
    ):
        found = {each[name]: each.get("cancelled_at") for each in value[part]}
        assert found == {str(ana.id): cancelled_at, kept["id"]: None}, part
    assert {each["id"]: each for each in value["enrollments"]}[kept["id"]] == kept
    (transcript,) = [each for each in value["transcripts"] if each["enrollment_id"] == str(ana.id)]
    assert [each["status"] for each in transcript["modules"][0]["attempts"]] == ["failed"]


async def test_many_answers_need_little_memory(world: World) -> None:
    """A hundred enrollments with 200 answers each."""
    user = await world.user()
    await many(world, user["id"], 100)
    async with world.tx() as tx:
        await tx.execute(
            """
            WITH tried AS (
                INSERT INTO attempts (tenant_id, enrollment_id, module_id, number, started_at)
                SELECT e.tenant_id, e.id, m.id, 1, :now
                FROM enrollments e
                JOIN modules m ON m.tenant_id = e.tenant_id AND m.course_id = e.course_id AND m.position = 1
                WHERE e.tenant_id = :tenant AND e.user_id = :user_id RETURNING id)
            INSERT INTO interactions (tenant_id, attempt_id, index, interaction_id, type, description,
                                      response, raw_response, correct_response, result, client_time,
                                      updated_at)
            SELECT :tenant, id, n, 'q' || n, 'fill-in', 'Pergunta', repeat('resposta ', 20), '', '', '', '',
                   :now
            FROM tried, generate_series(0, 199) AS n
            """,
            user_id=UUID(user["id"]),
        )
    total = 0
    await exported(world, (await world.user())["id"])  # imports and similar
    tracemalloc.start()
    async for piece in await PERSONAL_DATA.export(reader(world), UUID(user["id"])):
        total += len(piece)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert total > 8_000_000
    assert peak < 8_000_000


def test_every_part_is_in_the_schema_with_its_type() -> None:
    """A feature that adds a part adds it to DataExport, too."""
    lists = [
        each for each in msgspec.structs.fields(DataExport) if each.name not in ("exported_at", "profile")
    ]
    assert [each.name for each in lists] == [part.name for part in PERSONAL_DATA.parts]
    assert [get_args(each.type) for each in lists] == [(part.kind,) for part in PERSONAL_DATA.parts]


async def test_a_user_without_anything(world: World) -> None:
    user = await world.user()
    value = msgspec.json.decode(await exported(world, user["id"]))
    assert [value[part.name] for part in PERSONAL_DATA.parts] == [[] for _ in PERSONAL_DATA.parts]


async def test_nobody_of_another_tenant(world: World, stranger: World) -> None:
    user = await stranger.user()
    with pytest.raises(NotFound):
        await PERSONAL_DATA.export(reader(world), UUID(user["id"]))


@decades
async def test_a_decade_of_enrollments_is_whole_and_needs_little_memory(
    world: World, count: int, most: int
) -> None:
    user = await world.user()
    await many(world, user["id"], count)
    value = msgspec.json.decode(await exported(world, user["id"]))
    assert list(SCHEMA.iter_errors(value)) == []
    ids = {each["id"] for each in value["enrollments"]}
    assert len(ids) == count
    for part in ("progress", "transcripts"):
        assert {each["enrollment_id"] for each in value[part]} == ids
    assert all(len(each["modules"]) == 3 for each in value["transcripts"])
    total = largest = 0
    tracemalloc.start()
    async for piece in await PERSONAL_DATA.export(reader(world), UUID(user["id"])):
        total, largest = total + len(piece), max(largest, len(piece))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert total > 1_000 * count
    assert largest < 100_000
    assert peak < most


PATH = "/api/users/me/data-export"


async def sign_in(world: World, user: dict[str, Any], password: str = "correct horse") -> httpx2.AsyncClient:
    login = {"tenant_slug": world.tenant.slug, "email": user["email"], "password": password}
    answer = await world.client().post("/api/auth/login", json=login)
    assert answer.status_code == 200, answer.text
    return world.client(answer.json()["session_token"])


async def test_a_person_downloads_their_own(world: World) -> None:
    user = await world.user(cpf=CPF)
    await world.enrollment(user_id=user["id"])
    await world.enrollment()  # another person's
    http = await sign_in(world, user)
    answer = await http.get(PATH)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["content-disposition"] == 'attachment; filename="trilha-data.json"'
    assert answer.headers["cache-control"] == "no-store"
    assert list(SCHEMA.iter_errors(answer.json())) == []
    assert answer.content == await exported(world, user["id"])
    head = await http.head(PATH)
    assert (head.status_code, head.content) == (200, b"")


async def test_who_is_not_wholly_signed_in_downloads_nothing(world: World) -> None:
    nobody = await world.client().get(PATH)
    assert (nobody.status_code, nobody.json()["error"]["code"]) == (401, "session_missing")
    with_a_key = await world.http.get(PATH)
    assert (with_a_key.status_code, with_a_key.json()["error"]["code"]) == (401, "session_invalid")
    new = {"email": f"{uuid4().hex}@example.com", "name": "Novo"}
    made = (await world.http.post("/v1/users", json=new)).json()
    http = await sign_in(world, made["data"], made["_meta"]["temporary_password"])
    answer = await http.get(PATH)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "password_change_required")


@decades
async def test_a_decade_is_sent_with_little_memory(world: World, count: int, most: int) -> None:
    user = await world.user()
    await many(world, user["id"], count)
    http = await sign_in(world, user)
    received = Received(http)
    await received.get(world.app, "/readyz")  # imports and similar
    tracemalloc.start()
    await received.get(world.app, PATH)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert received.statuses == [200, 200]
    assert received.size > 1_000 * count
    assert received.largest < 100_000
    assert peak < most


class Received:
    """Counts what the application sends to the server, and stores nothing."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._headers = [(name.lower(), value) for name, value in http.headers.raw]
        self.statuses: list[int] = []
        self.size = self.largest = 0

    async def get(self, app: Any, path: str) -> None:
        scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "query_string": b"",
            "headers": self._headers,
            "client": ("127.0.0.1", 5000),
            "scheme": "http",
        }
        await app(scope, self._receive, self._send)

    async def _receive(self) -> Any:
        await asyncio.Event().wait()

    async def _send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.statuses.append(message["status"])
        body = message.get("body", b"")
        self.size, self.largest = self.size + len(body), max(self.largest, len(body))
