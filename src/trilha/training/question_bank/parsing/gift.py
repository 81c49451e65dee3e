"""Reads GIFT, Moodle's text format of questions (https://docs.moodle.org/en/GIFT_format).

Questions are separated by blank lines; `::name::`, a format such as `[html]`, the text, and the answers in
braces. A backslash escapes `~ = # { } :`.
"""

import re
from collections.abc import Iterator
from typing import Any

from trilha.training.question_bank.parsing import text as plain
from trilha.training.question_bank.parsing.schema import MAX_QUESTIONS, ParsedFile, ParsedQuestion, Unreadable
from trilha.training.quizzes import numbers

# Characters of the private use area stand for escaped characters while a question is read.
_ESCAPES = {each: chr(0xF000 + place) for place, each in enumerate("~=#{}:\\")}
_UNESCAPES = {sign: each for each, sign in _ESCAPES.items()}
_ESCAPE_PAIR = re.compile(r"\\([~=#{}:\\n])")
_PLACEHOLDER = re.compile("[\uf000-\uf006]")
_FORMAT = re.compile(r"\[(html|moodle|plain|markdown)\]")
_ANSWER = re.compile(r"(?=[~=])")
_WEIGHT = re.compile(r"%(-?\d{1,3}(?:\.\d{1,6})?)%")
_NOTE = re.compile(r"\[(\w+):([^\[\]]{0,200})\]")
_CATEGORY = "$CATEGORY:"
_TRUE, _FALSE = ("T", "TRUE"), ("F", "FALSE")
_FULL = 99.0
_BLANK = "_____"


def read(content: str) -> ParsedFile:
    """Raises Unreadable."""
    result = ParsedFile("gift")
    tags: list[str] = []
    for line, notes, block in _blocks(content):
        if block.lstrip().startswith(_CATEGORY):
            first, _, rest = block.lstrip().partition("\n")
            tags = split_category(first[len(_CATEGORY) :])
            block = rest
            line += 1
        if not block.strip():
            continue
        question = _read_question(line, block, notes)
        if question is None:
            result.descriptions += 1
            continue
        question.tags = [*tags, *(value for name, value in notes if name == "tag")]
        result.questions.append(question)
        if len(result.questions) > MAX_QUESTIONS:
            raise Unreadable("question_file_too_large")
    return result


def split_category(path: str) -> list[str]:
    """Reads the path of a category: each of its names is a tag. Two slashes stand for one in a name."""
    names = [each.replace("\0", "/").strip() for each in path.replace("//", "\0").split("/")]
    return [each for each in names if each and each.lower() not in ("top", "default") and each[0] != "$"]


def _blocks(content: str) -> Iterator[tuple[int, list[tuple[str, str]], str]]:
    """Yields the first line of each block, what its comments note, and its text without comments."""
    lines: list[str] = []
    notes: list[tuple[str, str]] = []
    start = 0
    for number, line in enumerate([*content.splitlines(), ""], 1):
        if line.lstrip().startswith("//"):
            notes += _NOTE.findall(line)
        elif line.strip():
            start = start or number
            lines.append(line)
        elif lines:
            yield start, notes, "\n".join(lines)
            lines, notes, start = [], [], 0


def _read_question(line: int, block: str, notes: list[tuple[str, str]]) -> ParsedQuestion | None:
    """Returns None for a text without a question."""
    held = _ESCAPE_PAIR.sub(lambda match: "\n" if match[1] == "n" else _ESCAPES[match[1]], block)
    name, rest = "", held.strip()
    if rest.startswith("::") and (end := rest.find("::", 2)) > 0:
        name, rest = _free(rest[2:end]), rest[end + 2 :]
    start, end = rest.find("{"), rest.rfind("}")
    markup = _FORMAT.match(rest.lstrip())
    kind = markup[1] if markup else ""
    if start < 0:
        return None
    head, tail = rest[:start], rest[end + 1 :] if end > start else ""
    if markup:
        head = head.lstrip()[markup.end() :]
    question = ParsedQuestion(line, (name or _free(head))[:200])
    if end < start:
        question.refusal = "unclosed"
        return question
    if tail.strip():
        head = f"{head.rstrip()} {_BLANK} {tail.lstrip()}"
    members: dict[str, Any] = {"text": _to_plain(head, kind, question)}
    question.members = members
    answers = rest[start + 1 : end].strip()
    if "####" in answers:
        answers, _, feedback = answers.partition("####")
        members["feedback"] = _to_plain(feedback, kind, question)
    _read_answers(question, members, answers.strip(), kind)
    _apply_notes(question, members, dict(notes))
    if question.refusal:
        question.members = None
    return question


def _read_answers(question: ParsedQuestion, members: dict[str, Any], answers: str, markup: str) -> None:
    if not answers:
        members["kind"] = "essay"
    elif answers[0] == "#":
        _read_numeric(question, members, answers[1:].strip(), markup)
    elif (word := answers.partition("#")[0].strip().upper()) in (*_TRUE, *_FALSE):
        members |= {"kind": "true_false", "right": word in _TRUE}
        _add_feedback(members, [("", _to_plain(each, markup, question)) for each in answers.split("#")[1:]])
    elif answers[0] not in "~=":
        question.refusal = "no_answer"
    elif "->" in answers and "~" not in answers:
        question.refusal = "matching"
    elif "~" in answers:
        _read_choices(question, members, answers, markup)
    else:
        _read_accepted(question, members, answers, markup)


