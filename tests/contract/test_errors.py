"""Each code of the closed list is returned by a call, in the envelope, with the listed status."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest

from conftest import CNH, CPF, World
from contract.catalog_calls import CATALOG_CALLS
from contract.class_calls import CLASS_CALLS
from contract.domain_calls import DOMAIN_CALLS
from contract.identity_calls import IDENTITY_CALLS
from contract.paper_calls import PAPER_CALLS
from contract.path_calls import PATH_ACTS
from contract.practice_calls import PRACTICE_ACTS, PRACTICE_CALLS
from contract.quiz_calls import QUIZ_CALLS, acting
from contract.quota_calls import QUOTA_CALLS
from contract.requirement_calls import REMINDER_CALLS, REQUIREMENT_ACTS, REQUIREMENT_BODIES
from contract.session_calls import PASSKEY_CALLS, SESSION_CALLS
from contract.sso_calls import SSO_CALLS
from contract.xapi_calls import XAPI_CALLS
from known import IMPORTED
from training.certificates.holders import completed, reissue
from training.courses.documents import question, text
from training.learning.learners import Learner, learner
from trilha import app as trilha_app
from trilha.access.sessions import email_changes
from trilha.app import PERSONAL_DATA
from trilha.core.credentials import Actor, Credential, Scope
from trilha.core.database import Database, Tx
from trilha.core.database.logins import serving_urls
from trilha.core.errors import CODES, FIELD_CODES, ApiError, BusinessRule, Conflict, invalid
from trilha.core.types import Email, Name, to_json
from trilha.core.web.callers import RequestCredentials
from trilha.core.web.idempotency import IdempotencyKey
from trilha.core.web.parsing import convert
from trilha.core.web.rate_limits import Limit
from trilha.core.web.request import Request
from trilha.core.web.routes import AnyQuery, Envelope, RestOfPath, Routes
from trilha.feature import Feature
from trilha.people.business_units import actions as units
from trilha.people.business_units.schema import Code, NewBusinessUnit
from trilha.people.learning_groups import actions as groups
from trilha.people.learning_groups.schema import NewLearningGroup
from trilha.people.people_import import actions as importing
from trilha.people.people_import import queries as imports
from trilha.people.people_import.workbooks import OLD_FORMAT, WorkbookReader
from trilha.people.users import actions as people
from trilha.people.users import queries as users
from trilha.people.users.schema import UserPatch
from trilha.platform.audit import queries as audit
from trilha.platform.tenants import logos
from trilha.platform.tenants.schema import CompanySettings
from trilha.settings import Settings
from trilha.training.certificates.links import Links
from trilha.training.courses import actions as courses
from trilha.training.courses import contents, images, media, module_actions
from trilha.training.courses import module_queries as modules
from trilha.training.courses.article_pages import ArticlePages
from trilha.training.courses.imports.rules import MAX_OPEN
from trilha.training.courses.lessons import actions as lessons
from trilha.training.courses.lessons import queries as lesson_queries
from trilha.training.courses.lessons.schema import ConvertedLesson
from trilha.training.courses.rules import MAX_MODULES
from trilha.training.courses.schema import Course, CourseSlug, NewCourse, NewModule
from trilha.training.courses.translations import actions as translations
from trilha.training.learning.launches import heartbeats
from trilha.training.learning.launches.schema import LaunchContext
from trilha.training.scorm import actions as uploading
from trilha.training.scorm import queries as packages
from trilha.training.scorm.rules import check_size
from trilha.training.scorm.schema import StoredArchive
from trilha.web.player.files import get_file
from trilha.web.player.identity import OF_LIVE_LAUNCH, LaunchIdentity, Launching

NOBODY = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"
LICENCE = {"numero": CNH, "categoria": "AB", "validade": "2099-01-31", "ear": True}
ANA = {"email": "ana@example.com", "name": "Ana"}
Call = Callable[[World], Awaitable[httpx2.Response]]
CALLS: dict[str, Call] = {**SESSION_CALLS, **QUIZ_CALLS, **PAPER_CALLS, **DOMAIN_CALLS, **SSO_CALLS}
CALLS |= PASSKEY_CALLS
CALLS |= {code: acting(act) for code, act in {**PATH_ACTS, **REQUIREMENT_ACTS, **PRACTICE_ACTS}.items()}


def calls(code: str) -> Callable[[Call], Call]:
    def add(call: Call) -> Call:
        assert code not in CALLS
        CALLS[code] = call
        return call

    return add


def _get(path: str) -> Call:
    return lambda world: world.http.get(path)


def _post(path: str, **options: Any) -> Call:
    return lambda world: world.http.post(path, **options)


def _user(**members: Any) -> Call:
    return _post("/v1/users", json=ANA | members)


def _webhook(url: str) -> Call:
    return _post("/v1/webhooks", json={"url": url, "events": ["user.created"]})


def _as(token: str | None) -> Call:
    return lambda world: world.client(token).get("/v1/users")


CALLS |= REMINDER_CALLS
CALLS |= {**CATALOG_CALLS, **CLASS_CALLS, **XAPI_CALLS, **IDENTITY_CALLS}
CALLS |= PRACTICE_CALLS
CALLS |= QUOTA_CALLS
CALLS |= {code: _post(path, json=body) for code, (path, body) in REQUIREMENT_BODIES.items()}
CALLS |= {
    "required": _post("/v1/users", json={}),
    "unknown_field": _user(shoe_size=41),
    "unknown_parameter": _get("/v1/users?page=2"),
    "duplicate_parameter": _get("/v1/users?limit=1&limit=2"),
    "invalid_type": _user(name=7),
    "invalid_value": _get("/v1/users?status=GONE"),
    "invalid_text": _user(name="a\x00b"),
    "out_of_range": _get("/v1/users?limit=101"),
    "too_short": _user(password="short"),
    "too_long": _user(name="x" * 121),
    "invalid_uuid": _user(business_unit_id="7"),
    "invalid_date": _user(cnh=LICENCE | {"validade": "2099-02-30"}),
    "invalid_date_time": _get("/v1/users?updated_since=yesterday"),
    "invalid_cursor": _get("/v1/users?cursor=abc"),
    "invalid_email": _user(email="ana"),
    "role_not_allowed": _user(role="admin"),
    "invalid_cpf": _user(cpf="529.982.247-26"),
    "invalid_phone": _user(phone="10 98765-4321"),
    "invalid_birth_date": _user(birth_date="1790-01-01"),
    "underage": _user(birth_date="2020-01-01"),
    "invalid_cnh_number": _user(cnh=LICENCE | {"numero": "98765432100"}),
    "invalid_cnh_category": _user(cnh=LICENCE | {"categoria": "Z"}),
    "unknown_business_unit": _user(business_unit_id=NOBODY),
    "cnh_expired": _user(cnh=LICENCE | {"validade": "2001-01-31"}),
    "more_problems": _user(**{f"unknown_{n}": 1 for n in range(101)}),
    "invalid_idempotency_key": _post("/v1/users", json=ANA, headers={"idempotency-key": "x" * 256}),
    "malformed_json": _post("/v1/users", content=b"{", headers={"content-type": "application/json"}),
    "method_not_allowed": lambda world: world.http.put("/v1/users"),
    "payload_too_large": _post(
        "/v1/users", content=b" " * 1_048_577, headers={"content-type": "application/json"}
    ),
    "transfer_coding_unknown": _post("/v1/users", content=b"{}", headers={"transfer-encoding": "gzip"}),
    "unsupported_media_type": _post("/v1/users", content=b"{}", headers={"content-type": "text/plain"}),
    "credential_missing": _as(None),
    "credential_invalid": _as("nonsense"),
    "route_not_found": _get("/v1/nothing"),
    "user_not_found": _get(f"/v1/users/{NOBODY}"),
    "course_not_found": _get(f"/v1/courses/{NOBODY}"),
    "enrollment_not_found": _get(f"/v1/enrollments/{NOBODY}"),
    "export_not_found": _get(f"/v1/analytics/exports/{NOBODY}"),
    "webhook_not_found": _get(f"/v1/webhooks/{NOBODY}"),
    "invalid_url": _webhook("https://me@hooks.example.com/"),
    "https_required": _webhook("ftp://hooks.example.com/"),
    "port_not_allowed": _webhook("https://8.8.8.8:5432/"),
    "address_not_allowed": _webhook("https://10.0.0.1/"),
}


async def _enroll(world: World, user: str, course: UUID, **members: Any) -> httpx2.Response:
    body = {"user_id": user, "course_id": str(course)} | members
    answer: httpx2.Response = await world.http.post("/v1/enrollments", json=body)
    return answer


async def _test_delivery(world: World) -> str:
    """Returns the path of a delivery that waits to be sent."""
    made = await _webhook("https://hooks.example.com/")(world)
    path = f"/v1/webhooks/{made.json()['data']['id']}"
    delivery = (await world.http.post(f"{path}/test")).json()["data"]
    return f"{path}/deliveries/{delivery['id']}"


@calls("delivery_not_found")
async def _(world: World) -> httpx2.Response:
    path = (await _test_delivery(world)).rpartition("/")[0]
    return await world.http.post(f"{path}/{NOBODY}/retry")


@calls("delivery_in_progress")
async def _(world: World) -> httpx2.Response:
    path = await _test_delivery(world)
    async with world.tx() as tx:
        await tx.execute(
            """
            UPDATE webhook_deliveries SET claim_id = :claim, claimed_until = :until
            WHERE tenant_id = :tenant
            """,
            claim=uuid4(),
            until=world.clock.now + timedelta(seconds=30),
        )
    return await world.http.post(f"{path}/retry")


@calls("too_many_webhooks")
async def _(world: World) -> httpx2.Response:
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO webhook_endpoints (tenant_id, url, events, active, created_at, updated_at)
            SELECT :tenant, 'https://hooks.example.com/', '{user.created}', true, :now, :now
            FROM generate_series(1, 100)
            RETURNING tenant_id
            """
        )
    return await _webhook("https://hooks.example.com/")(world)


