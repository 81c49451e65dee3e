"""Measures how many certificates per second the worker renders, and how soon one is ready: `python -m bench
certificates`.

It measures both designs, unsigned and signed, from the due row to the stored file. The bound applies to
unsigned certificates, because a signature costs as much again.
"""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import get_args
from uuid import UUID

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import NoEncryption, pkcs12

from bench.company import TENANT, Company, blank_database
from bench.results import Row, Section, at_least, at_most
from trilha.core.database import Database
from trilha.core.file_store import open_file_store
from trilha.core.types import Name, Title
from trilha.training.certificates import actions
from trilha.training.certificates.pdf.jobs import RenderCertificates
from trilha.training.certificates.pdf.making import Maker
from trilha.training.certificates.pdf.paper import Design
from trilha.training.certificates.pdf.press import Press
from trilha.training.certificates.signatures import actions as identities
from trilha.training.certificates.signatures.identities import read
from trilha.training.certificates.signatures.signer import Signer
from trilha.training.certificates.templates import actions as templates
from trilha.training.certificates.templates.schema import NewTemplate
from trilha.training.certificates.templates.schema import Signer as Signatory
from trilha.training.courses import actions as courses
from trilha.training.courses.schema import CourseSlug, NewCourse, NewModule

ROUNDS = 3
PER_SECOND = 40.0
SECONDS = 5.0  # from completion to PDF


class Office:
    """A tenant whose people complete a course, and the worker that renders their certificates."""

    def __init__(self, database: Database, folder: Path) -> None:
        self.database = database
        files = open_file_store(None, folder / "files")
        self.press, self.signer = Press(folder / "scratch"), Signer(folder / "scratch")
        maker = Maker(files, self.press, self.signer, "https://learn.example.com")
        self.job = RenderCertificates(files, maker.prepare)
        self.course = UUID(int=0)

    async def found(self) -> None:
        modules = [NewModule(title=Title(f"Módulo {number}"), duration_minutes=90) for number in range(8)]
        new = NewCourse(title=Title("Direção defensiva"), slug=CourseSlug("bench"), modules=modules)
        async with self.database.transaction(TENANT) as tx:
            self.course = (await courses.publish(tx, (await courses.create(tx, new)).id)).id

    async def dress(self, design: Design) -> None:
        signatories = [Signatory(name=Name("Ana Beatriz Lima")), Signatory(name=Name("Carlos Souza"))]
        async with self.database.transaction(TENANT) as tx:
            made = await templates.create(
                tx, NewTemplate(name=Name(design), design=design, signatories=signatories)
            )
            await templates.make_default(tx, made.id)

    async def sign(self) -> None:
        async with self.database.transaction(TENANT) as tx:
            await identities.put(tx, read(_archive(), "", tx.now))

    async def complete(self, count: int) -> None:
        async with self.database.transaction(TENANT) as tx:
            rows = await tx.rows(
                """
                WITH people AS (
                    INSERT INTO users (tenant_id, name, email, role, created_at, updated_at)
                    SELECT :tenant, 'João Gonçalves de Araújo ' || n, gen_random_uuid() || '@example.com',
                           'learner', :now, :now
                    FROM generate_series(1, :count) AS n RETURNING id)
                INSERT INTO all_enrollments (tenant_id, user_id, course_id, status, progress, score,
                                             started_at, completed_at, created_at, updated_at)
                SELECT :tenant, id, :course, 'COMPLETED', 100, 92.5, :now, :now, :now, :now FROM people
                RETURNING id
                """,
                count=count,
                course=self.course,
            )
            await actions.issue_all(tx, {row["id"]: None for row in rows}, announced=False)

    async def empty(self) -> float:
        """Returns how many seconds it takes to render everything that is due."""
        began = time.perf_counter()
        while await self.job.run_once(self.database):
            pass
        return time.perf_counter() - began

    async def left(self) -> int:
        async with self.database.transaction(TENANT) as tx:
            count: int = await tx.value(
                "SELECT count(*) FROM certificates WHERE tenant_id = :tenant AND file_key IS NULL"
            )
        return count

    async def per_second(self, many: int) -> float:
        """Returns the median of some rounds with running processes."""
        await self.complete(8)
        await self.empty()
        measured = []
        for _ in range(ROUNDS):
            await self.complete(many)
            measured.append(many / await self.empty())
        return sorted(measured)[ROUNDS // 2]

    async def first(self) -> float:
        """Returns how long one certificate takes before any process runs."""
        await self.press.close()
        await self.signer.close()
        await self.complete(1)
        return await self.empty()

    async def close(self) -> None:
        await self.press.close()
        await self.signer.close()


async def run(company: Company, many: int) -> Section:
    rows: list[Row] = []
    async with blank_database(company, "certificates") as (_, database):
        office = Office(database, company.folder)
        await office.found()
        for design in get_args(Design):
            await office.dress(design)
            rows += await _measure(office, design, many, PER_SECOND)
        await office.sign()
        rows += await _measure(office, "modern, signed", many, 0)
        rows.append(at_most("Certificates without a PDF", await office.left(), 0, "certificates"))
        await office.close()
    return Section("Certificates", rows)


async def _measure(office: Office, what: str, many: int, bound: float) -> list[Row]:
    speed, first = await office.per_second(many), await office.first()
    name = f"Certificates, {what}, {many} at once in {office.press.workers.size} processes"
    return [
        at_least(name, speed, bound, "a second") if bound else Row(name, f"{speed:.1f} a second"),
        at_most(f"One certificate, {what}, no process running yet", first, SECONDS, "s"),
    ]


def _archive() -> bytes:
    key = rsa.generate_private_key(65537, 2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Bench")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=30))
        .sign(key, hashes.SHA256())
    )
    return pkcs12.serialize_key_and_certificates(None, key, certificate, None, NoEncryption())
