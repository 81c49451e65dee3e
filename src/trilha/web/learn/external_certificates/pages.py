"""/learn/enrollments/{id}/external-certificate: uploads a certificate of the same training from elsewhere."""

import asyncio
from datetime import date
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.moments import IsoDay
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import Caller
from trilha.core.web.routes import Refusal, Routes
from trilha.core.web.uploads import UploadedFile
from trilha.kit import N_
from trilha.training.enrollments import learner
from trilha.training.external_certificates import actions, queries
from trilha.training.external_certificates.errors import MAX_BYTES
from trilha.training.external_certificates.queries import File
from trilha.web.learn.view import LearnView

routes = Routes("External certificate", "Uploads a certificate of the same training from elsewhere.")
_ACCESS = may(Permission.LEARN)
_SENTENCES = {
    "certificate_not_readable": N_("Choose a PDF, JPEG or PNG of up to 2 MB."),
    "in_future": N_("Enter a day in the past."),
    "invalid_date": N_("Enter a date."),
    "external_certificate_waits": N_("You have uploaded a certificate for this course. Wait for the answer."),
}


class CertificateForm(Struct, frozen=True, kw_only=True):
    completed_on: IsoDay
    issuer: Annotated[str, Meta(min_length=1, max_length=120, extra_json_schema=STORABLE)]
    file: UploadedFile | None = None


async def _read(form: CertificateForm, caller: Caller) -> File:
    """Reads the file before the transaction begins. Raises Invalid (certificate_not_readable)."""
    if form.file is None or not 0 < form.file.size <= MAX_BYTES:
        raise invalid("file", "certificate_not_readable")
    return actions.check_file(await asyncio.to_thread(form.file.path.read_bytes))


@routes.get("/enrollments/{enrollment_id}/external-certificate", access=_ACCESS)
async def show_form(tx: Tx, view: LearnView, enrollment_id: UUID, refusal: Refusal | None = None) -> Html:
    """Show the form, and the answer to the last certificate."""
    course = await learner.get(tx, view.viewer.user_id, enrollment_id, view.locale)
    return view.form(
        "learn/external_certificates/form.html",
        refusal,
        {},
        _SENTENCES,
        course=course,
        last=await queries.find_last(tx, view.viewer.user_id, course.course_id),
        back=f"/learn/enrollments/{enrollment_id}",
    )


@routes.post(
    "/enrollments/{enrollment_id}/external-certificate",
    access=_ACCESS,
    max_body=MAX_BYTES + 64 * 1024,
    prepare=_read,
    refused=show_form,
)
async def upload(
    tx: Tx, view: LearnView, enrollment_id: UUID, form: CertificateForm, prepared: File
) -> Answer:
    """Upload a certificate."""
    course = await learner.get(tx, view.viewer.user_id, enrollment_id, view.locale)
    day = date.fromisoformat(form.completed_on)
    await actions.upload(tx, view.viewer.user_id, course.course_id, day, form.issuer.strip() or "?", prepared)
    return view.lead(f"/learn/enrollments/{enrollment_id}", N_("Your certificate was sent to be checked."))
