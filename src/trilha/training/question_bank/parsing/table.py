"""Reads questions from a table: CSV with any separator and encoding, and what else `sheet` reads.

The headers and the words for kinds are recognized in Portuguese and English, whatever their case and accents.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from trilha.core.errors import Invalid
from trilha.core.spreadsheets import FORMULA_STARTS
from trilha.people.people_import import sheet
from trilha.training.question_bank import tags
from trilha.training.question_bank.parsing import text as plain
from trilha.training.question_bank.parsing.schema import MAX_QUESTIONS, ParsedFile, ParsedQuestion, Unreadable
from trilha.training.quizzes import numbers
from trilha.training.quizzes.schema import MAX_CHOICES, Kind

# By member of a row; the first header is that of the exports.
HEADERS: Mapping[str, Sequence[str]] = {
    "kind": ("tipo", "kind", "type", "tipo de questao", "question type"),
    "text": ("pergunta", "questao", "enunciado", "question", "text", "texto"),
    "right": ("resposta", "correta", "resposta correta", "gabarito", "right", "correct", "answer"),
    "tolerance": ("tolerancia", "tolerance"),
    "weight": ("peso", "weight", "pontos", "points"),
    "feedback": ("comentario", "feedback", "comment", "explicacao"),
    "tags": ("etiquetas", "tags", "categoria", "category", "assunto"),
    "ignore": ("ignorar", "ignore"),
    "length": ("tamanho maximo", "maximum length", "limite"),
    "rubric": ("criterios", "rubric", "criteria", "rubrica"),
}
_CHOICE = re.compile(r"(?:alternativa|opcao|choice|option) ?(\d{1,2}|[a-t])")
KINDS: Mapping[Kind, Sequence[str]] = {
    "single": ("escolha unica", "single choice", "single", "unica escolha", "objetiva"),
    "multiple": ("multipla escolha", "multiple choice", "multiple", "multiresposta", "varias corretas"),
    "true_false": ("verdadeiro ou falso", "true or false", "true_false", "vf", "v/f", "truefalse"),
    "numeric": ("numero", "number", "numeric", "numerica", "numerical"),
    "fill_in": ("texto curto", "short text", "fill_in", "resposta curta", "short answer"),
    "essay": ("dissertativa", "essay", "discursiva", "texto longo"),
    "voice": ("resposta em voz", "voice answer", "voice", "resposta de voz", "audio"),
}
_TRUE = ("v", "verdadeiro", "verdadeira", "t", "true", "sim", "yes", "certo", "1")
_FALSE = ("f", "falso", "falsa", "false", "nao", "no", "errado", "0")
_IGNORE_WORDS = {
    "ignore_case": ("maiusculas", "case", "capital letters"),
    "ignore_accents": ("acentos", "accents"),
    "ignore_spaces": ("espacos", "spaces"),
}
NOTHING_IGNORE_WORDS = ("nada", "nothing")
_KIND_WORDS: Mapping[str, Kind] = {word: kind for kind, words in KINDS.items() for word in words}
_COLUMN_WORDS = {word: member for member, words in HEADERS.items() for word in words}
_ESCAPED_BAR = "\uf000"


def fold(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text)
    return " ".join("".join(each for each in parts if not unicodedata.combining(each)).casefold().split())


def read(content: bytes) -> ParsedFile:
    """Raises Unreadable."""
    try:
        table = sheet.read(content)
    except Invalid as error:
        large = any(each.code == "file_too_large" for each in error.detail)
        code = "question_file_too_large" if large else "unknown_question_format"
        raise Unreadable(code) from None
    columns = [_read_header(header) for header in table.headers]
    if "text" not in columns:
        raise Unreadable("unknown_question_format")
    if len(table.rows) > MAX_QUESTIONS:
        raise Unreadable("question_file_too_large")
    unknown = [header for header, column in zip(table.headers, columns, strict=True) if header and not column]
    questions = [_read_row(row.line, _by_column(columns, row.cells)) for row in table.rows]
    return ParsedFile("csv", questions, [plain.clean(each)[:100] for each in unknown][:20])


def _read_header(header: str) -> str:
    """Returns the member that a header means, `choice-` and its place, or nothing."""
    words = fold(header)
    if choice := _CHOICE.fullmatch(words):
        place = int(choice[1]) - 1 if choice[1].isdecimal() else ord(choice[1]) - ord("a")
        return f"choice-{place}" if 0 <= place < MAX_CHOICES else ""
    return _COLUMN_WORDS.get(words, "")


def _by_column(columns: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    pairs = zip(columns, cells, strict=False)
    return {column: plain.clean(_unquote(cell)) for column, cell in pairs if column and cell.strip()}


def _unquote(cell: str) -> str:
    """Removes the apostrophe that exports put before a text that a spreadsheet would run as a formula."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA_STARTS) else cell


