"""The resources of the API.

Written by `python -m docs.clients`. Do not edit.
"""

from __future__ import annotations

from typing import Literal, Unpack

from trilha_client import models
from trilha_client._calls import Call, Page, Resource, Send, Time, quote
from trilha_client._pages import Pages


class Analytics(Resource):
    def get_completion_report(
        self, *, course_id: str | None = None, fields: str | None = None
    ) -> models.CompletionReport:
        """Get enrollment counts by status, overall and by course.

        Scope: `analytics:read`.

        - `course_id`: Only this course.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.CompletionReport](
                "GET", "/analytics/completion", query={"course_id": course_id, "fields": fields}
            )
        )

    def export_enrollments(
        self, *, type: Literal["csv"] | None = None, course_id: str | None = None, status: str | None = None
    ) -> str:
        """Download enrollments as CSV, newest first, up to 50,000 of them.

        The columns are `student_name, student_email, course, status, progress, score, enrolled_at,
        started_at, completed_at, expires_at` (RFC 4180, UTF-8). A cell that a spreadsheet would run as
        a formula begins with an apostrophe. If there are more rows, the response has the header
        `X-Truncated: true`.

        Scope: `analytics:read`.

        - `type`: The file format.
        - `course_id`: Only enrollments in this course.
        - `status`: Only these statuses, separated by commas.
        """
        return self._send(
            Call[str](
                "GET", "/analytics/exports", query={"type": type, "course_id": course_id, "status": status}
            )
        )

    def create_export(
        self, *, idempotency_key: str | None = None, **body: Unpack[models.ExportCreate]
    ) -> models.RequestedExport:
        """Create an export of any number of enrollments as CSV, XLSX or Parquet.

        Poll the export until it is READY. XLSX and Parquet store texts as texts, and times in UTC. A
        sheet of XLSX has up to 1,048,575 rows; further rows continue on the next sheet.

        Scope: `analytics:read`.
        """
        return self._send(
            Call[models.RequestedExport](
                "POST", "/analytics/exports", body=body, idempotency_key=idempotency_key
            )
        )

    def get_export(self, export_id: str, *, fields: str | None = None) -> models.Export:
        """Get the progress of an export and, once READY, the link to its file.

        Scope: `analytics:read`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.Export]("GET", f"/analytics/exports/{quote(export_id)}", query={"fields": fields})
        )


class Catalog(Resource):
    def list(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        q: str | None = None,
        category_id: str | None = None,
        tags: str | None = None,
        self_enrollment: Literal["OPEN", "APPROVAL"] | None = None,
        fields: str | None = None,
    ) -> Pages[models.Course]:
        """List the published courses in which people may enroll themselves, by title.

        Scope: `courses:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `q`: Only courses with these words in the title or slug.
        - `category_id`: Only courses of this category.
        - `tags`: Only courses with any of these tags, separated by commas.
        - `self_enrollment`: Only courses with this enrollment policy.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.Course]](
                "GET",
                "/catalog",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "q": q,
                    "category_id": category_id,
                    "tags": tags,
                    "self_enrollment": self_enrollment,
                    "fields": fields,
                },
            ),
        )


class Categories(Resource):
    def list(
        self, *, limit: int = 100, cursor: str | None = None, fields: str | None = None
    ) -> Pages[models.ListedCategory]:
        """List the categories of courses, by name.

        Scope: `courses:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.ListedCategory]](
                "GET", "/categories", query={"limit": limit, "cursor": cursor, "fields": fields}
            ),
        )


class Certificates(Resource):
    def list(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        updated_since: Time | None = None,
        user_id: str | None = None,
        course_id: str | None = None,
        fields: str | None = None,
    ) -> Pages[models.Certificate]:
        """List certificates, newest first.

        Scope: `certificates:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `updated_since`: Only rows changed at or after this moment, by their last change, oldest
          first.
        - `user_id`: Only certificates of this user.
        - `course_id`: Only certificates of this course.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.Certificate]](
                "GET",
                "/certificates",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "updated_since": updated_since,
                    "user_id": user_id,
                    "course_id": course_id,
                    "fields": fields,
                },
            ),
        )

    def get(self, certificate_id: str, *, fields: str | None = None) -> models.Certificate:
        """Get one certificate.

        Scope: `certificates:read`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.Certificate](
                "GET", f"/certificates/{quote(certificate_id)}", query={"fields": fields}
            )
        )

    def verify(self, code: str, *, fields: str | None = None) -> models.Verification:
        """Verify a certificate by its verification code. No authentication is required.

        The code is not case-sensitive, and spaces and hyphens are ignored. The response is 200 for
        every code.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.Verification]("GET", f"/certificates/verify/{quote(code)}", query={"fields": fields})
        )


