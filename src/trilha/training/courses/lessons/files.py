"""The media files that a text in Markdown names."""

import re
from uuid import UUID

# Authors write: ![description](media/{id}).
PATTERN = r"media/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
_FILE = re.compile(PATTERN)


def find_files(body: str) -> set[UUID]:
    return {UUID(each) for each in _FILE.findall(body)}
