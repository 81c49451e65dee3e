"""The command line."""

from trilha.cli.main import main

__all__ = ["main"]
