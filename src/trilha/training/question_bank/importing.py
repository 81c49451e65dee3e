"""Checks the questions of a file, and adds them to the bank."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import date
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Database, Tx
from trilha.core.errors import Invalid, Problem
from trilha.core.file_store import FileStore
from trilha.core.web.parsing import convert
from trilha.platform.tenants.quotas import actions as quotas
from trilha.training.courses import media, module_queries
from trilha.training.courses.media import StoredMedia
from trilha.training.question_bank import actions, queries
from trilha.training.question_bank.parsing.schema import ParsedFile, ParsedQuestion
from trilha.training.question_bank.schema import ImportResult
from trilha.training.quizzes.schema import NewQuestion, Picture


class CheckedQuestion(Struct, frozen=True):
    """A question of a file. `question` is None if it cannot be imported, because of `parsed.refusal` or of
    `problems`; it has no pictures yet.
    """

    parsed: ParsedQuestion
    question: NewQuestion | None
    problems: Sequence[Problem] = ()


class MissingAlt(Struct, frozen=True):
    """What stands for the description of a picture that has none, and the tag by which it is found."""

    text: str
    tag: str


def check(parsed: ParsedFile, today: date) -> list[CheckedQuestion]:
    return [_check(each, today) for each in parsed.questions]


def _check(parsed: ParsedQuestion, today: date) -> CheckedQuestion:
    if parsed.members is None:
        return CheckedQuestion(parsed, None)
    try:
        question = convert(NewQuestion, _give_words(parsed), today)
    except Invalid as error:
        return CheckedQuestion(parsed, None, error.detail)
    return CheckedQuestion(parsed, question)


def _give_words(parsed: ParsedQuestion) -> dict[str, Any]:
    """Returns the members, with a letter for each choice that consists of its picture."""
    assert parsed.members is not None
    pictured = {each.place for each in parsed.pictures}
    choices = parsed.members.get("choices")
    if not choices or not pictured:
        return parsed.members
    named = [
        each if each["text"] or place not in pictured else each | {"text": chr(ord("A") + place % 26)}
        for place, each in enumerate(choices)
    ]
    return parsed.members | {"choices": named}


@asynccontextmanager
async def store_pictures(
    files: FileStore, database: Database, tenant_id: UUID, questions: Sequence[CheckedQuestion]
) -> AsyncIterator[dict[str, StoredMedia]]:
    """Stores the pictures of questions, by the digest of their content; deletes them if the block fails."""
    contents = {
        digest(picture.content): picture.content
        for each in questions
        if each.question is not None
        for picture in each.parsed.pictures
    }
    stored = dict[str, StoredMedia]()
    try:
        with TemporaryDirectory() as folder:
            path = Path(folder, "picture.webp")
            for key, content in contents.items():
                await asyncio.to_thread(path.write_bytes, content)
                stored[key] = await media.keep(files, tenant_id, path, path.name)
        yield stored
    except BaseException:
        for each in stored.values():
            await media.drop(files, database, tenant_id, each)
        raise


def digest(content: bytes) -> str:
    return sha256(content).hexdigest()


async def add(
    tx: Tx,
    checked: Sequence[CheckedQuestion],
    stored: dict[str, StoredMedia],
    author_id: UUID | None,
    tags: Sequence[str],
    alt: MissingAlt,
) -> ImportResult:
    """Adds the questions that can be imported and are not in the bank yet. All get the `tags` too.

    Raises BusinessRule (question_bank_full, quota_exceeded).
    """
    importable = [(each, each.question) for each in checked if each.question is not None]
    known = await queries.find_known(tx, [question for _, question in importable])
    new = list[tuple[NewQuestion, Sequence[str]]]()
    ids = {key: await _insert_media(tx, each) for key, each in stored.items()}
    for each, question in importable:
        if (question.kind, question.text.strip()) in known:
            continue
        known.add((question.kind, question.text.strip()))
        pictured = _add_pictures(question, each.parsed, ids, alt)
        names = [*tags, *([alt.tag] if any(not one.alt for one in each.parsed.pictures) else [])]
        new.append((pictured, [*names, *each.parsed.tags]))
    await actions.add(tx, new, author_id)
    return ImportResult(len(new), len(importable) - len(new), len(checked) - len(importable))


async def _insert_media(tx: Tx, stored: StoredMedia) -> UUID:
    """Raises BusinessRule (quota_exceeded)."""
    await quotas.check_storage(tx, stored.size)
    names = ("sha256", "media_type", "size", "name")
    row = await module_queries.insert_media(tx, **{name: getattr(stored, name) for name in names})
    return row.id


def _add_pictures(
    question: NewQuestion, parsed: ParsedQuestion, ids: dict[str, UUID], alt: MissingAlt
) -> NewQuestion:
    choices = list(question.choices)
    for each in parsed.pictures:
        picture = Picture(file_id=ids[digest(each.content)], alt=each.alt or alt.text)
        if each.place is None:
            question = structs.replace(question, picture=picture)
        else:
            choices[each.place] = structs.replace(choices[each.place], picture=picture)
    return structs.replace(question, choices=choices)