def _split_answers(answers: str) -> Iterator[tuple[bool, float | None, str, str]]:
    """Yields for each answer whether it is marked with `=`, its weight in percent, its text and feedback."""
    for part in _ANSWER.split(answers):
        if not part.strip():
            continue
        marked, rest = part[0] == "=", part[1:].strip()
        weight = _WEIGHT.match(rest)
        if weight:
            rest = rest[weight.end() :]
        body, _, feedback = rest.partition("#")
        yield marked, float(weight[1]) if weight else None, body.strip(), feedback.strip()


def _read_choices(question: ParsedQuestion, members: dict[str, Any], answers: str, markup: str) -> None:
    rows = list(_split_answers(answers))
    weights = [100.0 if marked and weight is None else weight or 0.0 for marked, weight, *_ in rows]
    full = [weight for weight in weights if weight >= _FULL]
    single = len(full) == 1 and any(marked for marked, *_ in rows)
    if sum(marked for marked, *_ in rows) > 1:
        question.losses.append("any_right")
    right = [weight >= _FULL if single else weight > 0 for weight in weights]
    note_weights(question, weights, single=single)
    choices = [
        {"text": _to_plain(body, markup, question), "right": is_right}
        for (_, _, body, _), is_right in zip(rows, right, strict=True)
    ]
    members |= {"kind": "single" if single else "multiple", "choices": choices}
    _add_feedback(
        members,
        [
            (str(choice["text"]), _to_plain(feedback, markup, question))
            for (*_, feedback), choice in zip(rows, choices, strict=True)
        ],
    )


def note_weights(question: ParsedQuestion, weights: list[float], *, single: bool) -> None:
    """Notes what all-or-nothing grading does not keep: parts of the points, and points taken away."""
    positive = [each for each in weights if each > 0]
    if (single and any(0 < each < _FULL for each in weights)) or (not single and len(positive) > 1):
        question.losses.append("partial_credit")
    if any(each < 0 for each in weights):
        question.losses.append("penalty")


def _read_accepted(question: ParsedQuestion, members: dict[str, Any], answers: str, markup: str) -> None:
    rows = list(_split_answers(answers))
    kept = [row for row in rows if row[1] is None or row[1] >= _FULL]
    if len(kept) < len(rows):
        question.losses.append("other_answers")
    members |= {"kind": "fill_in", "accepted": [_to_plain(row[2], markup, question) for row in kept]}
    _add_feedback(members, [(_free(row[2]), _to_plain(row[3], markup, question)) for row in rows])


def _read_numeric(question: ParsedQuestion, members: dict[str, Any], answers: str, markup: str) -> None:
    rows = list(_split_answers(answers if answers[:1] in ("=", "~") else f"={answers}"))
    full = [row for row in rows if row[0] and (row[1] is None or row[1] >= _FULL)]
    if len(rows) > 1:
        question.losses.append("other_answers")
    members["kind"] = "numeric"
    value = read_range(full[0][2]) if full else None
    if value is None:
        question.refusal, question.detail = "invalid_number", _free(answers)[:100]
        return
    members |= {"value": value[0], "tolerance": value[1]}
    _add_feedback(members, [(_free(row[2]), _to_plain(row[3], markup, question)) for row in rows])


def read_range(text: str) -> tuple[float, float] | None:
    """Reads 3.14, 3.14:0.01 and 3.13..3.15 as a value with a tolerance."""
    low, dots, high = text.partition("..")
    if dots:
        first, last = numbers.parse(low), numbers.parse(high)
        if first is None or last is None:
            return None
        return _exact((first + last) / 2), _exact(abs(last - first) / 2)
    number, colon, tolerance = text.partition(":")
    value, slack = numbers.parse(number), numbers.parse(tolerance) if colon else 0.0
    return None if value is None or slack is None else (value, abs(slack))


def _exact(number: float) -> float:
    """Removes the noise of binary arithmetic, so that a range becomes 3.14 and not 3.1399999999999997."""
    return float(f"{number:.12g}")


def _apply_notes(question: ParsedQuestion, members: dict[str, Any], notes: dict[str, str]) -> None:
    """Reads what our own export writes into comments."""
    if (weight := numbers.parse(notes.get("weight", ""))) is not None:
        members["weight"] = weight
    if notes.get("kind") == "voice" and members.get("kind") == "essay":
        members["kind"] = "voice"
        if notes.get("seconds", "").isdecimal():
            members["longest_seconds"] = int(notes["seconds"][:6])
    if notes.get("kind") == "multiple" and members.get("kind") in ("single", "multiple"):
        members["kind"] = "multiple"
        question.losses = [each for each in question.losses if each != "partial_credit"]


def _add_feedback(members: dict[str, Any], rows: list[tuple[str, str]]) -> None:
    """Adds the feedback of single answers to that of the question, after the answer's words."""
    lines = [f"{words}: {said}" if words else said for words, said in rows if said]
    members["feedback"] = "\n".join([*filter(None, [members.get("feedback", "")]), *lines])


def _to_plain(held: str, markup: str, question: ParsedQuestion) -> str:
    text = _free(held)
    own = _FORMAT.match(text)
    if own:
        markup, text = own[1], text[own.end() :]
    if markup == "html" or (markup in ("", "moodle") and "<" in text and ">" in text and "</" in text):
        html = plain.read_html(text)
        if html.pictures or html.has_media:
            question.losses.append("media")
        if html.has_table:
            question.losses.append("table")
        return html.text
    return plain.from_markdown(text) if markup == "markdown" else plain.clean(text)


def _free(held: str) -> str:
    """Returns the characters that were escaped."""
    return _PLACEHOLDER.sub(lambda match: _UNESCAPES[match[0]], held).strip()
