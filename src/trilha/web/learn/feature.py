"""What the learner's area contributes to the application, and the routes of its pages."""

from trilha.core.web.routes import Routes
from trilha.feature import Feature
from trilha.web.learn.certificates.pages import routes as my_certificates
from trilha.web.learn.courses.pages import routes as my_courses
from trilha.web.learn.courses.results import routes as my_results
from trilha.web.learn.help.pages import routes as help_pages
from trilha.web.learn.learning_paths.pages import routes as my_paths
from trilha.web.learn.my_data.api import routes as export_routes
from trilha.web.learn.my_data.pages import routes as my_data
from trilha.web.learn.player.held_work import routes as held_work
from trilha.web.learn.player.launches import routes as launches
from trilha.web.learn.player.pages import routes as player_pages
from trilha.web.learn.profile.pages import routes as profile
from trilha.web.learn.security.pages import routes as security
from trilha.web.learn.security.second_factor import routes as second_factor

PAGES: tuple[Routes, ...] = (
    *(my_courses, my_results, my_paths, player_pages, held_work, launches),
    *(profile, security, second_factor, my_data),
    *(my_certificates, help_pages),
)

FEATURE = Feature(name="learn", api=[export_routes])
