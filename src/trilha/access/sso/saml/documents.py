"""Decodes, bounds and parses untrusted XML, with the only parser that we use.

Everything that could let two readers see two documents is refused before parsing: other encodings than
UTF-8, XML 1.1, document types, entities, comments, processing instructions and CDATA sections.
"""

import binascii
import re
import zlib
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from lxml import etree

from trilha.access.sso.saml.errors import build_refusal

Element: TypeAlias = etree._Element

MAX_BYTES = 256 * 1024
MAX_NODES = 5000
MAX_IN_ONE = 100
_UTF8_MARK = b"\xef\xbb\xbf"
_DECLARATION = re.compile(
    rb"""<\?xml\s+version\s*=\s*(["'])1\.0\1"""
    rb"""(?:\s+encoding\s*=\s*(["'])utf-8\2)?(?:\s+standalone\s*=\s*(["'])(?:yes|no)\3)?\s*\?>""",
    re.IGNORECASE,
)
# In well-formed XML these can begin nothing else.
_FORBIDDEN = {
    b"<!--": "comment",
    b"<!DOCTYPE": "DOCTYPE",
    b"<![CDATA[": "CDATA section",
    b"<?": "instruction",
}
# Canonical XML is undefined for relative namespaces, and libraries differ for non-ASCII ones.
_NAMESPACE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[!-~]+")
# SAML core 1.3.3: always in UTC.
_INSTANT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,20}))?Z", re.ASCII)


def decode_base64(text: str, limit: int = MAX_BYTES) -> bytes:
    """Decodes base64 that may contain line breaks (RFC 2045). Raises SignInRefused."""
    if len(text) > limit:
        raise build_refusal(
            "saml_message_too_large", f"at most {limit} characters", f"{len(text)} characters"
        )
    try:
        return binascii.a2b_base64(text.replace("\r", "").replace("\n", "").encode("ascii"), strict_mode=True)
    except (ValueError, binascii.Error):
        raise build_refusal("saml_message_not_base64") from None


def inflate(text: str, limit: int = MAX_BYTES) -> bytes:
    """Decodes base64 over DEFLATE, as in the Redirect binding, with at most `limit` bytes in memory."""
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        raw = inflater.decompress(decode_base64(text, limit), limit)
    except zlib.error:
        raise build_refusal("saml_message_not_deflated") from None
    if inflater.unconsumed_tail:
        raise build_refusal("saml_message_too_large", f"at most {limit} bytes when inflated")
    if not inflater.eof or inflater.unused_data:
        raise build_refusal("saml_message_not_deflated")
    return raw


def parse_document(
    raw: bytes, *, limit: int = MAX_BYTES, nodes: int = MAX_NODES, comments: bool = False
) -> Element:
    """Returns the root element. With `comments`, comments are allowed and removed, because metadata often
    contains some.

    Raises SignInRefused.
    """
    if len(raw) > limit:
        raise build_refusal("saml_message_too_large", f"at most {limit} bytes", f"{len(raw)} bytes")
    text = _plain(raw.removeprefix(_UTF8_MARK))
    _check_markup(text, comments=comments)
    try:
        root = etree.fromstring(text, new_parser())
    except (etree.LxmlError, ValueError):
        raise build_refusal("saml_xml_malformed") from None
    _check_nodes(root, nodes)
    return root


def new_parser() -> etree.XMLParser:
    return etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        huge_tree=False,
        recover=False,
        remove_comments=True,
        remove_pis=True,
    )


def _plain(raw: bytes) -> bytes:
    """Returns the text after the XML declaration."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        raise build_refusal("saml_xml_encoding", "UTF-8") from None
    if b"\0" in raw:
        raise build_refusal("saml_xml_encoding", "UTF-8", "a NUL byte")
    declared = _DECLARATION.match(raw)
    if raw.startswith(b"<?xml") and declared is None:
        raise build_refusal(
            "saml_xml_declaration", 'version="1.0" encoding="UTF-8"', raw[:100].decode(errors="replace")
        )
    return raw[declared.end() :] if declared else raw


def _check_markup(text: bytes, *, comments: bool) -> None:
    for mark, name in _FORBIDDEN.items():
        if mark in text and not (comments and name in ("comment", "instruction")):
            raise build_refusal("saml_xml_forbidden", f"no {name}", name)
    if not comments and b"<!" in text:
        raise build_refusal("saml_xml_forbidden", "elements and text", "a declaration")


def _check_nodes(root: Element, limit: int) -> None:
    """Counts elements, attributes and namespace declarations, because sorting those of one element takes
    long.
    """
    count = declared = 0
    for event, found in etree.iterwalk(root, events=("start", "start-ns")):
        if event == "start-ns":
            declared += 1
            _check_namespace(found[1])
            continue
        count += 1 + declared + len(found.attrib)
        if count > limit or declared + len(found.attrib) > MAX_IN_ONE:
            raise build_refusal("saml_message_too_large", f"at most {limit} elements and attributes")
        declared = 0


def _check_namespace(uri: str) -> None:
    if uri and not _NAMESPACE.fullmatch(uri):
        raise build_refusal("saml_xml_namespace", "an absolute URI in ASCII", uri)


def text_of(element: Element) -> str:
    """Returns the text of an element that contains only text. Raises SignInRefused."""
    if len(element) != 0:
        raise build_refusal("saml_element_not_text", "text alone", etree.QName(element).localname)
    return element.text or ""


def only(parent: Element, tag: str) -> Element | None:
    """Returns the child of this name, or None. Raises SignInRefused if there are several."""
    found = parent.findall(tag)
    if len(found) > 1:
        raise build_refusal("saml_element_repeated", "one", f"{len(found)} of {etree.QName(tag).localname}")
    return found[0] if found else None


def require_child(parent: Element, tag: str) -> Element:
    """Returns the only child of this name. Raises SignInRefused."""
    found = only(parent, tag)
    if found is None:
        raise build_refusal("saml_element_missing", etree.QName(tag).localname)
    return found


_LATEST = datetime.max.replace(tzinfo=UTC) - timedelta(days=1)


def instant(text: str) -> datetime:
    """Parses a time in UTC, at most a day before the last one that can be represented, so that skew can be
    added.

    Raises SignInRefused for anything else.
    """
    matched = _INSTANT.fullmatch(text)
    try:
        if matched is None:
            raise ValueError(text)
        at = datetime.fromisoformat(matched[1])
    except ValueError:
        raise build_refusal("saml_time_malformed", "a time such as 2026-11-22T13:41:28Z", text) from None
    at = at.replace(tzinfo=UTC, microsecond=int((matched[2] or "0")[:6].ljust(6, "0")))
    return min(at, _LATEST)
