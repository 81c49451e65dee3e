"""Tags of questions: lowercase words, so that NR-35 and nr-35 are one. No I/O, no clock."""

from collections.abc import Iterable

from trilha.training.quizzes.schema import MAX_TAGS

MAX_LENGTH = 60


def normalize(tag: str) -> str:
    """Returns the tag as stored, cut to its maximum length; empty if nothing is left."""
    text = "".join(each if each.isprintable() else " " for each in tag)
    return " ".join(text.replace(",", " ").split()).lower()[:MAX_LENGTH].strip()


def split(text: str) -> list[str]:
    """Reads tags that are separated by commas, semicolons or lines."""
    return clean(text.replace(";", ",").replace("\n", ",").split(","))


def clean(tags: Iterable[str]) -> list[str]:
    """Returns the tags as stored, each once, in their order."""
    return list(dict.fromkeys(tag for tag in map(normalize, tags) if tag))


def limit(tags: Iterable[str]) -> list[str]:
    return clean(tags)[:MAX_TAGS]