@calls("too_many_exports")
async def _(world: World) -> httpx2.Response:
    for _ in range(20):
        await _post("/v1/analytics/exports", json={"type": "csv"})(world)
    return await _post("/v1/analytics/exports", json={"type": "csv"})(world)


@calls("event_not_kept")
async def _(world: World) -> httpx2.Response:
    path = await _test_delivery(world)
    async with world.tx() as tx:
        await tx.execute("DELETE FROM events WHERE tenant_id = :tenant")
    return await world.http.post(f"{path}/retry")


@calls("not_in_future")
async def _(world: World) -> httpx2.Response:
    past = world.clock.now.isoformat()
    return await _enroll(world, (await world.user())["id"], await world.course(), expires_at=past)


@calls("credential_expired")
async def _(world: World) -> httpx2.Response:
    key = await world.key(lifetime=timedelta(hours=1))
    world.clock.move(hours=1)
    return await _as(key)(world)


@calls("credential_revoked")
async def _(world: World) -> httpx2.Response:
    key = await world.key()
    async with world.tx() as tx:
        await tx.execute("UPDATE api_keys SET revoked_at = :now WHERE tenant_id = :tenant")
    return await _as(key)(world)


@calls("insufficient_scope")
async def _(world: World) -> httpx2.Response:
    return await _as(await world.key(Scope.COURSES_READ))(world)