def _read_row(line: int, cells: Mapping[str, str]) -> ParsedQuestion:
    text = cells.get("text", "")
    question = ParsedQuestion(line, text[:200], tags=tags.split(cells.get("tags", "")))
    members: dict[str, Any] = {"text": text, "feedback": cells.get("feedback", "")}
    kind = _choose_kind(cells)
    if kind is None:
        question.refusal, question.detail = "unknown_kind", cells.get("kind", "")[:60]
        return question
    members["kind"] = kind
    question.members = members
    _read_number(question, members, cells, "weight")
    readers = {
        "single": _read_choices,
        "multiple": _read_choices,
        "true_false": _read_true_false,
        "numeric": _read_numeric,
        "fill_in": _read_accepted,
        "essay": _read_graded,
        "voice": _read_graded,
    }
    readers[kind](question, members, cells)
    if question.refusal:
        question.members = None
    return question


def _choose_kind(cells: Mapping[str, str]) -> Kind | None:
    """Returns the kind that the row names, or guesses it from its choices and answer."""
    if words := cells.get("kind"):
        return _KIND_WORDS.get(fold(words))
    if any(each.startswith("choice-") for each in cells):
        return "multiple" if len(_split_right(cells.get("right", ""))) > 1 else "single"
    right = fold(cells.get("right", ""))
    if right in (*_TRUE, *_FALSE) and not right.isdecimal():
        return "true_false"
    if not right:
        return "essay"
    return "numeric" if numbers.parse(right) is not None else "fill_in"


def _split_right(text: str) -> list[str]:
    return [each.strip() for each in re.split(r"[;,/| ]+", text) if each.strip()]


def _read_choices(question: ParsedQuestion, members: dict[str, Any], cells: Mapping[str, str]) -> None:
    places = sorted(int(each.partition("-")[2]) for each in cells if each.startswith("choice-"))
    right = set[int]()
    texts = {fold(cells[f"choice-{place}"]): place for place in places}
    answer = cells.get("right", "")
    words = [answer] if fold(answer) in texts else _split_right(answer)
    for word in words:
        place = _find_choice(word, texts)
        if place not in places:
            question.refusal, question.detail = "unknown_right", word[:100]
            return
        right.add(place)
    members["choices"] = [{"text": cells[f"choice-{place}"], "right": place in right} for place in places]


def _find_choice(word: str, texts: Mapping[str, int]) -> int:
    """Returns the place of a choice that is named by its letter, number or text; -1 if there is none."""
    folded = fold(word).rstrip(").")
    if len(folded) == 1 and "a" <= folded <= "t":
        return ord(folded) - ord("a")
    if folded.isdecimal() and folded.isascii() and len(folded) < 3:
        return int(folded) - 1
    return texts.get(fold(word), -1)


def _read_true_false(question: ParsedQuestion, members: dict[str, Any], cells: Mapping[str, str]) -> None:
    right = fold(cells.get("right", ""))
    if right not in (*_TRUE, *_FALSE):
        question.refusal, question.detail = "unknown_right", right[:100]
    members["right"] = right in _TRUE


def _read_numeric(question: ParsedQuestion, members: dict[str, Any], cells: Mapping[str, str]) -> None:
    value = numbers.parse(cells.get("right", ""))
    if value is None:
        question.refusal, question.detail = "invalid_number", cells.get("right", "")[:100]
    members["value"] = value
    _read_number(question, members, cells, "tolerance")


def _read_accepted(question: ParsedQuestion, members: dict[str, Any], cells: Mapping[str, str]) -> None:
    members["accepted"] = split_bars(cells.get("right", ""))
    if "ignore" in cells:
        ignored = [fold(each) for each in cells["ignore"].split(",")]
        members |= {name: any(word in ignored for word in words) for name, words in _IGNORE_WORDS.items()}


def _read_graded(question: ParsedQuestion, members: dict[str, Any], cells: Mapping[str, str]) -> None:
    if "length" in cells:
        length = numbers.parse(cells["length"])
        if length is None or length != int(length):
            question.refusal, question.detail = "invalid_number", cells["length"][:100]
            return
        members["longest_seconds" if members["kind"] == "voice" else "longest_characters"] = int(length)
    rubric = []
    for criterion in split_bars(cells.get("rubric", "")):
        words, _, points = criterion.rpartition("=")
        if (number := numbers.parse(points)) is None:
            question.refusal, question.detail = "invalid_number", criterion[:100]
            return
        rubric.append({"text": words.strip(), "points": number})
    if rubric:
        members["rubric"] = rubric


def split_bars(text: str) -> list[str]:
    """Splits at bars; a bar that belongs to an answer has a backslash before it."""
    parts = text.replace("\\|", _ESCAPED_BAR).split("|")
    return [each.replace(_ESCAPED_BAR, "|").strip() for each in parts if each.strip()]


def _read_number(
    question: ParsedQuestion, members: dict[str, Any], cells: Mapping[str, str], name: str
) -> None:
    if name in cells:
        number = numbers.parse(cells[name])
        if number is None:
            question.refusal, question.detail = "invalid_number", cells[name][:100]
        else:
            members[name] = number
