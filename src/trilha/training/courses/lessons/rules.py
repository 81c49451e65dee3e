"""What a lesson's document may contain: the allow-list of nodes, marks and attributes, and their limits.

`check_document` builds a new document from what it recognizes, and refuses everything else.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.training.courses.lessons.schema import Document, FileUse, Gap

MAX_DEPTH = 40  # nodes inside nodes
MAX_NODES = 60_000
MAX_TEXT = 400_000  # characters of all texts together
MAX_CELLS = 10_000  # of all tables together
MAX_COLUMNS = 50
MAX_OPTIONS = 20
MAX_CAPTIONS = 10
MAX_LABEL = 500
MAX_URL = 2000

LINK = re.compile(r"(?:https?://|mailto:|tel:)[^\s\x00-\x20\x7f\"'<>\\`{}|^]+", re.IGNORECASE)
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
# The ids of videos, by provider.
EMBEDS: Mapping[str, re.Pattern[str]] = {
    "youtube": re.compile(r"[A-Za-z0-9_-]{11}"),
    "vimeo": re.compile(r"[0-9]{6,12}"),
}
CALLOUTS = ("info", "warning", "success")
QUESTIONS = ("single", "multiple", "truefalse")
_CODE_LANGUAGE = re.compile(r"[A-Za-z0-9+#._-]{1,30}")
# Control characters and surrogates; the private characters mark what the page's language fills in.
_CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ue000-\uf8ff\ufffe\uffff]")

Check = Callable[[Any], Any]


class InvalidDocument(Exception):
    """The document has something that is not allowed. `path` is where; `code` is an error code."""

    def __init__(self, path: str, code: str) -> None:
        super().__init__(f"{path}: {code}")
        self.path = path
        self.code = code


class NodeType(Struct, frozen=True, kw_only=True):
    """A type of node: the types of its children, its attributes, and whether its text takes marks."""

    content: frozenset[str] = frozenset()
    attributes: Mapping[str, Check] = {}
    marks: bool = False


class CheckedDocument(Struct, frozen=True):
    document: Document
    files: list[FileUse]
    gaps: list[Gap]


def _wrong() -> ValueError:
    return ValueError("invalid_value")


def clean(text: str) -> str:
    """Returns a text without control characters."""
    return _CONTROL_CHARACTERS.sub("", text)


def _check_line(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _wrong()
    line = " ".join(clean(value).split())
    if len(line) > MAX_LABEL:
        raise ValueError("too_long")
    return line


def _check_choice(*allowed: str) -> Check:
    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise _wrong()
        return value

    return check


def _check_int(minimum: int, maximum: int) -> Check:
    def check(value: Any) -> int:
        if type(value) is not int or not minimum <= value <= maximum:
            raise _wrong()
        return value

    return check


def _check_flag(value: Any) -> bool:
    if value is None:
        return False
    if type(value) is not bool:
        raise _wrong()
    return value


def _check_file(value: Any) -> str:
    if not isinstance(value, str) or len(value) != 36:
        raise _wrong()
    return str(UUID(value))


def _check_captions(value: Any) -> list[dict[str, str]]:
    if value is None:
        return []
    if not isinstance(value, list) or len(value) > MAX_CAPTIONS:
        raise _wrong()
    tracks = []
    for each in value:
        if not isinstance(each, dict) or set(each) != {"file", "language"}:
            raise _wrong()
        tracks.append({"file": _check_file(each["file"]), "language": check_language(each["language"])})
    return tracks


def check_language(value: Any) -> str:
    if not isinstance(value, str) or len(value) > 35 or not LANGUAGE.fullmatch(value):
        raise _wrong()
    return value


def _check_video_id(value: Any) -> str:
    """The id's form depends on the provider: see `_check_embed`."""
    if not isinstance(value, str) or len(value) > 20:
        raise _wrong()
    return value


def _check_code_language(value: Any) -> str:
    if value in (None, ""):
        return ""
    if not isinstance(value, str) or not _CODE_LANGUAGE.fullmatch(value):
        raise _wrong()
    return value


def _check_one(value: Any) -> int:
    """Cells cannot be merged. Editors state so with a span of 1."""
    if value not in (None, 1) or isinstance(value, bool):
        raise _wrong()
    return 1


def _check_nothing(value: Any) -> None:
    if value is not None:
        raise _wrong()