@calls("ip_not_allowed")
async def _(world: World) -> httpx2.Response:
    return await _as(await world.key(networks="10.0.0.0/8"))(world)


@calls("email_exists")
async def _(world: World) -> httpx2.Response:
    await world.user(**ANA)
    return await _user()(world)


@calls("cpf_exists")
async def _(world: World) -> httpx2.Response:
    await world.user(cpf=CPF)
    return await _user(cpf="52998224725")(world)


def _bulk_code(code: str, *items: dict[str, Any]) -> Call:
    """Returns a code from the errors of a bulk answer, which have the same form."""

    async def call(world: World) -> httpx2.Response:
        answer = await world.http.put("/v1/users/bulk", json={"users": list(items)})
        (found,) = answer.json()["data"]["errors"]
        assert (found["code"], found["message"]) == (code, CODES[code].message)
        return await _told(_raised(code))

    return call


async def _raised(code: str) -> None:
    raise Conflict(code)


_NUMBERED = {"name": "Ana", "employee_number": "1"}


@calls("ambiguous_employee_number")
async def _(world: World) -> httpx2.Response:
    for name in ("a", "b"):
        await world.user(email=f"{name}@example.com", employee_number="1")
    return await _bulk_code("ambiguous_employee_number", _NUMBERED)(world)


CALLS["duplicate_item"] = _bulk_code("duplicate_item", ANA, ANA)
_PASSWORDS = [{"email": f"u{n}@example.com", "name": "U", "password": "correct horse"} for n in range(101)]
CALLS["too_many_passwords"] = lambda world: world.http.put("/v1/users/bulk", json={"users": _PASSWORDS})


@calls("last_admin")
async def _(world: World) -> httpx2.Response:
    user = (await world.user())["id"]
    await world.promote(user, "admin")
    return await world.http.post(f"/v1/users/{user}/suspend")


# No route of /v1 returns these yet. Pages and commands use the same form.
def _acting(act: Callable[[Tx, UUID], Awaitable[Any]]) -> Call:
    async def call(world: World) -> httpx2.Response:
        user = UUID((await world.user())["id"])
        await world.http.post(f"/v1/users/{user}/suspend")

        async def acting() -> None:
            async with world.tx() as tx:
                await act(tx, user)

        return await _told(acting())

    return call


async def _take_over_an_admin(tx: Tx, user: UUID) -> None:
    await users.confirm_address(tx, user)
    await people.change_role(tx, user, "admin")
    await people.update(tx, user, UserPatch(email=Email("x@example.com")))


async def _promote_after_an_integration(tx: Tx, user: UUID) -> None:
    await people.update(tx, user, UserPatch(email=Email("x@example.com")))
    await people.change_role(tx, user, "gestor")


async def _confirm_nothing(tx: Tx, user: UUID) -> None:
    await email_changes.confirm_as_administrator(tx, user)


async def _confirm_ones_own(tx: Tx, user: UUID) -> None:
    tx.actor = Actor("session", str(user), "")
    await email_changes.confirm_as_administrator(tx, user)


async def _move_below_itself(tx: Tx, _: UUID) -> None:
    unit = (await units.create(tx, NewBusinessUnit(name=Name("A")))).id
    await units.move(tx, unit, unit)


async def _twice_the_same_code(tx: Tx, user: UUID) -> None:
    for _ in range(2):
        await units.create(tx, NewBusinessUnit(name=Name("A"), code=Code("a")))


async def _delete_a_full_unit(tx: Tx, _: UUID) -> None:
    unit = (await units.create(tx, NewBusinessUnit(name=Name("A")))).id
    await units.create(tx, NewBusinessUnit(name=Name("B"), parent_id=unit))
    await units.delete(tx, unit)


