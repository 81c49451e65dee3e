"""Every page and action gets the ids of another tenant: an administrator finds nothing there."""

import re
from typing import Any
from uuid import UUID, uuid4

import httpx2
import msgspec
import pytest

from browser.federated import federate
from conftest import World
from contract.test_roles import ROUTES, tried
from contract.test_tenancy import rows
from training.certificates.holders import attach, completed
from training.classes.classes import offer
from training.courses.documents import text
from training.learning.quiz_takers import VOICE, QuizLearner, add_quiz
from training.practice.practices import build_photo
from training.practice.practices import offer as offer_practice
from trilha.access.api_keys import actions as api_keys
from trilha.access.oauth import actions as oauth
from trilha.access.scim.tokens import actions as scim_tokens
from trilha.access.xapi_keys import actions as xapi_keys
from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.types import Name, Title
from trilha.core.web.callers import Public
from trilha.people.custom_fields import actions as custom_fields
from trilha.people.custom_fields.schema import FieldKey, NewCustomField
from trilha.people.learning_groups import actions as learning_groups
from trilha.people.learning_groups.schema import NewLearningGroup
from trilha.platform.bulk_actions import queries as bulk_actions
from trilha.platform.bulk_actions.schema import NewRun
from trilha.platform.mail import outbox
from trilha.platform.mail.catalogue import TestMessage
from trilha.platform.mail.schema import Recipient
from trilha.platform.saved_views import queries as saved_views
from trilha.settings import Settings
from trilha.training.certificates.templates import actions as templates
from trilha.training.certificates.templates.schema import NewTemplate
from trilha.training.classes.attendance_lists import queries as attendance_lists
from trilha.training.classes.attendance_lists import scans
from trilha.training.classes.attendance_lists.scans import NewScan
from trilha.training.courses import actions as courses
from trilha.training.courses import module_actions
from trilha.training.courses.lessons import actions as lessons
from trilha.training.courses.schema import CourseSlug, NewCourse, NewModule
from trilha.training.courses.translations import actions as translations
from trilha.training.enrollments import learner
from trilha.training.external_certificates import actions as external_certificates
from trilha.training.external_certificates.queries import File
from trilha.training.identity import photo_queries
from trilha.training.identity import queries as identity
from trilha.training.identity.schema import Face, IdentityRule
from trilha.training.learner_questions import actions as learner_questions
from trilha.training.learning_paths import actions as learning_paths
from trilha.training.learning_paths import advancing, queries
from trilha.training.learning_paths.schema import NewPath
from trilha.training.qualifications import actions as qualifications
from trilha.training.qualifications.schema import FirstDay, NewQualification
from trilha.training.question_bank import actions as bank
from trilha.training.question_bank import queries as bank_queries
from trilha.training.quizzes.schema import NewQuestion
from trilha.training.reports.exports import actions as exports
from trilha.training.reports.exports.rows import ExportFilter
from trilha.training.requirements import actions as requirements
from trilha.training.requirements.schema import NewRequirement
from trilha.training.xapi import actions as xapi
from trilha.training.xapi.actions import Submission
from trilha.training.xapi.schema import Attachment
from trilha.training.xapi.statements import build_statement, read_statement
from trilha.training.xapi_pipes import actions as xapi_pipes
from trilha.training.xapi_pipes.schema import NewPipe
from web.learn.signing_in import signed_in as learner_in
from web.panel.signing_in import signed_in
from web.panel.training_pages import send, unit
from web.player.materials import image
from web.player.playing import file_store

# These are no ids of the tenant: event types, question kinds, providers, links that are secrets, public
# codes, guide pages.
_NOT_IDS = {
    "name",
    "token",
    "question_kind",
    "slot",
    "code",
    "protocol",
    "guide",
    "topic",
    "export_format",
} | {"meeting_service"}
# Public routes belong to nobody, such as a connection's metadata, which a provider reads.
BY_ID = [
    (surface, route)
    for surface, route in ROUTES
    if set(re.findall(r"{(\w+)}", route.path)) - _NOT_IDS and not isinstance(route.access, Public)
]


