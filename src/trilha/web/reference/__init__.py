"""The API reference: descriptions in OpenAPI 3.1, and a page at /docs that shows the one of /v1."""

from trilha.web.reference.pages import surfaces

__all__ = ["surfaces"]