async def _let_a_learner_manage(tx: Tx, user: UUID) -> None:
    unit = (await units.create(tx, NewBusinessUnit(name=Name("A")))).id
    await units.set_managers(tx, unit, [user])


async def _twice_the_same_group(tx: Tx, user: UUID) -> None:
    for _ in range(2):
        await groups.create(tx, NewLearningGroup(name=Name("A")))


def _inspecting(raw: bytes, mapping: dict[str, str] | None = None) -> Callable[[Tx, UUID], Awaitable[Any]]:
    async def inspecting(_: Tx, __: UUID) -> None:
        importing.inspect(raw, mapping)

    return inspecting


async def _read_an_encrypted_workbook(_: Tx, tenant_id: UUID) -> None:
    with TemporaryDirectory() as folder:
        workbooks = WorkbookReader(Path(folder))
        try:
            await workbooks.read(tenant_id, OLD_FORMAT + "EncryptedPackage".encode("utf-16-le"))
        finally:
            await workbooks.close()


async def _correct_what_has_begun(tx: Tx, _: UUID) -> None:
    draft = importing.inspect(b"email\nana@example.com\n")
    started = await importing.start(tx, draft, "people.csv", "people.csv", dry_run=False)
    await importing.correct(tx, started.id, draft)


async def _open_what_is_not_imported(tx: Tx, _: UUID) -> None:
    kept = StoredArchive(uuid4(), "archives/x", "0" * 64, 1)
    await packages.get_contents(tx, (await uploading.start_import(tx, kept, "x.zip")).id)


async def _upload_too_much(_: Tx, __: UUID) -> None:
    check_size(2**31 + 1)


async def _archive_a_draft(tx: Tx, _: UUID) -> None:
    await courses.archive(tx, (await courses.create(tx, NewCourse(title="T", slug=CourseSlug("t")))).id)


def _storing(size: int, first: bytes) -> Callable[[Tx, UUID], Awaitable[Any]]:
    async def storing(_: Tx, __: UUID) -> None:
        media.judge(size, first)

    return storing


async def _play_a_document(tx: Tx, _: UUID) -> None:
    file = await modules.insert_media(tx, sha256="0" * 64, media_type="application/pdf", size=1, name="")
    video = NewModule(title="T", duration_minutes=1, type="VIDEO", content={"file_id": str(file.id)})
    await contents.ContentCheck(tx).check(video)


async def _open_a_part_that_is_not_there(tx: Tx, _: UUID) -> None:
    package = uuid4()
    await tx.execute(
        """
        INSERT INTO packages (tenant_id, id, sha256, file_name, size, state, title, manifest, files,
                              actor_kind, actor, source, created_at, finished_at)
        VALUES (:tenant, :id, repeat('0', 64), '', 0, 'READY', '', :manifest, :files, '', '', '', :now, :now)
        """,
        id=package,
        manifest={"version": "1.2", "edition": "1.2", "title": "", "items": []},
        files={},
    )
    part = {"package_id": str(package), "item": "i1"}
    module = NewModule(title="T", duration_minutes=1, type="SCORM", content=part)
    await contents.ContentCheck(tx).check(module)


async def _live_on_mars(tx: Tx, _: UUID) -> None:
    convert(CompanySettings, {"name": "A", "locale": "en", "time_zone": "Mars/Olympus"}, tx.today)


def _showing(size: int) -> Callable[[Tx, UUID], Awaitable[Any]]:
    async def showing(_: Tx, __: UUID) -> None:
        logos.read(Path(__file__), size)

    return showing


def _picturing(size: int) -> Callable[[Tx, UUID], Awaitable[Any]]:
    async def picturing(_: Tx, __: UUID) -> None:
        images.read(Path(__file__), size, most_side=1)

    return picturing


async def _read_a_broken_document(_: Tx, __: UUID) -> None:
    media.check_readable(media.StoredMedia("", "", "application/pdf", 1, "", True))


async def _read_an_endless_video(_: Tx, __: UUID) -> None:
    media.check_readable(media.StoredMedia("", "", "video/webm", 1, "", True))


