"""Converts HTML, such as a Word file gives, to a document. What has no counterpart becomes text."""

import re
from collections.abc import Iterator
from typing import Any

from lxml import html

from trilha.training.courses.lessons import rules
from trilha.training.courses.lessons.schema import Chapter, Document

_MARKS = {
    "strong": "bold",
    "b": "bold",
    "em": "italic",
    "i": "italic",
    "s": "strike",
    "del": "strike",
    "strike": "strike",
    "code": "code",
}
_HEADINGS = {"h1": 2, "h2": 2, "h3": 3, "h4": 4, "h5": 4, "h6": 4}
_SKIPPED_TAGS = {"script", "style", "head", "title", "template", "noscript"}
_MAX_DEPTH = 60
_IMAGE = re.compile(r"image-(\d{1,3})")


def read_html(text: str) -> Document:
    """Images are placeholders whose `src` is `image-` and a number: `file` then holds this name, and the
    document can be checked once a file has replaced it. Other images are left out.
    """
    return {"type": "doc", "content": _read_blocks(_parse(text), 0)}


def _parse(text: str) -> Any:
    parser = html.HTMLParser(remove_comments=True, remove_pis=True, huge_tree=False)
    return html.fragment_fromstring(text, create_parent="div", parser=parser)


def read_chapters(text: str) -> list[Chapter]:
    """Splits HTML as `read_html` reads it at its headings of the first level, which become the titles. What
    stands before the first one is a chapter without a title. Chapters without a text are left out.
    """
    parts: list[tuple[str, Any]] = [("", html.Element("div"))]
    for child in list(_parse(text)):
        title = " ".join(child.text_content().split()) if child.tag == "h1" else ""
        if title:
            parts.append((title, html.Element("div")))
        else:
            parts[-1][1].append(child)
    chapters = [Chapter(title, {"type": "doc", "content": _read_blocks(part, 0)}) for title, part in parts]
    return [each for each in chapters if each.document["content"]]


def _children(element: Any) -> Iterator[Any]:
    """Yields texts and elements in order."""
    if element.text:
        yield element.text
    for child in element:
        if isinstance(child.tag, str) and child.tag not in _SKIPPED_TAGS:
            yield child
        if child.tail:
            yield child.tail


def _read_blocks(element: Any, depth: int) -> list[Document]:
    if depth > _MAX_DEPTH:
        return _read_paragraphs("paragraph", {}, [element.text_content()])
    blocks: list[Document] = []
    loose: list[Any] = []
    for child in _children(element):
        if isinstance(child, str) or child.tag not in _BLOCKS:
            loose.append(child)
            continue
        blocks += _read_paragraphs("paragraph", {}, loose)
        loose = []
        blocks += _read_block(child, depth + 1)
    return [*blocks, *_read_paragraphs("paragraph", {}, loose)]


def _read_block(element: Any, depth: int) -> list[Document]:
    tag = element.tag
    if tag in _HEADINGS:
        return _read_paragraphs("heading", {"level": _HEADINGS[tag]}, list(_children(element)))
    if tag == "p":
        return _read_paragraphs("paragraph", {}, list(_children(element)))
    if tag == "hr":
        return [{"type": "horizontalRule"}]
    if tag == "pre":
        text = element.text_content()
        return [{"type": "codeBlock", "attrs": {"language": ""}, "content": _text(text, [])}]
    if tag in ("ul", "ol"):
        return _read_list(element, depth)
    if tag == "table":
        return _read_table(element)
    if tag == "blockquote":
        return [{"type": "blockquote", "content": _plain(_read_blocks(element, depth))}]
    return _read_blocks(element, depth)


_BLOCKS = {
    *_HEADINGS,
    *("p", "hr", "pre", "ul", "ol", "table", "blockquote", "div", "section", "article", "dl", "dt", "dd"),
}


def _read_list(element: Any, depth: int) -> list[Document]:
    items = [
        {"type": "listItem", "content": _plain(_read_blocks(child, depth))}
        for child in element
        if child.tag == "li"
    ]
    if not items:
        return []
    kind = "bulletList" if element.tag == "ul" else "orderedList"
    return [{"type": kind, "attrs": {} if kind == "bulletList" else {"start": 1}, "content": items}]


def _read_table(element: Any) -> list[Document]:
    rows: list[Document] = []
    for row in element.iter("tr"):
        cells = [
            {"type": "tableHeader" if cell.tag == "th" else "tableCell", "content": _read_cell(cell)}
            for cell in row
            if cell.tag in ("th", "td")
        ]
        if cells:
            rows.append({"type": "tableRow", "content": cells[: rules.MAX_COLUMNS]})
    if len(rows) > 1:
        _find_headers(rows[0]["content"])
    return [{"type": "table", "content": rows}] if rows else []


