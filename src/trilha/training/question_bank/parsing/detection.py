"""Chooses the reader of a file by its content and name, and prepares the questions for their checks."""

import codecs
import re

from trilha.core.errors import Invalid
from trilha.training.courses import images
from trilha.training.question_bank import tags
from trilha.training.question_bank.parsing import gift, moodle_xml, table
from trilha.training.question_bank.parsing import text as plain
from trilha.training.question_bank.parsing.schema import ParsedFile, ParsedQuestion, Unreadable
from trilha.training.quizzes.schema import MAX_TAGS

_XML = re.compile(rb"\s*<(?:\?xml|quiz|!)")
# The width in pixels of a column of text on a high-density screen.
_MAX_SIDE = 1600
_MAX_FEEDBACK = 5000
_MAX_DETAIL = 100


def read(file_name: str, content: bytes) -> ParsedFile:
    """Never raises for foreign content: the result says what is wrong."""
    try:
        parsed = _read(file_name.lower(), content)
    except Unreadable as error:
        return ParsedFile("gift", problem=str(error))
    except RecursionError:
        return ParsedFile("gift", problem="question_file_too_complex")
    for question in parsed.questions:
        _prepare(question)
    return parsed


def _read(name: str, content: bytes) -> ParsedFile:
    if _XML.match(content.removeprefix(codecs.BOM_UTF8)) or name.endswith(".xml"):
        return moodle_xml.read(content)
    if name.endswith((".csv", ".tsv", ".xlsx")) or content.startswith(b"PK"):
        return table.read(content)
    text = _decode(content)
    if name.endswith(".gift"):
        return gift.read(text)
    # A table is recognized by its headers; GIFT has answers in braces.
    try:
        return table.read(content)
    except Unreadable as error:
        if "{" in text and "}" in text:
            return gift.read(text)
        raise error


def _decode(content: bytes) -> str:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _prepare(question: ParsedQuestion) -> None:
    cleaned = tags.clean(question.tags)
    if len(cleaned) > MAX_TAGS:
        question.losses.append("tags_cut")
    question.tags = cleaned[:MAX_TAGS]
    question.name, question.detail = (
        plain.clean(question.name)[:200],
        plain.clean(question.detail)[:_MAX_DETAIL],
    )
    members = question.members
    if members is not None:
        feedback = members.get("feedback", "")
        if len(feedback) > _MAX_FEEDBACK:
            question.losses.append("feedback_cut")
            members["feedback"] = feedback[:_MAX_FEEDBACK]
    for picture in question.pictures:
        try:
            picture.content = images.convert(picture.content, most_side=_MAX_SIDE)
        except Invalid:
            question.refusal, question.members = "invalid_picture", None
    question.pictures = question.pictures if question.members is not None else []
    question.losses = list(dict.fromkeys(question.losses))
