"""The SQL of identity settings, rules, consents and checks."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.resealing.columns import SealedColumn
from trilha.training.identity.schema import (
    Check,
    CheckStatus,
    Consent,
    ConsentText,
    ExportedCheck,
    ExportedConsent,
    IdentityRule,
    IdentitySettings,
)

_SERVICE = "identity_service"
SEALED_TOKENS = SealedColumn(
    kind="tokens of face matching services",
    table="identity_settings",
    column="service_token",
    keys={"retention_days": "integer"},  # a company has one row
    context=lambda row: (_SERVICE,),
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
    return tx.keyring.seal(token, tx.tenant_id, _SERVICE)


def open_token(tx: Tx, settings: IdentitySettings) -> str:
    """Returns the service's token, or an empty string."""
    sealed = settings.service_token
    return tx.keyring.open(sealed, tx.tenant_id, _SERVICE) if sealed is not None else ""


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
