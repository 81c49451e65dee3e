"""Decisions about courses. No I/O, no clock."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, TypeVar

LONGEST_SLUG = 120
MAX_MODULES = 1500  # of a course
Key = TypeVar("Key")


def usual_documents(kind: object) -> list[str]:
    """Returns the documents that a course under this kind of law requires by default."""
    return ["cpf", "cnh"] if kind == "traffic" else ["cpf"]


def with_usual_documents(regulation: Any) -> Any:
    """Adds the default documents to a regulation from a file; returns anything else unchanged, to be refused
    later.
    """
    if not isinstance(regulation, dict):
        return regulation
    return {"required_profile_fields": usual_documents(regulation.get("kind"))} | regulation


def slug_of(title: str) -> str:
    """Turns `Direção segura, nível 2` into `direcao-segura-nivel-2`."""
    plain = unicodedata.normalize("NFKD", title.lower()).encode("ascii", "ignore").decode()
    return "-".join(re.findall(r"[a-z0-9]+", plain))[:LONGEST_SLUG].strip("-") or "course"


def free_slug(slug: str, taken: Collection[str]) -> str:
    """Returns the slug, or the first of `slug-2`, `slug-3` … that is not taken."""
    return next(each for each in _number_slugs(slug) if each not in taken)


def _number_slugs(slug: str) -> Iterator[str]:
    yield slug
    for number in count(2):
        end = f"-{number}"
        yield slug[: LONGEST_SLUG - len(end)].strip("-") + end


def shares(minutes: int, parts: int) -> list[int]:
    """Splits `minutes` into whole minutes that are as equal as possible."""
    whole, rest = divmod(minutes, max(parts, 1))
    return [whole + (n < rest) for n in range(parts)]


def move(order: Sequence[Key], which: Key, position: int) -> list[Key]:
    """Moves `which` to this position, counted from 1; the others keep their order."""
    others = [each for each in order if each != which]
    place = min(max(position, 1), len(order)) - 1
    return [*others[:place], which, *others[place:]]


def successors(modules: Mapping[Key, str], parts: Sequence[str]) -> dict[Key, str]:
    """Maps modules to the parts of a package's new version.

    `modules` are the identifiers of the parts that modules show now. Equal identifiers are the same part. If
    both versions have a single part, it is the same part whatever its identifier.
    """
    if len(modules) == len(parts) == 1:
        return dict(zip(modules, parts, strict=True))
    left = Counter(parts)
    found = dict[Key, str]()
    for key, item in modules.items():
        if left[item]:
            left[item] -= 1
            found[key] = item
    return found