CALLS |= {
    "video_without_length": _acting(_read_an_endless_video),
    "not_an_image": _acting(_picturing(1)),
    "image_too_large": _acting(_picturing(images.MAX_BYTES + 1)),
    "document_unreadable": _acting(_read_a_broken_document),
    "audit_record_not_found": _acting(lambda tx, _: audit.get(tx, UUID(NOBODY))),
    "import_started": _acting(_correct_what_has_begun),
    "package_not_found": _acting(lambda tx, _: packages.get(tx, UUID(NOBODY))),
    "package_not_ready": _acting(_open_what_is_not_imported),
    "course_is_draft": _acting(_archive_a_draft),
    "media_file_not_found": _acting(lambda tx, _: modules.get_media(tx, UUID(NOBODY))),
    "media_too_large": _acting(_storing(2**31 + 1, b"%PDF-")),
    "unknown_media_type": _acting(_storing(1, b"MZ")),
    "wrong_media_type": _acting(_play_a_document),
    "unknown_part": _acting(_open_a_part_that_is_not_there),
    "package_too_large": _acting(_upload_too_much),
    "unknown_time_zone": _acting(_live_on_mars),
    "logo_too_large": _acting(_showing(logos.MAX_BYTES + 1)),
    "logo_not_an_image": _acting(_showing(1)),
    "user_suspended": _acting(people.activate),
    "privileged_user": _acting(_take_over_an_admin),
    "address_unconfirmed": _acting(_promote_after_an_integration),
    "email_change_invalid": _acting(_confirm_nothing),
    "own_email_change": _acting(_confirm_ones_own),
    "business_unit_not_found": _acting(lambda tx, _: units.delete(tx, UUID(NOBODY))),
    "business_unit_code_exists": _acting(_twice_the_same_code),
    "business_unit_below_itself": _acting(_move_below_itself),
    "business_unit_not_empty": _acting(_delete_a_full_unit),
    "manager_not_gestor": _acting(_let_a_learner_manage),
    "learning_group_not_found": _acting(lambda tx, _: groups.delete(tx, UUID(NOBODY))),
    "file_not_a_table": _acting(_inspecting(b"\n")),
    "file_encrypted": _acting(_read_an_encrypted_workbook),
    "file_too_large": _acting(_inspecting(b"x" * (20 << 20 | 1))),
    "unknown_header": _acting(_inspecting(b"email\na@example.com\n", {"mail": "email"})),
    "no_identifying_column": _acting(_inspecting(b"nome\nAna\n")),
    "import_not_found": _acting(lambda tx, _: imports.get(tx, UUID(NOBODY))),
    "learning_group_exists": _acting(_twice_the_same_group),
}


async def _launched(ana: Learner) -> httpx2.Response:
    async def launching() -> None:
        await ana.launch()

    return await _told(launching())


@calls("launch_not_found")
async def _(world: World) -> httpx2.Response:
    return await _acting(lambda tx, _: heartbeats.record_heartbeat(tx, UUID(NOBODY), visible=True))(world)


# The content origin has its own error format. Its parts raise these errors.
_VIDEO = LaunchContext(UUID(NOBODY), UUID(NOBODY), None, None)


async def _go_on_with_what_is_over(tx: Tx, _: UUID) -> None:
    OF_LIVE_LAUNCH.check(Launching(context=_VIDEO, over=True))


async def _go_on_after_signing_out(tx: Tx, _: UUID) -> None:
    nothing: Any = None
    ended = Credential("launch", b"", UUID(NOBODY), tx.tenant_id, True, [], "", None, None, str(tx.now))
    request = Request(
        {"type": "http", "headers": [], "path": "/", "method": "GET", "query_string": b""}, None, "", None
    )
    identity = LaunchIdentity(nothing, nothing, nothing)
    OF_LIVE_LAUNCH.check(await identity.identify(request, RequestCredentials(detail=ended), {}))


async def _open_a_file_of_no_package(tx: Tx, _: UUID) -> None:
    nothing: Any = None
    await get_file(Launching(context=_VIDEO), nothing, nothing, "", RestOfPath("a"), AnyQuery())


async def _register_a_service_worker(tx: Tx, _: UUID) -> None:
    nothing: Any = None
    scope = {"method": "GET", "path": "/", "query_string": b"", "headers": [(b"service-worker", b"script")]}
    presented = await LaunchIdentity(nothing, nothing, nothing).present(Request(scope, None, "", None))
    assert presented.failure is not None
    raise presented.failure


CALLS |= {
    "launch_over": _acting(_go_on_with_what_is_over),
    "session_over": _acting(_go_on_after_signing_out),
    "file_not_found": _acting(_open_a_file_of_no_package),
    "service_worker_refused": _acting(_register_a_service_worker),
}


@calls("module_not_found")
async def _(world: World) -> httpx2.Response:
    ana = await learner(world)
    ana.modules = [UUID(NOBODY)]
    return await _launched(ana)


@calls("module_without_content")
async def _(world: World) -> httpx2.Response:
    ana = await learner(world)
    async with world.tx() as tx:
        await tx.execute("UPDATE all_modules SET content = NULL WHERE tenant_id = :tenant")
    return await _launched(ana)


@calls("module_locked")
async def _(world: World) -> httpx2.Response:
    ana = await learner(world, 1, 1, regulation={"sequential": True})
    ana.modules.reverse()
    return await _launched(ana)


@calls("enrollment_expired")
async def _(world: World) -> httpx2.Response:
    ana = await learner(world, expires_at="2099-01-01T00:00:00Z")
    async with world.tx() as tx:
        await tx.execute("UPDATE all_enrollments SET expires_at = :now WHERE tenant_id = :tenant")
    return await _launched(ana)


@calls("user_inactive")
async def _(world: World) -> httpx2.Response:
    user = (await world.user())["id"]
    async with world.tx() as tx:
        await users.change_status(tx, UUID(user), "ACTIVE", "INACTIVE")
    return await world.http.post(f"/v1/users/{user}/suspend")


