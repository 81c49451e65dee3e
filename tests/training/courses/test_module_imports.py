"""Packages, documents and videos through the API: by upload and from an address, until they are modules."""

import asyncio
import json
import logging
import signal
import sys
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest

from conftest import FIXTURES, World
from core.test_downloading import GUARD, leading, pour, sending, trickle, whole
from media_files import mp4, pdf, vtt, webm
from receiver import Answer, receiving
from training.scorm import packages
from training.scorm.packages import item, manifest, package, resource
from trilha.core.credentials import Scope
from trilha.core.database import Database
from trilha.core.file_store import FileStore
from trilha.core.outbound.downloading import Downloader
from trilha.platform.tenants.quotas import actions as quotas
from trilha.platform.tenants.quotas.schema import Quotas
from trilha.settings import Settings
from trilha.training.courses import media
from trilha.training.courses.imports import jobs, queries, rules
from trilha.training.courses.imports.jobs import AddPackages, FetchModules
from trilha.training.scorm import objects
from trilha.training.scorm.jobs import ImportPackages

TYPES = {"SCORM": "application/zip", "DOCUMENT": "application/pdf", "VIDEO": "video/webm"}
HTML = b"<!doctype html><title>Sign in</title>"


class Importing:
    """A course, and the worker's jobs that import into it."""

    def __init__(self, world: World, settings: Settings, course: str) -> None:
        self.world = world
        self.path = f"/v1/courses/{course}/modules"
        self.course = course
        self.scratch = settings.scratch
        self.files: FileStore = settings.open_files()
        downloader = Downloader(GUARD, most_bytes=5_000_000, grace=0.5, rate=1_000_000)
        self.fetching = FetchModules(self.files, settings.scratch, downloader)
        self.unpacking = ImportPackages(self.files, settings.scratch)

    async def send(self, raw: bytes, type: str = "SCORM", **options: Any) -> httpx2.Response:
        """Sends a file."""
        headers = options.pop("headers", {})
        http = options.pop("http", self.world.http)
        file = (options.pop("name", "nr-35.bin"), raw, TYPES.get(type, "text/plain"))
        fields = {"title": "NR-35", "type": type} | options
        return await http.post(self.path, data=fields, files={"file": file}, headers=headers)

    async def point(self, url: str, type: str = "SCORM", **options: Any) -> httpx2.Response:
        """Sends an address."""
        headers = options.pop("headers", {})
        body = {"title": "NR-35", "type": type, "source_url": url} | options
        return await self.world.http.post(self.path, json=body, headers=headers)

    async def work(self) -> None:
        """Runs every job until nothing is due."""
        tenant, database = self.world.tenant.id, self.world.database
        while (
            await self.fetching.run_next(database, tenant)
            or await self.unpacking.run_next(database, tenant)
            or await AddPackages().run_in(database, tenant)
        ):
            pass

    async def get(self, answer: httpx2.Response) -> dict[str, Any]:
        """Reads the status at the address that an answer names."""
        assert answer.status_code == 202, answer.text
        status = await self.world.http.get(answer.headers["location"])
        assert status.status_code == 200, status.text
        data: dict[str, Any] = status.json()["data"]
        return data

    async def finish(self, answer: httpx2.Response) -> dict[str, Any]:
        await self.work()
        return await self.get(answer)

    async def modules(self) -> list[tuple[str, str, int, bool]]:
        rows = (await self.world.http.get(self.path)).json()["data"]
        return [(row["title"], row["type"], row["duration_minutes"], row["required"]) for row in rows]

    def stored(self) -> set[str]:
        """Returns the keys of the tenant's files."""
        folder = self.files.local_path("x").parent  # type: ignore[union-attr]
        keys = [str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()]
        return {each for each in keys if str(self.world.tenant.id) in each}


@pytest.fixture
async def importing(world: World, settings: Settings) -> Importing:
    return Importing(world, settings, str(await world.course(modules=[], publish=False)))


def code(answer: httpx2.Response) -> tuple[int, str, str | None]:
    error = answer.json()["error"]
    return answer.status_code, error["code"], error.get("field")