class Classes(Resource):
    def list(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        updated_since: Time | None = None,
        course_id: str | None = None,
        status: Literal["SCHEDULED", "ENDED", "CANCELLED"] | None = None,
        fields: str | None = None,
    ) -> Pages[models.TrainingClass]:
        """List classes with their sessions, newest first. With `updated_since`, they are ordered by last
        change, oldest first.

        Scope: `classes:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `updated_since`: Only rows changed at or after this moment, by their last change, oldest
          first.
        - `course_id`: Only classes of this course.
        - `status`: Only classes in this status.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.TrainingClass]](
                "GET",
                "/classes",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "updated_since": updated_since,
                    "course_id": course_id,
                    "status": status,
                    "fields": fields,
                },
            ),
        )

    def create_class(
        self, *, idempotency_key: str | None = None, **body: Unpack[models.ClassCreate]
    ) -> models.ChangedClass:
        """Create a class of a module. Sessions may lie in the past. Rooms and instructors that are in two
        sessions at once are in `_meta.warnings`.

        Scope: `classes:write`.
        """
        return self._send(
            Call[models.ChangedClass]("POST", "/classes", body=body, idempotency_key=idempotency_key)
        )

    def get_class(self, class_id: str, *, fields: str | None = None) -> models.TrainingClass:
        """Get one class.

        Scope: `classes:read`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.TrainingClass]("GET", f"/classes/{quote(class_id)}", query={"fields": fields})
        )

    def update_class(self, class_id: str, **body: Unpack[models.ClassUpdate]) -> models.ChangedClass:
        """Change a class. With more places, the people who wait first move up at once. Sessions of other
        classes where they have a place at the same time are in `_meta.warnings`.

        Scope: `classes:write`.
        """
        return self._send(Call[models.ChangedClass]("PATCH", f"/classes/{quote(class_id)}", body=body))

    def cancel_class(
        self, class_id: str, *, idempotency_key: str | None = None, **body: Unpack[models.Cancellation]
    ) -> models.TrainingClass:
        """Cancel a class with all its sessions. Their attendance no longer counts. A cancelled class stays
        unchanged.

        Scope: `classes:write`.
        """
        return self._send(
            Call[models.TrainingClass](
                "POST", f"/classes/{quote(class_id)}/cancel", body=body, idempotency_key=idempotency_key
            )
        )

    def list_sessions(
        self, class_id: str, *, limit: int = 100, cursor: str | None = None, fields: str | None = None
    ) -> Pages[models.ClassSession]:
        """List the sessions of a class by start.

        Scope: `classes:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.ClassSession]](
                "GET",
                f"/classes/{quote(class_id)}/sessions",
                query={"limit": limit, "cursor": cursor, "fields": fields},
            ),
        )

    def create_session(
        self, class_id: str, *, idempotency_key: str | None = None, **body: Unpack[models.SessionCreate]
    ) -> models.ChangedSession:
        """Add a session to a class. Rooms, instructors and learners that are in two sessions at once are
        in `_meta.warnings`.

        Scope: `classes:write`.
        """
        return self._send(
            Call[models.ChangedSession](
                "POST", f"/classes/{quote(class_id)}/sessions", body=body, idempotency_key=idempotency_key
            )
        )

    def list_registrations(
        self,
        class_id: str,
        *,
        limit: int = 100,
        cursor: str | None = None,
        status: Literal["REGISTERED", "WAITLISTED", "CANCELLED"] | None = None,
        user_id: str | None = None,
        fields: str | None = None,
    ) -> Pages[models.ClassRegistration]:
        """List the registrations in a class, oldest first, cancelled ones included.

        Scope: `classes:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `status`: Only registrations in this status; the waiting list is in its order.
        - `user_id`: Only registrations of this user.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.ClassRegistration]](
                "GET",
                f"/classes/{quote(class_id)}/registrations",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "status": status,
                    "user_id": user_id,
                    "fields": fields,
                },
            ),
        )

    def create_registration(
        self, class_id: str, *, idempotency_key: str | None = None, **body: Unpack[models.RegistrationCreate]
    ) -> models.MadeRegistration:
        """Register a user in a class, and enroll them in its course if they are not enrolled. In a full
        class, they are put on the waiting list.

        Scope: `classes:write`.
        """
        return self._send(
            Call[models.MadeRegistration](
                "POST",
                f"/classes/{quote(class_id)}/registrations",
                body=body,
                idempotency_key=idempotency_key,
            )
        )

    def create_registrations(
        self, class_id: str, *, idempotency_key: str | None = None, **body: Unpack[models.BulkRegistrations]
    ) -> models.MadeRegistrations:
        """Register up to 1000 users in a class, in this order. A failed one does not affect the others.

        Scope: `classes:write`.
        """
        return self._send(
            Call[models.MadeRegistrations](
                "POST",
                f"/classes/{quote(class_id)}/registrations/bulk",
                body=body,
                idempotency_key=idempotency_key,
            )
        )

    def get_registration(
        self, class_id: str, registration_id: str, *, fields: str | None = None
    ) -> models.ClassRegistration:
        """Get one registration.

        Scope: `classes:read`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.ClassRegistration](
                "GET",
                f"/classes/{quote(class_id)}/registrations/{quote(registration_id)}",
                query={"fields": fields},
            )
        )

    def cancel_registration(
        self,
        class_id: str,
        registration_id: str,
        *,
        idempotency_key: str | None = None,
        **body: Unpack[models.RegistrationCancellation],
    ) -> models.ClassRegistration:
        """Cancel a registration. Whoever waits first moves up at once. The user stays enrolled in the
        course.

        Scope: `classes:write`.
        """
        return self._send(
            Call[models.ClassRegistration](
                "POST",
                f"/classes/{quote(class_id)}/registrations/{quote(registration_id)}/cancel",
                body=body,
                idempotency_key=idempotency_key,
            )
        )


class Courses(Resource):
    def list(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        updated_since: Time | None = None,
        status: Literal["DRAFT", "PUBLISHED", "ARCHIVED"] | None = None,
        slug: str | None = None,
        category_id: str | None = None,
        q: str | None = None,
        tags: str | None = None,
        fields: str | None = None,
    ) -> Pages[models.Course]:
        """List courses, drafts included. `tags=a,b` returns courses with any of these tags.

        Scope: `courses:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `updated_since`: Only rows changed at or after this moment, by their last change, oldest
          first.
        - `status`: Only courses in this status.
        - `slug`: Only the course with this slug.
        - `category_id`: Only courses of this category.
        - `q`: Only courses with these words in the title or slug.
        - `tags`: Only courses with any of these tags, separated by commas.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.Course]](
                "GET",
                "/courses",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "updated_since": updated_since,
                    "status": status,
                    "slug": slug,
                    "category_id": category_id,
                    "q": q,
                    "tags": tags,
                    "fields": fields,
                },
            ),
        )

    def create(
        self, *, idempotency_key: str | None = None, **body: Unpack[models.CourseCreate]
    ) -> models.Course:
        """Create a course. It is a draft until you publish it, and accepts no enrollments.

        Scope: `courses:write`.
        """
        return self._send(Call[models.Course]("POST", "/courses", body=body, idempotency_key=idempotency_key))

    def get(self, course_id: str, *, fields: str | None = None) -> models.Course:
        """Get one course.

        Scope: `courses:read`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.Course]("GET", f"/courses/{quote(course_id)}", query={"fields": fields})
        )

    def update(self, course_id: str, **body: Unpack[models.CourseUpdate]) -> models.Course:
        """Change a course. `null` clears an optional member.

        Scope: `courses:write`.
        """
        return self._send(Call[models.Course]("PATCH", f"/courses/{quote(course_id)}", body=body))

    def publish(self, course_id: str, *, idempotency_key: str | None = None) -> models.Course:
        """Open a course for enrollment: a draft, or one that is archived. A published course stays
        unchanged.

        Scope: `courses:write`.
        """
        return self._send(
            Call[models.Course](
                "POST", f"/courses/{quote(course_id)}/publish", idempotency_key=idempotency_key
            )
        )

    def archive(self, course_id: str, *, idempotency_key: str | None = None) -> models.Course:
        """Close a published course for new enrollments; its learners can finish. An archived course stays
        unchanged.

        Scope: `courses:write`.
        """
        return self._send(
            Call[models.Course](
                "POST", f"/courses/{quote(course_id)}/archive", idempotency_key=idempotency_key
            )
        )

    def list_modules(
        self, course_id: str, *, limit: int = 100, cursor: str | None = None, fields: str | None = None
    ) -> Pages[models.Module]:
        """List a course's modules in the order in which learners take them.

        Scope: `courses:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.Module]](
                "GET",
                f"/courses/{quote(course_id)}/modules",
                query={"limit": limit, "cursor": cursor, "fields": fields},
            ),
        )

    def create_module(
        self, course_id: str, *, idempotency_key: str | None = None, **body: Unpack[models.ModuleCreate]
    ) -> models.Module | models.ModuleImport:
        """Add a module as the last one of a course. An article, a quiz, a class or a practice is added at
        once. A package, a document or a video is imported: the answer is the import, and its modules
        follow.

        Scope: `courses:write`.
        """
        return self._send(
            Call[models.Module | models.ModuleImport](
                "POST", f"/courses/{quote(course_id)}/modules", body=body, idempotency_key=idempotency_key
            )
        )

    def update_module(
        self, course_id: str, module_id: str, **body: Unpack[models.ModuleUpdate]
    ) -> models.Module:
        """Change a module. A published course keeps at least one required module.

        Scope: `courses:write`.
        """
        return self._send(
            Call[models.Module]("PATCH", f"/courses/{quote(course_id)}/modules/{quote(module_id)}", body=body)
        )

    def delete_module(self, course_id: str, module_id: str) -> None:
        """Remove a module from its course. What learners did in it stays as evidence.

        Scope: `courses:write`.
        """
        self._send(Call[None]("DELETE", f"/courses/{quote(course_id)}/modules/{quote(module_id)}"))

    def move_module(
        self,
        course_id: str,
        module_id: str,
        *,
        idempotency_key: str | None = None,
        **body: Unpack[models.ModuleMove],
    ) -> models.Module:
        """Move a module to another place in its course. The other modules keep their order.

        Scope: `courses:write`.
        """
        return self._send(
            Call[models.Module](
                "POST",
                f"/courses/{quote(course_id)}/modules/{quote(module_id)}/move",
                body=body,
                idempotency_key=idempotency_key,
            )
        )

    def get_translation(
        self, course_id: str, language: str, *, fields: str | None = None
    ) -> models.Translation:
        """Get a course's texts in one of its further languages.

        Scope: `courses:read`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.Translation](
                "GET", f"/courses/{quote(course_id)}/translations/{quote(language)}", query={"fields": fields}
            )
        )

    def put_translation(
        self, course_id: str, language: str, **body: Unpack[models.TranslationTexts]
    ) -> models.Translation:
        """Replace a course's texts in a further language, which is added if the course lacks it. What you
        leave out is not translated. Texts of lessons stay as they are.

        Scope: `courses:write`.
        """
        return self._send(
            Call[models.Translation](
                "PUT", f"/courses/{quote(course_id)}/translations/{quote(language)}", body=body
            )
        )

    def delete_translation(self, course_id: str, language: str) -> None:
        """Remove a further language from a course, with all texts and lessons in it. The progress of
        learners stays.

        Scope: `courses:write`.
        """
        self._send(Call[None]("DELETE", f"/courses/{quote(course_id)}/translations/{quote(language)}"))

    def get_lesson_translation(
        self, course_id: str, module_id: str, language: str, *, fields: str | None = None
    ) -> models.LessonTranslation:
        """Get the text of an article in one of the course's further languages, in Markdown.

        Scope: `courses:read`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.LessonTranslation](
                "GET",
                f"/courses/{quote(course_id)}/modules/{quote(module_id)}/translations/{quote(language)}",
                query={"fields": fields},
            )
        )

    def put_lesson_translation(
        self, course_id: str, module_id: str, language: str, **body: Unpack[models.LessonTexts]
    ) -> models.LessonTranslation:
        """Publish the text of an article in a further language, as a new version. The language is added if
        the course lacks it.

        Scope: `courses:write`.
        """
        return self._send(
            Call[models.LessonTranslation](
                "PUT",
                f"/courses/{quote(course_id)}/modules/{quote(module_id)}/translations/{quote(language)}",
                body=body,
            )
        )

    def get_ratings(self, course_id: str, *, fields: str | None = None) -> models.CourseRatings:
        """Get the average ratings of a course. Nobody's own answer can be derived from them.

        Scope: `analytics:read`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.CourseRatings](
                "GET", f"/courses/{quote(course_id)}/ratings", query={"fields": fields}
            )
        )

    def get_stats(self, course_id: str, *, fields: str | None = None) -> models.CourseStats:
        """Get one course's enrollment counts, rates and averages.

        Scope: `analytics:read`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.CourseStats]("GET", f"/courses/{quote(course_id)}/stats", query={"fields": fields})
        )


class CustomFields(Resource):
    def list(
        self, *, limit: int = 100, cursor: str | None = None, fields: str | None = None
    ) -> Pages[models.CustomField]:
        """List the company's custom fields. The operator creates them with `trilha custom-field create`.

        Scope: `users:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.CustomField]](
                "GET", "/custom-fields", query={"limit": limit, "cursor": cursor, "fields": fields}
            ),
        )


