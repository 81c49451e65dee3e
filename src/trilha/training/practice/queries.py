"""The SQL of assessments, ratings and photos."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Struct, structs

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.types import dec_hook
from trilha.training.courses.schema import ChecklistItem
from trilha.training.practice import lists
from trilha.training.practice.rules import Rating
from trilha.training.practice.schema import (
    HeldQualification,
    ListedAssessment,
    LockedAssessment,
    PracticeAssessment,
    RatedItem,
    StoredPhoto,
    StoredRating,
)

_LOCKED_COLUMNS = ", ".join(
    lists.STATUS.format("row") + " AS status" if name == "status" else f"row.{name}"
    for name in LockedAssessment.__struct_fields__
)


class Person(Struct, frozen=True):
    """A person who is not erased before the transaction ends. `teaches` is about one course."""

    id: UUID
    role: str
    status: str
    teaches: bool


async def lock_people(tx: Tx, course_id: UUID, user_ids: Sequence[UUID]) -> dict[UUID, Person]:
    """Keeps people from being erased, and returns those that exist. Lock them before logs."""
    found = await tx.list(
        Person,
        """
        SELECT id, role, status, EXISTS (
            SELECT FROM course_teachers AS t
            WHERE t.tenant_id = :tenant AND t.course_id = :course_id AND t.user_id = users.id) AS teaches
        FROM users WHERE tenant_id = :tenant AND id = ANY(:ids) AND erased_at IS NULL
        ORDER BY id FOR KEY SHARE
        """,
        course_id=course_id,
        ids=list(user_ids),
    )
    return {each.id: each for each in found}


async def find_day(tx: Tx) -> str:
    """Returns today in the company's time zone."""
    day: str = await tx.value(
        """
        SELECT to_char(CAST(:now AS timestamptz) AT TIME ZONE COALESCE(
            (SELECT time_zone FROM tenant_settings WHERE tenant_id = :tenant), 'America/Sao_Paulo'),
            'YYYY-MM-DD')
        """
    )
    return day


async def insert(
    tx: Tx,
    *,
    enrollment_id: UUID,
    user_id: UUID,
    course_id: UUID,
    module_id: UUID,
    assessor_id: UUID,
    items: Sequence[ChecklistItem],
    qualification: str | None,
    assessed_on: str | None,
) -> UUID | None:
    """Returns None if another assessment is open. The log of the enrollment must be locked."""
    id: UUID | None = await tx.value(
        """
        INSERT INTO practice_assessments (tenant_id, enrollment_id, user_id, course_id, module_id, number,
                                          assessor_id, items, qualification, assessed_on, created_at,
                                          updated_at)
        VALUES (:tenant, :enrollment_id, :user_id, :course_id, :module_id, (
                    SELECT COALESCE(max(number), 0) + 1 FROM practice_assessments
                    WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id
                      AND module_id = :module_id),
                :assessor_id, :items, :qualification, :assessed_on, :now, :now)
        ON CONFLICT (tenant_id, enrollment_id, module_id)
        WHERE assessor_signed_at IS NULL AND annulled_at IS NULL DO NOTHING
        RETURNING id
        """,
        enrollment_id=enrollment_id,
        user_id=user_id,
        course_id=course_id,
        module_id=module_id,
        assessor_id=assessor_id,
        items=[msgspec.to_builtins(each, enc_hook=str) for each in items],
        qualification=qualification,
        assessed_on=assessed_on,
    )
    return id


async def lock(tx: Tx, id: UUID) -> LockedAssessment:
    """Locks an assessment until the transaction ends. Raises NotFound."""
    sql = "SELECT FROM practice_assessments WHERE tenant_id = :tenant AND id = :id FOR UPDATE"
    await tx.execute(sql, id=id)
    # Read after taking the lock, so that we see the previous holder's writes.
    return await find(tx, id)


