"""Federated sign-in: a company's people sign in with its own identity provider."""

from trilha.sso import errors as errors
