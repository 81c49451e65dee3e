"""Changes a tenant's settings, and wipes its data."""

from msgspec import structs

from trilha.core.database import Tx
from trilha.platform.audit import queries as audit
from trilha.platform.tenants import queries
from trilha.platform.tenants.schema import (
    BrandSettings,
    CompanySettings,
    Logo,
    SecuritySettings,
    TenantSettings,
)

# Children before parents.
_TABLES = (
    "bulk_action_items",
    "bulk_actions",
    "saved_views",
    "archive_files",
    "idempotency_keys",
    "webhook_replays",
    "webhook_deliveries",
    "webhook_secrets",
    "webhook_endpoints",
    "events",
    "mail_messages",
    "mail_counters",
    "exports",
    "report_mails",
    "sessions",
    "recovery_codes",
    "authenticators",
    "passkey_challenges",
    "identity_confirmations",
    "identity_checks",
    "identity_references",
    "identity_photos",
    "identity_consents",
    "identity_rules",
    "passkeys",
    "password_resets",
    "email_changes",
    "file_sealings",
    "reminder_deliveries",
    "launch_links",
    "cmi5_sessions",
    "cmi5_progress",
    "signatures",
    "record_erasures",
    "record_retention_runs",
    "practice_photos",
    "practice_ratings",
    "practice_assessments",
    "qualifications",
    "presence_checks",
    "meeting_requests",
    "class_notices",
    "class_invitations",
    "class_invitees",
    "attendance_corrections",
    "attendance_marks",
    "attendance_scans",
    "class_attendance",
    "class_registrations",
    "class_instructors",
    "class_sessions",
    "classes",
    "pedagogic_project_versions",
    "pedagogic_projects",
    "extension_requests",
    "calendar_feeds",
    "company_feeds",
    "enrollment_requests",
    "external_certificates",
    "course_evaluations",
    "course_evaluation_batches",
    "learner_question_messages",
    "learner_questions",
    "learner_question_sharing",
    "reminders",
    "reminder_schedules",
    "reminder_addresses",
    "requirement_engines",
    "requirement_checks",
    "requirement_sweeps",
    "requirement_excuses",
    "requirement_extensions",
    "requirement_totals",
    "requirement_history",
    "requirement_people",
    "requirements",
    "renewal_terms",
    "statement_outbox",
    "xapi_pipes",
    "xapi_statements",
    "xapi_references",
    "xapi_targets",
    "xapi_activities",
    "xapi_attachments",
    "xapi_agents",
    "xapi_documents",
    "xapi_clocks",
    "learning_path_problems",
    "learning_path_assignments",
    "learning_path_changes",
    "learning_path_rollouts",
    "learning_path_audiences",
    "learning_path_courses",
    "learning_paths",
    "review_checks",
    "review_flags",
    "module_observations",
    "course_counters",
    "course_completions",
    "course_deadlines",
    "launch_traces",
    "unapplied_reports",
    "sequencing_states",
    "quiz_answers",
    "voice_recordings",
    "quiz_attempts",
    "interactions",
    "module_progress",
    "learner_clocks",
    "launches",
    "attempts",
    "learning_heads",
    "all_enrollments",  # with logs and certificates, which cannot be deleted in another way
    "changed_courses",
    "previews",
    "rendered_articles",
    "rendered_lessons",
    "lesson_drafts",
    "lesson_versions",
    "module_translations",
    "course_translations",
    "module_imports",
    "all_modules",
    "question_translations",
    "questions",
    "question_imports",
    "bank_question_tags",
    "bank_questions",
    "quizzes",
    "course_teachers",
    "packages",
    "media_files",
    "courses",
    "categories",
    "import_problems",
    "imports",
    "scim_requests",
    "scim_activity",
    "scim_groups",
    "scim_users",
    "sso_identities",
    "sso_flows",
    "sso_tickets",
    "sso_replays",
    "sso_sign_ins",
    "learning_group_members",
    "learning_groups",
    "unit_counters",
    "unit_countings",
    "business_unit_managers",
    "user_words",
    "people_counters",
    "users",
    "custom_fields",
    "business_units",
)


async def wipe(tx: Tx) -> dict[str, int]:
    """Deletes a tenant's training data, webhook endpoints and events. Returns the number of deleted rows by
    table.

    It keeps the tenant and its settings, API keys, OAuth clients with their tokens, SCIM tokens, keys of the
    Experience API, and the audit log.
    """
    deleted = {
        table.removeprefix("all_"): await tx.execute(f"DELETE FROM {table} WHERE tenant_id = :tenant")  # noqa: S608
        for table in _TABLES
    }
    await audit.record(tx, "tenant.wiped", tx.tenant_id, deleted=deleted)
    return deleted


async def change(tx: Tx, changes: CompanySettings | BrandSettings | SecuritySettings) -> TenantSettings:
    """Applies changes and returns the settings. Values that stay the same are not recorded as changes."""
    before = await queries.get(tx)
    changed = {
        name: value for name, value in structs.asdict(changes).items() if value != getattr(before, name)
    }
    if not changed:
        return before
    await queries.update(tx, changed)
    after = structs.replace(before, **changed)
    await audit.record(tx, "tenant.settings_changed", tx.tenant_id, after.name, **changed)
    return after


async def set_logo(tx: Tx, logo: Logo) -> None:
    before = await queries.get(tx)
    if before.logo_name != logo.name:
        await queries.update(tx, {"logo": logo.content, "logo_name": logo.name})
        await audit.record(tx, "tenant.logo_changed", tx.tenant_id, before.name, logo_name=logo.name)


async def remove_logo(tx: Tx) -> None:
    before = await queries.get(tx)
    if before.logo_name is not None:
        await queries.update(tx, {"logo": None, "logo_name": None})
        await audit.record(tx, "tenant.logo_removed", tx.tenant_id, before.name)
