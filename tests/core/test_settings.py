"""Settings: those for future surfaces say so."""

import re
from dataclasses import fields
from pathlib import Path

import trilha
from trilha import settings
from trilha.core.variables import PREFIX
from trilha.settings import Settings

SOURCES = [path for path in Path(trilha.__file__).parent.rglob("*.py") if "node_modules" not in path.parts]


def test_says_of_each_setting_whether_anything_reads_it() -> None:
    code = "\n".join(path.read_text() for path in SOURCES)
    # Matches `settings.port`, `current.port`, `self._settings.port`, and `self.port` in Settings itself.
    read = set(re.findall(r"\b(?:settings|current|self|self\._settings)\.(\w+)", code))
    unread = {each.name for each in fields(Settings) if each.name not in read}
    said = {
        row.name.removeprefix(PREFIX).lower()
        for row in settings.describe(Settings(), {})
        if row.meaning.endswith("Not read yet.")
    }
    assert said == unread
