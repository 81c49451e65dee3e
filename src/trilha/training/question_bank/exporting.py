"""Writes questions as a table, as GIFT and as Moodle XML. Their import gives the same questions again, but:

- only Moodle XML has pictures, and no format has audio;
- only the table has rubrics, the longest essay, and which differences short texts ignore. Moodle XML has of
  these whether capital letters matter.
"""

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

from lxml import etree

from trilha.core.spreadsheets import csv_lines
from trilha.training.question_bank.parsing.table import HEADERS, KINDS
from trilha.training.question_bank.schema import BankQuestion
from trilha.training.quizzes.schema import Picture, Question

MAX_EXPORTED = 2000
_SPECIAL = re.compile(r"([~=#{}:\\])")
_XML_KINDS = {
    "single": "multichoice",
    "multiple": "multichoice",
    "true_false": "truefalse",
    "numeric": "numerical",
    "fill_in": "shortanswer",
    "essay": "essay",
    "voice": "recordrtc",
}
_IGNORE_PLACES = {"ignore_case": 0, "ignore_accents": 1, "ignore_spaces": 2}


class Words:
    """The words of a table in the reader's language; `ignored` are case, accents, spaces and nothing."""

    def __init__(self, *, english: bool) -> None:
        place = 1 if english else 0
        self.headers = {member: words[min(place, len(words) - 1)] for member, words in _HEADER_WORDS.items()}
        self.choice = "choice" if english else "alternativa"
        self.kinds = {kind: words[place] for kind, words in KINDS.items()}
        self.right = ("true", "false") if english else ("verdadeiro", "falso")
        self.ignored = (
            ("case", "accents", "spaces", "nothing")
            if english
            else ("maiúsculas", "acentos", "espaços", "nada")
        )


_HEADER_WORDS: Mapping[str, tuple[str, str]] = {
    "kind": ("tipo", "kind"),
    "text": ("pergunta", "question"),
    "right": ("resposta", "answer"),
    "tolerance": ("tolerância", "tolerance"),
    "weight": ("peso", "weight"),
    "feedback": ("comentário", "comment"),
    "tags": ("etiquetas", "tags"),
    "ignore": ("ignorar", "ignore"),
    "length": ("tamanho máximo", "maximum length"),
    "rubric": ("critérios", "criteria"),
}
assert _HEADER_WORDS.keys() == HEADERS.keys()


def write_table(questions: Sequence[BankQuestion], words: Words, separator: str) -> str:
    choices = max([5, *(len(each.question.choices) for each in questions)])
    before, after = ("kind", "text"), [name for name in words.headers if name not in ("kind", "text")]
    header = [
        *(words.headers[name] for name in before),
        *(f"{words.choice} {place + 1}" for place in range(choices)),
        *(words.headers[name] for name in after),
    ]
    rows = [header]
    for each in questions:
        cells = _write_cells(each, words)
        texts = [choice.text for choice in each.question.choices]
        rows.append(
            [
                *(cells.get(name, "") for name in before),
                *texts,
                *[""] * (choices - len(texts)),
                *(cells.get(name, "") for name in after),
            ]
        )
    return csv_lines(rows, separator)


def _write_cells(each: BankQuestion, words: Words) -> dict[str, str]:
    question = each.question
    cells = {
        "kind": words.kinds[question.kind],
        "text": question.text,
        "right": _write_right(question, words),
        "weight": _number(question.weight),
        "feedback": question.feedback,
        "tags": ", ".join(each.tags),
    }
    if question.kind == "numeric":
        cells["tolerance"] = _number(question.tolerance)
    if question.kind == "fill_in":
        ignored = [words.ignored[place] for name, place in _IGNORE_PLACES.items() if getattr(question, name)]
        cells["ignore"] = ", ".join(ignored or [words.ignored[3]])
    if question.kind in ("essay", "voice"):
        length = question.longest_characters if question.kind == "essay" else question.longest_seconds
        cells["length"] = str(length)
        cells["rubric"] = " | ".join(f"{_bar(row.text)}={_number(row.points)}" for row in question.rubric)
    return cells


def _write_right(question: Question, words: Words) -> str:
    if question.kind in ("single", "multiple"):
        return ";".join(str(place) for place, each in enumerate(question.choices, 1) if each.right)
    if question.kind == "true_false":
        return words.right[0 if question.right else 1]
    if question.kind == "numeric":
        return _number(question.value or 0.0)
    return " | ".join(map(_bar, question.accepted))


def _bar(text: str) -> str:
    return text.replace("|", "\\|")


def _number(number: float) -> str:
    return f"{number:.15g}".replace(".", ",") if "e" not in f"{number:.15g}" else f"{number:.0f}"


def write_gift(questions: Sequence[BankQuestion]) -> str:
    return "".join(map(_write_gift, questions))


def _write_gift(each: BankQuestion) -> str:
    question = each.question
    notes = [f"[tag:{_note(tag)}]" for tag in each.tags]
    if question.weight != 1:
        notes.append(f"[weight:{_number(question.weight)}]")
    if question.kind in ("multiple", "voice"):
        notes.append(f"[kind:{question.kind}]")
    if question.kind == "voice":
        notes.append(f"[seconds:{question.longest_seconds}]")
    comment = f"// {' '.join(notes)}\n" if notes else ""
    feedback = f"####{_escape(question.feedback)}" if question.feedback else ""
    return f"{comment}[plain]{_escape(question.text)} {{{_write_gift_answers(question)}{feedback}}}\n\n"