class EnrollmentRequests(Resource):
    def list(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        updated_since: Time | None = None,
        user_id: str | None = None,
        course_id: str | None = None,
        status: str | None = None,
        fields: str | None = None,
    ) -> Pages[models.EnrollmentRequest]:
        """List requests, newest first. With `updated_since`, they are ordered by last change, oldest
        first.

        Scope: `enrollments:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `updated_since`: Only rows changed at or after this moment, by their last change, oldest
          first.
        - `user_id`: Only requests of this user.
        - `course_id`: Only requests for this course.
        - `status`: Only these statuses, separated by commas.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.EnrollmentRequest]](
                "GET",
                "/enrollment-requests",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "updated_since": updated_since,
                    "user_id": user_id,
                    "course_id": course_id,
                    "status": status,
                    "fields": fields,
                },
            ),
        )

    def get(self, enrollment_request_id: str, *, fields: str | None = None) -> models.EnrollmentRequest:
        """Get one request.

        Scope: `enrollments:read`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.EnrollmentRequest](
                "GET", f"/enrollment-requests/{quote(enrollment_request_id)}", query={"fields": fields}
            )
        )

    def approve(
        self,
        enrollment_request_id: str,
        *,
        idempotency_key: str | None = None,
        **body: Unpack[models.Approval],
    ) -> models.EnrollmentRequest:
        """Approve a request: the user is enrolled and told. The checks are those of an enrollment.

        Scope: `enrollments:write`.
        """
        return self._send(
            Call[models.EnrollmentRequest](
                "POST",
                f"/enrollment-requests/{quote(enrollment_request_id)}/approve",
                body=body,
                idempotency_key=idempotency_key,
            )
        )

    def reject(
        self,
        enrollment_request_id: str,
        *,
        idempotency_key: str | None = None,
        **body: Unpack[models.Rejection],
    ) -> models.EnrollmentRequest:
        """Reject a request. The user is told, with the reason.

        Scope: `enrollments:write`.
        """
        return self._send(
            Call[models.EnrollmentRequest](
                "POST",
                f"/enrollment-requests/{quote(enrollment_request_id)}/reject",
                body=body,
                idempotency_key=idempotency_key,
            )
        )


