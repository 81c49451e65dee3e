"""The OpenAPI 3.1 description, made from the routes themselves."""

from trilha.core.openapi.document import VERSION, describe

__all__ = ["VERSION", "describe"]