@calls("user_erased")
async def _(world: World) -> httpx2.Response:
    user = (await world.user())["id"]
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, UUID(user))
    return await world.http.patch(f"/v1/users/{user}", json={"name": "Eva"})


@calls("already_enrolled")
async def _(world: World) -> httpx2.Response:
    first = await world.enrollment()
    return await _enroll(world, first["user_id"], first["course_id"])


@calls("enrollment_completed")
async def _(world: World) -> httpx2.Response:
    enrollment = await world.enrollment()
    await completed(world, enrollment=enrollment)
    return await world.http.delete(f"/v1/enrollments/{enrollment['id']}")


def _past(code: str, **moments: str) -> Call:
    """Returns a code from the errors of an answer, which have the same form."""

    async def call(world: World) -> httpx2.Response:
        pair = {"user_id": (await world.user())["id"], "course_id": str(await world.course())}
        item = pair | {"source": "LMS"}
        answer = await world.http.post("/v1/enrollments/import", json={"completions": [item | moments]})
        (found,) = answer.json()["data"]["errors"]
        assert (found["code"], found["message"]) == (code, CODES[code].message)
        return await _told(_refused(code))

    return call


async def _refused(code: str) -> None:
    raise invalid("completed_at", code)


CALLS["unknown_event"] = _get(f"/v1/events?after=evt_{'1' * 32}")


@calls("replay_not_found")
async def _(world: World) -> httpx2.Response:
    webhook = (await _webhook("https://hooks.example.com/")(world)).json()["data"]["id"]
    return await world.http.get(f"/v1/webhooks/{webhook}/replays/{NOBODY}")


CALLS["in_future"] = _past("in_future", completed_at="2999-01-01T00:00:00Z")
CALLS["too_long_ago"] = _past("too_long_ago", completed_at="1899-12-31T23:59:59Z")
CALLS["after_completion"] = _past(
    "after_completion", completed_at="2024-01-01T00:00:00Z", started_at="2024-01-02T00:00:00Z"
)


@calls("idempotency_key_reused")
async def _(world: World) -> httpx2.Response:
    headers = {"idempotency-key": "k"}
    await world.http.post("/v1/users", json=ANA, headers=headers)
    return await world.http.post("/v1/users", json=ANA | {"name": "Bia"}, headers=headers)


@calls("idempotency_in_progress")
async def _(world: World) -> httpx2.Response:
    async with world.tx() as tx:
        credential = await tx.value("SELECT id FROM api_keys WHERE tenant_id = :tenant")
        await IdempotencyKey(tx, credential, "k", b"").claim()
        return await world.http.post("/v1/users", json=ANA, headers={"idempotency-key": "k"})


@calls("user_not_active")
async def _(world: World) -> httpx2.Response:
    user = (await world.user())["id"]
    await world.http.post(f"/v1/users/{user}/suspend")
    return await _enroll(world, user, await world.course())


@calls("course_not_published")
async def _(world: World) -> httpx2.Response:
    return await _enroll(world, (await world.user())["id"], await world.course(publish=False))


@calls("regulatory_profile_missing")
async def _(world: World) -> httpx2.Response:
    course = await world.course(regulation={"kind": "traffic"})
    return await _enroll(world, (await world.user(cpf=CPF))["id"], course)


@calls("user_has_password")
async def _(world: World) -> httpx2.Response:
    user = UUID((await world.user())["id"])

    async def invite() -> None:
        async with world.tx() as tx:
            await people.invite(tx, user)

    return await _told(invite())


@calls("teacher_not_instrutor")
async def _(world: World) -> httpx2.Response:
    course, user = await world.course(), UUID((await world.user())["id"])

    async def teach() -> None:
        async with world.tx() as tx:
            await courses.set_teachers(tx, course, [user])

    return await _told(teach())


@calls("certificate_not_found")
async def _(world: World) -> httpx2.Response:
    return await world.http.get(f"/v1/certificates/{NOBODY}")


async def _reissue(world: World, *, erased: bool, **course: Any) -> httpx2.Response:
    enrollment = await world.enrollment(course_id=await world.course(**course))
    id = await completed(world, enrollment=enrollment)
    world.clock.move(days=40)
    if erased:
        async with world.tx() as tx:
            await PERSONAL_DATA.erase(tx, UUID(enrollment["user_id"]))
    return await _told(reissue(world, id))


@calls("certificate_expired")
async def _(world: World) -> httpx2.Response:
    return await _reissue(world, erased=False, certificate_validity_months=1)


@calls("holder_erased")
async def _(world: World) -> httpx2.Response:
    return await _reissue(world, erased=True)


@calls("link_expired")
async def _(world: World) -> httpx2.Response:
    url = Links("", world.database.keyring).file(UUID(NOBODY), UUID(NOBODY), "x.pdf", world.clock.now)
    world.clock.move(minutes=15)
    return await world.http.get(f"http://trilha.test{url}")


@calls("link_invalid")
async def _(world: World) -> httpx2.Response:
    return await world.http.get(f"http://trilha.test/certificates/{NOBODY}/{NOBODY}/x.pdf")


