"""The API reference: the description at /openapi.json, and a page that shows it at /docs."""

from trilha.reference.pages import handlers

__all__ = ["handlers"]
