"""Reads Moodle XML (https://docs.moodle.org/en/Moodle_XML_format), without entities, DTDs and networks."""

import base64
import binascii
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from lxml import etree

from trilha.training.question_bank.parsing import text as plain
from trilha.training.question_bank.parsing.gift import note_weights, split_category
from trilha.training.question_bank.parsing.schema import (
    MAX_QUESTIONS,
    FilePicture,
    ParsedFile,
    ParsedQuestion,
    Unreadable,
)
from trilha.training.quizzes import numbers

_FULL = 99.0
_MAX_PICTURES = 200
_PLUGIN_FILE = "@@PLUGINFILE@@/"
_MATCHING = ("matching", "match")


class _Reader:
    def __init__(self) -> None:
        self.pictures = 0

    def read(self, root: Any) -> ParsedFile:
        result = ParsedFile("xml")
        tags: list[str] = []
        for element in root.iterchildren("question"):
            kind = (element.get("type") or "").strip().lower()
            if kind == "category":
                tags = split_category(_text(element.find("category")))
            elif kind == "description":
                result.descriptions += 1
            else:
                question = self._read_question(element, kind)
                own = [_text(each) for each in element.iterfind("tags/tag")]
                question.tags = [*tags, *filter(None, own)]
                result.questions.append(question)
                if len(result.questions) > MAX_QUESTIONS:
                    raise Unreadable("question_file_too_large")
        return result

    def _read_question(self, element: Any, kind: str) -> ParsedQuestion:
        question = ParsedQuestion(element.sourceline or 1, _text(element.find("name"))[:200])
        members: dict[str, Any] = {"text": self._read_text(question, element.find("questiontext"), None)}
        question.name = question.name or members["text"][:200]
        question.members = members
        readers = {
            "multichoice": self._read_choices,
            "truefalse": self._read_true_false,
            "shortanswer": self._read_accepted,
            "numerical": self._read_numeric,
            "essay": self._read_essay,
            "recordrtc": self._read_voice,
        }
        if kind in readers:
            readers[kind](question, members, element)
        else:
            question.refusal = "matching" if kind in _MATCHING else "unsupported_kind"
            question.detail = kind[:60]
        members["feedback"] = "\n".join(
            filter(
                None,
                [self._read_words(question, element.find("generalfeedback")), members.get("feedback", "")],
            )
        )
        grade = numbers.parse(_text_of(element.find("defaultgrade")))
        if grade is not None and grade > 0:
            members["weight"] = grade
        if question.refusal:
            question.members = None
        return question

    def _read_text(self, question: ParsedQuestion, element: Any, place: int | None) -> str:
        """Returns a text as plain text, and keeps the first picture that it has."""
        if element is None:
            return ""
        html = self._convert(question, element)
        if isinstance(html, str):
            return html
        files = {each.get("name"): each for each in element.iterfind("file")}
        for source, alt in html.pictures:
            self._add_picture(question, files, source, alt, place)
        return html.text

    def _read_words(self, question: ParsedQuestion, element: Any) -> str:
        """Returns a text that cannot have pictures here."""
        if element is None:
            return ""
        html = self._convert(question, element)
        if isinstance(html, str):
            return html
        if html.pictures:
            question.losses.append("media")
        return html.text

    def _convert(self, question: ParsedQuestion, element: Any) -> "plain.PlainText | str":
        markup = (element.get("format") or "html").lower()
        content = _text(element)
        if markup == "markdown":
            return plain.from_markdown(content)
        if markup == "plain_text":
            return plain.clean(content)
        html = plain.read_html(content)
        if html.has_media:
            question.losses.append("media")
        if html.has_table:
            question.losses.append("table")
        return html

    def _add_picture(
        self, question: ParsedQuestion, files: dict[str, Any], source: str, alt: str, place: int | None
    ) -> None:
        if any(each.place == place for each in question.pictures):
            question.losses.append("second_picture")
            return
        content = _decode_picture(files, source)
        if content is None:
            question.losses.append("media")
            return
        self.pictures += 1
        if self.pictures > _MAX_PICTURES:
            question.refusal = "too_many_pictures"
            return
        alt = plain.clean(alt)[:500]
        if not alt:
            question.losses.append("picture_without_alt")
        question.pictures.append(FilePicture(place, content, alt))

    def _answers(self, question: ParsedQuestion, element: Any) -> Iterator[tuple[float, Any, str]]:
        """Yields for each answer its percentage, its element and its feedback."""
        for answer in element.iterfind("answer"):
            share = numbers.parse(answer.get("fraction") or "") or 0.0
            yield share, answer, self._read_words(question, answer.find("feedback"))

    def _read_choices(self, question: ParsedQuestion, members: dict[str, Any], element: Any) -> None:
        rows = list(self._answers(question, element))
        shares = [share for share, *_ in rows]
        single = _text_of(element.find("single")).lower() in ("true", "1")
        right = [share >= _FULL if single else share > 0 for share in shares]
        if single and sum(right) > 1:
            question.losses.append("any_right")
            single = False
        note_weights(question, shares, single=single)
        choices = [
            {"text": self._read_text(question, answer, place), "right": is_right}
            for place, ((_, answer, _), is_right) in enumerate(zip(rows, right, strict=True))
        ]
        members |= {"kind": "single" if single else "multiple", "choices": choices}
        _add_feedback(members, [(str(c["text"]), row[2]) for c, row in zip(choices, rows, strict=True)])

    def _read_true_false(self, question: ParsedQuestion, members: dict[str, Any], element: Any) -> None:
        rows = list(self._answers(question, element))
        right = [_text(answer).lower() for share, answer, _ in rows if share >= _FULL]
        members |= {
            "kind": "true_false",
            "right": {"true": True, "false": False}.get(right[0] if right else ""),
        }
        _add_feedback(members, [("", said) for *_, said in rows])

    def _read_accepted(self, question: ParsedQuestion, members: dict[str, Any], element: Any) -> None:
        rows = list(self._answers(question, element))
        kept = [plain.clean(_text(answer)) for share, answer, _ in rows if share >= _FULL]
        if len(kept) < len(rows):
            question.losses.append("other_answers")
        case = _text_of(element.find("usecase")) in ("1", "true")
        members |= {"kind": "fill_in", "accepted": kept, "ignore_case": not case}
        _add_feedback(members, [(plain.clean(_text(answer)), said) for _, answer, said in rows])

    def _read_numeric(self, question: ParsedQuestion, members: dict[str, Any], element: Any) -> None:
        rows = list(self._answers(question, element))
        full = [answer for share, answer, _ in rows if share >= _FULL]
        if len(rows) > 1:
            question.losses.append("other_answers")
        value = numbers.parse(_text(full[0])) if full else None
        members["kind"] = "numeric"
        if value is None:
            question.refusal, question.detail = "invalid_number", _text(full[0])[:100] if full else ""
            return
        tolerance = numbers.parse(_text_of(full[0].find("tolerance")))
        members |= {"value": value, "tolerance": abs(tolerance or 0.0)}
        _add_feedback(members, [(plain.clean(_text(answer)), said) for _, answer, said in rows])

    def _read_essay(self, question: ParsedQuestion, members: dict[str, Any], element: Any) -> None:
        members["kind"] = "essay"

    def _read_voice(self, question: ParsedQuestion, members: dict[str, Any], element: Any) -> None:
        members["kind"] = "voice"
        seconds = numbers.parse(_text_of(element.find("timelimitinseconds")))
        if seconds is not None:
            members["longest_seconds"] = int(min(max(seconds, 5), 600))