async def ids_of(world: World, settings: Settings) -> dict[str, str]:
    """Creates one of everything that an address can name, and returns the ids by parameter name."""
    user = await world.user(name="Ana Lima")
    await learner_in(world, user["email"])
    course = await world.course()
    quiz = await add_quiz(world, course, VOICE)
    enrollment = await world.enrollment(user_id=user["id"], course_id=course)
    body = {"url": "https://hooks.example.com/", "events": ["user.created"]}
    webhook = (await world.http.post("/v1/webhooks", json=body)).json()["data"]
    delivery = (await world.http.post(f"/v1/webhooks/{webhook['id']}/test")).json()["data"]
    async with world.tx() as tx:
        new_pipe = NewPipe(
            name=Name("LRS"),
            url="https://lrs.example.com/xapi",
            username="trilha",
            password="s3cret",
        )
        pipe_id = (await xapi_pipes.create(tx, new_pipe, settings.guard)).id
        group = await learning_groups.create(tx, NewLearningGroup(name=Name("Turma")))
        path = await learning_paths.create(tx, NewPath(title="Trilha"), [course])
        path = await learning_paths.publish(tx, path.id)
        await learning_paths.assign_group(tx, path.id, group.id)
        await advancing.assign(tx, path, [UUID(user["id"])])
        requirement = await requirements.create(
            tx, NewRequirement(title=Title("NR-35"), rule={"all": []}, course_id=course, due_days=30)
        )
        await custom_fields.create(tx, NewCustomField(key=FieldKey("area"), name=Name("Area"), type="text"))
        uploaded = File("application/pdf", b"%PDF-")
        await external_certificates.upload(tx, UUID(user["id"]), course, tx.today, "Senai", uploaded)
        uploaded_id = await tx.value("SELECT id FROM external_certificates WHERE tenant_id = :tenant LIMIT 1")
        qualification = await qualifications.create(
            tx,
            NewQualification(
                user_id=UUID(user["id"]),
                title=Name("NR-35"),
                issuing_body=Name("CREA"),
                valid_from=FirstDay("2026-01-01"),
            ),
        )
        document = qualifications.check_document(b"%PDF-")
        await qualifications.store_document(tx, qualification.id, document)
        other = await courses.create(
            tx, NewCourse(title=Title("NR-10"), slug=CourseSlug("nr-10"), self_enrollment="APPROVAL")
        )
        owner = UUID(user["id"])
        bulk_action = uuid4()
        new_run = NewRun(
            id=bulk_action, action="people/suspend", options={}, address="/admin/people", user_id=owner
        )
        await bulk_actions.insert(tx, new_run, [owner])
        await saved_views.put(tx, owner, "/admin/people", "Minha", "status=ACTIVE", None)
        saved_view = await tx.value("SELECT id FROM saved_views WHERE tenant_id = :tenant LIMIT 1")
        passkey = await tx.value(
            "INSERT INTO passkeys (tenant_id, user_id, name, credential_id, public_key, sign_count, "
            "may_sync, is_synced, created_at) "
            "VALUES (:tenant, :user, 'Phone', '\\x01', '\\x01', 0, false, false, :now) RETURNING id",
            user=owner,
        )
        photo = await photo_queries.insert_photo(tx, owner, Face(b"JPEG"), None, 30)
        identity_check = await tx.value(
            "INSERT INTO identity_checks (tenant_id, enrollment_id, user_id, moment, number, due_seconds, "
            "status, photo_id, taken_at, created_at) "
            "VALUES (:tenant, :enrollment, :user, 'START', 1, 0, 'DOUBTFUL', :photo, :now, :now) "
            "RETURNING id",
            enrollment=UUID(enrollment["id"]),
            user=owner,
            photo=photo,
        )
        request_id = await tx.value(
            "INSERT INTO enrollment_requests (tenant_id, user_id, course_id, status, created_at, updated_at) "
            "VALUES (:tenant, :user, :course, 'WAITING', :now, :now) RETURNING id",
            user=UUID(user["id"]),
            course=other.id,
        )
        own = await learner.get(tx, UUID(user["id"]), UUID(enrollment["id"]))
        learner_question = await learner_questions.ask(tx, UUID(user["id"]), own, None, "Por quê?")
        (bank_question,) = await bank.add(tx, [(NewQuestion(kind="voice", text="Diga."), ["a"])], None)
        question_import = await bank_queries.insert_import(tx, UUID(user["id"]), "a.gift", b"A {T}")
        (audience,) = await queries.list_audiences(tx, path.id)
        await tx.execute(
            """
            INSERT INTO review_flags (tenant_id, enrollment_id, module_id, kind, detail, flagged_at)
            VALUES (:tenant, :enrollment, :module, 'NO_ANSWERS', '{"score": 90}', :now)
            """,
            enrollment=UUID(enrollment["id"]),
            module=quiz,
        )
        template = await templates.create(tx, NewTemplate(name=Name("NR-35")))
        key = await api_keys.create(tx, "HR", [Scope.USERS_READ], prefix="trl_live_")
        client = await oauth.create(tx, "HR", ["users:read"])
        token = await scim_tokens.create(tx, "HR")
        xapi_key = (await xapi_keys.create(tx, "Simulator", ["xapi:read"])).xapi_key
        statement_id = await _record_with_attachment(tx)
        await federate(tx)
        signed_in_by = await tx.rows(
            """
            SELECT s.id AS sign_in_id, s.connection_id, d.id AS domain_id
            FROM sso_sign_ins s, email_domains d WHERE s.tenant_id = :tenant AND d.tenant_id = :tenant LIMIT 1
            """
        )
        message = await outbox.send(tx, to=Recipient("ana@example.com", "Ana", "en"), message=TestMessage())
        started = await tx.value(
            """
            INSERT INTO imports (tenant_id, file_name, dry_run, mapping, dialect, rows, actor_kind, actor,
                                 source, created_at)
            VALUES (:tenant, 'x.csv', true, '{}', '{}', 0, '', '', '', :now) RETURNING id
            """
        )
        record = await tx.value("SELECT id FROM audit_records WHERE tenant_id = :tenant LIMIT 1")
        package = await tx.value(
            """
            INSERT INTO packages (tenant_id, id, sha256, file_name, size, title, state, actor_kind, actor,
                                  source, created_at, finished_at)
            VALUES (:tenant, gen_random_uuid(), repeat('0', 64), 'x.zip', 0, 'X', 'REFUSED', '', '', '', :now,
                    :now)
            RETURNING id
            """
        )
        export = await exports.request(tx, "csv", ExportFilter())
        session = await tx.value("SELECT id FROM sessions WHERE tenant_id = :tenant LIMIT 1")
    practice = await assess(world)
    voice = await QuizLearner(world, enrollment, [quiz]).take()
    question = await voice.question("voice")
    await voice.speak(file_store(settings), question)
    (spoken,) = [each.response for each in (await voice.shown()).questions]
    await voice.send(hand_in=True)
    async with world.tx() as tx:
        await identity.put_rule(tx, course, IdentityRule())
    administrator, project = await signed_in(world), f"/admin/courses/{course}/project"
    await send(administrator, project, objectives="Altura", responsible_name="Ana")
    await send(administrator, f"{project}/publish")
    certificate = await completed(world)
    await attach(world, file_store(settings), certificate, b"%PDF " + certificate.bytes)
    found: dict[str, Any] = {
        "user_id": user["id"],
        "course_id": course,
        "module_id": quiz,
        "question_id": question,
        "question_kind": "voice",
        "slot": "picture",
        "answer_id": spoken,
        "launch_id": voice.launched.launch_id,
        "enrollment_id": enrollment["id"],
        "unit_id": await unit(world, "Fábrica"),
        "group_id": group.id,
        "kind": "NO_ANSWERS",
        "field_key": "area",
        "requirement_id": requirement.id,
        "qualification_id": qualification.id,
        **practice,
        "external_certificate_id": uploaded_id,
        "enrollment_request_id": request_id,
        "action_id": bulk_action,
        "view_id": saved_view,
        "learner_question_id": learner_question,
        "bank_question_id": bank_question,
        "question_import_id": question_import,
        "export_format": "gift",
        "path_id": path.id,
        "audience_id": audience.id,
        "webhook_id": webhook["id"],
        "pipe_id": pipe_id,
        "delivery_id": delivery["id"],
        "key_id": key.api_key.id,
        "token_id": token.scim_token.id,
        "client_id": client.client.id,
        "xapi_key_id": xapi_key.id,
        "statement_id": statement_id,
        "sha2": "0" * 64,
        "message_id": message,
        "import_id": started,
        "package_id": package,
        "file_id": await image(world, settings, b"RIFF0000WEBP"),
        "record_id": record,
        "session_id": session,
        "passkey_id": str(passkey),
        "check_id": str(identity_check),
        "side": "photo",
        "certificate_id": certificate,
        "template_id": template.id,
        "export_id": export.id,
        **signed_in_by[0],
        "name": "okta",
        "number": 1,
        "language": "en",
        "lesson_id": await _add_lesson(world, course),
        **await _meet(world, settings, user["id"]),
    }
    return {name: str(id) for name, id in found.items()}


