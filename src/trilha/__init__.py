"""Trilha: corporate training, multi-tenant, behind a public API."""

from trilha.platform.webhooks.delivery.signing import verify_signature

__all__ = ["__version__", "verify_signature"]

__version__ = "1.0.0"
