"""OpenAPI 3.1 descriptions, made from the routes themselves."""

from trilha.core.openapi.document import Description, describe

__all__ = ["Description", "describe"]
