"""People who have completed a course, and their certificates."""

import hashlib
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

from conftest import World
from trilha.core.database import Tx
from trilha.core.file_store import FileStore
from trilha.training.certificates import actions, files, queries
from trilha.training.certificates.schema import Evidence, Reason, StoredCertificate
from trilha.training.enrollments import actions as enrollments

EVIDENCE = Evidence(3, b"h" * 32)


async def completed(
    world: World, *, enrollment: dict[str, Any] | None = None, score: float | None = 90.0, **course: Any
) -> UUID:
    """Returns the certificate of an enrollment that is completed now, in a new course unless one is given."""
    if enrollment is None:
        enrollment = await world.enrollment(course_id=await world.course(**course))
    id = UUID(enrollment["id"])
    async with world.tx() as tx:
        await enrollments.start(tx, id)
        await enrollments.advance(tx, id, 100.0, score)
        done = await enrollments.complete(tx, id)
        assert done is not None
        issued = await actions.issue(tx, done, EVIDENCE)
    assert issued is not None
    return issued


async def stored(world: World, id: UUID) -> StoredCertificate:
    async with world.tx() as tx:
        return await queries.get(tx, id)


async def row(world: World, id: UUID) -> dict[str, Any]:
    """Returns all columns."""
    async with world.tx() as tx:
        (found,) = await tx.rows("SELECT * FROM certificates WHERE tenant_id = :tenant AND id = :id", id=id)
    return dict(found)


async def revoke(world: World, id: UUID, reason: str = "Fraud") -> StoredCertificate:
    async with world.tx() as tx:
        return await actions.revoke(tx, id, Reason(reason))


async def reissue(world: World, id: UUID) -> StoredCertificate:
    async with world.tx() as tx:
        return await actions.reissue(tx, id)


async def attach(world: World, store: FileStore, id: UUID, content: bytes) -> bytes:
    """Stores a PDF as rendering would. Returns its digest."""
    digest = hashlib.sha256(content).digest()
    key = files.pdf_key(world.tenant.id, id, digest)
    await store.put(key, content)
    async with world.tx() as tx:
        await tx.execute(
            """
            UPDATE certificates SET file_key = :key, file_sha256 = :digest, file_size = :size,
                                    rendered_at = :now, badge = 'a.b.c', updated_at = :now
            WHERE tenant_id = :tenant AND id = :id AND file_key IS NULL
            """,
            id=id,
            key=key,
            digest=digest,
            size=len(content),
        )
    return digest


async def read(world: World, id: UUID) -> dict[str, Any]:
    """Returns the certificate as the API shows it."""
    answer = await world.http.get(f"/v1/certificates/{id}")
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def verify(world: World, code: str) -> dict[str, Any]:
    answer = await world.client().get(f"/v1/certificates/verify/{code}")
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def in_transaction(world: World, act: Callable[[Tx], Awaitable[Any]]) -> Any:
    async with world.tx() as tx:
        return await act(tx)
