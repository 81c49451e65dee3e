"""What the panel contributes to the application, and the routes of its pages."""

from trilha.core.web.routes import Routes
from trilha.feature import Feature
from trilha.web.panel.answers.pages import routes as answers
from trilha.web.panel.api_keys.pages import routes as panel_api_keys
from trilha.web.panel.audit.pages import routes as audit_record
from trilha.web.panel.bulk.jobs import RunBulkActions
from trilha.web.panel.bulk.results import routes as bulk_actions
from trilha.web.panel.business_units.pages import routes as business_units_pages
from trilha.web.panel.certificate_templates.pages import routes as certificate_templates
from trilha.web.panel.certificates.archives import routes as certificate_archives
from trilha.web.panel.certificates.changes import routes as certificate_changes
from trilha.web.panel.certificates.pages import routes as certificates_pages
from trilha.web.panel.choices import routes as choices
from trilha.web.panel.class_sessions.attendance import routes as attendance
from trilha.web.panel.class_sessions.check_in import routes as room_codes
from trilha.web.panel.class_sessions.papers import routes as attendance_papers
from trilha.web.panel.class_sessions.signing import routes as attendance_signatures
from trilha.web.panel.classes.calendar import routes as class_calendar
from trilha.web.panel.classes.pages import routes as classes_pages
from trilha.web.panel.classes.people import routes as class_people
from trilha.web.panel.classes.sessions import routes as class_sessions
from trilha.web.panel.courses.authoring import routes as authoring
from trilha.web.panel.courses.editing import routes as course_editing
from trilha.web.panel.courses.languages import routes as course_languages
from trilha.web.panel.courses.outline import routes as course_outline
from trilha.web.panel.courses.pages import routes as courses_pages
from trilha.web.panel.dashboard.pages import routes as dashboard
from trilha.web.panel.enrollment_requests.pages import routes as enrollment_requests
from trilha.web.panel.enrollments.bulk_enroll import routes as enrolling_many_pages
from trilha.web.panel.enrollments.export import routes as enrollments_export
from trilha.web.panel.enrollments.extensions import routes as extensions
from trilha.web.panel.enrollments.pages import routes as enrollments_pages
from trilha.web.panel.enrollments.review_flags import routes as review_flags
from trilha.web.panel.enrollments.waivers import routes as waivers
from trilha.web.panel.evaluations.pages import routes as evaluations
from trilha.web.panel.evaluations.settings import routes as evaluation_settings
from trilha.web.panel.events.pages import routes as panel_events
from trilha.web.panel.external_certificates.pages import routes as external_certificates
from trilha.web.panel.help.pages import routes as help_pages
from trilha.web.panel.identity.pages import routes as identity_pages
from trilha.web.panel.identity.settings import routes as identity_settings
from trilha.web.panel.inspection.pages import routes as inspection
from trilha.web.panel.inspection.retention import routes as record_retention
from trilha.web.panel.launches.pages import routes as launches_pages
from trilha.web.panel.learner_questions.pages import routes as learner_questions
from trilha.web.panel.learning_groups.pages import routes as learning_groups_pages
from trilha.web.panel.learning_paths.export import routes as followers_export
from trilha.web.panel.learning_paths.pages import routes as learning_paths_pages
from trilha.web.panel.learning_paths.people import routes as learning_path_people
from trilha.web.panel.meetings.pages import routes as meetings
from trilha.web.panel.modules.files import routes as module_files
from trilha.web.panel.modules.images import routes as module_images
from trilha.web.panel.modules.lessons import routes as lessons
from trilha.web.panel.modules.pages import routes as modules_pages
from trilha.web.panel.modules.previews import routes as module_previews
from trilha.web.panel.modules.translations import routes as translated_lessons
from trilha.web.panel.oauth_clients.pages import routes as panel_oauth_clients
from trilha.web.panel.outbox.pages import routes as outbox
from trilha.web.panel.outbox.pages import texts_of
from trilha.web.panel.packages.pages import routes as packages_pages
from trilha.web.panel.pedagogic_projects.pages import routes as pedagogic_projects
from trilha.web.panel.people.changes import routes as people_changes
from trilha.web.panel.people.export import routes as people_export
from trilha.web.panel.people.filters import bulk_routes as people_bulk
from trilha.web.panel.people.pages import routes as people
from trilha.web.panel.people_import.pages import routes as imports
from trilha.web.panel.practice.checklists import routes as checklists
from trilha.web.panel.practice.pages import routes as practice
from trilha.web.panel.qualifications.pages import routes as qualifications
from trilha.web.panel.question_bank.exporting import routes as question_exports
from trilha.web.panel.question_bank.importing import routes as question_imports
from trilha.web.panel.question_bank.pages import routes as question_bank
from trilha.web.panel.question_bank.selecting import routes as selected_questions
from trilha.web.panel.quizzes.bank import routes as quiz_bank
from trilha.web.panel.quizzes.media import routes as question_media
from trilha.web.panel.quizzes.pages import routes as quizzes_pages
from trilha.web.panel.quizzes.questions import routes as questions_pages
from trilha.web.panel.quizzes.translations import routes as translated_questions
from trilha.web.panel.reports.compliance import routes as report_compliance
from trilha.web.panel.reports.deadlines import routes as report_deadlines
from trilha.web.panel.reports.evidence import routes as evidence_files
from trilha.web.panel.reports.files import routes as report_files
from trilha.web.panel.reports.pages import routes as report_pages
from trilha.web.panel.reports.questions import routes as report_questions
from trilha.web.panel.requirements.compliance import routes as requirements_compliance
from trilha.web.panel.requirements.files import routes as requirement_files
from trilha.web.panel.requirements.pages import routes as requirements_pages
from trilha.web.panel.requirements.people import routes as requirement_people
from trilha.web.panel.requirements.people_export import routes as requirement_people_export
from trilha.web.panel.requirements.person import routes as person_requirements
from trilha.web.panel.requirements.reminding import routes as reminding
from trilha.web.panel.saved_views.pages import routes as saved_views
from trilha.web.panel.scim.pages import routes as panel_scim
from trilha.web.panel.search.pages import routes as search
from trilha.web.panel.settings.custom_fields import routes as custom_field_settings
from trilha.web.panel.settings.pages import routes as company_settings
from trilha.web.panel.settings.reminders import routes as reminder_settings
from trilha.web.panel.settings.retention import routes as retention_settings
from trilha.web.panel.settings.signature import routes as signature_settings
from trilha.web.panel.settings.statements import routes as statement_settings
from trilha.web.panel.sso.connections import routes as sso_connections
from trilha.web.panel.sso.creating import routes as sso_creating
from trilha.web.panel.sso.domains import routes as sso_domains
from trilha.web.panel.sso.log import routes as sso_log
from trilha.web.panel.sso.pages import routes as sso_pages
from trilha.web.panel.statements.pages import routes as panel_statements
from trilha.web.panel.webhooks.deliveries import routes as panel_deliveries
from trilha.web.panel.webhooks.pages import routes as panel_webhooks
from trilha.web.panel.xapi_keys.pages import routes as panel_xapi_keys
from trilha.web.panel.xapi_pipes.pages import routes as xapi_pipes