class Enrollments(Resource):
    def list(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        updated_since: Time | None = None,
        user_id: str | None = None,
        course_id: str | None = None,
        status: str | None = None,
        completed_since: Time | None = None,
        completed_before: Time | None = None,
        expires_before: Time | None = None,
        created_since: Time | None = None,
        fields: str | None = None,
    ) -> Pages[models.Enrollment]:
        """List enrollments, newest first. With `updated_since`, they are ordered by last change, oldest
        first.

        Scope: `enrollments:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `updated_since`: Only rows changed at or after this moment, by their last change, oldest
          first.
        - `user_id`: Only enrollments of this user.
        - `course_id`: Only enrollments in this course.
        - `status`: Only these statuses, separated by commas.
        - `completed_since`: Only if completed at or after this time; latest first.
        - `completed_before`: Only if completed before this time; latest first.
        - `expires_before`: Only if `expires_at` is before this time; soonest first.
        - `created_since`: Only if created at or after this time.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.Enrollment]](
                "GET",
                "/enrollments",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "updated_since": updated_since,
                    "user_id": user_id,
                    "course_id": course_id,
                    "status": status,
                    "completed_since": completed_since,
                    "completed_before": completed_before,
                    "expires_before": expires_before,
                    "created_since": created_since,
                    "fields": fields,
                },
            ),
        )

    def create(
        self, *, idempotency_key: str | None = None, **body: Unpack[models.EnrollmentCreate]
    ) -> models.Enrollment:
        """Enroll one user in one course.

        Scope: `enrollments:write`.
        """
        return self._send(
            Call[models.Enrollment]("POST", "/enrollments", body=body, idempotency_key=idempotency_key)
        )

    def create_bulk(
        self, *, idempotency_key: str | None = None, **body: Unpack[models.BulkEnrollments]
    ) -> models.BulkResult:
        """Enroll up to 1000 pairs of user and course. Duplicates are skipped, and a failed item does not
        affect the others.

        Scope: `enrollments:bulk`.
        """
        return self._send(
            Call[models.BulkResult]("POST", "/enrollments/bulk", body=body, idempotency_key=idempotency_key)
        )

    def import_completions(
        self, *, idempotency_key: str | None = None, **body: Unpack[models.PastCompletions]
    ) -> models.BulkResult:
        """Import up to 1000 completions from another system. No events are emitted. Completions that were
        imported before are skipped, and a failed item does not affect the others.

        Scope: `enrollments:bulk`.
        """
        return self._send(
            Call[models.BulkResult]("POST", "/enrollments/import", body=body, idempotency_key=idempotency_key)
        )

    def get(self, enrollment_id: str, *, fields: str | None = None) -> models.Enrollment:
        """Get one enrollment.

        Scope: `enrollments:read`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.Enrollment]("GET", f"/enrollments/{quote(enrollment_id)}", query={"fields": fields})
        )

    def update(self, enrollment_id: str, **body: Unpack[models.EnrollmentUpdate]) -> models.Enrollment:
        """Change when an enrollment expires. An expired enrollment reopens and keeps its progress.

        Scope: `enrollments:write`.
        """
        return self._send(Call[models.Enrollment]("PATCH", f"/enrollments/{quote(enrollment_id)}", body=body))

    def cancel(self, enrollment_id: str) -> None:
        """Cancel an enrollment. Its learning records are kept as evidence.

        Scope: `enrollments:write`.
        """
        self._send(Call[None]("DELETE", f"/enrollments/{quote(enrollment_id)}"))

    def list_interactions(
        self, enrollment_id: str, *, limit: int = 100, cursor: str | None = None, fields: str | None = None
    ) -> Pages[models.Interaction]:
        """List the learner's latest answer to each question. The list is empty if no module reports
        answers.

        Scope: `enrollments:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.Interaction]](
                "GET",
                f"/enrollments/{quote(enrollment_id)}/interactions",
                query={"limit": limit, "cursor": cursor, "fields": fields},
            ),
        )

    def remind(
        self, enrollment_id: str, *, idempotency_key: str | None = None, **body: Unpack[models.ReminderCreate]
    ) -> models.SentReminder:
        """Remind a user of an enrollment, with a text of your own. A user is reminded by hand at most once
        in 24 hours, whatever the enrollment.

        Scope: `requirements:write`.
        """
        return self._send(
            Call[models.SentReminder](
                "POST",
                f"/enrollments/{quote(enrollment_id)}/remind",
                body=body,
                idempotency_key=idempotency_key,
            )
        )

    def list_statements(
        self, enrollment_id: str, *, limit: int = 100, cursor: str | None = None, fields: str | None = None
    ) -> Pages[models.Statement]:
        """List the statements of the enrollment's registration, oldest first. Voided ones are left out.

        Scope: `enrollments:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.Statement]](
                "GET",
                f"/enrollments/{quote(enrollment_id)}/statements",
                query={"limit": limit, "cursor": cursor, "fields": fields},
            ),
        )

    def create_launch_link(
        self,
        enrollment_id: str,
        *,
        idempotency_key: str | None = None,
        **body: Unpack[models.LaunchLinkCreate],
    ) -> models.LaunchLink:
        """Create a link that signs the learner in and opens a module. It works once, within 5 minutes.
        Only for users with the role `learner`.

        Scope: `enrollments:write`.
        """
        return self._send(
            Call[models.LaunchLink](
                "POST",
                f"/enrollments/{quote(enrollment_id)}/launch",
                body=body,
                idempotency_key=idempotency_key,
            )
        )


class Events(Resource):
    def list(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        type: Literal[
            "user.created",
            "user.updated",
            "user.suspended",
            "user.reactivated",
            "user.deleted",
            "user.role_changed",
            "course.created",
            "course.updated",
            "course.archived",
            "course.rated",
            "learning_path.assigned",
            "learning_path.completed",
            "enrollment.created",
            "enrollment.started",
            "enrollment.progress",
            "enrollment.completed",
            "enrollment.expired",
            "enrollment.updated",
            "enrollment.cancelled",
            "enrollment.requested",
            "class.created",
            "class.updated",
            "class.cancelled",
            "registration.created",
            "registration.waitlisted",
            "registration.cancelled",
            "attendance.recorded",
            "practice.assessed",
            "requirement.assigned",
            "requirement.satisfied",
            "requirement.overdue",
            "requirement.released",
            "reminder.sent",
            "certificate.issued",
            "certificate.revoked",
            "certificate.expiring",
            "assessment.attempted",
            "assessment.passed",
            "assessment.failed",
            "voice_activity.completed",
            "api_key.created",
            "api_key.rotated",
            "api_key.revoked",
            "webhook.test",
            "webhook.activated",
            "webhook.failed",
            "xapi_pipe.paused",
        ]
        | None = None,
        after: str | None = None,
        since: Time | None = None,
        fields: str | None = None,
    ) -> Pages[models.Event]:
        """List the events of the last 30 days, newest first. With `after`, list the events that followed
        it, oldest first.

        Scope: `webhooks:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `type`: Only events of this type.
        - `after`: Only those that came after this event, the oldest first: whoever reads on in this way
          misses none. `evt_00000000000000000000000000000000` is before all.
        - `since`: Only those created at or after this moment.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.Event]](
                "GET",
                "/events",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "type": type,
                    "after": after,
                    "since": since,
                    "fields": fields,
                },
            ),
        )