async def test_a_document_that_is_sent_is_a_module_at_once(importing: Importing, world: World) -> None:
    before = len(await world.events("course.updated"))
    answer = await importing.send(pdf(3), "DOCUMENT", name="NR-35.pdf")
    found = await importing.get(answer)
    assert found == answer.json()["data"]
    assert answer.headers["location"] == f"/v1/module-imports/{found['id']}"
    assert (found["status"], found["type"], found["course_id"]) == ("SUCCEEDED", "DOCUMENT", importing.course)
    assert (found["report"], found["error"], len(found["module_ids"])) == (None, None, 1)
    # two minutes a page
    assert await importing.modules() == [("NR-35", "DOCUMENT", 6, True)]
    assert len(await world.events("course.updated")) == before + 1


@pytest.mark.parametrize("raw", [webm(2), mp4(90)])
async def test_a_video_that_is_sent_is_a_module_at_once(importing: Importing, raw: bytes) -> None:
    found = await importing.get(await importing.send(raw, "VIDEO", duration_minutes="7", required="false"))
    assert found["status"] == "SUCCEEDED"
    assert await importing.modules() == [("NR-35", "VIDEO", 7, False)]


async def test_a_package_that_is_sent_is_unpacked_first(importing: Importing) -> None:
    nested = packages.zipped([("curso/imsmanifest.xml", manifest()), ("curso/index.html", packages.PAGE)])
    answer = await importing.send(nested, duration_minutes="45")
    waiting = await importing.get(answer)
    assert (waiting["status"], waiting["report"], waiting["module_ids"]) == ("RUNNING", None, [])
    assert await importing.modules() == []
    found = await importing.finish(answer)
    assert (found["status"], found["error"]) == ("SUCCEEDED", None)
    report = found["report"]
    assert (report["verdict"], report["version"], report["scos"]) == ("accepted", "1.2", 1)
    assert report["findings"] == [
        {
            "severity": "info",
            "code": "nested_folder",
            "what": "The package is in a folder of the ZIP file.",
            "where": report["findings"][0]["where"],
            "fix": "No action is needed.",
        }
    ]
    assert await importing.modules() == [("NR-35", "SCORM", 45, True)]
    assert found["module_ids"] == [
        each["id"] for each in (await importing.world.http.get(importing.path)).json()["data"]
    ]


async def test_each_part_of_a_package_becomes_a_module(importing: Importing) -> None:
    items = item("i1", title="Um") + item("i2", title="Dois")
    resources = resource("r-i1", "index.html") + resource("r-i2", "dois.html")
    raw = package(("dois.html", packages.PAGE), xml=manifest(items, resources))
    found = await importing.finish(await importing.send(raw, duration_minutes="5"))
    assert await importing.modules() == [("Um", "SCORM", 3, True), ("Dois", "SCORM", 2, True)]
    assert len(found["module_ids"]) == 2


@pytest.mark.parametrize("code", ["bomb", "not_a_zip", "no_manifest"])
async def test_a_package_that_is_refused_says_why(importing: Importing, code: str) -> None:
    found = await importing.finish(await importing.send(packages.HOSTILE[code]()))
    assert (found["status"], found["module_ids"]) == ("FAILED", [])
    message = "The package was refused. Its report says why."
    assert found["error"] == {"code": "package_refused", "message": message}
    assert [each["code"] for each in found["report"]["findings"] if each["severity"] == "error"] == [code]
    assert await importing.modules() == []
    assert importing.stored() == set()


PACKAGES = FIXTURES / "scorm" / "packages"


