"""What the learner's area contributes to the application, and the routes of its pages."""

from trilha.core.web.routes import Routes
from trilha.feature import Feature
from trilha.web.learn.calendar import feed
from trilha.web.learn.calendar.pages import routes as my_calendar
from trilha.web.learn.catalog.pages import routes as catalog
from trilha.web.learn.certificates.pages import routes as my_certificates
from trilha.web.learn.check_in.api import routes as check_in
from trilha.web.learn.check_in.pages import routes as check_in_pages
from trilha.web.learn.classes.calendar import routes as class_calendar
from trilha.web.learn.classes.pages import routes as my_classes
from trilha.web.learn.courses.pages import routes as my_courses
from trilha.web.learn.courses.results import routes as my_results
from trilha.web.learn.endings.pages import routes as endings
from trilha.web.learn.evaluations.pages import routes as evaluations
from trilha.web.learn.external_certificates.pages import routes as external_certificates
from trilha.web.learn.help.pages import routes as help_pages
from trilha.web.learn.identity import face_model
from trilha.web.learn.identity.pages import routes as identity
from trilha.web.learn.learner_questions.pages import routes as my_questions
from trilha.web.learn.learning_paths.pages import routes as my_paths
from trilha.web.learn.my_data.api import routes as export_routes
from trilha.web.learn.my_data.pages import routes as my_data
from trilha.web.learn.notifications.pages import routes as notifications
from trilha.web.learn.offline import icons
from trilha.web.learn.offline.manifest import routes as manifest
from trilha.web.learn.offline.pages import routes as offline
from trilha.web.learn.offline.worker import routes as worker
from trilha.web.learn.player.held_work import routes as held_work
from trilha.web.learn.player.launches import routes as launches
from trilha.web.learn.player.pages import routes as player_pages
from trilha.web.learn.practice.pages import routes as practice
from trilha.web.learn.profile.pages import routes as profile
from trilha.web.learn.security.pages import routes as security
from trilha.web.learn.security.passkeys import routes as passkeys
from trilha.web.learn.security.second_factor import routes as second_factor

PAGES: tuple[Routes, ...] = (
    *(my_courses, my_results, my_questions, evaluations, my_paths, catalog),
    *(player_pages, endings, held_work, launches),
    *(check_in_pages, my_classes, class_calendar, identity, practice),
    *(profile, security, second_factor, passkeys, my_data),
    *(my_calendar, my_certificates, external_certificates, notifications, help_pages),
    *(offline, manifest, worker),
)

FEATURE = Feature(
    name="learn",
    api=[export_routes, check_in],
    build_surfaces=lambda settings: [
        icons.SURFACE,
        face_model.SURFACE,
        feed.surface(settings.limit_calendar),
    ],
)
