"""Calls that return the error codes of templates, signatures and services for video calls. Only pages do."""

from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from cryptography.hazmat.primitives.asymmetric import ed25519

from conftest import World
from contract.meeting_calls import MEETING_CALLS
from contract.quiz_calls import Call, acting
from training.certificates.costly_identities import with_rounds_of_mac
from training.certificates.holders import attach, completed, read
from training.certificates.test_signatures import NOW, PASSWORD, archive
from trilha.core.database import Tx
from trilha.core.file_store import open_file_store
from trilha.core.types import Name
from trilha.core.web.parsing import convert
from trilha.settings import Settings
from trilha.training.certificates.signatures import actions as signatures
from trilha.training.certificates.signatures import identities
from trilha.training.certificates.templates import actions, pictures, queries
from trilha.training.certificates.templates.schema import NewTemplate
from trilha.training.pedagogic_projects import actions as projects
from trilha.training.pedagogic_projects.schema import NewVersion, Project, Responsible


def _writing(**members: Any) -> Call:
    async def write(tx: Tx) -> None:
        await actions.create(tx, convert(NewTemplate, {"name": "Padrão"} | members, tx.today))

    return acting(write)


def _showing(size: int) -> Call:
    async def show(_: Tx) -> None:
        pictures.read(Path(__file__), size, "logo")

    return acting(show)


def _signing(content: bytes, password: str = PASSWORD) -> Call:
    async def read_and_sign(tx: Tx) -> None:
        await signatures.put(tx, identities.read(content, password, tx.now))

    return acting(read_and_sign)


async def _write_twice(tx: Tx) -> None:
    for _ in range(2):
        await actions.create(tx, NewTemplate(name=Name("Padrão")))


async def _use_what_is_archived(tx: Tx) -> None:
    made = await actions.create(tx, NewTemplate(name=Name("Padrão")))
    await actions.archive(tx, made.id)
    await actions.make_default(tx, made.id)


async def _publish_nothing(tx: Tx) -> None:
    course_id = await tx.value("SELECT id FROM courses WHERE tenant_id = :tenant LIMIT 1")
    await projects.prepare(tx, course_id)


async def _publish_late(tx: Tx) -> None:
    """Publishes a version whose number another one has taken meanwhile."""
    course_id = await tx.value("SELECT id FROM courses WHERE tenant_id = :tenant LIMIT 1")
    responsible = Responsible("Paula Prado")
    await projects.save(tx, course_id, Project(objectives="x", responsible=responsible))
    draft = await projects.prepare(tx, course_id)
    for _ in range(2):
        await projects.publish(tx, draft, NewVersion(uuid4(), draft.project, "x", bytes(32), 1))


def _with_course(call: Call) -> Call:
    async def run(world: World) -> Any:
        await world.course()
        return await call(world)

    return run


async def _show_unmade(world: World) -> Any:
    """Asks for a PDF/A-1b that cannot be made: the company's certificate has expired."""
    id = await completed(world)
    await attach(world, open_file_store(None, Settings().data_dir / "files"), id, b"%PDF-1.7")
    async with world.tx() as tx:
        await signatures.put(tx, identities.read(archive(), PASSWORD, tx.now))
        await tx.execute("UPDATE signing_identities SET not_after = :now WHERE tenant_id = :tenant")
    url = urlsplit((await read(world, id))["pdf_a1b_url"])
    return await world.client().get(f"http://trilha.test{url.path}?{url.query}")


PAPER_CALLS: dict[str, Call] = {
    **MEETING_CALLS,
    "unknown_placeholder": _writing(texts={"title": "{{salario}}"}),
    "too_little_contrast": _writing(colour="#ffff00"),
    "picture_missing": _writing(logo_from="own"),
    "picture_not_an_image": _showing(1),
    "picture_too_large": _showing(pictures.MAX_BYTES + 1),
    "template_name_exists": acting(_write_twice),
    "template_not_found": acting(lambda tx: queries.get(tx, uuid4())),
    "template_archived": acting(_use_what_is_archived),
    "identity_too_large": _signing(bytes(identities.MAX_BYTES + 1)),
    "identity_not_pkcs12": _signing(b"no archive"),
    "identity_wrong_password": _signing(archive(), "other"),
    "identity_too_costly": _signing(with_rounds_of_mac(archive())),
    "identity_without_key": _signing(archive(with_key=False)),
    "identity_weak_key": _signing(archive(ed25519.Ed25519PrivateKey.generate())),
    "identity_cannot_sign": _signing(archive(usage=False)),
    "identity_expired": _signing(archive(before=NOW - timedelta(days=9), days=1)),
    "identity_not_yet_valid": _signing(archive(before=NOW + timedelta(days=9))),
    "identity_not_found": acting(signatures.remove),
    "certificate_not_rendered": _show_unmade,
    "project_version_not_found": acting(lambda tx: projects.get_version(tx, uuid4(), 1)),
    "project_incomplete": _with_course(acting(_publish_nothing)),
    "project_not_rendered": _with_course(acting(_publish_late)),
}
