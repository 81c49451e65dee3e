"""Every page of /admin."""

from trilha.core.web.routes import Routes
from trilha.panel.api_keys.pages import routes as panel_api_keys
from trilha.panel.audit.pages import routes as audit_record
from trilha.panel.business_units.pages import routes as business_units_pages
from trilha.panel.certificate_templates.pages import routes as certificate_templates
from trilha.panel.certificates.archives import routes as certificate_archives
from trilha.panel.certificates.changes import routes as certificate_changes
from trilha.panel.certificates.pages import routes as certificates_pages
from trilha.panel.choices import routes as choices
from trilha.panel.courses.authoring import routes as authoring
from trilha.panel.courses.editing import routes as course_editing
from trilha.panel.courses.pages import routes as courses_pages
from trilha.panel.dashboard.pages import routes as dashboard
from trilha.panel.enrollments.export import routes as enrollments_export
from trilha.panel.enrollments.many import routes as enrolling_many_pages
from trilha.panel.enrollments.pages import routes as enrollments_pages
from trilha.panel.enrollments.reviews import routes as review_flags
from trilha.panel.events.pages import routes as panel_events
from trilha.panel.help.pages import routes as help_pages
from trilha.panel.launches.pages import routes as launches_pages
from trilha.panel.learning_groups.pages import routes as learning_groups_pages
from trilha.panel.learning_paths.pages import routes as learning_paths_pages
from trilha.panel.learning_paths.people import routes as learning_path_people
from trilha.panel.modules.files import routes as module_files
from trilha.panel.modules.images import routes as module_images
from trilha.panel.modules.pages import routes as modules_pages
from trilha.panel.modules.previews import routes as module_previews
from trilha.panel.oauth_clients.pages import routes as panel_oauth_clients
from trilha.panel.outbox.pages import routes as outbox
from trilha.panel.packages.pages import routes as packages_pages
from trilha.panel.people.changes import routes as people_changes
from trilha.panel.people.pages import routes as people
from trilha.panel.people_import.pages import routes as imports
from trilha.panel.quizzes.pages import routes as quizzes_pages
from trilha.panel.quizzes.questions import routes as questions_pages
from trilha.panel.reports.compliance import routes as report_compliance
from trilha.panel.reports.deadlines import routes as report_deadlines
from trilha.panel.reports.evidence import routes as evidence_files
from trilha.panel.reports.files import routes as report_files
from trilha.panel.reports.pages import routes as report_pages
from trilha.panel.reports.questions import routes as report_questions
from trilha.panel.scim.pages import routes as panel_scim
from trilha.panel.settings.pages import routes as company_settings
from trilha.panel.settings.signature import routes as signature_settings
from trilha.panel.sso.connections import routes as sso_connections
from trilha.panel.sso.creating import routes as sso_creating
from trilha.panel.sso.domains import routes as sso_domains
from trilha.panel.sso.log import routes as sso_log
from trilha.panel.sso.pages import routes as sso_pages
from trilha.panel.voice_answers.pages import routes as voice_answers
from trilha.panel.webhooks.deliveries import routes as panel_deliveries
from trilha.panel.webhooks.pages import routes as panel_webhooks

FEATURES: tuple[Routes, ...] = (
    *(dashboard, choices, help_pages),
    *(people, people_changes, imports),
    *(business_units_pages, learning_groups_pages),
    *(courses_pages, authoring, course_editing, packages_pages, modules_pages, module_files),
    *(module_images, module_previews),
    *(enrollments_pages, enrolling_many_pages, enrollments_export, launches_pages),
    *(panel_api_keys, panel_oauth_clients, panel_scim, panel_webhooks, panel_deliveries, panel_events),
    *(audit_record, company_settings, outbox),
    *(learning_paths_pages, learning_path_people, review_flags),
    *(quizzes_pages, questions_pages, voice_answers),
    *(certificates_pages, certificate_changes, certificate_archives, certificate_templates),
    *(signature_settings, report_pages, report_deadlines, report_questions, report_compliance),
    *(report_files, evidence_files),
    *(sso_pages, sso_domains, sso_log, sso_creating, sso_connections),
)
