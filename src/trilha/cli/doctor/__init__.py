"""`trilha doctor`: checks an installation and says how to mend what is wrong."""

from trilha.cli.doctor.command import doctor

__all__ = ["doctor"]
