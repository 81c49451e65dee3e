"""The papers that the law asks for: PDF/A-1b beside PDF/A-3b, with classes, rooms and instructors in both."""

import asyncio
import hashlib
import io
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pypdf
import pytest

from conftest import World
from training.certificates.paperwork import Paperwork
from training.certificates.test_papers import LIBRARY, RTL, dress, ran, text_of
from training.certificates.test_signatures import PASSWORD, archive
from training.classes.classes import offer
from trilha.settings import Settings
from trilha.training.certificates import unscoped
from trilha.training.certificates.signatures import actions as signatures
from trilha.training.certificates.signatures import identities
from trilha.training.classes import panel_queries
from trilha.training.pedagogic_projects import queries as projects
from trilha.training.signatures import actions as signing

REGULATION = {"kind": "occupational_safety", "required_profile_fields": []}


@pytest.fixture
async def paperwork(world: World, settings: Settings) -> AsyncIterator[Paperwork]:
    """A world's certificates, with the files of its app."""
    made = Paperwork(world, settings.data_dir)
    yield made
    await made.close()


async def attend(world: World, **members: Any) -> dict[str, Any]:
    """Completes a course by a class in a room. Returns the certificate."""
    classes = await offer(world, regulation=REGULATION, **members)
    instructor = await world.user(name="Ivo Instrutor")
    made = await classes.create(
        classes.session(-30, 4, room="Sala 7 do galpão", instructor_ids=[instructor["id"]]), title="Turma A"
    )
    registration = await classes.register(made, (await world.user(name="Ana Trabalhadora"))["id"])
    await classes.attend(made["sessions"][0]["id"], {registration["user_id"]: 240})
    await classes.judge()
    [certificate] = (await world.http.get("/v1/certificates")).json()["data"]
    data: dict[str, Any] = certificate
    return data