INLINE = frozenset({"text", "hardBreak"})
BLOCKS = frozenset(
    {
        *("paragraph", "heading", "bulletList", "orderedList", "blockquote", "codeBlock", "horizontalRule"),
        *("image", "video", "embed", "attachment", "callout", "table", "accordion", "question"),
    }
)
# Blocks inside blocks: a question stands for itself, so that it is never a part of another.
_CELL = NodeType(
    content=frozenset({"paragraph", "image"}),
    attributes={"colspan": _check_one, "rowspan": _check_one, "colwidth": _check_nothing},
)
NODES: Mapping[str, NodeType] = {
    "doc": NodeType(content=BLOCKS),
    "paragraph": NodeType(content=INLINE, marks=True),
    "heading": NodeType(content=INLINE, marks=True, attributes={"level": _check_int(2, 4)}),
    "bulletList": NodeType(content=frozenset({"listItem"})),
    "orderedList": NodeType(
        content=frozenset({"listItem"}),
        attributes={"start": _check_int(0, 999_999_999), "type": _check_nothing},
    ),
    "listItem": NodeType(content=BLOCKS - {"question"}),
    "blockquote": NodeType(content=BLOCKS - {"question"}),
    "codeBlock": NodeType(content=frozenset({"text"}), attributes={"language": _check_code_language}),
    "horizontalRule": NodeType(),
    "image": NodeType(attributes={"file": _check_file, "alt": _check_line, "decorative": _check_flag}),
    "video": NodeType(attributes={"file": _check_file, "title": _check_line, "captions": _check_captions}),
    "embed": NodeType(
        attributes={
            "provider": _check_choice(*EMBEDS),
            "video": _check_video_id,
            "title": _check_line,
        }
    ),
    "attachment": NodeType(attributes={"file": _check_file, "name": _check_line}),
    "callout": NodeType(content=BLOCKS - {"question"}, attributes={"kind": _check_choice(*CALLOUTS)}),
    "table": NodeType(content=frozenset({"tableRow"})),
    "tableRow": NodeType(content=frozenset({"tableCell", "tableHeader"})),
    "tableCell": _CELL,
    "tableHeader": _CELL,
    "accordion": NodeType(content=(BLOCKS - {"question"}) | {"accordionTitle"}),
    "accordionTitle": NodeType(content=frozenset({"text"})),
    "question": NodeType(
        content=frozenset({"questionPrompt", "questionOption", "questionFeedback"}),
        attributes={"kind": _check_choice(*QUESTIONS)},
    ),
    "questionPrompt": NodeType(content=INLINE, marks=True),
    "questionOption": NodeType(content=INLINE, marks=True, attributes={"right": _check_flag}),
    "questionFeedback": NodeType(content=INLINE, marks=True),
    "hardBreak": NodeType(),
}
_MANDATORY = {"level", "file", "provider", "video", "kind"}
# In the order in which they are written, the outermost first.
MARKS = ("link", "bold", "italic", "strike", "code")
_NODE_MEMBERS = {"type", "attrs", "content"}
_TEXT_MEMBERS = {"type", "text", "marks"}


def check_document(value: Any) -> CheckedDocument:
    """Returns the document with what is allowed. Raises InvalidDocument."""
    return _Check().check(value)


def is_empty(document: Document) -> bool:
    """Returns whether a document has no text and shows nothing."""
    return all(each["type"] == "paragraph" and not each.get("content") for each in document["content"])


