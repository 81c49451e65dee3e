"""Trilha: corporate training, multi-tenant, behind a public API."""

from importlib.metadata import version

from trilha.webhooks.signing import verify_signature

__all__ = ["__version__", "verify_signature"]

__version__ = version("trilha")
