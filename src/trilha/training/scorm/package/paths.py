"""Names of files in a package: which are allowed, in which encoding they are, and how one is found."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from trilha.training.scorm.package.limits import Limits

T = TypeVar("T")

# Names that Windows reserves for devices, with any extension.
_RESERVED_NAMES = re.compile(r"(con|prn|aux|nul|com[1-9¹²³]|lpt[1-9¹²³])(\..*)?", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:")
_JUNK = re.compile(r"(^|/)(__MACOSX/.*|\.DS_Store|Thumbs\.db|desktop\.ini|\._[^/]*)$", re.IGNORECASE)
# The encodings of names without the UTF-8 flag. The first one is used if none fits better.
_ENCODINGS = ("cp850", "cp1252", "cp437")


def problem_of(name: str, limits: Limits) -> str | None:
    """The code of why this name is not allowed."""
    path = name.replace("\\", "/")
    segments = [each for each in path.rstrip("/").split("/") if each not in ("", ".")]
    if any(unicodedata.category(each) in ("Cc", "Cs") for each in path):
        return "control_character_in_name"
    if path.startswith("/") or _DRIVE.match(path):
        return "absolute_name"
    if ".." in segments:
        return "name_leaves_package"
    if not segments or any(_RESERVED_NAMES.fullmatch(each) for each in segments):
        return "reserved_name"
    if len(segments) > limits.depth:
        return "too_deep"
    return "name_too_long" if len("/".join(segments).encode()) > limits.path else None


def normal(name: str) -> str:
    """The one form of an allowed name: slashes, no empty segments, composed characters (NFC)."""
    segments = [each for each in name.replace("\\", "/").split("/") if each not in ("", ".")]
    return unicodedata.normalize("NFC", "/".join(segments))


def fold_path(path: str) -> str:
    """Equal for paths that some file systems and servers take for the same."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def is_junk(path: str) -> bool:
    """What systems leave behind in archives."""
    return bool(_JUNK.search(path))


def decode_names(names: Mapping[int, tuple[bytes, bool]], referenced: Iterable[str]) -> dict[int, str]:
    """Names as text, by number. Each comes with whether it says that it is UTF-8.

    The others are UTF-8 too where they can be, else what turns most of them into `referenced` paths. Raises
    UnicodeDecodeError where a name says that it is UTF-8 and is not.
    """
    found, unknown = dict[int, str](), dict[int, bytes]()
    for number, (raw, marked) in names.items():
        try:
            found[number] = raw.decode()
        except UnicodeDecodeError:
            if marked:
                raise
            unknown[number] = raw
    if unknown:
        encoding = _best_encoding(list(unknown.values()), {fold_path(each) for each in referenced})
        found |= {number: raw.decode(encoding, "replace") for number, raw in unknown.items()}
    return dict(sorted(found.items()))


def _best_encoding(raw: Sequence[bytes], referenced: set[str]) -> str:
    def hits(encoding: str) -> int:
        return sum(fold_path(normal(each.decode(encoding, "replace"))) in referenced for each in raw)

    return max(_ENCODINGS, key=hits)


class Lookup(Generic[T]):
    """What belongs to a path, found as it is stored, else whatever the case of its letters."""

    def __init__(self, stored: Mapping[str, T]) -> None:
        self._stored = stored
        self._folded = {fold_path(path): path for path in stored}

    def path(self, name: str) -> str | None:
        """The stored form of a path."""
        if name in self._stored:
            return name
        return self._folded.get(fold_path(name))

    def find(self, name: str) -> T | None:
        path = self.path(name)
        return None if path is None else self._stored[path]