def read(content: bytes) -> ParsedFile:
    """Raises Unreadable."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True
    )
    try:
        root: Any = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError):
        raise Unreadable("unknown_question_format") from None
    # A document type could define entities, which no export of Moodle has.
    if root.getroottree().docinfo.doctype or root.tag != "quiz":
        raise Unreadable("unknown_question_format")
    return _Reader().read(root)


def _text(element: Any) -> str:
    """Returns the content of the `text` inside an element."""
    return "" if element is None else _text_of(element.find("text")) or _text_of(element)


def _text_of(element: Any) -> str:
    return "" if element is None else (element.text or "").strip()


def _decode_picture(files: dict[str, Any], source: str) -> bytes | None:
    """Returns the bytes of an embedded picture, or None if it is not in the file."""
    encoded = ""
    if source.startswith(_PLUGIN_FILE):
        file = files.get(unquote(source[len(_PLUGIN_FILE) :]))
        encoded = _text_of(file) if file is not None else ""
    elif source.startswith("data:image/"):
        head, _, data = source.partition(",")
        encoded = data if head.endswith(";base64") else ""
    try:
        return base64.b64decode("".join(encoded.split()), validate=True) or None
    except (binascii.Error, ValueError):
        return None


def _add_feedback(members: dict[str, Any], rows: list[tuple[str, str]]) -> None:
    lines = [f"{words}: {said}" if words else said for words, said in rows if said]
    if lines:
        members["feedback"] = "\n".join(lines)