def _find_headers(cells: list[Document]) -> None:
    """Word marks few header rows as such: a first row all in bold is one."""
    if any(cell["type"] == "tableHeader" for cell in cells) or not all(map(_is_bold, cells)):
        return
    for cell in cells:
        cell["type"] = "tableHeader"
        for part in _texts(cell):
            part["marks"] = [mark for mark in part.get("marks", []) if mark["type"] != "bold"]


def _texts(node: Document) -> Iterator[Document]:
    if node["type"] == "text":
        yield node
    for child in node.get("content", ()):
        yield from _texts(child)


def _is_bold(cell: Document) -> bool:
    texts = [part for part in _texts(cell) if part["text"].strip()]
    return bool(texts) and all(
        any(mark["type"] == "bold" for mark in part.get("marks", ())) for part in texts
    )


def _read_cell(cell: Any) -> list[Document]:
    blocks: list[Document] = []
    for block in _read_blocks(cell, 1):
        if block["type"] in ("paragraph", "image"):
            blocks.append(block)
        else:  # lists and others: a line for each part
            lines = [part for part in _list_lines(block) if part]
            blocks += [{"type": "paragraph", "content": line} for line in lines]
    return blocks or [{"type": "paragraph"}]


def _list_lines(node: Document) -> Iterator[list[Document]]:
    inline = [child for child in node.get("content", ()) if child["type"] in rules.INLINE]
    if inline:
        yield inline
    for child in node.get("content", ()):
        if child["type"] not in rules.INLINE:
            yield from _list_lines(child)


def _plain(blocks: list[Document]) -> list[Document]:
    return blocks or [{"type": "paragraph"}]


def _read_paragraphs(type: str, attributes: dict[str, Any], parts: list[Any]) -> list[Document]:
    """Reads inline content: images in it become blocks of their own."""
    nodes = _collapse(list(_read_inline(parts, [], 0)))
    blocks: list[Document] = []
    line: list[Document] = []
    for node in [*nodes, None]:
        if node is None or node["type"] == "image":
            if any(rules.get_text(each).strip() for each in line):
                blocks.append({"type": type, "attrs": attributes, "content": _trim(line)})
            blocks += [node] if node else []
            line = []
        else:
            line.append(node)
    return blocks


def _read_inline(parts: list[Any], marks: list[dict[str, Any]], depth: int) -> Iterator[Document]:
    for part in parts:
        if isinstance(part, str):
            yield from _text(part, marks)
        elif part.tag == "br":
            yield {"type": "hardBreak"}
        elif part.tag == "img":
            if _IMAGE.fullmatch(src := part.get("src") or ""):
                alt = " ".join((part.get("alt") or "").split())[: rules.MAX_LABEL]
                yield {"type": "image", "attrs": {"file": src, "alt": alt, "decorative": False}}
        elif depth < _MAX_DEPTH:
            yield from _read_inline(list(_children(part)), [*marks, *_mark_of(part)], depth + 1)


def _mark_of(element: Any) -> list[dict[str, Any]]:
    if element.tag == "a":
        href = (element.get("href") or "").strip()
        return [{"type": "link", "attrs": {"href": href}}] if rules.is_link(href) else []
    return [{"type": _MARKS[element.tag]}] if element.tag in _MARKS else []


def _text(text: str, marks: list[dict[str, Any]]) -> list[Document]:
    """Keeps one mark of each type, the innermost."""
    kept = list({mark["type"]: mark for mark in marks}.values())
    return [{"type": "text", "text": text, "marks": kept}] if text else []


def _collapse(nodes: list[Document]) -> list[Document]:
    """Makes runs of space one space, as a browser shows them, and joins neighbors with the same marks."""
    joined: list[Document] = []
    for node in nodes:
        if node["type"] != "text":
            joined.append(node)
            continue
        text = re.sub(r"[ \t\r\n\f]+", " ", rules.clean(node["text"]))
        if not joined or (joined[-1]["type"] == "text" and joined[-1]["text"].endswith(" ")):
            text = text.lstrip(" ")
        if not text:
            continue
        if joined and joined[-1]["type"] == "text" and joined[-1]["marks"] == node["marks"]:
            joined[-1]["text"] += text
        else:
            joined.append({**node, "text": text})
    return joined


def _trim(nodes: list[Document]) -> list[Document]:
    while nodes and (nodes[0]["type"] == "hardBreak" or not nodes[0]["text"].strip()):
        nodes = nodes[1:]
    while nodes and (nodes[-1]["type"] == "hardBreak" or not nodes[-1]["text"].strip()):
        nodes = nodes[:-1]
    return nodes