async def fetch(world: World, url: str) -> bytes:
    parts = urlsplit(url)
    answer = await world.client().get(f"http://trilha.test{parts.path}?{parts.query}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/pdf"
    return answer.content


async def test_both_papers_name_worker_instructors_and_room(paperwork: Paperwork, tmp_path: Path) -> None:
    world = paperwork.world
    certificate = await attend(world)
    assert (certificate["pdf_url"], certificate["pdf_a1b_url"]) == (None, None)
    assert await paperwork.run() == 1
    ready = (await world.http.get(f"/v1/certificates/{certificate['id']}")).json()["data"]
    assert urlsplit(ready["pdf_a1b_url"]).path.endswith("-pdfa1b.pdf")
    papers = {name: await fetch(world, ready[name]) for name in ("pdf_url", "pdf_a1b_url")}
    assert papers["pdf_url"] != papers["pdf_a1b_url"]
    assert papers["pdf_a1b_url"].startswith(b"%PDF-1.4")
    for paper in papers.values():
        text = text_of(paper, tmp_path)
        for words in (
            "Ana Trabalhadora",
            "Ivo Instrutor",
            "Sala 7 do galpão",
            "Prática",
            "Teoria presencial",
        ):
            assert words in text, text
    again = await asyncio.gather(*(fetch(world, ready["pdf_a1b_url"]) for _ in range(3)))
    assert set(again) == {papers["pdf_a1b_url"]}
    found = await unscoped.find_by_file(world.database, hashlib.sha256(papers["pdf_a1b_url"]).digest())
    assert found is not None
    assert found.id == UUID(certificate["id"])


async def publish_project(world: World, course_id: UUID, number: int) -> None:
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO pedagogic_project_versions (tenant_id, id, course_id, number, contents, file_key,
                                                    file_sha256, file_size, actor_kind, actor, created_at)
            VALUES (:tenant, gen_random_uuid(), :course_id, :number, :contents, 'x', sha256('x'), 1, 'cli',
                    'x', :now)
            """,
            course_id=course_id,
            number=number,
            contents={"responsible": {"name": f"Paula {number}", "role": "", "register_number": ""}},
        )
        await projects.set_version_of_classes(tx, course_id, number)


@pytest.mark.parametrize("kind", ["DRAWN", "PASSKEY"])
async def test_they_show_the_workers_signature_and_the_project_of_the_class(
    paperwork: Paperwork, tmp_path: Path, kind: str
) -> None:
    world = paperwork.world
    classes = await offer(world, regulation=REGULATION)
    await publish_project(world, classes.course_id, 1)
    made = await classes.create(classes.session(-30, 4, room="Sala 7"), title="Turma A")
    later = await classes.create(classes.session(30, 4), title="Turma B")
    # The class has started, so that it stays with its version.
    await publish_project(world, classes.course_id, 2)
    async with world.tx() as tx:
        versions = [await panel_queries.find_project_version(tx, UUID(each["id"])) for each in (made, later)]
    assert versions == [1, 2]
    user_id = UUID((await world.user(name="Ana Trabalhadora"))["id"])
    await classes.register(made, str(user_id))
    session_id = UUID(made["sessions"][0]["id"])
    await classes.attend(str(session_id), {str(user_id): 240})
    async with world.tx() as tx:
        purpose, digest = "attendance", "a" * 64
        if kind == "DRAWN":
            drawing = "[[10, 10, 200, 100, 400, 20]]"
            await signing.sign_by_drawing(tx, user_id, purpose, session_id, digest, drawing)
        else:
            evidence = {"signature": "x"}
            await signing.sign_by_passkey(tx, user_id, purpose, session_id, digest, evidence)
    await classes.judge()
    [certificate] = (await world.http.get("/v1/certificates")).json()["data"]
    assert await paperwork.run() == 1
    ready = (await world.http.get(f"/v1/certificates/{certificate['id']}")).json()["data"]
    for name in ("pdf_url", "pdf_a1b_url"):
        paper = await fetch(world, ready[name])
        text = text_of(paper, tmp_path)
        how = "assinado na tela em" if kind == "DRAWN" else "assinado com chave de acesso em"
        for words in (how, "versão 1", "Paula 1"):
            assert words in text, text
        images = [image for page in pypdf.PdfReader(io.BytesIO(paper)).pages for image in page.images]
        assert len(images) == (1 if kind == "DRAWN" else 0), name


async def test_two_first_requests_get_the_same_bytes(paperwork: Paperwork) -> None:
    world = paperwork.world
    [id] = await paperwork.issue()
    await paperwork.run()
    ready = (await world.http.get(f"/v1/certificates/{id}")).json()["data"]
    assert len(set(await asyncio.gather(*(fetch(world, ready["pdf_a1b_url"]) for _ in range(2))))) == 1
    async with world.tx() as tx:
        rows = await tx.rows("SELECT file_key FROM certificate_papers WHERE tenant_id = :tenant")
    assert {row["file_key"] for row in rows} < paperwork.stored()
    of_tenant = {each for each in paperwork.stored() if str(world.tenant.id) in each}
    assert len(of_tenant) == 2


async def test_a_paper_that_cannot_be_made_is_told(paperwork: Paperwork) -> None:
    world = paperwork.world
    [id] = await paperwork.issue()
    await paperwork.run()
    async with world.tx() as tx:
        await signatures.put(tx, identities.read(archive(), PASSWORD, tx.now))
        await tx.execute("UPDATE signing_identities SET not_after = :now WHERE tenant_id = :tenant")
    url = urlsplit((await world.http.get(f"/v1/certificates/{id}")).json()["data"]["pdf_a1b_url"])
    answer = await world.client().get(f"http://trilha.test{url.path}?{url.query}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "certificate_not_rendered")


async def test_an_erased_person_has_no_paper(paperwork: Paperwork) -> None:
    world = paperwork.world
    [id] = await paperwork.issue()
    await paperwork.run()
    ready = (await world.http.get(f"/v1/certificates/{id}")).json()["data"]
    await fetch(world, ready["pdf_a1b_url"])
    async with world.tx() as tx:
        await tx.execute(
            """
            UPDATE certificates SET holder_name = NULL, holder_cpf = NULL, holder_cpf_masked = NULL,
                   badge = NULL, erased_at = :now WHERE tenant_id = :tenant
            """
        )
    url = urlsplit(ready["pdf_a1b_url"])
    assert (await world.client().get(f"http://trilha.test{url.path}?{url.query}")).status_code == 404


async def test_an_independent_validator_finds_both_forms(paperwork: Paperwork, tmp_path: Path) -> None:
    if not LIBRARY.is_dir() or shutil.which("java") is None:
        pytest.skip("veraPDF is not installed: see tests/training/certificates/verapdf/pom.xml")
    world = paperwork.world
    await attend(world)
    await dress(paperwork, design="modern", orientation="portrait")
    await paperwork.issue([f"{RTL} 山田 👩‍🚀"])
    async with world.tx() as tx:
        await signatures.put(tx, identities.read(archive(), PASSWORD, tx.now))
    await paperwork.run()
    names = []
    for number, each in enumerate((await world.http.get("/v1/certificates")).json()["data"]):
        for form in ("pdf_url", "pdf_a1b_url"):
            names.append(f"{number}{form}.pdf")
            (tmp_path / names[-1]).write_bytes(await fetch(world, each[form]))
    found = ran(tmp_path, "java", *("-cp", f"{LIBRARY}/*", LIBRARY.parent / "Check.java", *names))
    declared = {"pdf_url": "3b", "pdf_a1b_url": "1b"}
    assert [line for line in found.splitlines() if line.startswith(("true", "false"))] == [
        f"true {name} declares {declared[name[1:-4]]}" for name in names
    ], found
