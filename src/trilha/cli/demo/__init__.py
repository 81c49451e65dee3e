"""trilha demo: a tenant to try things with, in Brazilian Portuguese, with a year of history."""

from trilha.cli.demo.command import demo as demo
from trilha.cli.demo.command import prepare as prepare