@pytest.mark.skipif(not PACKAGES.is_dir(), reason="the fixtures are not on this machine")
@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("rustici_RuntimeMinimumCalls_SCORM12-mini.zip", "SUCCEEDED"),
        ("rustici_RuntimeBasicCalls_SCORM20043rdEdition.zip", "SUCCEEDED"),
        ("svincent_template_SCORM2004_4th.zip", "SUCCEEDED"),
        ("rustici_singlescobasic_missingorg.zip", "SUCCEEDED"),
        ("imscp_test_quiz.zip", "SUCCEEDED"),
        ("../generated/evil_laughs.zip", "FAILED"),
        ("../generated/evil_slip.zip", "FAILED"),
    ],
)
async def test_packages_of_other_tools_are_fetched(importing: Importing, name: str, status: str) -> None:
    raw = (PACKAGES / name).read_bytes()
    async with receiving(whole(raw)) as server:
        found = await importing.finish(await importing.point(server.url))
    assert found["status"] == status, found
    assert found["report"]["verdict"] == ("accepted" if status == "SUCCEEDED" else "refused")
    assert len(await importing.modules()) == len(found["module_ids"])
    assert bool(found["module_ids"]) == (status == "SUCCEEDED")


@pytest.mark.parametrize(("type", "raw"), [("DOCUMENT", pdf(2)), ("VIDEO", webm(2)), ("SCORM", package())])
async def test_a_file_is_fetched_from_its_address(importing: Importing, type: str, raw: bytes) -> None:
    async with receiving(leading("/files/nr-35"), whole(raw)) as server:
        answer = await importing.point(server.url, type, duration_minutes=4)
        waiting = await importing.get(answer)
        assert (waiting["status"], waiting["module_ids"]) == ("PENDING", [])
        found = await importing.finish(answer)
    assert (found["status"], found["error"]) == ("SUCCEEDED", None)
    assert await importing.modules() == [("NR-35", type, 4, True)]
    assert not list(importing.scratch.glob("fetch-*"))


async def test_an_address_is_stored_sealed_and_told_to_nobody(
    importing: Importing, world: World, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    async with receiving(sending(b"HTTP/1.1 404 X\r\ncontent-length: 0\r\n\r\n")) as server:
        answer = await importing.point(f"{server.url}?signature=s3cret", "DOCUMENT")
        async with world.tx() as tx:
            stored = await tx.rows("SELECT * FROM module_imports WHERE tenant_id = :tenant")
            assert b"s3cret" not in bytes(stored[0]["source_url"])
        assert server.calls == []
        found = await importing.finish(answer)
        assert server.calls[0].line == "GET /hook?signature=s3cret HTTP/1.1"
    async with world.tx() as tx:
        after = [{**row} for row in await tx.rows("SELECT * FROM module_imports WHERE tenant_id = :tenant")]
        records = [{**row} for row in await tx.rows("SELECT * FROM audit_records WHERE tenant_id = :tenant")]
    assert after[0]["source_url"] is None
    assert [each["detail"] for each in records if each["action"] == "course.import_started"] == [
        {"type": "DOCUMENT"}
    ]
    out = capfd.readouterr()
    for shown in (answer.text, json.dumps(found), str(after), str(records), caplog.text, out.out, out.err):
        assert "s3cret" not in shown


@pytest.mark.parametrize(
    ("answer", "type", "expected"),
    [
        (sending(b"HTTP/1.1 403 X\r\ncontent-length: 0\r\n\r\n"), "DOCUMENT", "unexpected_status"),
        (leading("http://10.0.0.1/"), "DOCUMENT", "address_not_allowed"),
        (leading("http://169.254.169.254/"), "SCORM", "address_not_allowed"),
        (leading("/again"), "DOCUMENT", "too_many_redirects"),
        (sending(b"HTTP/1.1 200 OK\r\n\r\n", trickle), "VIDEO", "timeout"),
        (sending(b"HTTP/1.1 200 OK\r\n\r\n", pour), "SCORM", "too_large"),
        (sending(b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n%PDF-"), "DOCUMENT", "invalid_response"),
        (whole(HTML), "DOCUMENT", "wrong_media_type"),
        (whole(HTML), "VIDEO", "wrong_media_type"),
        (whole(pdf(1)), "VIDEO", "wrong_media_type"),
        (whole(b"%PDF-1.7 and nothing more"), "DOCUMENT", "document_unreadable"),
        (whole(webm(1, duration=False)), "VIDEO", "video_without_length"),
        (whole(HTML), "SCORM", "package_refused"),
        (whole(b""), "SCORM", "package_refused"),
    ],
)
async def test_a_failed_import_says_why(
    importing: Importing, answer: Answer, type: str, expected: str
) -> None:
    async with receiving(answer) as server:
        found = await importing.finish(await importing.point(server.url, type))
    assert (found["status"], found["error"]["code"], found["module_ids"]) == ("FAILED", expected, [])
    assert found["error"]["message"] == rules.find_message(expected)
    assert await importing.modules() == []
    assert importing.stored() == set()
    assert not list(importing.scratch.glob("fetch-*"))


def test_every_code_of_a_failed_import_has_a_sentence() -> None:
    assert all(rules.find_message(each).endswith(".") for each in rules.MESSAGES)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("ftp://files.example.com/a.zip", "https_required"),
        ("https://user:password@files.example.com/a.zip", "invalid_url"),
        ("https://10.0.0.1/a.zip", "address_not_allowed"),
        ("https://[::ffff:10.0.0.1]/a.zip", "address_not_allowed"),
        ("https://files.example.com/a.zip#part", "invalid_url"),
    ],
)
async def test_an_address_that_is_not_allowed_is_refused(
    importing: Importing, url: str, expected: str
) -> None:
    assert code(await importing.point(url)) == (400, expected, "source_url")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"type": "DOCUMENT"}, ("required", "source_url")),
        ({"type": "SCORM", "source_url": ""}, ("too_short", "source_url")),
        ({"type": "SCORM", "source_url": "https://a.example.com/" + "a" * 2048}, ("too_long", "source_url")),
        ({"type": "SCORM", "source_url": "https://a.example.com/", "body": "A"}, ("invalid_value", "body")),
        ({"body": "A", "source_url": "https://a.example.com/"}, ("invalid_value", "source_url")),
        ({"type": "AUDIO", "source_url": "https://a.example.com/"}, ("invalid_value", "type")),
    ],
)
async def test_members_that_do_not_go_together_are_refused(
    importing: Importing, body: dict[str, Any], expected: tuple[str, str]
) -> None:
    answer = await importing.world.http.post(importing.path, json={"title": "A"} | body)
    assert code(answer) == (400, *expected)


