"""Issues and renders certificates without anyone taking a course."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from conftest import World
from trilha.core.database import Tx
from trilha.core.file_store import FileStore, open_file_store
from trilha.core.sealed_files import SealedFiles
from trilha.people.users import sealing
from trilha.people.users.documents import Cpf
from trilha.training.certificates import actions
from trilha.training.certificates.pdf.jobs import RenderCertificates
from trilha.training.certificates.pdf.making import Maker
from trilha.training.certificates.pdf.press import Press
from trilha.training.certificates.schema import Evidence
from trilha.training.certificates.signatures.signer import Signer

ADDRESS = "https://learn.example.com"
EVIDENCE = Evidence(7, bytes(range(32)))


class Paperwork:
    """A tenant's certificates, the worker's rendering job, and its file folder."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.folder = folder
        self.files: FileStore = open_file_store(None, folder / "files")
        self.press = Press(folder / "scratch")
        self.signer = Signer(folder / "scratch")
        self.address = ADDRESS
        self.job = self.new_job()

    def new_job(self) -> RenderCertificates:
        return RenderCertificates(
            self.files, Maker(self.files, self.press, self.signer, self.address).prepare
        )

    async def issue(
        self,
        names: Sequence[str] = ("João Gonçalves de Araújo Conceição",),
        *,
        course: UUID | None = None,
        cpf: str | None = None,
    ) -> list[UUID]:
        """Issues certificates to new people with these names, who have completed the course. Returns the
        certificates' ids.
        """
        course_id = course or await self.world.course()
        async with self.world.tx() as tx:
            rows = await tx.rows(
                """
                WITH people AS (
                    INSERT INTO users (tenant_id, name, email, role, created_at, updated_at)
                    SELECT :tenant, name, gen_random_uuid() || '@example.com', 'learner', :now, :now
                    FROM unnest(:names::text[]) AS given (name) RETURNING id)
                INSERT INTO enrollments (tenant_id, user_id, course_id, status, progress, score, started_at,
                                         completed_at, created_at, updated_at)
                SELECT :tenant, id, :course_id, 'COMPLETED', 100, 92.57, :now, :now, :now, :now FROM people
                RETURNING id
                """,
                names=list(names),
                course_id=course_id,
            )
            if cpf is not None:
                await self._document(tx, [row["id"] for row in rows], Cpf.parse(cpf))
            issued = await actions.issue_all(tx, {row["id"]: EVIDENCE for row in rows}, announced=False)
        return [each.id for each in issued]

    async def _document(self, tx: Tx, enrollments: Sequence[UUID], cpf: Cpf) -> None:
        for row in await tx.rows(
            "SELECT user_id FROM enrollments WHERE tenant_id = :tenant AND id = ANY(:ids)", ids=enrollments
        ):
            sealed = sealing.columns(tx, row["user_id"], "cpf", cpf)
            await tx.execute(
                f"""
                UPDATE users SET {", ".join(f"{name} = :{name}" for name in sealed)}
                WHERE tenant_id = :tenant AND id = :user_id
                """,
                user_id=row["user_id"],
                **sealed,
            )

    async def run(self) -> int:
        return await self.job.run_in(self.world.database, self.world.tenant.id)

    async def rows(self) -> dict[UUID, Any]:
        async with self.world.tx() as tx:
            rows = await tx.rows("SELECT * FROM certificates WHERE tenant_id = :tenant")
        return {row["id"]: row for row in rows}

    async def pdf(self, certificate_id: UUID) -> bytes:
        key = (await self.rows())[certificate_id]["file_key"]
        sealed = SealedFiles(self.files, self.world.database.keyring)
        return b"".join([piece async for piece in sealed.read(key)])

    async def rendered(self, **options: Any) -> bytes:
        """Renders a new certificate and returns its PDF."""
        [certificate_id] = await self.issue(**options)
        assert await self.run() == 1
        return await self.pdf(certificate_id)

    async def close(self) -> None:
        await self.press.close()
        await self.signer.close()

    def stored(self) -> set[str]:
        return {
            str(each.relative_to(self.folder / "files"))
            for each in (self.folder / "files").rglob("*")
            # The store writes to a temporary file first, so this file does not exist meanwhile.
            if each.is_file() and "#" not in each.name
        }