# Only the command line creates courses so far. It uses the same form for these two.
@calls("course_slug_exists")
async def _(world: World) -> httpx2.Response:
    await world.course(slug="safety")
    return await _told(world.course(slug="safety"))


@calls("text_too_complex")
async def _(world: World) -> httpx2.Response:
    with TemporaryDirectory() as folder:
        pages = ArticlePages(world.database, Path(folder))
        answer = await _told(pages.render(world.tenant.id, "&" * 900_000))
        await pages.close()
    return answer


@calls("lesson_changed")
async def _(world: World) -> httpx2.Response:
    return await _told(_publish(world, text("Um"), base=3))


@calls("language_exists")
async def _(world: World) -> httpx2.Response:
    course = await world.course()
    return await world.http.put(f"/v1/courses/{course}/translations/pt-BR", json={"title": "Curso"})


@calls("language_not_found")
async def _(world: World) -> httpx2.Response:
    return await world.http.get(f"/v1/courses/{await world.course()}/translations/en")


@calls("translation_changed")
async def _(world: World) -> httpx2.Response:
    async def save() -> None:
        course_id = await world.course()
        async with world.tx() as tx:
            await translations.add_language(tx, course_id, "en")
            await translations.save(tx, course_id, "en", title="A", description=None, titles={}, revision=7)

    return await _told(save())


@calls("question_incomplete")
async def _(world: World) -> httpx2.Response:
    return await _told(_publish(world, question(), base=0))


@calls("lesson_draft_changed")
async def _(world: World) -> httpx2.Response:
    async def save_twice() -> None:
        user = (await world.user())["id"]
        module_id = (await _add_lesson(world))[1]
        async with world.tx() as tx:
            for _ in range(2):
                await lessons.save_draft(tx, module_id, UUID(user), text("A").document, base=0, revision=0)

    return await _told(save_twice())


@calls("lesson_version_not_found")
async def _(world: World) -> httpx2.Response:
    async def get_text() -> None:
        async with world.tx() as tx:
            await lesson_queries.get_text(tx, (await _add_lesson(world))[1], 7)

    return await _told(get_text())


@calls("word_unreadable")
async def _(world: World) -> httpx2.Response:
    with TemporaryDirectory() as folder:
        pages = ArticlePages(world.database, Path(folder))
        answer = await _told(pages.read_word(world.tenant.id, b"no archive"))
        await pages.close()
    return answer


async def _add_lesson(world: World) -> tuple[UUID, UUID]:
    course_id = await world.course(publish=False, modules=[{"title": "A", "duration_minutes": 1}])
    async with world.tx() as tx:
        (module,) = await modules.list_all(tx, course_id)
    return course_id, module.id


async def _publish(world: World, lesson: ConvertedLesson, base: int) -> None:
    course_id, module_id = await _add_lesson(world)
    async with world.tx() as tx:
        await lessons.publish(tx, course_id, module_id, lesson, base=base, author_id=None)


@calls("module_import_not_found")
async def _(world: World) -> httpx2.Response:
    return await world.http.get(f"/v1/module-imports/{uuid4()}")


@calls("too_many_imports")
async def _(world: World) -> httpx2.Response:
    path = f"/v1/courses/{await world.course()}/modules"
    for _ in range(MAX_OPEN):
        assert (await world.http.post(path, json=IMPORTED)).status_code == 202
    return await world.http.post(path, json=IMPORTED)


@calls("too_many_modules")
async def _(world: World) -> httpx2.Response:
    course = await world.course(modules=[], publish=False)
    modules = [NewModule(title="T", duration_minutes=1)] * (MAX_MODULES + 1)

    async def add() -> None:
        async with world.tx() as tx:
            await module_actions.add(tx, course, modules)

    return await _told(add())


@calls("modules_without_minutes")
async def _(world: World) -> httpx2.Response:
    regulation = {"kind": "other", "minimum_workload_minutes": 60, "required_profile_fields": []}
    modules = [{"title": "T", "duration_minutes": 0}]
    course = await world.course(modules=modules, regulation=regulation, publish=False)

    async def publish() -> Course:
        async with world.tx() as tx:
            return await courses.publish(tx, course)

    return await _told(publish())


@calls("course_without_modules")
async def _(world: World) -> httpx2.Response:
    course = await world.course(modules=[], publish=False)

    async def publish() -> Course:
        async with world.tx() as tx:
            return await courses.publish(tx, course)

    return await _told(publish())


async def _told(doing: Awaitable[Any]) -> httpx2.Response:
    with pytest.raises(ApiError) as caught:
        await doing
    id = "req_of_the_command_line_______"
    return httpx2.Response(
        caught.value.status, content=to_json(caught.value.body(id)), headers={"x-request-id": id}
    )


@calls("rate_limit_exceeded")
async def _(world: World) -> httpx2.Response:
    app = trilha_app.create_app(Settings(limit_v1=Limit(1, 900)), world.database, world.clock)
    client = world.client(
        app=app, address=f"2001:db8:{world.tenant.id.hex[:4]}:{world.tenant.id.hex[4:8]}::1"
    )
    await client.get("/v1/users")
    return await client.get("/v1/users")