def _write_gift_answers(question: Question) -> str:
    if question.kind == "single":
        return "".join(f"{'=' if each.right else '~'}{_escape(each.text)}" for each in question.choices)
    if question.kind == "multiple":
        share = _share(sum(each.right for each in question.choices))
        return "".join(
            f"~{f'%{share}%' if each.right else ''}{_escape(each.text)}" for each in question.choices
        )
    if question.kind == "true_false":
        return "TRUE" if question.right else "FALSE"
    if question.kind == "numeric":
        return f"#{question.value:.15g}:{question.tolerance:.15g}"
    return "".join(f"={_escape(each)}" for each in question.accepted)


def _share(count: int) -> str:
    return f"{100 / count:.5f}".rstrip("0").rstrip(".")


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text).replace("\n", "\\n")


def _note(text: str) -> str:
    return text.replace("[", "(").replace("]", ")")


def write_xml(questions: Sequence[BankQuestion], pictures: Mapping[UUID, bytes]) -> bytes:
    root = etree.Element("quiz")
    for each in questions:
        _write_xml(root, each, pictures)
    written: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)
    return written


def _write_xml(root: Any, each: BankQuestion, pictures: Mapping[UUID, bytes]) -> None:
    question = each.question
    element = etree.SubElement(root, "question", type=_XML_KINDS[question.kind])
    _add_text(etree.SubElement(element, "name"), question.text.partition("\n")[0][:200])
    _add_markup(element, "questiontext", question.text, question.picture, pictures)
    _add_text(etree.SubElement(element, "generalfeedback", format="plain_text"), question.feedback)
    etree.SubElement(element, "defaultgrade").text = f"{question.weight:.15g}"
    _XML_WRITERS[question.kind](element, question, pictures)
    if each.tags:
        group = etree.SubElement(element, "tags")
        for tag in each.tags:
            _add_text(etree.SubElement(group, "tag"), tag)


def _write_choices(element: Any, question: Question, pictures: Mapping[UUID, bytes]) -> None:
    single = question.kind == "single"
    etree.SubElement(element, "single").text = "true" if single else "false"
    etree.SubElement(element, "shuffleanswers").text = "true"
    share = "100" if single else _share(sum(each.right for each in question.choices))
    for each in question.choices:
        answer = _add_markup(element, "answer", each.text, each.picture, pictures)
        answer.set("fraction", share if each.right else "0")


def _write_true_false(element: Any, question: Question, pictures: Mapping[UUID, bytes]) -> None:
    for word, value in (("true", True), ("false", False)):
        _add_answer(element, word, 100 if question.right is value else 0)


def _write_numeric(element: Any, question: Question, pictures: Mapping[UUID, bytes]) -> None:
    answer = _add_answer(element, f"{question.value:.15g}", 100)
    etree.SubElement(answer, "tolerance").text = f"{question.tolerance:.15g}"


def _write_accepted(element: Any, question: Question, pictures: Mapping[UUID, bytes]) -> None:
    etree.SubElement(element, "usecase").text = "0" if question.ignore_case else "1"
    for each in question.accepted:
        _add_answer(element, each, 100)


def _write_essay(element: Any, question: Question, pictures: Mapping[UUID, bytes]) -> None:
    etree.SubElement(element, "responseformat").text = "plain"


def _write_voice(element: Any, question: Question, pictures: Mapping[UUID, bytes]) -> None:
    etree.SubElement(element, "mediatype").text = "audio"
    etree.SubElement(element, "timelimitinseconds").text = str(question.longest_seconds)


_XML_WRITERS: Mapping[str, Callable[[Any, Question, Mapping[UUID, bytes]], None]] = {
    "single": _write_choices,
    "multiple": _write_choices,
    "true_false": _write_true_false,
    "numeric": _write_numeric,
    "fill_in": _write_accepted,
    "essay": _write_essay,
    "voice": _write_voice,
}


def _add_answer(element: Any, text: str, share: int) -> Any:
    answer = etree.SubElement(element, "answer", fraction=str(share), format="plain_text")
    _add_text(answer, text)
    return answer


def _add_markup(
    element: Any, name: str, text: str, picture: Picture | None, pictures: Mapping[UUID, bytes]
) -> Any:
    """Adds a text: plain, or as HTML with a picture behind it."""
    content = pictures.get(picture.file_id) if picture else None
    if picture is None or content is None:
        part = etree.SubElement(element, name, format="plain_text")
        _add_text(part, text)
        return part
    part = etree.SubElement(element, name, format="html")
    file_name = f"{picture.file_id}.webp"
    image = etree.Element("img", src=f"@@PLUGINFILE@@/{file_name}", alt=picture.alt)
    lines = [_as_html(line) for line in text.split("\n")]
    _add_text(part, "<br>".join(lines) + etree.tostring(image, encoding="unicode"))
    etree.SubElement(part, "file", name=file_name, path="/", encoding="base64").text = base64.b64encode(
        content
    ).decode()
    return part


def _as_html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _add_text(element: Any, text: str) -> None:
    etree.SubElement(element, "text").text = text