class ModuleImports(Resource):
    def list(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        course_id: str | None = None,
        status: Literal["PENDING", "RUNNING", "SUCCEEDED", "FAILED"] | None = None,
        fields: str | None = None,
    ) -> Pages[models.ModuleImport]:
        """List imports of modules, newest first. An import can be read for 30 days after its end.

        Scope: `courses:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `course_id`: Only imports into this course.
        - `status`: Only imports in this status.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.ModuleImport]](
                "GET",
                "/module-imports",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "course_id": course_id,
                    "status": status,
                    "fields": fields,
                },
            ),
        )

    def get(self, module_import_id: str, *, fields: str | None = None) -> models.ModuleImport:
        """Get the status of an import, and the report on its package.

        Scope: `courses:read`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.ModuleImport](
                "GET", f"/module-imports/{quote(module_import_id)}", query={"fields": fields}
            )
        )


class PracticeAssessments(Resource):
    def list(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        updated_since: Time | None = None,
        enrollment_id: str | None = None,
        user_id: str | None = None,
        module_id: str | None = None,
        status: Literal["OPEN", "ASSESSED", "SIGNED", "ANNULLED"] | None = None,
        fields: str | None = None,
    ) -> Pages[models.PracticeAssessment]:
        """List assessments with their ratings, newest first. With `updated_since`, they are ordered by
        last change, oldest first.

        Scope: `practice:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `updated_since`: Only rows changed at or after this moment, by their last change, oldest
          first.
        - `enrollment_id`: Only assessments of this enrollment.
        - `user_id`: Only assessments of this user.
        - `module_id`: Only assessments in this module.
        - `status`: Only assessments in this status.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.PracticeAssessment]](
                "GET",
                "/practice-assessments",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "updated_since": updated_since,
                    "enrollment_id": enrollment_id,
                    "user_id": user_id,
                    "module_id": module_id,
                    "status": status,
                    "fields": fields,
                },
            ),
        )

    def create(
        self, *, idempotency_key: str | None = None, **body: Unpack[models.AssessmentCreate]
    ) -> models.PracticeAssessment:
        """Record an assessment. It counts once the assessor and the learner have signed it, each on a page
        of their own: nobody signs for another.

        Scope: `practice:write`.
        """
        return self._send(
            Call[models.PracticeAssessment](
                "POST", "/practice-assessments", body=body, idempotency_key=idempotency_key
            )
        )

    def get(self, practice_assessment_id: str, *, fields: str | None = None) -> models.PracticeAssessment:
        """Get one assessment with its ratings.

        Scope: `practice:read`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.PracticeAssessment](
                "GET", f"/practice-assessments/{quote(practice_assessment_id)}", query={"fields": fields}
            )
        )

    def annul(
        self,
        practice_assessment_id: str,
        *,
        idempotency_key: str | None = None,
        **body: Unpack[models.Annulment],
    ) -> models.PracticeAssessment:
        """Annul an assessment, which then no longer counts. A completed enrollment stays completed. An
        annulled assessment stays unchanged.

        Scope: `practice:write`.
        """
        return self._send(
            Call[models.PracticeAssessment](
                "POST",
                f"/practice-assessments/{quote(practice_assessment_id)}/annul",
                body=body,
                idempotency_key=idempotency_key,
            )
        )


class Qualifications(Resource):
    def list(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        updated_since: Time | None = None,
        user_id: str | None = None,
        state: Literal["VALID", "EXPIRING", "EXPIRED", "UPCOMING"] | None = None,
        fields: str | None = None,
    ) -> Pages[models.Qualification]:
        """List qualifications, newest first. With `updated_since`, they are ordered by last change, oldest
        first.

        Scope: `practice:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `updated_since`: Only rows changed at or after this moment, by their last change, oldest
          first.
        - `user_id`: Only qualifications of this user.
        - `state`: Only those in this state today.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.Qualification]](
                "GET",
                "/qualifications",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "updated_since": updated_since,
                    "user_id": user_id,
                    "state": state,
                    "fields": fields,
                },
            ),
        )

    def create(
        self, *, idempotency_key: str | None = None, **body: Unpack[models.QualificationCreate]
    ) -> models.Qualification:
        """Add a qualification to a user. Its document is uploaded in the panel.

        Scope: `practice:write`.
        """
        return self._send(
            Call[models.Qualification]("POST", "/qualifications", body=body, idempotency_key=idempotency_key)
        )

    def get(self, qualification_id: str, *, fields: str | None = None) -> models.Qualification:
        """Get one qualification.

        Scope: `practice:read`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.Qualification](
                "GET", f"/qualifications/{quote(qualification_id)}", query={"fields": fields}
            )
        )

    def update(
        self, qualification_id: str, **body: Unpack[models.QualificationUpdate]
    ) -> models.Qualification:
        """Change a qualification, for example after its renewal. Signed assessments keep what it was.

        Scope: `practice:write`.
        """
        return self._send(
            Call[models.Qualification]("PATCH", f"/qualifications/{quote(qualification_id)}", body=body)
        )

    def delete(self, qualification_id: str) -> None:
        """Remove a qualification with its document. Signed assessments keep what it was.

        Scope: `practice:write`.
        """
        self._send(Call[None]("DELETE", f"/qualifications/{quote(qualification_id)}"))


