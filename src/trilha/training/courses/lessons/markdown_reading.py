"""Converts Markdown to a document. HTML in the text stays text.

Beside CommonMark, tables and strikethrough it reads what `markdown_writing` writes for other blocks: a line
of colons with a name begins one, and a line of colons ends it.

    ::: warning
    Text
    :::

A few characters of Markdown can become a lot of output and take long. This module limits the output; the
sandbox limits time and memory.
"""

import re
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, table
from markdown_it.token import Token
from mdit_py_plugins.container import container_plugin

from trilha.training.courses.lessons import files, rules
from trilha.training.courses.lessons.rendering import TooComplex
from trilha.training.courses.lessons.schema import Document

MAX_NESTING = 20
# Brackets may start a link, and `*`, `_` and `~` may start or end emphasis: these take the longest to parse.
MAX_BRACKETS = 10_000
MAX_MARKS = 50_000
_MEDIA = files.PATTERN
_FILE = re.compile(_MEDIA)
_CONTAINER = re.compile(
    r"(?P<name>info|warning|success|details|row-headers|video|embed|file|question)(?: (?P<rest>.*))?"
)
_VIDEO = re.compile(rf"{_MEDIA}(?P<captions>(?: [A-Za-z0-9-]+={_MEDIA})*)(?: (?P<title>.*))?")
_CAPTIONS = re.compile(rf"([A-Za-z0-9-]+)={_MEDIA}")
_EMBED = re.compile(r"(?P<provider>youtube|vimeo):(?P<video>[A-Za-z0-9_-]+)(?: (?P<title>.*))?")
_ATTACHMENT = re.compile(rf"{_MEDIA}(?: (?P<name>.*))?")
_TICK = re.compile(r"\[([ xX])\] ?")
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)
_BLOCKS = {"bullet_list": "bulletList", "list_item": "listItem", "blockquote": "blockquote"}
_MARKS = {"strong": "bold", "em": "italic", "s": "strike"}


