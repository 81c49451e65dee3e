"""Converts a document that was checked to Markdown, which `markdown_reading` reads as the same document."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from trilha.training.courses.lessons.schema import Document

# Characters that can mean something anywhere, and those that do at the beginning of a line.
_SPECIAL = re.compile(r"([\\`*_~\[\]<|])")
_ENTITY = re.compile(r"&(?=#|[A-Za-z])")
_BEGINNING = re.compile(r"^(\s*)([#>+=:-]|\d{1,9}(?=[.)]))")
_MARKS = {"bold": "**", "italic": "*", "strike": "~~"}
_BLOCKS_WITH_COLONS = {"callout", "accordion", "question", "video", "embed", "attachment"}


def write_markdown(document: Document) -> str:
    """Returns the Markdown of a document, with a newline at its end unless it is empty."""
    text = _write_blocks(document.get("content", ())).strip("\n")
    return f"{text}\n" if text else ""


def _write_blocks(blocks: Any) -> str:
    return "\n\n".join(filter(None, (_WRITERS[block["type"]](block) for block in blocks)))


def _write_paragraph(node: Document) -> str:
    return _protect(_write_inline(node))


def _write_heading(node: Document) -> str:
    text = _write_inline(node).replace("\\\n", " ").strip()
    # A closing row of number signs would be taken away.
    text = re.sub(r"(#+)$", r"\\\1", text)
    return f"{'#' * (node['attrs']['level'] - 1)} {text}" if text else ""


def _protect(text: str) -> str:
    """Escapes what would begin another block at the beginning of a line."""
    lines = text.split("\n")
    return "\n".join(_protect_line(line.strip()) for line in lines)


def _protect_line(line: str) -> str:
    if match := re.match(r"(\d{1,9})([.)])(?=\s|$)", line):
        return f"{match[1]}\\{line[match.end(1) :]}"
    if re.match(r"#{1,6}(\s|$)|[-+](\s|$)|>|:{3}|=+\s*$|(-\s*)+$", line):
        return f"\\{line}"
    return line


def _write_inline(node: Document) -> str:
    return "".join(_write_parts(node.get("content", [])))


def _write_parts(nodes: list[Document]) -> list[str]:
    """Writes texts with their marks. A mark stays open over neighbors that have it, too."""
    parts: list[str] = []
    open_marks: list[dict[str, Any]] = []
    for n, node in enumerate(nodes):
        if node["type"] == "hardBreak":
            following = nodes[n + 1].get("marks", []) if n + 1 < len(nodes) else []
            _close_marks(parts, open_marks, [m for m in following if m["type"] != "code"])
            parts.append("\\\n")
            continue
        text, marks = node["text"], list(node.get("marks", ()))
        code = any(mark["type"] == "code" for mark in marks)
        marks = [mark for mark in marks if mark["type"] != "code"]
        _close_marks(parts, open_marks, marks)
        # A mark neither begins nor ends at a space.
        inner = text.lstrip() if len(open_marks) < len(marks) else text
        parts.append(text[: len(text) - len(inner)])
        for mark in marks[len(open_marks) :]:
            parts.append("[" if mark["type"] == "link" else _MARKS[mark["type"]])
            open_marks.append(mark)
        parts.append(_write_code(inner) if code and inner else escape(inner))
    _close_marks(parts, open_marks, [])
    return parts


def _close_marks(parts: list[str], open_marks: list[dict[str, Any]], following: list[dict[str, Any]]) -> None:
    same = 0
    while same < min(len(open_marks), len(following)) and open_marks[same] == following[same]:
        same += 1
    space = ""
    if len(open_marks) > same and parts:
        text = parts[-1].rstrip(" ")
        if not text.endswith("\\"):
            parts[-1], space = text, parts[-1][len(text) :]
    while len(open_marks) > same:
        mark = open_marks.pop()
        parts.append(f"](<{mark['attrs']['href']}>)" if mark["type"] == "link" else _MARKS[mark["type"]])
    if space:
        parts.append(space)


def escape(text: str) -> str:
    """Escapes what Markdown would take for something else."""
    return _ENTITY.sub(r"\\&", _SPECIAL.sub(r"\\\1", text)).replace("\n", " ").replace("![", "!\\[")


def _write_code(text: str) -> str:
    text = text.replace("\n", " ")
    ticks = "`" * (max((len(each) for each in re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _write_bullets(node: Document) -> str:
    return _write_items([("- ", item) for item in node["content"]])


def _write_numbers(node: Document) -> str:
    start = node["attrs"]["start"]
    return _write_items([(f"{start + n}. ", item) for n, item in enumerate(node["content"])])


def _write_items(items: list[tuple[str, Document]]) -> str:
    """Writes a list without empty lines if each item is one paragraph, perhaps with lists below it."""
    is_tight = all(
        all(each["type"] in ("bulletList", "orderedList") for each in item["content"][1:])
        for _, item in items
    )
    lines = []
    for sign, item in items:
        text = (
            "\n".join(filter(None, map(_write_one, item["content"])))
            if is_tight
            else _write_blocks(item["content"])
        )
        lines.append((sign + _indent(text, " " * len(sign))).rstrip())
    return ("\n" if is_tight else "\n\n").join(lines)


def _write_one(block: Document) -> str:
    return _WRITERS[block["type"]](block)


def _indent(text: str, by: str) -> str:
    first, *others = text.split("\n")
    return "\n".join([first, *(by + line if line else line for line in others)])


def _write_quote(node: Document) -> str:
    text = _write_blocks(node["content"])
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _write_code_block(node: Document) -> str:
    text = "".join(each["text"] for each in node.get("content", ()))
    longest = max((len(each) for each in re.findall("`{3,}", text)), default=2)
    fence = "`" * max(longest + 1, 3)
    return f"{fence}{node['attrs']['language']}\n{text}\n{fence}"


def _write_image(node: Document) -> str:
    return f"![{escape(node['attrs']['alt'])}](media/{node['attrs']['file']})"


def _write_container(words: str, content: str, colons: int = 3) -> str:
    fence = ":" * colons
    return (
        f"{fence} {words.rstrip()}\n{content}\n{fence}" if content else f"{fence} {words.rstrip()}\n{fence}"
    )


def _count_colons(node: Document) -> int:
    """Returns how many colons a block needs: more than any inside it."""
    return 1 + max(map(_count_inner_colons, node.get("content", ())), default=2)


def _count_inner_colons(node: Document) -> int:
    if node["type"] in _BLOCKS_WITH_COLONS or (node["type"] == "table" and _has_row_headers(node)):
        return _count_colons(node)
    return max(map(_count_inner_colons, node.get("content", ())), default=2)


def _write_video(node: Document) -> str:
    attributes = node["attrs"]
    captions = [f"{each['language']}=media/{each['file']}" for each in attributes["captions"]]
    return _write_container(
        " ".join(["video", f"media/{attributes['file']}", *captions, attributes["title"]]), ""
    )


def _write_embed(node: Document) -> str:
    attributes = node["attrs"]
    return _write_container(f"embed {attributes['provider']}:{attributes['video']} {attributes['title']}", "")


def _write_attachment(node: Document) -> str:
    return _write_container(f"file media/{node['attrs']['file']} {node['attrs']['name']}", "")


def _write_callout(node: Document) -> str:
    return _write_container(node["attrs"]["kind"], _write_blocks(node["content"]), _count_colons(node))


def _write_accordion(node: Document) -> str:
    title, *blocks = node["content"]
    words = " ".join("".join(each["text"] for each in title.get("content", ())).split())
    return _write_container(f"details {words}", _write_blocks(blocks), _count_colons(node))


def _write_question(node: Document) -> str:
    prompt, *others = node["content"]
    options = "\n".join(
        f"- [{'x' if each['attrs']['right'] else ' '}] {_indent(_write_inline(each), '  ')}"
        for each in others
        if each["type"] == "questionOption"
    )
    feedback = [_write_paragraph(each) for each in others if each["type"] == "questionFeedback"]
    parts = [_write_paragraph(prompt), options, *feedback]
    return _write_container(f"question {node['attrs']['kind']}", "\n\n".join(filter(None, parts)))


def _has_row_headers(table: Document) -> bool:
    rows = table["content"][1:] if _has_header(table) else table["content"]
    return bool(rows) and any(cell["type"] == "tableHeader" for row in rows for cell in row["content"])


def _has_header(table: Document) -> bool:
    return all(cell["type"] == "tableHeader" for cell in table["content"][0]["content"])


def _write_table(node: Document) -> str:
    rows = [[_write_cell(cell) for cell in row["content"]] for row in node["content"]]
    # A table begins with its headers, which may be empty.
    if not _has_header(node):
        rows = [[""] * len(rows[0]), *rows]
    first, *others = (f"| {' | '.join(cells)} |" for cells in rows)
    line = f"|{' --- |' * len(rows[0])}"
    text = "\n".join([first, line, *others])
    return _write_container("row-headers", text) if _has_row_headers(node) else text


def _write_cell(cell: Document) -> str:
    parts = [
        _write_image(each) if each["type"] == "image" else _write_inline(each) for each in cell["content"]
    ]
    return "<br>".join(filter(None, parts)).replace("\\\n", "<br>").replace("\n", " ")


_WRITERS: Mapping[str, Callable[[Document], str]] = {
    "paragraph": _write_paragraph,
    "heading": _write_heading,
    "bulletList": _write_bullets,
    "orderedList": _write_numbers,
    "blockquote": _write_quote,
    "codeBlock": _write_code_block,
    "horizontalRule": lambda _: "---",
    "image": _write_image,
    "video": _write_video,
    "embed": _write_embed,
    "attachment": _write_attachment,
    "callout": _write_callout,
    "accordion": _write_accordion,
    "question": _write_question,
    "table": _write_table,
}