class _Check:
    """Checks one document. Counts what all its nodes have together."""

    def __init__(self) -> None:
        self._nodes = 0
        self._text = 0
        self._cells = 0
        self._files: list[FileUse] = []
        self._gaps: list[Gap] = []

    def check(self, value: Any) -> CheckedDocument:
        document = self._check_node(value, "", frozenset({"doc"}), 0, marks=False)
        return CheckedDocument(document, self._files, self._gaps)

    def _check_node(
        self, value: Any, path: str, allowed: frozenset[str], depth: int, *, marks: bool
    ) -> Document:
        self._nodes += 1
        if self._nodes > MAX_NODES or depth > MAX_DEPTH:
            raise InvalidDocument(path, "text_too_complex")
        if not isinstance(value, dict):
            raise InvalidDocument(path, "invalid_type")
        type = value.get("type")
        if not isinstance(type, str) or type not in allowed:
            raise InvalidDocument(_join(path, "type"), "invalid_value")
        if type == "text":
            return self._check_text(value, path, marks=marks)
        if unknown := set(value) - _NODE_MEMBERS:
            raise InvalidDocument(_join(path, min(map(str, unknown))[:60]), "unknown_field")
        kind = NODES[type]
        attributes = self._check_attributes(value.get("attrs"), kind, _join(path, "attrs"))
        content = value.get("content", [])
        if not isinstance(content, list):
            raise InvalidDocument(_join(path, "content"), "invalid_type")
        children = [
            self._check_node(child, _join(path, f"content.{n}"), kind.content, depth + 1, marks=kind.marks)
            for n, child in enumerate(content)
        ]
        node: Document = {"type": type}
        if attributes:
            node["attrs"] = attributes
        if children:
            node["content"] = children
        return self._finish(node, path)

    def _check_attributes(self, value: Any, kind: NodeType, path: str) -> dict[str, Any]:
        given = {} if value is None else value
        if not isinstance(given, dict):
            raise InvalidDocument(path, "invalid_type")
        if unknown := set(given) - set(kind.attributes):
            raise InvalidDocument(_join(path, min(map(str, unknown))[:60]), "unknown_field")
        attributes = {}
        for name, check in kind.attributes.items():
            if name not in given and name in _MANDATORY:
                raise InvalidDocument(_join(path, name), "required")
            if name not in given and name == "start":
                attributes[name] = 1
                continue
            try:
                attributes[name] = check(given.get(name))
            except (ValueError, AttributeError) as error:
                code = "too_long" if str(error) == "too_long" else "invalid_value"
                raise InvalidDocument(_join(path, name), code) from None
        return {
            name: value
            for name, value in attributes.items()
            if name not in ("colspan", "rowspan", "colwidth", "type")
        }

    def _check_text(self, value: dict[str, Any], path: str, *, marks: bool) -> Document:
        if unknown := set(value) - _TEXT_MEMBERS:
            raise InvalidDocument(_join(path, min(map(str, unknown))[:60]), "unknown_field")
        text = value.get("text")
        if not isinstance(text, str) or not text:
            raise InvalidDocument(_join(path, "text"), "invalid_type")
        self._text += len(text)
        if self._text > MAX_TEXT:
            raise InvalidDocument(path, "text_too_complex")
        node: Document = {"type": "text", "text": clean(text)}
        given = value.get("marks") or []
        if not isinstance(given, list) or len(given) > len(MARKS) or (given and not marks):
            raise InvalidDocument(_join(path, "marks"), "invalid_value")
        checked = {}
        for n, each in enumerate(given):
            mark = self._check_mark(each, _join(path, f"marks.{n}"))
            checked[mark["type"]] = mark
        if checked:
            node["marks"] = [checked[name] for name in MARKS if name in checked]
        return node

    def _check_mark(self, value: Any, path: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise InvalidDocument(path, "invalid_type")
        type = value.get("type")
        if not isinstance(type, str) or type not in MARKS:
            raise InvalidDocument(_join(path, "type"), "invalid_value")
        if unknown := set(value) - {"type", "attrs"}:
            raise InvalidDocument(_join(path, min(map(str, unknown))[:60]), "unknown_field")
        attributes = value.get("attrs")
        if type != "link":
            if attributes not in (None, {}):
                raise InvalidDocument(_join(path, "attrs"), "unknown_field")
            return {"type": type}
        if not isinstance(attributes, dict) or set(attributes) != {"href"}:
            raise InvalidDocument(_join(path, "attrs"), "unknown_field")
        href = attributes["href"]
        if not is_link(href):
            raise InvalidDocument(_join(path, "attrs.href"), "invalid_value")
        return {"type": "link", "attrs": {"href": href}}

    def _finish(self, node: Document, path: str) -> Document:
        """Checks what the parts of a node must have together, and notes its files and gaps."""
        if finish := getattr(self, f"_finish_{_snake(node['type'])}", None):
            finish(node, path)
        if node["type"] in ("doc", "listItem", "blockquote", "callout"):
            children = node.setdefault("content", [])
            if not children or (node["type"] == "listItem" and children[0]["type"] != "paragraph"):
                children.insert(0, {"type": "paragraph"})
        node["content"] = [
            child for child in node.get("content", []) if child["type"] != "text" or child["text"]
        ]
        if not node["content"]:
            del node["content"]
        return node

    def _note_file(self, kind: str, file: str, path: str) -> None:
        self._files.append(FileUse(path, kind, UUID(file)))

    def _finish_image(self, node: Document, path: str) -> None:
        attributes = node["attrs"]
        self._note_file("image", attributes["file"], _join(path, "attrs.file"))
        if attributes["decorative"]:
            attributes["alt"] = ""
        elif not attributes["alt"]:
            self._gaps.append(Gap(_join(path, "attrs.alt"), "required"))

    def _finish_video(self, node: Document, path: str) -> None:
        attributes = node["attrs"]
        self._note_file("video", attributes["file"], _join(path, "attrs.file"))
        for n, track in enumerate(attributes["captions"]):
            self._note_file("captions", track["file"], _join(path, f"attrs.captions.{n}.file"))
        if not attributes["title"]:
            self._gaps.append(Gap(_join(path, "attrs.title"), "required"))

    def _finish_embed(self, node: Document, path: str) -> None:
        attributes = node["attrs"]
        if not EMBEDS[attributes["provider"]].fullmatch(attributes["video"]):
            raise InvalidDocument(_join(path, "attrs.video"), "invalid_value")
        if not attributes["title"]:
            self._gaps.append(Gap(_join(path, "attrs.title"), "required"))

    def _finish_attachment(self, node: Document, path: str) -> None:
        self._note_file("attachment", node["attrs"]["file"], _join(path, "attrs.file"))
        if not node["attrs"]["name"]:
            self._gaps.append(Gap(_join(path, "attrs.name"), "required"))

    def _finish_bullet_list(self, node: Document, path: str) -> None:
        if not node.get("content"):
            raise InvalidDocument(_join(path, "content"), "required")

    _finish_ordered_list = _finish_bullet_list

    def _finish_table(self, node: Document, path: str) -> None:
        rows = node.get("content") or []
        if not rows:
            raise InvalidDocument(_join(path, "content"), "required")
        columns = max(len(row["content"]) for row in rows)
        self._cells += columns * len(rows)
        if columns > MAX_COLUMNS or self._cells > MAX_CELLS:
            raise InvalidDocument(path, "text_too_complex")
        for row in rows:
            missing = columns - len(row["content"])
            row["content"] += [{"type": "tableCell", "content": [{"type": "paragraph"}]}] * missing

    def _finish_table_row(self, node: Document, path: str) -> None:
        if not node.get("content"):
            raise InvalidDocument(_join(path, "content"), "required")

    def _finish_table_cell(self, node: Document, path: str) -> None:
        node["content"] = join_paragraphs(node.get("content", []))

    _finish_table_header = _finish_table_cell

    def _finish_accordion(self, node: Document, path: str) -> None:
        content = node.get("content") or []
        titles = [n for n, child in enumerate(content) if child["type"] == "accordionTitle"]
        if titles != [0]:
            raise InvalidDocument(_join(path, "content"), "invalid_value")
        if not get_text(content[0]).strip():
            self._gaps.append(Gap(_join(path, "content.0"), "required"))
        if len(content) == 1:
            content.append({"type": "paragraph"})

    def _finish_question(self, node: Document, path: str) -> None:
        types = [child["type"] for child in node.get("content") or []]
        options = [child for child in node.get("content") or [] if child["type"] == "questionOption"]
        ending = ["questionFeedback"] if types[-1:] == ["questionFeedback"] else []
        if types != ["questionPrompt", *["questionOption"] * len(options), *ending]:
            raise InvalidDocument(_join(path, "content"), "invalid_value")
        if len(options) > MAX_OPTIONS:
            raise InvalidDocument(_join(path, "content"), "text_too_complex")
        right = sum(option["attrs"]["right"] for option in options)
        kind = node["attrs"]["kind"]
        if (
            not get_text(node["content"][0]).strip()
            or any(not get_text(option).strip() for option in options)
            or len(options) < 2
            or (kind == "truefalse" and len(options) != 2)
            or (right < 1 if kind == "multiple" else right != 1)
        ):
            self._gaps.append(Gap(path, "question_incomplete"))


def is_link(value: Any) -> bool:
    """Returns whether this is the address of a link that a lesson may have."""
    return isinstance(value, str) and len(value) <= MAX_URL and bool(LINK.fullmatch(value))


def get_text(node: Document) -> str:
    """Returns the text of a node and of all that it contains."""
    if node["type"] == "text":
        return str(node["text"])
    if node["type"] == "hardBreak":
        return "\n"
    return "".join(map(get_text, node.get("content", ())))


def join_paragraphs(blocks: list[Document]) -> list[Document]:
    """Returns the blocks of a cell with one paragraph between images: the lines of several become lines of
    one.
    """
    joined: list[Document] = []
    for block in blocks:
        if joined and block["type"] == joined[-1]["type"] == "paragraph":
            before, after = joined[-1].get("content", []), block.get("content", [])
            gap = [{"type": "hardBreak"}] if before and after else []
            lines = [*before, *gap, *after]
            joined[-1] = {"type": "paragraph", "content": lines} if lines else {"type": "paragraph"}
        else:
            joined.append(block)
    return joined or [{"type": "paragraph"}]


def _join(path: str, part: str) -> str:
    return f"{path}.{part}" if path else part


def _snake(name: str) -> str:
    return re.sub(r"(?=[A-Z])", "_", name).lower()
