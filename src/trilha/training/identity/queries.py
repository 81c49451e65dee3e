"""The SQL of confirming identities. Photos and what is computed of them are sealed."""

import base64
import json
from collections.abc import Sequence
from uuid import UUID, uuid4

from trilha.core.database import Tx
from trilha.core.resealing.columns import SealedColumn
from trilha.training.identity.schema import (
    Check,
    CheckStatus,
    Consent,
    ConsentText,
    ExportedCheck,
    ExportedConsent,
    Face,
    IdentityRule,
    IdentitySettings,
    ReviewedCheck,
    UnconfirmedEnrollment,
)

MAX_LISTED = 100
_PHOTO, _DESCRIPTOR, _TOKEN = "identity_photo", "identity_descriptor", "identity_service"
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
SEALED_TOKENS = SealedColumn(
    kind="tokens of face matching services",
    table="identity_settings",
    column="service_token",
    keys={"retention_days": "integer"},  # a company has one row
    context=lambda row: (_TOKEN,),
)
_CHECK = """id, enrollment_id, user_id, moment, number, due_seconds, status, attempts, photo_id, taken_at,
            reason"""


async def get_settings(tx: Tx) -> IdentitySettings:
    settings = await tx.find(
        IdentitySettings,
        """
        SELECT enabled, retention_days, service_url, service_token
        FROM identity_settings WHERE tenant_id = :tenant
        """,
    )
    return settings or IdentitySettings()


async def put_settings(tx: Tx, settings: IdentitySettings) -> None:
    await tx.execute(
        """
        INSERT INTO identity_settings
            (tenant_id, enabled, retention_days, service_url, service_token, updated_at)
        VALUES (:tenant, :enabled, :retention_days, :service_url, :service_token, :now)
        ON CONFLICT (tenant_id) DO UPDATE
        SET enabled = excluded.enabled, retention_days = excluded.retention_days,
            service_url = excluded.service_url, service_token = excluded.service_token,
            updated_at = excluded.updated_at
        """,
        enabled=settings.enabled,
        retention_days=settings.retention_days,
        service_url=settings.service_url,
        service_token=settings.service_token,
    )


def seal_token(tx: Tx, token: str) -> bytes:
    return tx.keyring.seal(token, tx.tenant_id, _TOKEN)


def open_token(tx: Tx, settings: IdentitySettings) -> str:
    """Returns the service's token, or an empty string."""
    sealed = settings.service_token
    return tx.keyring.open(sealed, tx.tenant_id, _TOKEN) if sealed is not None else ""


async def get_text(tx: Tx) -> ConsentText:
    """Returns the present text."""
    text = await tx.find(
        ConsentText,
        """
        SELECT version, text, created_at FROM identity_texts
        WHERE tenant_id = :tenant ORDER BY version DESC LIMIT 1
        """,
    )
    return text or ConsentText()


async def insert_text(tx: Tx, version: int, text: str) -> None:
    await tx.execute(
        """
        INSERT INTO identity_texts (tenant_id, version, text, created_at)
        VALUES (:tenant, :version, :text, :now) ON CONFLICT (tenant_id, version) DO NOTHING
        """,
        version=version,
        text=text,
    )


async def find_rule(tx: Tx, course_id: UUID) -> IdentityRule | None:
    return await tx.find(
        IdentityRule,
        """
        SELECT random_photos, threshold, blocking FROM identity_rules
        WHERE tenant_id = :tenant AND course_id = :course_id
        """,
        course_id=course_id,
    )


async def put_rule(tx: Tx, course_id: UUID, rule: IdentityRule) -> None:
    await tx.execute(
        """
        INSERT INTO identity_rules (tenant_id, course_id, random_photos, threshold, blocking, updated_at)
        VALUES (:tenant, :course_id, :random_photos, :threshold, :blocking, :now)
        ON CONFLICT (tenant_id, course_id) DO UPDATE
        SET random_photos = excluded.random_photos, threshold = excluded.threshold,
            blocking = excluded.blocking, updated_at = excluded.updated_at
        """,
        course_id=course_id,
        random_photos=rule.random_photos,
        threshold=rule.threshold,
        blocking=rule.blocking,
    )