@calls("request_timeout")
async def _(world: World) -> httpx2.Response:
    async def never_comes() -> AsyncIterator[bytes]:
        await asyncio.Event().wait()
        yield b"{}"

    app = trilha_app.create_app(Settings(body_timeout=0, limit_v1=Limit(10**9, 900)), world.database)
    headers = dict(world.http.headers) | {"content-type": "application/json"}
    return await world.client(app=app).post("/v1/users", content=never_comes(), headers=headers)


@calls("internal_error")
async def _(world: World) -> httpx2.Response:
    broken = Routes("Broken", "A feature with a fault.")

    @broken.get("/broken", scope=Scope.USERS_READ)
    async def break_down(tx: Tx) -> Envelope[Course]:
        """Fails."""
        raise RuntimeError(f"the words of a fault: {CPF}")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trilha_app, "FEATURES", (*trilha_app.FEATURES, Feature(name="test", v1=[broken])))
        app = trilha_app.create_app(Settings(), world.database, world.clock)
    client = world.client(app=app, address="2001:db8:ffff::1")
    client.headers["authorization"] = world.http.headers["authorization"]
    return await client.get("/v1/broken")


@calls("unavailable")
async def _(world: World) -> httpx2.Response:
    keyring = world.database.keyring
    gone = Database(serving_urls(world.url, keyring), world.clock, keyring)
    await gone.open()
    await gone.close()
    return await world.client(app=trilha_app.create_app(Settings(), gone, world.clock)).get("/v1/users")


def test_every_code_has_a_call() -> None:
    assert set(CALLS) == set(CODES)


@pytest.mark.parametrize("code", sorted(CALLS))
async def test_a_call_produces_it(world: World, code: str) -> None:
    answer = await CALLS[code](world)
    spec = CODES[code]
    assert answer.status_code == spec.status
    error = told(answer)
    if code == "more_problems":
        assert len(error["detail"]) == 101
        error |= error["detail"][-1]  # the item is last, after a hundred others
        assert len(answer.content) < 65_536
    assert (error["type"], error["code"], error["message"]) == (spec.type, code, spec.message)
    if code in FIELD_CODES:
        about = {"field": error["field"], "message": spec.message, "code": code}
        assert any(about.items() <= each.items() for each in error["detail"])
    if spec.status in (429, 503):
        assert int(answer.headers["retry-after"]) >= 1
    if spec.status == 401:
        # RFC 6750 section 3.1: if no token was sent, the answer says nothing about one.
        sent_none = code in ("credential_missing", "session_missing", "invalid_login")
        told_why = "" if sent_none else ' error="invalid_token"'
        assert answer.headers["www-authenticate"] == "Bearer" + told_why
    if spec.status == 405:
        assert answer.headers["allow"]


def told(answer: httpx2.Response) -> dict[str, Any]:
    """Returns the error if the answer is an envelope with nothing else."""
    body = answer.json()
    assert set(body) == {"error"}
    error: dict[str, Any] = body["error"]
    assert {"type", "code", "message", "request_id"} <= set(error)
    assert set(error) <= {"type", "code", "message", "field", "detail", "request_id"}
    assert error["request_id"] == answer.headers["x-request-id"]
    assert error["code"] in CODES
    for inside in ("Traceback", "asyncpg", "RuntimeError", CPF, ".py"):
        assert inside not in answer.text
    return error


def test_every_type_of_the_contract_is_produced() -> None:
    assert {(code.type, code.status) for code in CODES.values()} >= {
        ("validation_error", 400),
        ("authentication_error", 401),
        ("authorization_error", 403),
        ("not_found", 404),
        ("conflict", 409),
        ("business_rule", 422),
        ("rate_limited", 429),
        ("internal_error", 500),
    }


@pytest.mark.parametrize("route", trilha_app.all_routes(), ids=lambda each: f"{each.method} {each.path}")
async def test_no_refusal_of_any_route_is_outside_the_envelope(world: World, route: Any) -> None:
    ids = [NOBODY, "7", "%00", "%ff", "..%2f", "x" * 3000] if route.path_params else [NOBODY]
    paths = ["/v1" + route.path.format(**dict.fromkeys(route.path_params, id)) for id in ids]
    queries = ["?x=1", "?limit=%ff", "?" + "a=1&" * 200, "?limit=1" + "0" * 5000, "?cursor=%00"]
    bodies = [b"{", b"[]", b'{"a":1}', b"\xff" * 10] if route.method != "GET" else []
    tried = [(path, "", b"") for path in paths]
    tried += [(paths[0], query, b"") for query in queries] + [(paths[0], "", body) for body in bodies]
    for path, query, body in tried:
        answer = await world.http.request(
            route.method, path + query, content=body, headers={"content-type": "application/json"}
        )
        if answer.status_code >= 400:
            assert told(answer)["type"] != "internal_error", (path, query, body)


def test_a_code_that_is_not_listed_cannot_be_raised() -> None:
    with pytest.raises(KeyError):
        Conflict("on_a_whim")
    with pytest.raises(TypeError):
        BusinessRule("email_exists")
