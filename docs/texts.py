"""Lists every text that a person sees, in both languages: `python -m docs.texts` writes `docs/texts.csv`.

The list is for reading: each row has a key, the Portuguese, the English and the places that show it. Texts of
pages come from the catalogs, texts of e-mails from their templates. Error sentences, settings and the help of
commands exist only in English. With `--check` it writes nothing, and fails if the file is stale.
"""

import csv
import io
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
from babel.messages.pofile import read_po

from trilha.app import list_v1_routes
from trilha.cli import main as command_line
from trilha.core.errors import CODES, FIELD_CODES
from trilha.core.variables import describe_all
from trilha.kit.translations import CATALOGUE, ROOMS
from trilha.platform.mail.rendering import TEMPLATES
from trilha.settings import Settings

TEXTS = Path(__file__).parent / "texts.csv"


class Text(NamedTuple):
    key: str
    portuguese: str
    english: str
    places: str


def list_texts() -> Iterator[Text]:
    yield from list_page_texts()
    yield from list_mail_texts()
    list_v1_routes()  # registers the error codes of every feature
    for code, error in sorted({**CODES, **FIELD_CODES}.items()):
        yield Text(f"error {code}", "", error.message, "docs/errors.md")
    for setting in describe_all(Settings(), {}, secret=()):
        yield Text(f"setting {setting.name}", "", setting.meaning, "docs/settings.md")
    yield from list_command_texts(command_line, ("trilha",))


def list_page_texts() -> Iterator[Text]:
    """Yields the messages of all catalogs, each once, sorted by message."""
    places: dict[tuple[str, str], set[str]] = defaultdict(set)
    translations: dict[tuple[str, str], str] = {}
    for path in sorted(ROOMS.rglob(CATALOGUE)):
        for message in read_po(io.BytesIO(path.read_bytes()), locale="pt_BR"):
            if message.id:
                text = (_join(message.id), message.context or "")
                translations[text] = _join(message.string or "")
                places[text].update(place for place, _ in message.locations)
    for text in sorted(places, key=lambda text: (text[0].casefold(), text)):
        english, context = text
        key = f"{english} [{context}]" if context else english
        yield Text(key, translations[text], english, " ".join(sorted(places[text])))


def _join(text: str | tuple[str, ...] | list[str]) -> str:
    """Returns a text, or its singular and plural if it has both."""
    return text if isinstance(text, str) else " | ".join(text)


def list_mail_texts() -> Iterator[Text]:
    """Yields the templates of e-mails in plain text. Those in HTML say the same."""
    for path in sorted((TEMPLATES / "pt-BR").glob("*.txt")):
        english = TEMPLATES / "en" / path.name
        yield Text(
            f"mail {path.stem}",
            path.read_text(encoding="utf-8"),
            english.read_text(encoding="utf-8"),
            f"{path.relative_to(ROOMS)} {english.relative_to(ROOMS)}",
        )


def list_command_texts(command: click.Command, names: tuple[str, ...]) -> Iterator[Text]:
    """Yields the help of a command, of its options and of the commands below it."""
    name = " ".join(names)
    yield Text(f"command {name}", "", command.help or "", "docs/cli.md")
    for parameter in command.params:
        if isinstance(parameter, click.Option) and parameter.help:
            yield Text(f"option {name} {parameter.opts[-1]}", "", parameter.help, "docs/cli.md")
    if isinstance(command, click.Group):
        for each, below in sorted(command.commands.items()):
            yield from list_command_texts(below, (*names, each))


def build_csv() -> str:
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(("key", "pt-BR", "en", "places"))
    writer.writerows(list_texts())
    return lines.getvalue()


def write() -> None:
    TEXTS.write_text(build_csv(), encoding="utf-8")


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        if not TEXTS.exists() or TEXTS.read_text(encoding="utf-8") != build_csv():
            sys.stderr.write("texts: docs/texts.csv is stale: run make messages\n")
            return 1
        return 0
    write()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
