"""Federated sign-in: a company's people sign in with its own identity provider."""

from trilha.sso import errors as errors
from trilha.sso.oidc import errors as oidc_errors  # noqa: F401 - registers its codes