async def delete_rule(tx: Tx, course_id: UUID) -> None:
    await tx.execute(
        "DELETE FROM identity_rules WHERE tenant_id = :tenant AND course_id = :course_id", course_id=course_id
    )


async def list_courses(tx: Tx) -> list[UUID]:
    """Lists the courses that ask for photos."""
    rows = await tx.rows("SELECT course_id FROM identity_rules WHERE tenant_id = :tenant ORDER BY course_id")
    return [row["course_id"] for row in rows]


async def find_consent(tx: Tx, user_id: UUID) -> Consent | None:
    return await tx.find(
        Consent,
        """
        SELECT version, agreed, created_at FROM identity_consents
        WHERE tenant_id = :tenant AND user_id = :user_id ORDER BY created_at DESC, id LIMIT 1
        """,
        user_id=user_id,
    )


async def insert_consent(tx: Tx, user_id: UUID, version: int, *, agreed: bool) -> None:
    # The last decision counts, so an earlier one of the same moment is replaced.
    await tx.execute(
        "DELETE FROM identity_consents"
        " WHERE tenant_id = :tenant AND user_id = :user_id AND created_at = :now",
        user_id=user_id,
    )
    await tx.execute(
        """
        INSERT INTO identity_consents (tenant_id, user_id, version, agreed, created_at)
        VALUES (:tenant, :user_id, :version, :agreed, :now)
        """,
        user_id=user_id,
        version=version,
        agreed=agreed,
    )


async def list_checks(tx: Tx, enrollment_id: UUID) -> list[Check]:
    return await tx.list(
        Check,
        f"SELECT {_CHECK} FROM identity_checks"  # noqa: S608
        " WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id ORDER BY number",
        enrollment_id=enrollment_id,
    )


async def insert_checks(
    tx: Tx, enrollment_id: UUID, user_id: UUID, moments: Sequence[str], due_seconds: Sequence[int]
) -> None:
    await tx.execute(
        """
        INSERT INTO identity_checks
            (tenant_id, enrollment_id, user_id, moment, number, due_seconds, status, created_at)
        SELECT :tenant, :enrollment_id, :user_id, new.moment, new.number, new.due, 'PENDING',
               CAST(:now AS timestamptz)
        FROM unnest(:moments::text[], :dues::integer[]) WITH ORDINALITY AS new (moment, due, number)
        ON CONFLICT (tenant_id, enrollment_id, number) DO NOTHING
        RETURNING tenant_id
        """,
        enrollment_id=enrollment_id,
        user_id=user_id,
        moments=list(moments),
        dues=list(due_seconds),
    )


async def is_confirmed(tx: Tx, enrollment_id: UUID) -> bool:
    """Returns whether an administrator has confirmed the person by hand."""
    confirmed: bool = await tx.value(
        """
        SELECT EXISTS (SELECT FROM identity_confirmations
                       WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id)
        """,
        enrollment_id=enrollment_id,
    )
    return confirmed


