"""Health checks of the server."""

from trilha.platform.health.api import SURFACES

__all__ = ["SURFACES"]
