"""Whether the server lives, and whether it can work."""

from trilha.health.api import SURFACES

__all__ = ["SURFACES"]