@pytest.mark.parametrize(
    ("type", "raw", "expected"),
    [
        ("DOCUMENT", HTML, "wrong_media_type"),
        ("DOCUMENT", webm(1), "wrong_media_type"),
        ("DOCUMENT", b"", "wrong_media_type"),
        ("VIDEO", vtt("A"), "wrong_media_type"),
        ("DOCUMENT", b"%PDF-1.7 and nothing more", "document_unreadable"),
        ("VIDEO", webm(1, duration=False), "video_without_length"),
    ],
)
async def test_a_file_that_no_module_shows_is_refused(
    importing: Importing, type: str, raw: bytes, expected: str
) -> None:
    assert code(await importing.send(raw, type)) == (400, expected, "file")
    assert importing.stored() == set()


async def test_forms_are_checked_like_json(importing: Importing, world: World) -> None:
    post = world.http.post
    answer = await post(importing.path, data={"type": "SCORM"}, files={"file": ("a", b"x")})
    assert code(answer) == (400, "required", "title")
    answer = await post(importing.path, data={"title": "A", "type": "SCORM"}, files={"other": ("a", b"x")})
    assert {each["field"]: each["code"] for each in answer.json()["error"]["detail"]} == {
        "file": "required",
        "other": "unknown_field",
    }
    assert code(await importing.send(pdf(1), "ARTICLE"))[1:] == ("invalid_value", "type")
    answer = await importing.send(pdf(1), "DOCUMENT", required="maybe")
    assert code(answer)[1:] == ("invalid_type", "required")
    answer = await importing.send(pdf(1), "DOCUMENT", duration_minutes="-1")
    assert code(answer)[1:] == ("out_of_range", "duration_minutes")
    text = {"title": "A", "type": "SCORM", "file": "text"}
    answer = await post(importing.path, data=text, files={"x": b""})
    assert answer.status_code == 400
    answer = await post(importing.path, content=b"x", headers={"content-type": "multipart/form-data"})
    assert code(answer) == (400, "invalid_text", "body")
    answer = await post(importing.path, content=b"x", headers={"content-type": "text/plain"})
    assert code(answer)[:2] == (415, "unsupported_media_type")
    kind = "multipart/form-data; boundary=b"
    headers = {"content-type": kind, "content-length": str(media.MAX_BYTES * 2)}
    large = await post(importing.path, content=b"x", headers=headers)
    assert code(large)[:2] == (413, "payload_too_large")
    assert importing.stored() == set()


