"""Parses untrusted XML into a tree: no DTD, no entities, bounded in size and depth.

Names are compared without namespaces and case, because packages differ in both.
"""

import codecs
import re
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from defusedxml.common import DefusedXmlException, DTDForbidden
from defusedxml.ElementTree import DefusedXMLParser

from trilha.training.scorm.package.limits import Limits
from trilha.training.scorm.package.report import build_refusal

_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_SPACE = re.compile(r"\s+")


def parse(raw: bytes, limits: Limits) -> Element:
    """Raises Refused (manifest_has_dtd, manifest_too_large, manifest_broken)."""
    if len(raw) > limits.manifest:
        raise build_refusal("manifest_too_large", megabytes=limits.manifest >> 20)
    try:
        return _parse(raw, limits)
    except DTDForbidden:
        raise build_refusal("manifest_has_dtd") from None
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        if (text := _decode_leniently(raw)) is not None:
            return parse(text.encode(), limits)
        raise build_refusal("manifest_broken", reason=_reason(error)) from None


def _parse(raw: bytes, limits: Limits) -> Element:
    parser = DefusedXMLParser(target=_Tree(limits), forbid_dtd=True)
    parser.feed(raw)
    root: Element = parser.close()
    return root


class _Tree(TreeBuilder):
    """Builds the tree and stops while it is still small."""

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self._limits = limits
        self._depth = self._count = 0

    def start(self, tag: Any, attributes: Any, /) -> Element:
        self._depth += 1
        self._count += 1
        if self._depth > self._limits.element_depth or self._count > self._limits.elements:
            raise build_refusal("manifest_too_large", megabytes=self._limits.manifest >> 20)
        return super().start(tag, attributes)

    def end(self, tag: Any, /) -> Element:
        self._depth -= 1
        return super().end(tag)


def _decode_leniently(raw: bytes) -> str | None:
    """Decodes text that does not have its declared encoding: as Windows would, ignoring the declaration."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return None
        return _DECLARATION.sub("", raw.decode("cp1252", "replace"))
    text = raw.decode("utf-8-sig")
    declared = _DECLARATION.match(text)
    return text[declared.end() :] if declared and "encoding" in declared[0] else None


def _reason(error: Exception) -> str:
    """Returns the position at which the XML is broken. Other parser errors would quote the content."""
    if isinstance(error, ParseError):
        line, column = error.position
        return f"line {line}, column {column + 1}"
    return "encoding"


def local(name: str) -> str:
    """The name of an element or attribute, in lower case."""
    return name.rpartition("}")[2].lower()


def children(element: Element | None, name: str) -> Iterator[Element]:
    if element is not None:
        yield from (each for each in element if isinstance(each.tag, str) and local(each.tag) == name.lower())


def child(element: Element | None, *names: str) -> Element | None:
    """The first child of this name, its first child of the next name, and so on."""
    for name in names:
        element = next(children(element, name), None)
    return element


def text_of(element: Element | None) -> str:
    """All text inside, in one line."""
    return _SPACE.sub(" ", "".join(element.itertext())).strip() if element is not None else ""


def attribute(element: Element | None, name: str) -> str:
    """Returns the trimmed value, or an empty text if it is absent."""
    if element is None:
        return ""
    found = element.get(name)
    if found is None:
        found = next((value for key, value in element.items() if local(key) == name.lower()), "")
    return found.strip()
