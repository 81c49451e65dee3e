"""trilha demo: a tenant to try things on, in Brazilian Portuguese, with a year behind it."""

from trilha.cli.demo.command import demo as demo
from trilha.cli.demo.command import prepare as prepare