async def test_a_key_makes_a_form_safe_to_repeat(importing: Importing) -> None:
    """Each form has a boundary of its own, so its fields and files are compared, not its bytes."""
    keyed = {"headers": {"idempotency-key": "k"}}
    first, again = [await importing.send(package(), **keyed) for _ in range(2)]
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.request.headers["content-type"] != again.request.headers["content-type"]
    assert again.content == first.content
    assert again.headers["location"] == first.headers["location"]
    assert (first.headers.get("idempotent-replayed"), again.headers["idempotent-replayed"]) == (None, "true")
    # The file that was sent again is gone.
    first_id = UUID(first.json()["data"]["id"])
    assert importing.stored() == {objects.archive(importing.world.tenant.id, first_id)}
    other = await importing.send(package(("a.txt", b"a")), **keyed)
    assert code(other)[:2] == (409, "idempotency_key_reused")
    assert code(await importing.send(package(), title="B", **keyed))[:2] == (409, "idempotency_key_reused")
    assert len((await importing.world.http.get("/v1/module-imports")).json()["data"]) == 1
    url = "https://files.example.com/a.zip"
    keyed = {"headers": {"idempotency-key": "j"}}
    first, again = [await importing.point(url, **keyed) for _ in range(2)]
    assert (again.content, again.headers["location"]) == (first.content, first.headers["location"])


async def test_the_list_is_filtered(importing: Importing, world: World) -> None:
    done = (await importing.send(pdf(1), "DOCUMENT")).json()["data"]
    world.clock.move(seconds=1)
    waiting = (await importing.point("https://files.example.com/a.zip")).json()["data"]

    async def listed(**query: str) -> list[str]:
        answer = await world.http.get("/v1/module-imports", params=query)
        assert answer.status_code == 200, answer.text
        return [each["id"] for each in answer.json()["data"]]

    assert await listed() == [waiting["id"], done["id"]]
    assert await listed(status="succeeded") == [done["id"]]
    assert await listed(status="PENDING", course_id=importing.course) == [waiting["id"]]
    assert await listed(course_id=str(uuid4())) == []
    assert code(await world.http.get("/v1/module-imports?status=DONE")) == (400, "invalid_value", "status")
    assert code(await world.http.get(f"/v1/module-imports/{uuid4()}"))[:2] == (404, "module_import_not_found")


async def test_scopes_and_other_tenants(importing: Importing, stranger: World, world: World) -> None:
    reader = world.client(await world.key(Scope.COURSES_READ))
    async with reader:
        assert (await importing.send(pdf(1), "DOCUMENT", http=reader)).status_code == 403
    theirs = await importing.send(pdf(1), "DOCUMENT", http=stranger.http)
    assert code(theirs)[:2] == (404, "course_not_found")
    body = {"title": "A", "type": "SCORM", "source_url": "https://files.example.com/a.zip"}
    assert code(await stranger.http.post(importing.path, json=body))[:2] == (404, "course_not_found")
    answer = await importing.send(pdf(1), "DOCUMENT")
    status = await stranger.http.get(answer.headers["location"])
    assert code(status)[:2] == (404, "module_import_not_found")
    async with stranger.tx() as tx:
        assert await tx.value("SELECT count(*) FROM media_files WHERE tenant_id = :tenant") == 0
    folder = importing.files.local_path(media.of_tenant(stranger.tenant.id))
    assert folder is not None
    assert not [each for each in folder.rglob("*") if each.is_file()]


