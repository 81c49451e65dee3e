"""Updates the catalogs of translations from the pages: `python -m docs.messages`.

It also writes the list of all texts, `docs/texts.csv`.

With `--check` it changes nothing. It fails if a message is not in its catalog, is not translated, is fuzzy,
is no longer used, or has two translations.
"""

import io
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

from docs import texts
from trilha.kit.translations import CATALOGUE, ROOMS

KEYWORDS = {
    "_": None,
    "gettext": None,
    "N_": None,
    "NN_": (1, 2),
    "NC_": ((1, "c"), 2),
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
}
METHODS = {".py": "python", ".html": "jinja2.ext.babel_extract", ".txt": "jinja2.ext.babel_extract"}
HEADER = rb"""msgid ""
msgstr ""
"Language: pt_BR\n"
"Plural-Forms: nplurals=2; plural=(n > 1);\n"
"Content-Type: text/plain; charset=utf-8\n"

"""
KIT = ROOMS / "kit"
Key = tuple[object, str | None]


def room_of(path: Path) -> Path:
    """Returns the nearest package, which has the catalog of its messages."""
    return next(folder for folder in path.parents if (folder / "__init__.py").exists())


def said() -> dict[Path, Catalog]:
    """Returns the messages in the sources, by package. Messages of the kit are in no other catalog."""
    found: dict[Path, Catalog] = defaultdict(lambda: Catalog(locale="pt_BR"))
    for path in sorted(ROOMS.rglob("*")):
        if path.suffix not in METHODS or "node_modules" in path.parts:
            continue
        # An unreadable template would appear to have no messages.
        options = {
            "trimmed": "true",
            "newstyle_gettext": "true",
            "extensions": "jinja2.ext.do",
            "silent": "false",
        }
        for _, message, comments, context in extract_from_file(
            METHODS[path.suffix], path, KEYWORDS, ("Translators:",), options
        ):
            catalog = found[room_of(path)]
            catalog.add(
                message,
                locations=[(str(path.relative_to(ROOMS)), 0)],
                auto_comments=comments,
                context=context,
            )
    for room, catalog in found.items():
        if room != KIT:
            for message in _messages(catalog):
                if found[KIT].get(_id(message), message.context):
                    catalog.delete(_id(message), message.context)
    return {room: catalog for room, catalog in found.items() if len(catalog)}


def kept(room: Path) -> Catalog:
    path = room / CATALOGUE
    if not path.exists():
        return Catalog(locale="pt_BR")
    return read_po(io.BytesIO(path.read_bytes()), locale="pt_BR")


def _id(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def _is_translated(message: Message) -> bool:
    words = [message.string] if isinstance(message.string, str) else list(message.string or [""])
    return all(words)


def problems() -> Iterator[str]:
    """Returns one line for each problem."""
    fresh = said()
    for path in ROOMS.rglob(CATALOGUE):
        if path.parent not in fresh:
            yield f"{path.relative_to(ROOMS)}: nothing is said here any more"
    ways: dict[Key, object] = {}
    for room, catalog in fresh.items():
        stored = kept(room)
        lines = [*_problems_of(catalog, stored, ways), *_left_over(catalog, stored)]
        yield from (f"{(room / CATALOGUE).relative_to(ROOMS)}: {line}" for line in lines)


def _problems_of(catalog: Catalog, stored: Catalog, ways: dict[Key, object]) -> Iterator[str]:
    for message in _messages(catalog):
        found = stored.get(_id(message), message.context)
        if found is None:
            yield f"{_id(message)!r} is missing"
            continue
        if found.fuzzy or not _is_translated(found):
            yield f"{_id(message)!r} is not translated"
        yield from (f"{_id(message)!r}: {error}" for error in found.check())
        if ways.setdefault((found.id, found.context), found.string) != found.string:
            yield f"{_id(message)!r} is translated otherwise elsewhere"


def _left_over(catalog: Catalog, stored: Catalog) -> Iterator[str]:
    for message in _messages(stored):
        if catalog.get(_id(message), message.context) is None:
            yield f"{_id(message)!r} is no longer said"


def _messages(catalog: Catalog) -> list[Message]:
    """Returns the messages without the header, whose msgid is empty."""
    return [message for message in catalog if message.id]


def write() -> int:
    """Writes every catalog, and prints how many messages need a translation."""
    fresh = said()
    known = [message for room in fresh for message in _messages(kept(room))]
    everywhere = {(message.id, message.context): message.string for message in known}
    waiting = 0
    for path in ROOMS.rglob(CATALOGUE):
        if path.parent not in fresh:
            path.unlink()
    for room, catalog in fresh.items():
        for message in _messages(catalog):
            message.string = everywhere.get((message.id, message.context)) or message.string
            waiting += not _is_translated(message)
        written = io.BytesIO()
        write_po(written, catalog, omit_header=False, width=0, include_lineno=False)
        (room / CATALOGUE).write_bytes(_without_dates(written.getvalue()))
    return waiting


def _without_dates(catalogue: bytes) -> bytes:
    """Keeps only the header lines that matter for reading, because the others change by themselves."""
    _, _, messages = catalogue.partition(b"\n\n")
    return HEADER + messages


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        found = list(problems())
        sys.stderr.writelines(f"messages: {line}\n" for line in found)
        return int(bool(found))
    if waiting := write():
        sys.stderr.write(f"messages: {waiting} wait for a translation in the files {CATALOGUE}\n")
    texts.write()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