class _Markdown(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 - the library's name
        return rules.is_link(url) or bool(_FILE.fullmatch(url))


def _parse_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Limits tables: short rows are filled with empty cells, so that the output can be quadratic in the
    input.
    """
    if not silent and start + 1 < end:
        bars = state.src.count("|", state.bMarks[start + 1], state.eMarks[start + 1])
        if bars > rules.MAX_COLUMNS + 1:
            return False  # not a table: it is shown as written
        # The first rows with too many cells are enough to know that, so the rest is not read.
        end = min(end, start + 3 + rules.MAX_CELLS // max(bars - 1, 1))
    begin = len(state.tokens)
    is_table = table(state, start, end, silent)
    if is_table and not silent:
        cells = sum(each.type in ("th_open", "td_open") for each in state.tokens[begin:])
        state.env["cells"] = state.env.get("cells", 0) + cells
        if state.env["cells"] > rules.MAX_CELLS:
            raise TooComplex
    return is_table


def _new_markdown() -> MarkdownIt:
    markdown = _Markdown("commonmark", {"html": False, "maxNesting": MAX_NESTING})
    markdown.enable(["table", "strikethrough"])
    markdown.block.ruler.at("table", _parse_table, {"alt": ["paragraph", "reference"]})
    container_plugin(
        markdown, "block", marker=":", validate=lambda words, _: bool(_CONTAINER.fullmatch(words.strip()))
    )
    return markdown


_MARKDOWN = _new_markdown()


def read_markdown(body: str) -> Document:
    """Raises TooComplex."""
    if body.count("[") > MAX_BRACKETS or sum(map(body.count, "*_~")) > MAX_MARKS:
        raise TooComplex
    tokens = _MARKDOWN.parse(rules.clean(body), {})
    return _doc(_Reader(tokens).read_blocks(""))


def _doc(blocks: list[Document]) -> Document:
    return {"type": "doc", "content": blocks}


def _node(type: str, content: list[Document], **attributes: Any) -> Document:
    return {"type": type, "attrs": attributes, "content": content}


class _Reader:
    """Reads the blocks of a text from its tokens."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0

    def read_blocks(self, closing: str) -> list[Document]:
        """Reads up to the token that closes the present block, or to the end."""
        blocks: list[Document] = []
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            if token.type == closing:
                break
            blocks += self._read_block(token)
        return blocks

    def _read_block(self, token: Token) -> list[Document]:
        match token.type:
            case "paragraph_open":
                return self._read_text("paragraph")
            case "heading_open":
                return self._read_text("heading", level=min(int(token.tag[1]) + 1, 4))
            case "fence" | "code_block":
                return [_read_code(token)]
            case "hr":
                return [{"type": "horizontalRule"}]
            case "ordered_list_open":
                start = int(token.attrGet("start") or 1) if token.attrGet("start") != 0 else 0
                return [_node("orderedList", self.read_blocks("ordered_list_close"), start=start)]
            case "bullet_list_open" | "list_item_open" | "blockquote_open":
                name = token.type.removesuffix("_open")
                return [_node(_BLOCKS[name], self.read_blocks(f"{name}_close"))]
            case "table_open":
                return [self._read_table()]
            case "container_block_open":
                return self._read_container(token)
        return []

    def _read_text(self, type: str, **attributes: Any) -> list[Document]:
        inline = self._tokens[self._at]
        self._at += 2  # the text, and what closes it
        blocks: list[Document] = []
        parts = _split_images(_read_inline(inline))
        for n, part in enumerate(parts):
            if isinstance(part, dict):
                blocks.append(part)
            elif part or len(parts) == 1:
                kind = type if n == 0 else "paragraph"
                blocks.append(_node(kind, part, **(attributes if kind == type else {})))
        return blocks

    def _read_table(self) -> Document:
        rows: list[Document] = []
        while (token := self._tokens[self._at]).type != "table_close":
            self._at += 1
            if token.type == "tr_open":
                rows.append(_node("tableRow", []))
            elif token.type in ("th_open", "td_open"):
                type = "tableHeader" if token.type == "th_open" else "tableCell"
                rows[-1]["content"].append(_node(type, _read_cell(self._tokens[self._at])))
        self._at += 1
        if len(rows) > 1 and all(cell["content"] == [_node("paragraph", [])] for cell in rows[0]["content"]):
            del rows[0]  # a table without headers
        return _node("table", rows)

    def _read_container(self, token: Token) -> list[Document]:
        match = _CONTAINER.fullmatch(token.info.strip())
        assert match is not None  # the plugin has asked
        name, rest = match["name"], (match["rest"] or "").strip()
        blocks = self.read_blocks("container_block_close")
        if name in rules.CALLOUTS:
            return [_node("callout", _without_questions(blocks), kind=name)]
        if name == "details":
            title = [{"type": "text", "text": rest}] if rest else []
            return [_node("accordion", [_node("accordionTitle", title), *_without_questions(blocks)])]
        if name == "row-headers":
            return [_mark_row_headers(block) for block in blocks]
        if name == "question":
            return [question] if (question := _read_question(rest, blocks)) else blocks
        embedded = {"video": _read_video, "embed": _read_embed, "file": _read_attachment}[name](rest)
        return [*([embedded] if embedded else []), *blocks]


def _without_questions(blocks: list[Document]) -> list[Document]:
    """A question stands for itself. Inside another block its parts become paragraphs."""
    return [
        {**part, "type": "paragraph", "attrs": {}} if part is not block else part
        for block in blocks
        for part in (block["content"] if block["type"] == "question" else [block])
    ]


def _mark_row_headers(block: Document) -> Document:
    if block["type"] == "table":
        for row in block["content"]:
            if row["content"]:
                row["content"][0]["type"] = "tableHeader"
    return block


def _read_code(token: Token) -> Document:
    text = token.content.removesuffix("\n")
    language = (token.info.split() or [""])[0] if token.type == "fence" else ""
    try:
        language = rules.NODES["codeBlock"].attributes["language"](language)
    except ValueError:
        language = ""
    return _node("codeBlock", [{"type": "text", "text": text}] if text else [], language=language)


def _read_video(words: str) -> Document | None:
    if not (match := _VIDEO.fullmatch(words)):
        return None
    captions = [
        {"language": language, "file": file}
        for language, file in _CAPTIONS.findall(match["captions"])
        if rules.LANGUAGE.fullmatch(language) and len(language) <= 35
    ]
    title = (match["title"] or "")[: rules.MAX_LABEL]
    return _node("video", [], file=match[1], title=title, captions=captions[: rules.MAX_CAPTIONS])


def _read_embed(words: str) -> Document | None:
    match = _EMBED.fullmatch(words)
    if not match or not rules.EMBEDS[match["provider"]].fullmatch(match["video"]):
        return None
    title = (match["title"] or "")[: rules.MAX_LABEL]
    return _node("embed", [], provider=match["provider"], video=match["video"], title=title)


def _read_attachment(words: str) -> Document | None:
    if not (match := _ATTACHMENT.fullmatch(words)):
        return None
    return _node("attachment", [], file=match[1], name=(match["name"] or "")[: rules.MAX_LABEL])


def _read_question(kind: str, blocks: list[Document]) -> Document | None:
    """Reads a paragraph, a list whose items begin with `[x]` or `[ ]`, and perhaps another paragraph."""
    types = [block["type"] for block in blocks]
    if kind not in rules.QUESTIONS or types not in (
        ["paragraph", "bulletList"],
        ["paragraph", "bulletList", "paragraph"],
    ):
        return None
    prompt, choices, *feedback = blocks
    options = [option for item in choices["content"] if (option := _read_option(item))]
    if len(options) != len(choices["content"]) or len(options) > rules.MAX_OPTIONS:
        return None
    parts = [_node("questionPrompt", prompt["content"]), *options]
    return _node(
        "question", [*parts, *(_node("questionFeedback", each["content"]) for each in feedback)], kind=kind
    )


def _read_option(item: Document) -> Document | None:
    if len(item["content"]) != 1 or item["content"][0]["type"] != "paragraph":
        return None
    content = item["content"][0]["content"]
    if not content or content[0]["type"] != "text" or not (match := _TICK.match(content[0]["text"])):
        return None
    rest = content[0]["text"][match.end() :]
    first = [{**content[0], "text": rest}] if rest else []
    return _node("questionOption", [*first, *content[1:]], right=match[1] != " ")


def _read_inline(inline: Token) -> list[Document]:
    """Returns texts, line breaks and images in order."""
    nodes: list[Document] = []
    marks: list[dict[str, Any]] = []
    for token in inline.children or []:
        match token.type:
            case "text" | "code_inline":
                code = [{"type": "code"}] if token.type == "code_inline" else []
                _add_text(nodes, token.content, [*marks, *code])
            case "softbreak":
                _add_text(nodes, " ", marks)
            case "hardbreak":
                nodes.append({"type": "hardBreak"})
            case "link_open":
                href = str(token.attrGet("href") or "")
                marks.append({"type": "link", "attrs": {"href": href}})
            case "image":
                _add_image(nodes, token, marks)
            case _ if token.nesting == 1:
                marks.append({"type": _MARKS[token.tag]})
            case _ if token.nesting == -1:
                marks.pop()
    return nodes


def _add_text(nodes: list[Document], text: str, marks: list[dict[str, Any]]) -> None:
    # A link to a file of ours is no link of a lesson: it would end with the page's address.
    kept = list(
        {m["type"]: m for m in marks if m["type"] != "link" or rules.is_link(m["attrs"]["href"])}.values()
    )
    if not text:
        return
    if nodes and nodes[-1]["type"] == "text" and nodes[-1].get("marks", []) == kept:
        nodes[-1]["text"] += text
    else:
        nodes.append({"type": "text", "text": text, "marks": kept})


def _add_image(nodes: list[Document], token: Token, marks: list[dict[str, Any]]) -> None:
    words = "".join(_read_words(token.children or []))
    if match := _FILE.fullmatch(str(token.attrGet("src") or "")):
        alt = " ".join(words.split())[: rules.MAX_LABEL]
        nodes.append({"type": "image", "attrs": {"file": match[1], "alt": alt, "decorative": not alt}})
    else:
        _add_text(nodes, words, marks)


def _read_words(tokens: list[Token]) -> list[str]:
    return [
        "".join(_read_words(token.children or []))
        if token.type == "image"
        else " "
        if token.type in ("softbreak", "hardbreak")
        else token.content
        for token in tokens
    ]


def _split_images(nodes: list[Document]) -> list[Document | list[Document]]:
    """Returns the texts between images as lists, and the images, which are blocks."""
    parts: list[Document | list[Document]] = [[]]
    for node in nodes:
        if node["type"] == "image":
            parts += [node, []]
        else:
            part = parts[-1]
            assert isinstance(part, list)
            part.append(node)
    return [_trim(part) if isinstance(part, list) else part for part in parts] if len(parts) > 1 else parts


def _trim(nodes: list[Document]) -> list[Document]:
    """Removes line breaks and space at both ends."""
    while nodes and _is_space(nodes[0]):
        nodes = nodes[1:]
    while nodes and _is_space(nodes[-1]):
        nodes = nodes[:-1]
    return nodes


def _is_space(node: Document) -> bool:
    return node["type"] == "hardBreak" or not node["text"].strip()


def _read_cell(inline: Token) -> list[Document]:
    """Reads a cell: images and paragraphs, whose lines are separated by `<br>`."""
    nodes: list[Document] = []
    for node in _read_inline(inline):
        if node["type"] != "text" or any(mark["type"] == "code" for mark in node["marks"]):
            nodes.append(node)
            continue
        lines = _BREAK.split(node["text"])
        for n, line in enumerate(lines):
            if n:
                nodes.append({"type": "hardBreak"})
            if line:
                nodes.append({**node, "text": line})
    parts = _split_images(nodes)
    blocks = [part if isinstance(part, dict) else _node("paragraph", part) for part in parts if part]
    return blocks or [_node("paragraph", [])]
