"""OpenAPI 3.1 descriptions, made from the routes themselves."""

from trilha.core.openapi.document import VERSION, Description, describe

__all__ = ["VERSION", "Description", "describe"]
