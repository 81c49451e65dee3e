"""What the sign-in pages contribute to the application, and their routes."""

from trilha.core.web.routes import Routes
from trilha.feature import Feature
from trilha.web.login.email_changes import routes as email_changes
from trilha.web.login.launch_links import routes as launch_links
from trilha.web.login.pages import routes as signing_in
from trilha.web.login.passkeys import routes as passkeys
from trilha.web.login.password_resets import routes as password_resets
from trilha.web.login.providers import routes as providers
from trilha.web.login.welcome import Welcome

PAGES: tuple[Routes, ...] = (signing_in, passkeys, password_resets, email_changes, providers, launch_links)

FEATURE = Feature(
    name="login",
    build_dependencies=lambda settings, database: [Welcome(database, settings.address)],
)
