"""Documents of lessons for tests."""

from typing import Any

from trilha.training.courses.lessons.process import convert
from trilha.training.courses.lessons.schema import ConvertedLesson


def paragraph(*texts: str) -> dict[str, Any]:
    return {"type": "paragraph", "content": [{"type": "text", "text": each} for each in texts]}


def doc(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"type": "doc", "content": list(blocks)}


def text(*paragraphs: str) -> ConvertedLesson:
    return convert(doc(*map(paragraph, paragraphs)))


def question(*options: bool) -> ConvertedLesson:
    """A question whose options are right or wrong."""
    choices = [
        {"type": "questionOption", "attrs": {"right": right}, "content": [{"type": "text", "text": str(n)}]}
        for n, right in enumerate(options)
    ]
    prompt = {"type": "questionPrompt", "content": [{"type": "text", "text": "Qual?"}]}
    return convert(doc({"type": "question", "attrs": {"kind": "single"}, "content": [prompt, *choices]}))