async def find(tx: Tx, id: UUID) -> LockedAssessment:
    """Raises NotFound."""
    found = await tx.find(
        LockedAssessment,
        f"""
        SELECT {_LOCKED_COLUMNS} FROM practice_assessments AS row
        WHERE row.tenant_id = :tenant AND row.id = :id
        """,  # noqa: S608
        id=id,
    )
    if found is None:
        raise NotFound("practice_assessment_not_found")
    return structs.replace(found, items=_read_items(found.items))


async def get(tx: Tx, id: UUID) -> PracticeAssessment:
    """Raises NotFound."""
    found = await tx.find(
        ListedAssessment,
        f"""
        SELECT {lists.ASSESSMENTS.select_columns} FROM practice_assessments AS row
        WHERE row.tenant_id = :tenant AND row.id = :id
        """,  # noqa: S608
        id=id,
    )
    if found is None:
        raise NotFound("practice_assessment_not_found")
    (whole,) = await add_ratings(tx, [found])
    return whole


async def list_of_module(tx: Tx, enrollment_id: UUID, module_id: UUID) -> list[PracticeAssessment]:
    """Lists the attempts of an enrollment in a module, the newest first."""
    found = await tx.list(
        ListedAssessment,
        f"""
        SELECT {lists.ASSESSMENTS.select_columns} FROM practice_assessments AS row
        WHERE row.tenant_id = :tenant AND row.enrollment_id = :enrollment_id AND row.module_id = :module_id
        ORDER BY row.number DESC
        """,  # noqa: S608
        enrollment_id=enrollment_id,
        module_id=module_id,
    )
    return await add_ratings(tx, found)


async def find_open(tx: Tx, enrollment_id: UUID, module_id: UUID) -> UUID | None:
    id: UUID | None = await tx.value(
        """
        SELECT id FROM practice_assessments
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND module_id = :module_id
          AND assessor_signed_at IS NULL AND annulled_at IS NULL
        """,
        enrollment_id=enrollment_id,
        module_id=module_id,
    )
    return id


async def has_satisfactory(tx: Tx, enrollment_id: UUID, module_id: UUID) -> bool:
    """Returns whether a satisfactory assessment counts, or waits for the learner's signature."""
    found: bool = await tx.value(
        """
        SELECT EXISTS (
            SELECT FROM practice_assessments
            WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND module_id = :module_id
              AND result = 'SATISFACTORY' AND annulled_at IS NULL)
        """,
        enrollment_id=enrollment_id,
        module_id=module_id,
    )
    return found


async def list_names(tx: Tx, user_ids: Sequence[UUID]) -> dict[UUID, str]:
    """Returns the names of people by their ids."""
    rows = await tx.rows(
        "SELECT id, name FROM users WHERE tenant_id = :tenant AND id = ANY(:ids)", ids=list(user_ids)
    )
    return {row["id"]: row["name"] for row in rows}


async def add_ratings(tx: Tx, assessments: Sequence[ListedAssessment]) -> list[PracticeAssessment]:
    """Completes assessments with the ratings and photos of their items."""
    ids = [each.id for each in assessments]
    ratings = {(each.assessment_id, each.item_id): each for each in await list_ratings(tx, ids)}
    photos = {(each.assessment_id, each.item_id): each for each in await list_photos(tx, ids)}
    return [_complete(each, ratings, photos) for each in assessments]


def _read_items(stored: Any) -> list[ChecklistItem]:
    return msgspec.convert(stored, list[ChecklistItem], dec_hook=dec_hook)


def _complete(listed: ListedAssessment, ratings: Any, photos: Any) -> PracticeAssessment:
    members = structs.asdict(listed)
    held = members.pop("held_qualification")
    members["qualification"] = msgspec.convert(held, HeldQualification | None)
    members["items"] = [
        _build_item(item, ratings.get((listed.id, item.id)), photos.get((listed.id, item.id)))
        for item in _read_items(listed.items)
    ]
    return PracticeAssessment(**members)