async def test_what_does_not_fit_the_plan_is_refused_or_fails(importing: Importing, world: World) -> None:
    async with world.tx() as tx:
        await quotas.set_quotas(tx, Quotas(max_storage_bytes=10))
    for raw, type in ((pdf(1), "DOCUMENT"), (package(), "SCORM")):
        assert code(await importing.send(raw, type))[:2] == (422, "quota_exceeded")
        async with receiving(whole(raw)) as server:
            found = await importing.finish(await importing.point(server.url, type))
        assert (found["status"], found["error"]["code"]) == ("FAILED", "quota_exceeded")
    assert importing.stored() == set()


async def test_a_course_that_is_full_fails_the_import(
    importing: Importing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trilha.training.courses.rules.MAX_MODULES", 0)
    assert code(await importing.send(pdf(1), "DOCUMENT"))[:2] == (422, "too_many_modules")
    found = await importing.finish(await importing.send(package()))
    assert (found["status"], found["error"]["code"]) == ("FAILED", "too_many_modules")
    assert found["report"]["verdict"] == "accepted"


async def test_only_so_many_wait_at_a_time(importing: Importing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "MAX_OPEN", 1)
    url = "https://files.example.com/a.zip"
    assert (await importing.point(url)).status_code == 202
    assert code(await importing.point(url))[:2] == (409, "too_many_imports")
    assert code(await importing.send(pdf(1), "DOCUMENT"))[:2] == (409, "too_many_imports")


async def test_the_limit_holds_for_requests_at_once(
    importing: Importing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "MAX_OPEN", 2)
    calls = [importing.point("https://files.example.com/a.zip") for _ in range(8)]
    statuses = sorted(answer.status_code for answer in await asyncio.gather(*calls))
    assert statuses == [202] * 2 + [409] * 6


async def test_files_into_one_course_at_once_are_all_added(importing: Importing) -> None:
    answers = await asyncio.gather(*(importing.send(pdf(n + 1), "DOCUMENT") for n in range(6)))
    assert [(await importing.get(answer))["status"] for answer in answers] == ["SUCCEEDED"] * 6
    assert len(await importing.modules()) == 6


async def test_a_regulated_course_needs_the_minutes_of_its_files(importing: Importing, world: World) -> None:
    regulation = {"kind": "other", "minimum_workload_minutes": 1, "required_profile_fields": []}
    course = f"/v1/courses/{importing.course}"
    assert (await world.http.patch(course, json={"regulation": regulation})).status_code == 200
    assert (await importing.send(pdf(1), "DOCUMENT")).status_code == 202
    assert code(await world.http.post(f"{course}/publish"))[:2] == (422, "modules_without_minutes")
    module = (await world.http.get(importing.path)).json()["data"][0]["id"]
    changed = await world.http.patch(f"{importing.path}/{module}", json={"duration_minutes": 2})
    assert changed.status_code == 200
    assert (await world.http.post(f"{course}/publish")).status_code == 200


async def test_who_asked_is_in_the_audit_log(importing: Importing, world: World) -> None:
    async with receiving(whole(package())) as server:
        await importing.finish(await importing.point(server.url))
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            SELECT action, actor_kind FROM audit_records
            WHERE tenant_id = :tenant
              AND action NOT IN ('course.created', 'api_key.created', 'tenant.created')
            """
        )
    assert sorted((row["action"], row["actor_kind"]) for row in rows) == [
        ("course.import_started", "api_key"),
        ("course.updated", "api_key"),
        ("package.imported", "api_key"),
        ("package.uploaded", "api_key"),
    ]


async def test_a_fetch_is_begun_again_when_its_lease_is_over(importing: Importing, world: World) -> None:
    async with receiving(whole(package())) as server:
        answer = await importing.point(server.url)
        async with world.tx() as tx:
            running = await queries.claim(tx, tx.now + rules.LEASE)
        assert running is not None
        (importing.scratch / f"fetch-{running.id}.1").mkdir(parents=True)
        await importing.work()
        assert (await importing.get(answer))["status"] == "RUNNING"
        world.clock.move(seconds=31)
        assert (await importing.finish(answer))["status"] == "SUCCEEDED"
    async with world.tx() as tx:
        assert not await queries.extend_lease(tx, running, tx.now)
        assert not await queries.leave_fetching(tx, running)
    assert len(await importing.modules()) == 1
    assert not list(importing.scratch.glob("fetch-*"))


async def test_an_address_of_a_lost_master_key_ends_the_import(importing: Importing, world: World) -> None:
    answer = await importing.point("https://files.example.com/a.zip")
    async with world.tx() as tx:
        await tx.execute("UPDATE module_imports SET source_url = 'x' WHERE tenant_id = :tenant")
    found = await importing.finish(answer)
    assert (found["status"], found["error"]["code"]) == ("FAILED", "address_unreadable")


async def test_a_fetch_is_not_begun_for_ever(importing: Importing, world: World) -> None:
    answer = await importing.point("https://files.example.com/a.zip")
    for _ in range(rules.MAX_TRIES):
        async with world.tx() as tx:
            assert await queries.claim(tx, tx.now + rules.LEASE) is not None
        world.clock.move(seconds=31)
    found = await importing.finish(answer)
    assert (found["status"], found["error"]["code"]) == ("FAILED", "tried_too_often")


async def test_who_lost_the_lease_adds_nothing(importing: Importing, world: World) -> None:
    """Another worker takes over while the file is fetched, and both have it in the end."""

    async def take_over(writer: asyncio.StreamWriter) -> None:
        world.clock.move(seconds=31)
        async with world.tx() as tx:
            assert await queries.claim(tx, tx.now + rules.LEASE) is not None

    raw = pdf(1)
    head = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(raw)
    async with receiving(sending(head + raw, take_over), whole(raw)) as server:
        answer = await importing.point(server.url, "DOCUMENT")
        assert await importing.fetching.run_next(world.database, world.tenant.id) == 1
        assert (await importing.get(answer))["status"] == "RUNNING"
        assert importing.stored() == set()
        world.clock.move(seconds=31)
        assert (await importing.finish(answer))["status"] == "SUCCEEDED"
    assert len(await importing.modules()) == 1


SCRIPT = """
import asyncio, os, sys
from datetime import datetime
from pathlib import Path
from uuid import UUID
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.file_store import open_file_store
from trilha.core.net import parse_networks
from trilha.core.outbound.downloading import Downloader
from trilha.core.outbound.guard import Guard
from trilha.core.secrets import Keyring
from trilha.training.courses.imports.jobs import FetchModules

async def work(url, tenant, now, folder):
    keyring = Keyring([b"k" * 32])
    database = Database(serving_urls(url, keyring), lambda: datetime.fromisoformat(now), keyring, size=2)
    await database.open()
    guard = Guard(parse_networks("127.0.0.0/8"), plain_http=True)
    files = open_file_store(None, Path(folder) / "files")
    job = FetchModules(files, Path(folder) / "scratch", Downloader(guard, most_bytes=5_000_000))
    await job.run_next(database, UUID(tenant))

asyncio.run(work(*sys.argv[1:]))
"""


async def test_a_worker_that_is_killed_while_it_fetches_loses_nothing(
    importing: Importing, world: World, settings: Settings
) -> None:
    begun = asyncio.Event()

    async def wait(writer: asyncio.StreamWriter) -> None:
        begun.set()
        await trickle(writer)

    raw = package()
    head = b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n"
    async with receiving(sending(head, wait), whole(raw)) as server:
        answer = await importing.point(server.url)
        arguments = (world.url, str(world.tenant.id), world.clock.now.isoformat(), str(settings.data_dir))
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", SCRIPT, *arguments)
        async with asyncio.timeout(30):
            await begun.wait()
        process.send_signal(signal.SIGKILL)
        await process.wait()
        assert (await importing.get(answer))["status"] == "RUNNING"
        assert len(list(importing.scratch.glob("fetch-*"))) == 1
        world.clock.move(seconds=31)
        assert (await importing.finish(answer))["status"] == "SUCCEEDED"
    assert len(await importing.modules()) == 1
    assert not list(importing.scratch.glob("fetch-*"))


async def test_a_worker_that_ends_does_not_wait_for_a_slow_server(importing: Importing, world: World) -> None:
    begun = asyncio.Event()

    async def wait(writer: asyncio.StreamWriter) -> None:
        begun.set()
        await trickle(writer)

    head = b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n"

    class OwnFetching(FetchModules):
        """Leaves alone what other tests have sent."""

        async def due_tenants(self, database: Database, start: UUID | None = None) -> list[UUID]:
            return [world.tenant.id]

    patient = OwnFetching(
        importing.files, importing.scratch, Downloader(GUARD, most_bytes=5_000_000, seconds=60)
    )
    async with receiving(sending(head, wait), whole(package())) as server:
        answer = await importing.point(server.url)
        async with asyncio.timeout(60):
            while not begun.is_set():
                await patient.run_once(world.database)
            await patient.close()
        assert (await importing.get(answer))["status"] == "RUNNING"
        assert not list(importing.scratch.glob("fetch-*"))
        world.clock.move(seconds=31)
        assert (await importing.finish(answer))["status"] == "SUCCEEDED"
    assert len(await importing.modules()) == 1


async def test_a_package_is_added_once_by_two_workers(importing: Importing, world: World) -> None:
    answer = await importing.send(package())
    await importing.unpacking.run_next(world.database, world.tenant.id)
    adding = AddPackages()
    await asyncio.gather(*(adding.run_in(world.database, world.tenant.id) for _ in range(4)))
    assert (await importing.get(answer))["status"] == "SUCCEEDED"
    assert len(await importing.modules()) == 1


async def test_the_worker_finds_what_is_due(importing: Importing, world: World) -> None:
    tenant = world.tenant.id
    assert tenant not in await importing.fetching.due_tenants(world.database, tenant)
    await importing.point("https://files.example.com/a.zip")
    assert tenant in await importing.fetching.due_tenants(world.database, tenant)
    assert tenant not in await AddPackages().due_tenants(world.database, tenant)
    await importing.send(package())
    assert tenant in await AddPackages().due_tenants(world.database, tenant)


async def test_imports_are_deleted_a_month_after_their_end(importing: Importing, world: World) -> None:
    answer = await importing.send(pdf(1), "DOCUMENT")
    world.clock.move(days=29)
    assert await jobs.PRUNE.run_in(world.database, world.tenant.id) == 0
    world.clock.move(days=2)
    assert world.tenant.id in await jobs.PRUNE.due_tenants(world.database, world.tenant.id)
    assert await jobs.PRUNE.run_in(world.database, world.tenant.id) == 1
    status = await world.http.get(answer.headers["location"])
    assert code(status)[:2] == (404, "module_import_not_found")
    assert len(await importing.modules()) == 1


async def test_a_published_course_takes_files_and_an_archived_one_too(
    importing: Importing, world: World
) -> None:
    """As in the panel: what is added counts from the next look at the course on."""
    course = f"/v1/courses/{importing.course}"
    await importing.send(pdf(1), "DOCUMENT")
    for step in ("publish", "archive"):
        assert (await world.http.post(f"{course}/{step}")).status_code == 200
        assert (await importing.get(await importing.send(pdf(2), "DOCUMENT")))["status"] == "SUCCEEDED"
    assert len(await importing.modules()) == 3


def test_the_name_in_an_address_is_for_people() -> None:
    assert rules.name_of_url("https://a.example.com/x/NR%2035.pdf?sig=s") == "NR 35.pdf"
    assert rules.name_of_url("https://a.example.com") == ""
    assert len(rules.name_of_url("https://a.example.com/" + "a" * 1000 + ".pdf")) == 200
    assert rules.name_of_url("https://a.example.com/%00%FF.zip") == "\ufffd\ufffd.zip"
    # perhaps a secret
    assert rules.name_of_url("https://a.example.com/s/Zk3xT9qLw2") == ""
    assert rules.name_of_url("https://a.example.com/s/eyJhbGciOi.eyJzdWIiOi") == ""
