"""Trilha: corporate training, multi-tenant, behind a public API."""

from importlib.metadata import version

__version__ = version("trilha")