def _build_item(item: ChecklistItem, rating: StoredRating | None, photo: StoredPhoto | None) -> RatedItem:
    rated: Rating | None = None
    if rating is not None:
        rated = "SATISFACTORY" if rating.satisfactory else "UNSATISFACTORY"
    note = rating.note if rating else None
    return RatedItem(item.id, item.title, item.criteria, rated, note, photo.id if photo else None)


async def list_ratings(tx: Tx, ids: Sequence[UUID]) -> list[StoredRating]:
    if not ids:
        return []
    return await tx.list(
        StoredRating,
        """
        SELECT assessment_id, item_id, satisfactory, note FROM practice_ratings
        WHERE tenant_id = :tenant AND assessment_id = ANY(:ids)
        """,
        ids=list(ids),
    )


async def list_photos(tx: Tx, ids: Sequence[UUID]) -> list[StoredPhoto]:
    if not ids:
        return []
    return await tx.list(
        StoredPhoto,
        """
        SELECT assessment_id, item_id, id, sha256 FROM practice_photos
        WHERE tenant_id = :tenant AND assessment_id = ANY(:ids) AND removed_at IS NULL
        """,
        ids=list(ids),
    )


async def rate(tx: Tx, id: UUID, item_id: UUID, *, satisfactory: bool, note: str | None) -> None:
    await tx.execute(
        """
        INSERT INTO practice_ratings (tenant_id, assessment_id, item_id, satisfactory, note, rated_at)
        VALUES (:tenant, :id, :item_id, :satisfactory, :note, :now)
        ON CONFLICT (tenant_id, assessment_id, item_id) DO UPDATE
        SET satisfactory = excluded.satisfactory, note = excluded.note, rated_at = excluded.rated_at
        """,
        id=id,
        item_id=item_id,
        satisfactory=satisfactory,
        note=note,
    )
    await touch(tx, id)


async def touch(tx: Tx, id: UUID) -> None:
    """Notes that an assessment has changed."""
    sql = "UPDATE practice_assessments SET updated_at = :now WHERE tenant_id = :tenant AND id = :id"
    await tx.execute(sql, id=id)


async def insert_photo(tx: Tx, photo: StoredPhoto, size: int) -> None:
    """Replaces the photo of an item. The worker deletes the file of the earlier one."""
    await tx.execute(
        """
        UPDATE practice_photos SET removed_at = :now
        WHERE tenant_id = :tenant AND assessment_id = :assessment_id AND item_id = :item_id
          AND removed_at IS NULL
        """,
        assessment_id=photo.assessment_id,
        item_id=photo.item_id,
    )
    await tx.execute(
        """
        INSERT INTO practice_photos (tenant_id, id, assessment_id, item_id, sha256, size, created_at)
        VALUES (:tenant, :id, :assessment_id, :item_id, :sha256, :size, :now)
        """,
        **structs.asdict(photo),
        size=size,
    )


async def note_assessor_signature(
    tx: Tx,
    id: UUID,
    *,
    signature_id: UUID,
    result: Rating,
    digest: str,
    assessed_on: str,
    held: HeldQualification,
) -> None:
    await tx.execute(
        """
        UPDATE practice_assessments
        SET assessor_signature_id = :signature_id, assessor_signed_at = :now, result = :result,
            digest = :digest, assessed_on = :assessed_on, held_qualification = :held, updated_at = :now
        WHERE tenant_id = :tenant AND id = :id AND assessor_signed_at IS NULL
        """,
        id=id,
        signature_id=signature_id,
        result=result,
        digest=digest,
        assessed_on=assessed_on,
        held=structs.asdict(held),
    )


async def note_learner_signature(tx: Tx, id: UUID, signature_id: UUID) -> None:
    await tx.execute(
        """
        UPDATE practice_assessments
        SET learner_signature_id = :signature_id, learner_signed_at = :now, updated_at = :now
        WHERE tenant_id = :tenant AND id = :id AND learner_signed_at IS NULL
        """,
        id=id,
        signature_id=signature_id,
    )