async def _record_with_attachment(tx: Tx) -> UUID:
    """Stores a learning record with an attachment."""
    described = {
        "usageType": "https://example.com/photo",
        "display": {"en": "Photo"},
        "contentType": "image/png",
        "length": 4,
        "sha2": "0" * 64,
    }
    value = {
        "actor": {"mbox": "mailto:ana@example.com"},
        "verb": {"id": "http://adlnet.gov/expapi/verbs/completed"},
        "object": {"id": "https://example.com/nr-35"},
        "attachments": [described],
    }
    received = read_statement(msgspec.json.encode(value), is_second=True)
    authority = {"mbox": "mailto:lrs@example.com"}
    statement = build_statement(received, authority, tx.now, is_second=True, sent={"0" * 64})
    photo = Attachment("0" * 64, "image/png", b"0000")
    assert await xapi.record(tx, [Submission([statement], [photo])]) == [None]
    return statement.id


async def _meet(world: World, settings: Settings, user_id: str) -> dict[str, str]:
    """Schedules a class, registers the person, and uploads a scan of the list of its session."""
    classes = await offer(world)
    made = await classes.create()
    registration = await classes.register(made, user_id)
    async with world.tx() as tx:
        head = await attendance_lists.find_head(tx, UUID(made["sessions"][0]["id"]))
        assert head is not None
        scan = NewScan("a.pdf", "application/pdf", b"%PDF-")
        scan_id = await scans.add(tx, file_store(settings), head, UUID(user_id), scan)
    return {
        "scan_id": str(scan_id),
        "class_id": made["id"],
        "class_session_id": made["sessions"][0]["id"],
        "registration_id": registration["id"],
        "class_course_id": str(classes.course_id),
        "class_module_id": str(classes.class_module),
    }


