"""OpenAPI 3.1 descriptions, generated from the routes."""

from trilha.core.openapi.document import Description, describe

__all__ = ["Description", "describe"]