PAGES: tuple[Routes, ...] = (
    *(dashboard, search, choices, help_pages, bulk_actions, saved_views),
    *(people_bulk, people_export, people, people_changes, imports, qualifications, practice),
    checklists,
    *(business_units_pages, learning_groups_pages),
    *(courses_pages, authoring, course_outline, course_editing, packages_pages, modules_pages, module_files),
    *(module_images, module_previews, lessons, course_languages, translated_lessons, translated_questions),
    *(
        extensions,
        enrollment_requests,
        enrollments_pages,
        enrolling_many_pages,
        enrollments_export,
        external_certificates,
        launches_pages,
    ),
    *(panel_xapi_keys, panel_statements, waivers),
    *(panel_api_keys, panel_oauth_clients, panel_scim, panel_webhooks, panel_deliveries, panel_events),
    *(audit_record, company_settings, outbox),
    *(learning_paths_pages, followers_export, learning_path_people, review_flags),
    *(requirement_people, requirement_people_export, requirements_pages, requirements_compliance),
    *(requirement_files, reminding),
    person_requirements,
    *(class_people, classes_pages, class_sessions, class_calendar),
    meetings,
    *(attendance, attendance_signatures, room_codes, attendance_papers),
    *(
        quizzes_pages,
        questions_pages,
        question_media,
        quiz_bank,
        answers,
        learner_questions,
        evaluations,
        evaluation_settings,
    ),
    *(question_exports, question_imports, selected_questions, question_bank),
    *(certificates_pages, certificate_changes, certificate_archives, certificate_templates),
    *(identity_settings, identity_pages),
    *(retention_settings, reminder_settings, signature_settings, custom_field_settings),
    *(statement_settings, xapi_pipes),
    *(report_pages, report_deadlines, report_questions, report_compliance),
    *(report_files, evidence_files, inspection, record_retention, pedagogic_projects),
    *(sso_pages, sso_domains, sso_log, sso_creating, sso_connections),
)

FEATURE = Feature(
    name="panel",
    build_dependencies=lambda settings, database: [texts_of(settings, database.keyring)],
    build_jobs=lambda settings: [RunBulkActions()],
)