async def assess(world: World) -> dict[str, Any]:
    """Begins an assessment with a photo."""
    practice = await offer_practice(world)
    made = (await practice.record(await practice.enroll())).json()["data"]
    address = f"/admin/practice/assessments/{made['id']}"
    fields = {"item_id": practice.module["items"][0]["id"], "rating": "SATISFACTORY", "number": "1"}
    rated = await send(practice.assessor, f"{address}/items", {"photo": ("a.jpg", build_photo())}, **fields)
    assert rated.status_code == 303, rated.text
    (item, _) = (await practice.read(made["id"]))["items"]
    return {
        "practice_module_id": practice.module_id,
        "practice_assessment_id": made["id"],
        "photo_id": item["photo_id"],
    }


async def _add_lesson(world: World, course_id: UUID) -> UUID:
    """Adds an article with one version."""
    async with world.tx() as tx:
        new = NewModule(title=Title("Aula"), duration_minutes=1, required=False, body="")
        (module,) = await module_actions.add(tx, course_id, [new])
        await lessons.publish(tx, course_id, module.id, text("Um"), base=0, author_id=None)
        await translations.add_language(tx, course_id, "en")
    return module.id


async def credentials(world: World) -> list[str]:
    async with world.tx() as tx:
        return [
            row["line"]
            for table in ("api_keys", "oauth_clients", "scim_tokens", "xapi_keys")
            for row in await tx.rows(
                f"SELECT t::text AS line FROM {table} t WHERE tenant_id = :tenant ORDER BY 1"
            )
        ]


async def test_nothing_of_the_other_tenant_is_there_and_nothing_changes(
    world: World, stranger: World, settings: Settings
) -> None:
    ids = await ids_of(world, settings)
    client = await signed_in(stranger)
    before = await rows(world) + await credentials(world)
    wrong = []
    for surface, route in BY_ID:
        status = await tried(client, surface, route, ids)
        if status != 404:
            wrong.append((route.method, surface.prefixes[0] + route.path, status))
    assert wrong == []
    assert await rows(world) + await credentials(world) == before


async def test_to_its_own_administrator_all_of_it_is_there(world: World, settings: Settings) -> None:
    """Otherwise the test above would have proved nothing."""
    ids = await ids_of(world, settings)
    client = await signed_in(world)
    wrong = []
    for surface, route in BY_ID:
        if route.method != "GET" or surface.name != "panel" or route.path == "/editor/{name}":
            continue
        # of the person who made them
        if route.path.startswith(("/bulk-actions/", "/views/", "/questions/import/")):
            continue
        if route.path.endswith("/waive"):  # of cmi5 modules only: see test_waivers.py
            continue
        own = ids | {"module_id": ids["lesson_id"]} if route.tag in ("Lessons", "Translated lessons") else ids
        if route.path.endswith("/classes/new"):
            own = ids | {"course_id": ids["class_course_id"], "module_id": ids["class_module_id"]}
        status = await tried(client, surface, route, own)
        if status not in (200, 302, 303):
            wrong.append((route.path, status))
    assert wrong == []


@pytest.mark.parametrize("role", ["gestor", "instrutor", "learner"])
async def test_no_other_role_next_door_gets_further(
    world: World, stranger: World, settings: Settings, role: Any
) -> None:
    ids = await ids_of(world, settings)
    client: httpx2.AsyncClient = await signed_in(stranger, role)
    wrong = []
    for surface, route in BY_ID:
        status = await tried(client, surface, route, ids)
        if status not in (403, 404):
            wrong.append((route.method, surface.prefixes[0] + route.path, status))
    assert wrong == []
