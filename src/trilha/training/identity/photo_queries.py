"""The SQL of identity photos and reference photos. Photos and face descriptors are sealed."""

import base64
import json
from uuid import UUID, uuid4

from trilha.core.database import Tx
from trilha.core.resealing.columns import SealedColumn
from trilha.training.identity.schema import Face

_PHOTO, _DESCRIPTOR = "identity_photo", "identity_descriptor"
SEALED_PHOTOS = SealedColumn(
    kind="identity photos",
    table="identity_photos",
    column="photo",
    keys={"id": "uuid"},
    context=lambda row: (_PHOTO, row["id"]),
)
SEALED_DESCRIPTORS = SealedColumn(
    kind="descriptions of identity photos",
    table="identity_photos",
    column="descriptor",
    keys={"id": "uuid"},
    context=lambda row: (_DESCRIPTOR, row["id"]),
)


async def insert_photo(
    tx: Tx, user_id: UUID, face: Face, distance: float | None, retention_days: int
) -> UUID:
    id = uuid4()
    descriptor = json.dumps(list(face.descriptor)) if face.descriptor else None
    await tx.execute(
        """
        INSERT INTO identity_photos
            (tenant_id, id, user_id, photo, descriptor, distance, taken_at, retained_until)
        VALUES (:tenant, :id, :user_id, :photo, :descriptor, :distance, :now,
                CAST(:now AS timestamptz) + make_interval(days => :days))
        """,
        id=id,
        user_id=user_id,
        photo=tx.keyring.seal(base64.b64encode(face.photo).decode(), tx.tenant_id, _PHOTO, id),
        descriptor=tx.keyring.seal(descriptor, tx.tenant_id, _DESCRIPTOR, id) if descriptor else None,
        distance=distance,
        days=retention_days,
    )
    return id


async def find_photo(tx: Tx, photo_id: UUID) -> bytes | None:
    """Returns a photo as JPEG, or None if it was deleted."""
    sealed = await tx.value(
        "SELECT photo FROM identity_photos WHERE tenant_id = :tenant AND id = :id AND retained_until > :now",
        id=photo_id,
    )
    return base64.b64decode(tx.keyring.open(sealed, tx.tenant_id, _PHOTO, photo_id)) if sealed else None


async def find_reference(tx: Tx, user_id: UUID) -> tuple[Face, bool] | None:
    """Returns the photo that others are compared with, and whether somebody has confirmed it."""
    rows = await tx.rows(
        """
        SELECT p.id, p.photo, p.descriptor, r.confirmed_at IS NOT NULL AS confirmed
        FROM identity_references r JOIN identity_photos p ON p.tenant_id = :tenant AND p.id = r.photo_id
        WHERE r.tenant_id = :tenant AND r.user_id = :user_id AND p.retained_until > :now
        """,
        user_id=user_id,
    )
    if not rows:
        return None
    row = rows[0]
    photo = base64.b64decode(tx.keyring.open(row["photo"], tx.tenant_id, _PHOTO, row["id"]))
    sealed = row["descriptor"]
    numbers = json.loads(tx.keyring.open(sealed, tx.tenant_id, _DESCRIPTOR, row["id"])) if sealed else []
    return Face(photo, numbers), row["confirmed"]


async def put_reference(tx: Tx, user_id: UUID, photo_id: UUID) -> None:
    await tx.execute(
        """
        INSERT INTO identity_references (tenant_id, user_id, photo_id) VALUES (:tenant, :user_id, :photo_id)
        ON CONFLICT (tenant_id, user_id) DO UPDATE SET photo_id = excluded.photo_id, confirmed_at = NULL
        """,
        user_id=user_id,
        photo_id=photo_id,
    )


async def confirm_reference(tx: Tx, user_id: UUID, photo_id: UUID) -> None:
    """Notes that this photo shows the person, if it is the reference."""
    await tx.execute(
        """
        UPDATE identity_references SET confirmed_at = :now
        WHERE tenant_id = :tenant AND user_id = :user_id AND photo_id = :photo_id AND confirmed_at IS NULL
        """,
        user_id=user_id,
        photo_id=photo_id,
    )


async def delete_reference(tx: Tx, user_id: UUID, photo_id: UUID) -> None:
    """Deletes the person's reference if it is this photo, which was refused."""
    await tx.execute(
        """
        DELETE FROM identity_references
        WHERE tenant_id = :tenant AND user_id = :user_id AND photo_id = :photo_id
        """,
        user_id=user_id,
        photo_id=photo_id,
    )


async def delete_photos(tx: Tx, user_id: UUID) -> int:
    """Deletes all photos of a person, and the reference with them."""
    return await tx.execute(
        "DELETE FROM identity_photos WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )


async def delete_old_photos(tx: Tx, limit: int) -> int:
    """Deletes photos whose last day is over, and returns how many there were."""
    return await tx.execute(
        """
        DELETE FROM identity_photos WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM identity_photos WHERE tenant_id = :tenant AND retained_until <= :now
            ORDER BY retained_until LIMIT :limit)
        """,
        limit=limit,
    )