class ReminderSettings(Resource):
    def get(self, *, fields: str | None = None) -> models.ReminderSettings:
        """Retrieve when reminders are sent, and which.

        Scope: `requirements:read`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.ReminderSettings]("GET", "/reminder-settings", query={"fields": fields})
        )

    def update(self, **body: Unpack[models.ReminderSettingsUpdate]) -> models.ReminderSettings:
        """Change when reminders are sent, and which. Members that are left out do not change.

        Scope: `requirements:write`.
        """
        return self._send(Call[models.ReminderSettings]("PATCH", "/reminder-settings", body=body))


class Requirements(Resource):
    def list(
        self, *, limit: int = 100, cursor: str | None = None, fields: str | None = None
    ) -> Pages[models.Requirement]:
        """List requirements, newest first.

        Scope: `requirements:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.Requirement]](
                "GET", "/requirements", query={"limit": limit, "cursor": cursor, "fields": fields}
            ),
        )

    def create(
        self, *, idempotency_key: str | None = None, **body: Unpack[models.RequirementCreate]
    ) -> models.Requirement:
        """Create a requirement. Trilha enrolls the people to whom its rule applies within a minute.

        Scope: `requirements:write`.
        """
        return self._send(
            Call[models.Requirement]("POST", "/requirements", body=body, idempotency_key=idempotency_key)
        )

    def preview(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        fields: str | None = None,
        **body: Unpack[models.RequirementCreate],
    ) -> Pages[models.PreviewRow]:
        """Show to whom a requirement would apply, and who would be enrolled when. Nothing is saved.

        Scope: `requirements:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.PreviewRow]](
                "POST",
                "/requirements/preview",
                query={"limit": limit, "cursor": cursor, "fields": fields},
                body=body,
            ),
        )

    def get(self, requirement_id: str, *, fields: str | None = None) -> models.Requirement:
        """Retrieve a requirement.

        Scope: `requirements:read`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.Requirement](
                "GET", f"/requirements/{quote(requirement_id)}", query={"fields": fields}
            )
        )

    def update(self, requirement_id: str, **body: Unpack[models.RequirementUpdate]) -> models.Requirement:
        """Update a requirement. The days until it is due do not begin anew for people to whom it applies.

        Scope: `requirements:write`.
        """
        return self._send(
            Call[models.Requirement]("PATCH", f"/requirements/{quote(requirement_id)}", body=body)
        )

    def delete(self, requirement_id: str) -> None:
        """Delete a requirement. People keep what they have begun.

        Scope: `requirements:write`.
        """
        self._send(Call[None]("DELETE", f"/requirements/{quote(requirement_id)}"))

    def list_people(
        self,
        requirement_id: str,
        *,
        limit: int = 100,
        cursor: str | None = None,
        state: Literal["VALID", "DUE_SOON", "OVERDUE", "MISSING", "EXCUSED"] | None = None,
        fields: str | None = None,
    ) -> Pages[models.RequirementPerson]:
        """List the people to whom a requirement applies, and where each of them stands.

        Scope: `requirements:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `state`: Returns people in this state.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.RequirementPerson]](
                "GET",
                f"/requirements/{quote(requirement_id)}/people",
                query={"limit": limit, "cursor": cursor, "state": state, "fields": fields},
            ),
        )


class Sessions(Resource):
    def get(self, class_session_id: str, *, fields: str | None = None) -> models.ClassSession:
        """Get one session of a class.

        Scope: `classes:read`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.ClassSession]("GET", f"/sessions/{quote(class_session_id)}", query={"fields": fields})
        )

    def update(self, class_session_id: str, **body: Unpack[models.SessionUpdate]) -> models.ChangedSession:
        """Change the time, the place, the link or the instructors of a session.

        Scope: `classes:write`.
        """
        return self._send(
            Call[models.ChangedSession]("PATCH", f"/sessions/{quote(class_session_id)}", body=body)
        )

    def cancel(
        self,
        class_session_id: str,
        *,
        idempotency_key: str | None = None,
        **body: Unpack[models.Cancellation],
    ) -> models.ClassSession:
        """Cancel a session. Its attendance no longer counts. A cancelled session stays unchanged.

        Scope: `classes:write`.
        """
        return self._send(
            Call[models.ClassSession](
                "POST",
                f"/sessions/{quote(class_session_id)}/cancel",
                body=body,
                idempotency_key=idempotency_key,
            )
        )

    def list_attendance(
        self, class_session_id: str, *, limit: int = 100, cursor: str | None = None, fields: str | None = None
    ) -> Pages[models.Attendance]:
        """List the attendance of everybody with a place in the class, in the order of registration.

        Scope: `classes:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.Attendance]](
                "GET",
                f"/sessions/{quote(class_session_id)}/attendance",
                query={"limit": limit, "cursor": cursor, "fields": fields},
            ),
        )

    def record_attendance(self, class_session_id: str, **body: Unpack[models.AttendanceSheet]) -> None:
        """Record the attendance of up to 1000 people: all of them, or none. People who are not listed stay
        unchanged. A changed number of minutes needs a `reason`. Completion follows within seconds.

        Scope: `classes:write`.
        """
        self._send(Call[None]("PUT", f"/sessions/{quote(class_session_id)}/attendance", body=body))

    def get_check_in_code(self, class_session_id: str, *, fields: str | None = None) -> models.CheckInCode:
        """Get the code to show in the room as a QR code. There is a new one every 15 seconds, and each is
        good for at most 30 seconds.

        Scope: `classes:write`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.CheckInCode](
                "GET", f"/sessions/{quote(class_session_id)}/check-in-code", query={"fields": fields}
            )
        )


class Users(Resource):
    def list(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        updated_since: Time | None = None,
        status: Literal["ACTIVE", "SUSPENDED", "INACTIVE"] | None = None,
        email: str | None = None,
        role: Literal["learner", "admin", "gestor", "instrutor"] | None = None,
        employee_number: str | None = None,
        department: str | None = None,
        business_unit_id: str | None = None,
        q: str | None = None,
        created_since: Time | None = None,
        fields: str | None = None,
    ) -> Pages[models.User]:
        """List users, newest first. With `updated_since`, users are ordered by their last change, oldest
        first.

        Scope: `users:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `updated_since`: Only rows changed at or after this moment, by their last change, oldest
          first.
        - `status`: Returns users with this status.
        - `email`: Returns the user with this e-mail address.
        - `role`: Returns users with this role.
        - `employee_number`: Returns users with this number.
        - `department`: Returns users in this department.
        - `business_unit_id`: Returns users directly in this business unit, not in units below it.
        - `q`: Returns users for whom every search word is the beginning of a word in the name, e-mail
          address or employee number. Users whose name contains the longest search word come first. With
          `updated_since`, results are ordered by their last change. Only the first six words are used.
        - `created_since`: Returns users created at or after this time.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.User]](
                "GET",
                "/users",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "updated_since": updated_since,
                    "status": status,
                    "email": email,
                    "role": role,
                    "employee_number": employee_number,
                    "department": department,
                    "business_unit_id": business_unit_id,
                    "q": q,
                    "created_since": created_since,
                    "fields": fields,
                },
            ),
        )

    def create(
        self, *, idempotency_key: str | None = None, **body: Unpack[models.UserCreate]
    ) -> models.CreatedUser:
        """Create a user. If the request has no password, the response contains a temporary one in `_meta`,
        only this once.

        Scope: `users:write`.
        """
        return self._send(
            Call[models.CreatedUser]("POST", "/users", body=body, idempotency_key=idempotency_key)
        )

    def search(self, **body: Unpack[models.UserSearch]) -> Pages[models.User]:
        """Find a user by CPF. The CPF is in the body because URLs end up in logs.

        Scope: `users:read`.
        """
        return Pages(self._send, Call[Page[models.User]]("POST", "/users/search", body=body))

    def put_bulk(self, **body: Unpack[models.BulkUsersDescription]) -> models.BulkUsersResult:
        """Create or update up to 1000 users. Users are matched by employee number, then by e-mail address.
        An item that fails does not affect the others, and an item that equals the stored user changes
        nothing.

        Scope: `users:write`.
        """
        return self._send(Call[models.BulkUsersResult]("PUT", "/users/bulk", body=body))

    def get(self, user_id: str, *, fields: str | None = None) -> models.User:
        """Retrieve a user.

        Scope: `users:read`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(Call[models.User]("GET", f"/users/{quote(user_id)}", query={"fields": fields}))

    def update(self, user_id: str, **body: Unpack[models.UserUpdate]) -> models.User:
        """Update a user. Members that are left out do not change; null clears one. If the e-mail address
        changes, the old address is notified.

        Scope: `users:write`.
        """
        return self._send(Call[models.User]("PATCH", f"/users/{quote(user_id)}", body=body))

    def suspend(self, user_id: str, *, idempotency_key: str | None = None) -> None:
        """Suspend a user, which ends their sessions. Suspending a suspended user changes nothing.

        Scope: `users:write`.
        """
        self._send(Call[None]("POST", f"/users/{quote(user_id)}/suspend", idempotency_key=idempotency_key))

    def reactivate(self, user_id: str, *, idempotency_key: str | None = None) -> None:
        """End a user's suspension. The user can sign in again.

        Scope: `users:write`.
        """
        self._send(Call[None]("POST", f"/users/{quote(user_id)}/reactivate", idempotency_key=idempotency_key))

    def list_enrollments(
        self,
        user_id: str,
        *,
        limit: int = 100,
        cursor: str | None = None,
        updated_since: Time | None = None,
        fields: str | None = None,
    ) -> Pages[models.Enrollment]:
        """List one user's enrollments, newest first.

        Scope: `enrollments:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `updated_since`: Only rows changed at or after this moment, by their last change, oldest
          first.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.Enrollment]](
                "GET",
                f"/users/{quote(user_id)}/enrollments",
                query={"limit": limit, "cursor": cursor, "updated_since": updated_since, "fields": fields},
            ),
        )

    def create_enrollment_request(
        self,
        user_id: str,
        *,
        idempotency_key: str | None = None,
        **body: Unpack[models.EnrollmentRequestCreate],
    ) -> models.EnrollmentRequest:
        """Ask to enroll a user. In a course that is `OPEN` the user is enrolled at once and the request is
        `APPROVED`. Otherwise it waits for the user's manager or an administrator.

        Scope: `enrollments:write`.
        """
        return self._send(
            Call[models.EnrollmentRequest](
                "POST",
                f"/users/{quote(user_id)}/enrollment-requests",
                body=body,
                idempotency_key=idempotency_key,
            )
        )

    def create_push_subscription(
        self,
        user_id: str,
        *,
        idempotency_key: str | None = None,
        **body: Unpack[models.PushSubscriptionCreate],
    ) -> models.PushSubscription:
        """Add a browser that gets a user's reminders as push messages. The same endpoint is there once.

        Scope: `requirements:write`.
        """
        return self._send(
            Call[models.PushSubscription](
                "POST",
                f"/users/{quote(user_id)}/push-subscriptions",
                body=body,
                idempotency_key=idempotency_key,
            )
        )

    def list_certificates(
        self,
        user_id: str,
        *,
        limit: int = 100,
        cursor: str | None = None,
        updated_since: Time | None = None,
        fields: str | None = None,
    ) -> Pages[models.Certificate]:
        """List one user's certificates, newest first.

        Scope: `certificates:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `updated_since`: Only rows changed at or after this moment, by their last change, oldest
          first.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.Certificate]](
                "GET",
                f"/users/{quote(user_id)}/certificates",
                query={"limit": limit, "cursor": cursor, "updated_since": updated_since, "fields": fields},
            ),
        )

    def list_requirements(
        self, user_id: str, *, limit: int = 100, cursor: str | None = None, fields: str | None = None
    ) -> Pages[models.PersonRequirement]:
        """List the requirements that apply to a user, the earliest due date first.

        Scope: `requirements:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.PersonRequirement]](
                "GET",
                f"/users/{quote(user_id)}/requirements",
                query={"limit": limit, "cursor": cursor, "fields": fields},
            ),
        )


class Webhooks(Resource):
    def list_event_types(
        self, *, limit: int = 100, cursor: str | None = None, fields: str | None = None
    ) -> Pages[models.EventDescription]:
        """List all event types, with the JSON Schema of their data.

        Scope: `webhooks:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.EventDescription]](
                "GET", "/webhooks/event-types", query={"limit": limit, "cursor": cursor, "fields": fields}
            ),
        )

    def list(
        self, *, limit: int = 100, cursor: str | None = None, fields: str | None = None
    ) -> Pages[models.Endpoint]:
        """List webhook endpoints, newest first.

        Scope: `webhooks:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.Endpoint]](
                "GET", "/webhooks", query={"limit": limit, "cursor": cursor, "fields": fields}
            ),
        )

    def create(
        self, *, idempotency_key: str | None = None, **body: Unpack[models.EndpointCreate]
    ) -> models.IssuedEndpoint:
        """Create a webhook endpoint. The response contains its signing secret, which is not returned
        again.

        Scope: `webhooks:write`.
        """
        return self._send(
            Call[models.IssuedEndpoint]("POST", "/webhooks", body=body, idempotency_key=idempotency_key)
        )

    def get(self, webhook_id: str, *, fields: str | None = None) -> models.Endpoint:
        """Retrieve a webhook endpoint.

        Scope: `webhooks:read`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.Endpoint]("GET", f"/webhooks/{quote(webhook_id)}", query={"fields": fields})
        )

    def update(self, webhook_id: str, **body: Unpack[models.EndpointUpdate]) -> models.Endpoint:
        """Update a webhook endpoint. While an endpoint is inactive, its pending deliveries wait.

        Scope: `webhooks:write`.
        """
        return self._send(Call[models.Endpoint]("PATCH", f"/webhooks/{quote(webhook_id)}", body=body))

    def delete(self, webhook_id: str) -> None:
        """Delete a webhook endpoint and its history. It receives no more requests.

        Scope: `webhooks:write`.
        """
        self._send(Call[None]("DELETE", f"/webhooks/{quote(webhook_id)}"))

    def rotate_secret(self, webhook_id: str, *, idempotency_key: str | None = None) -> models.IssuedEndpoint:
        """Rotate the signing secret of an endpoint. The new secret is returned only once. Deliveries are
        also signed with the previous secret for 24 hours.

        Scope: `webhooks:write`.
        """
        return self._send(
            Call[models.IssuedEndpoint](
                "POST", f"/webhooks/{quote(webhook_id)}/rotate-secret", idempotency_key=idempotency_key
            )
        )

    def test(self, webhook_id: str, *, idempotency_key: str | None = None) -> models.Delivery:
        """Send a `webhook.test` event to an endpoint. It is sent even if the endpoint is inactive or does
        not subscribe to the event.

        Scope: `webhooks:write`.
        """
        return self._send(
            Call[models.Delivery](
                "POST", f"/webhooks/{quote(webhook_id)}/test", idempotency_key=idempotency_key
            )
        )

    def replay_events(
        self, webhook_id: str, *, idempotency_key: str | None = None, **body: Unpack[models.ReplayCreate]
    ) -> models.Replay:
        """Send past events again: those of a time range within the last 30 days.

        `webhook.test` events and the endpoint's own `webhook.failed` events are not sent again.

        Scope: `webhooks:write`.
        """
        return self._send(
            Call[models.Replay](
                "POST", f"/webhooks/{quote(webhook_id)}/replay", body=body, idempotency_key=idempotency_key
            )
        )

    def list_replays(
        self, webhook_id: str, *, limit: int = 100, cursor: str | None = None, fields: str | None = None
    ) -> Pages[models.Replay]:
        """List the replays of an endpoint, newest first. Finished replays are kept as long as deliveries.

        Scope: `webhooks:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.Replay]](
                "GET",
                f"/webhooks/{quote(webhook_id)}/replays",
                query={"limit": limit, "cursor": cursor, "fields": fields},
            ),
        )

    def get_replay(self, webhook_id: str, replay_id: str, *, fields: str | None = None) -> models.Replay:
        """Retrieve a replay and its progress.

        Scope: `webhooks:read`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.Replay](
                "GET", f"/webhooks/{quote(webhook_id)}/replays/{quote(replay_id)}", query={"fields": fields}
            )
        )

    def list_deliveries(
        self,
        webhook_id: str,
        *,
        limit: int = 100,
        cursor: str | None = None,
        status: Literal["PENDING", "DELIVERED", "DEAD_LETTER"] | None = None,
        event_type: Literal[
            "user.created",
            "user.updated",
            "user.suspended",
            "user.reactivated",
            "user.deleted",
            "user.role_changed",
            "course.created",
            "course.updated",
            "course.archived",
            "course.rated",
            "learning_path.assigned",
            "learning_path.completed",
            "enrollment.created",
            "enrollment.started",
            "enrollment.progress",
            "enrollment.completed",
            "enrollment.expired",
            "enrollment.updated",
            "enrollment.cancelled",
            "enrollment.requested",
            "class.created",
            "class.updated",
            "class.cancelled",
            "registration.created",
            "registration.waitlisted",
            "registration.cancelled",
            "attendance.recorded",
            "practice.assessed",
            "requirement.assigned",
            "requirement.satisfied",
            "requirement.overdue",
            "requirement.released",
            "reminder.sent",
            "certificate.issued",
            "certificate.revoked",
            "certificate.expiring",
            "assessment.attempted",
            "assessment.passed",
            "assessment.failed",
            "voice_activity.completed",
            "api_key.created",
            "api_key.rotated",
            "api_key.revoked",
            "webhook.test",
            "webhook.activated",
            "webhook.failed",
            "xapi_pipe.paused",
        ]
        | None = None,
        since: Time | None = None,
        until: Time | None = None,
        fields: str | None = None,
    ) -> Pages[models.Delivery]:
        """List the deliveries of an endpoint with their attempts, newest first.

        Scope: `webhooks:read`.

        - `limit`: Rows on a page.
        - `cursor`: `next_cursor` of the page before. Opaque; it belongs to this list with these
          filters.
        - `status`: Only those in this state.
        - `event_type`: Only those of this type of event.
        - `since`: Only those created at or after this moment.
        - `until`: Only those created before this moment.
        - `fields`: Only these members and `id`, separated by commas.
        """
        return Pages(
            self._send,
            Call[Page[models.Delivery]](
                "GET",
                f"/webhooks/{quote(webhook_id)}/deliveries",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "status": status,
                    "event_type": event_type,
                    "since": since,
                    "until": until,
                    "fields": fields,
                },
            ),
        )

    def get_delivery(
        self, webhook_id: str, delivery_id: str, *, fields: str | None = None
    ) -> models.Delivery:
        """Retrieve a delivery with its attempts.

        Scope: `webhooks:read`.

        - `fields`: Only these members and `id`, separated by commas.
        """
        return self._send(
            Call[models.Delivery](
                "GET",
                f"/webhooks/{quote(webhook_id)}/deliveries/{quote(delivery_id)}",
                query={"fields": fields},
            )
        )

    def retry_delivery(
        self, webhook_id: str, delivery_id: str, *, idempotency_key: str | None = None
    ) -> models.Delivery:
        """Retry a delivery with the endpoint's current URL and secrets. This starts a new cycle of
        attempts.

        Scope: `webhooks:write`.
        """
        return self._send(
            Call[models.Delivery](
                "POST",
                f"/webhooks/{quote(webhook_id)}/deliveries/{quote(delivery_id)}/retry",
                idempotency_key=idempotency_key,
            )
        )


class Resources:
    def __init__(self, send: Send) -> None:
        self.analytics = Analytics(send)
        self.catalog = Catalog(send)
        self.categories = Categories(send)
        self.certificates = Certificates(send)
        self.classes = Classes(send)
        self.courses = Courses(send)
        self.custom_fields = CustomFields(send)
        self.enrollment_requests = EnrollmentRequests(send)
        self.enrollments = Enrollments(send)
        self.events = Events(send)
        self.module_imports = ModuleImports(send)
        self.practice_assessments = PracticeAssessments(send)
        self.qualifications = Qualifications(send)
        self.reminder_settings = ReminderSettings(send)
        self.requirements = Requirements(send)
        self.sessions = Sessions(send)
        self.users = Users(send)
        self.webhooks = Webhooks(send)