async def insert_confirmation(
    tx: Tx, enrollment_id: UUID, user_id: UUID, reason: str, confirmed_by: UUID
) -> bool:
    return bool(
        await tx.execute(
            """
            INSERT INTO identity_confirmations
                (tenant_id, enrollment_id, user_id, reason, confirmed_by, created_at)
            VALUES (:tenant, :enrollment_id, :user_id, :reason, :confirmed_by, :now)
            ON CONFLICT (tenant_id, enrollment_id) DO NOTHING
            """,
            enrollment_id=enrollment_id,
            user_id=user_id,
            reason=reason,
            confirmed_by=confirmed_by,
        )
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
    """Takes a refused photo away as the reference."""
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


async def record_photo(tx: Tx, check_id: UUID, photo_id: UUID, status: CheckStatus, attempts: int) -> bool:
    """Returns False if the check was decided, or another photo was taken, meanwhile."""
    return bool(
        await tx.execute(
            """
            UPDATE identity_checks
            SET status = :status, photo_id = :photo_id, taken_at = :now, attempts = :attempts + 1,
                reason = NULL, decided_by = NULL, decided_at = NULL
            WHERE tenant_id = :tenant AND id = :id AND status IN ('PENDING', 'REFUSED')
                  AND attempts = :attempts
            """,
            id=check_id,
            photo_id=photo_id,
            status=status,
            attempts=attempts,
        )
    )


async def decide(tx: Tx, check_id: UUID, status: CheckStatus, reason: str | None, decided_by: UUID) -> bool:
    """Returns False if the check no longer waits for a decision."""
    return bool(
        await tx.execute(
            """
            UPDATE identity_checks
            SET status = :status, reason = :reason, decided_by = :decided_by, decided_at = :now
            WHERE tenant_id = :tenant AND id = :id AND status = 'DOUBTFUL'
            """,
            id=check_id,
            status=status,
            reason=reason,
            decided_by=decided_by,
        )
    )


_SELECT_DOUBTFUL = """
    SELECT k.id, k.enrollment_id, k.user_id, u.name AS user_name, c.title AS course_title, k.moment,
           p.id AS photo_id, NULLIF(f.photo_id, p.id) AS reference_id, p.distance,
           COALESCE(r.threshold, 0.5) AS threshold, k.taken_at
    FROM identity_checks k
    JOIN users u ON u.tenant_id = :tenant AND u.id = k.user_id
    JOIN all_enrollments e ON e.tenant_id = :tenant AND e.id = k.enrollment_id
    JOIN courses c ON c.tenant_id = :tenant AND c.id = e.course_id
    LEFT JOIN identity_rules r ON r.tenant_id = :tenant AND r.course_id = e.course_id
    LEFT JOIN identity_photos p ON p.tenant_id = :tenant AND p.id = k.photo_id
    LEFT JOIN identity_references f ON f.tenant_id = :tenant AND f.user_id = k.user_id
    WHERE k.tenant_id = :tenant AND k.status = 'DOUBTFUL'
"""


async def list_doubtful(tx: Tx) -> list[ReviewedCheck]:
    """Lists the photos that wait for a decision, the oldest first, at most 100."""
    return await tx.list(
        ReviewedCheck, f"{_SELECT_DOUBTFUL} ORDER BY k.taken_at, k.id LIMIT :limit", limit=MAX_LISTED
    )


async def find_doubtful(tx: Tx, check_id: UUID) -> ReviewedCheck | None:
    return await tx.find(ReviewedCheck, f"{_SELECT_DOUBTFUL} AND k.id = :id", id=check_id)


_SELECT_UNCONFIRMED = """
    SELECT e.id, e.user_id, u.name AS user_name, c.title AS course_title, n.created_at AS decided_at
    FROM all_enrollments e
    JOIN identity_rules r ON r.tenant_id = :tenant AND r.course_id = e.course_id
    JOIN users u ON u.tenant_id = :tenant AND u.id = e.user_id AND u.erased_at IS NULL
    JOIN courses c ON c.tenant_id = :tenant AND c.id = e.course_id
    LEFT JOIN LATERAL (
        SELECT agreed, created_at FROM identity_consents
        WHERE tenant_id = :tenant AND user_id = e.user_id ORDER BY created_at DESC, id LIMIT 1) AS n ON true
    WHERE e.tenant_id = :tenant AND e.status IN ('NOT_STARTED', 'IN_PROGRESS') AND e.cancelled_at IS NULL
          AND NOT EXISTS (SELECT FROM identity_confirmations f
                          WHERE f.tenant_id = :tenant AND f.enrollment_id = e.id)
"""


async def list_unconfirmed(tx: Tx) -> list[UnconfirmedEnrollment]:
    """Lists the enrollments of people who refused photos, the oldest decision first, at most 100."""
    return await tx.list(
        UnconfirmedEnrollment,
        f"{_SELECT_UNCONFIRMED} AND NOT n.agreed ORDER BY n.created_at, e.id LIMIT :limit",
        limit=MAX_LISTED,
    )


async def find_unconfirmed(tx: Tx, enrollment_id: UUID) -> UnconfirmedEnrollment | None:
    """Returns an open enrollment of a course that asks for photos, whatever its person has decided."""
    sql = _SELECT_UNCONFIRMED.replace(
        "n.created_at AS decided_at", "COALESCE(n.created_at, e.created_at) AS decided_at"
    )
    return await tx.find(UnconfirmedEnrollment, f"{sql} AND e.id = :id", id=enrollment_id)


async def list_exported_consents(tx: Tx, user_id: UUID) -> list[ExportedConsent]:
    return await tx.list(
        ExportedConsent,
        """
        SELECT version AS text_version, agreed, created_at FROM identity_consents
        WHERE tenant_id = :tenant AND user_id = :user_id ORDER BY created_at, id
        """,
        user_id=user_id,
    )


async def list_exported_checks(tx: Tx, user_id: UUID) -> list[ExportedCheck]:
    return await tx.list(
        ExportedCheck,
        """
        SELECT c.title AS course, k.moment, k.status, k.taken_at
        FROM identity_checks k
        JOIN all_enrollments e ON e.tenant_id = :tenant AND e.id = k.enrollment_id
        JOIN courses c ON c.tenant_id = :tenant AND c.id = e.course_id
        WHERE k.tenant_id = :tenant AND k.user_id = :user_id ORDER BY k.created_at, k.number
        """,
        user_id=user_id,
    )


async def erase_person(tx: Tx, user_id: UUID) -> None:
    """Deletes photos, the reference and consents, and the reasons that may name the person. That a photo
    confirmed them stays as evidence.
    """
    for table in ("identity_references", "identity_photos", "identity_consents"):
        await tx.execute(
            f"DELETE FROM {table} WHERE tenant_id = :tenant AND user_id = :user_id",  # noqa: S608
            user_id=user_id,
        )
    for table in ("identity_checks", "identity_confirmations"):
        await tx.execute(
            f"UPDATE {table} SET reason = NULL"  # noqa: S608
            " WHERE tenant_id = :tenant AND user_id = :user_id AND reason IS NOT NULL",
            user_id=user_id,
        )


async def has_photo_rule(tx: Tx, enrollment_id: UUID) -> bool:
    """Returns whether the company takes photos and the enrollment's course asks for them."""
    is_asked: bool = await tx.value(
        """
        SELECT EXISTS (
            SELECT FROM all_enrollments e
            JOIN identity_settings s ON s.tenant_id = :tenant AND s.enabled
            JOIN identity_rules r ON r.tenant_id = :tenant AND r.course_id = e.course_id
            WHERE e.tenant_id = :tenant AND e.id = :enrollment_id)
        """,
        enrollment_id=enrollment_id,
    )
    return is_asked


async def reopen_checks(tx: Tx, user_id: UUID) -> None:
    """Asks anew for the photos that were deleted before anybody has decided on them."""
    await tx.execute(
        """
        UPDATE identity_checks k SET status = 'PENDING', taken_at = NULL, photo_id = NULL
        WHERE k.tenant_id = :tenant AND k.user_id = :user_id AND k.status = 'DOUBTFUL'
              AND NOT EXISTS (SELECT FROM identity_photos p
                              WHERE p.tenant_id = :tenant AND p.id = k.photo_id)
        """,
        user_id=user_id,
    )
