"""Every page of /learn."""

from trilha.core.web.routes import Routes
from trilha.learn.certificates.pages import routes as my_certificates
from trilha.learn.courses.pages import routes as my_courses
from trilha.learn.courses.results import routes as my_results
from trilha.learn.help.pages import routes as help_pages
from trilha.learn.learning_paths.pages import routes as my_paths
from trilha.learn.my_data.pages import routes as my_data
from trilha.learn.player.launches import routes as launches
from trilha.learn.player.pages import routes as player_pages
from trilha.learn.profile.pages import routes as profile
from trilha.learn.security.pages import routes as security
from trilha.learn.security.second_factor import routes as second_factor

FEATURES: tuple[Routes, ...] = (
    *(my_courses, my_results, my_paths, player_pages, launches),
    *(profile, security, second_factor, my_data),
    *(my_certificates, help_pages),
)