async def annul(tx: Tx, id: UUID, reason: str) -> None:
    await tx.execute(
        """
        UPDATE practice_assessments SET annulled_at = :now, annul_reason = :reason, updated_at = :now
        WHERE tenant_id = :tenant AND id = :id AND annulled_at IS NULL
        """,
        id=id,
        reason=reason,
    )


async def list_signature_ids(tx: Tx, id: UUID) -> tuple[UUID | None, UUID | None]:
    """Returns the signatures of the assessor and of the learner."""
    rows = await tx.rows(
        """
        SELECT assessor_signature_id, learner_signature_id FROM practice_assessments
        WHERE tenant_id = :tenant AND id = :id
        """,
        id=id,
    )
    return rows[0]["assessor_signature_id"], rows[0]["learner_signature_id"]


async def list_modules_to_sign(tx: Tx, enrollment_id: UUID) -> set[UUID]:
    """Returns the modules whose satisfactory assessment waits for the signature of the learner."""
    rows = await tx.rows(
        """
        SELECT module_id FROM practice_assessments
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND result = 'SATISFACTORY'
          AND learner_signed_at IS NULL AND annulled_at IS NULL
        """,
        enrollment_id=enrollment_id,
    )
    return {row["module_id"] for row in rows}


async def is_photo_of(tx: Tx, id: UUID, photo_id: UUID) -> bool:
    """Returns whether an assessment has this photo."""
    found: bool = await tx.value(
        """
        SELECT EXISTS (
            SELECT FROM practice_photos
            WHERE tenant_id = :tenant AND id = :photo_id AND assessment_id = :id AND removed_at IS NULL)
        """,
        id=id,
        photo_id=photo_id,
    )
    return found


async def list_removed_photos(tx: Tx, limit: int) -> list[UUID]:
    """Lists photos that are marked as removed, the oldest first."""
    rows = await tx.rows(
        """
        SELECT id FROM practice_photos WHERE tenant_id = :tenant AND removed_at IS NOT NULL
        ORDER BY removed_at LIMIT :limit
        """,
        limit=limit,
    )
    return [row["id"] for row in rows]


async def delete_photos(tx: Tx, ids: Sequence[UUID]) -> None:
    """Deletes those of the rows that are marked as removed."""
    await tx.execute(
        """
        DELETE FROM practice_photos WHERE tenant_id = :tenant AND id = ANY(:ids) AND removed_at IS NOT NULL
        """,
        ids=list(ids),
    )


async def erase_person(tx: Tx, user_id: UUID) -> None:
    """Removes photos, notes and reasons about an erased person, and annuls what nobody has signed. Results
    and digests stay as evidence.
    """
    of_person = "SELECT id FROM practice_assessments WHERE tenant_id = :tenant AND user_id = :user_id"
    await tx.execute(
        f"""
        UPDATE practice_photos SET removed_at = :now
        WHERE tenant_id = :tenant AND removed_at IS NULL AND assessment_id IN ({of_person})
        """,  # noqa: S608
        user_id=user_id,
    )
    await tx.execute(
        f"""
        UPDATE practice_ratings SET note = NULL
        WHERE tenant_id = :tenant AND note IS NOT NULL AND assessment_id IN ({of_person})
        """,  # noqa: S608
        user_id=user_id,
    )
    await tx.execute(
        """
        UPDATE practice_assessments
        SET annul_reason = NULL, annulled_at = CASE WHEN assessor_signed_at IS NULL
            THEN COALESCE(annulled_at, CAST(:now AS timestamptz)) ELSE annulled_at END
        WHERE tenant_id = :tenant AND (user_id = :user_id OR (assessor_id = :user_id
                                                              AND assessor_signed_at IS NULL))
        """,
        user_id=user_id,
    )
