"""Single sign-on: a company's people sign in with its identity provider."""

from trilha.access.sso import errors as errors
from trilha.access.sso.oidc import errors as oidc_errors  # noqa: F401 - registers its codes
