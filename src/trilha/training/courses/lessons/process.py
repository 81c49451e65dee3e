"""`python -m trilha.training.courses.lessons.process`: converts texts and documents on standard input.

The first byte of a message says what it holds; the rest is text or JSON.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from trilha.core.sandbox.serving import serve
from trilha.training.courses.lessons import comparing, rendering, rules, word_reading
from trilha.training.courses.lessons.markdown_reading import read_markdown
from trilha.training.courses.lessons.markdown_writing import write_markdown
from trilha.training.courses.lessons.rendering import TooComplex
from trilha.training.courses.lessons.schema import ConvertedLesson, Document

OF_MARKDOWN, OF_DOCUMENT, OF_WORD, OF_TWO = b"M", b"D", b"W", b"C"
# The first byte of an answer. InvalidDocument: a path and a code as JSON.
STATUS_DONE, STATUS_TOO_COMPLEX, STATUS_REFUSED = b"1", b"0", b"2"


def convert(document: Any) -> ConvertedLesson:
    """Checks a document and makes what is stored with it. Raises InvalidDocument, and TooComplex."""
    checked = rules.check_document(document)
    return ConvertedLesson(
        document=checked.document,
        html=rendering.render_document(checked.document),
        body=write_markdown(checked.document),
        files=checked.files,
        gaps=checked.gaps,
    )


def convert_markdown(body: str) -> ConvertedLesson:
    """Raises TooComplex."""
    try:
        return convert(read_markdown(body))
    except rules.InvalidDocument:
        # Only limits are left to refuse what our own reader has made.
        raise TooComplex from None


def _convert_document(text: bytes) -> ConvertedLesson:
    try:
        document = json.loads(text)
    except ValueError:
        raise rules.InvalidDocument("", "invalid_type") from None
    return convert(document)


def _compare(text: bytes) -> Any:
    before, after = (_read_either(each) for each in msgspec.json.decode(text))
    return comparing.compare_documents(before, after)


def _read_either(value: Any) -> Document:
    """Reads a document, or Markdown."""
    document = read_markdown(value) if isinstance(value, str) else value
    return rules.check_document(document).document


_ANSWERS: Mapping[bytes, Callable[[bytes], Any]] = {
    OF_MARKDOWN: lambda text: convert_markdown(text.decode()),
    OF_DOCUMENT: _convert_document,
    OF_WORD: word_reading.read_word,
    OF_TWO: _compare,
}


def make_answer() -> Callable[[bytes], bytes]:
    def answer(message: bytes) -> bytes:
        try:
            return STATUS_DONE + msgspec.json.encode(_ANSWERS[message[:1]](message[1:]))
        except (TooComplex, RecursionError):
            return STATUS_TOO_COMPLEX
        except rules.InvalidDocument as refused:
            return STATUS_REFUSED + msgspec.json.encode([refused.path, refused.code])

    return answer


if __name__ == "__main__":
    serve(make_answer)
