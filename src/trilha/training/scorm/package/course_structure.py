"""Reads a course structure of cmi5: its blocks, its assignable units (AUs), and where each begins.

cmi5 1st Edition, sections 13 and 14, and CourseStructure.xsd.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar, get_args
from urllib.parse import parse_qsl, urlsplit
from xml.etree.ElementTree import Element

from msgspec import Struct

from trilha.training.scorm.package import xml
from trilha.training.scorm.package.limits import LIMITS, Limits
from trilha.training.scorm.package.links import NotInside, resolve
from trilha.training.scorm.package.manifest import AssignableUnit, Item, LaunchMethod, Manifest, MoveOn
from trilha.training.scorm.package.report import build_refusal, clean_text
from trilha.training.scorm.package.xml import attribute, child, children, text_of

NAME = "cmi5.xml"
_NAMESPACE = "https://w3id.org/xapi/profiles/cmi5/v1/CourseStructure.xsd"
# The parameters that a launch adds to an address.
LAUNCH_PARAMETERS = ("endpoint", "fetch", "actor", "registration", "activityId")
T = TypeVar("T")
_MOVE_ON: Mapping[str, MoveOn] = {each: each for each in get_args(MoveOn)}
_METHODS: Mapping[str, LaunchMethod] = {each: each for each in get_args(LaunchMethod)}
# The elements that each element may have, in their order.
_ORDER: dict[str, Sequence[str]] = {
    "coursestructure": ("course", "objectives", "block|au"),
    "course": ("title", "description"),
    "objectives": ("objective",),
    "objective": ("title", "description"),
    "block": ("title", "description", "objectives", "block|au"),
    "au": ("title", "description", "objectives", "url", "launchparameters", "entitlementkey"),
}
_MANDATORY = {
    "coursestructure": ("course",),
    "course": ("title", "description"),
    "block": ("title", "description"),
    "au": ("title", "description", "url"),
}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+")
# The characters of an address (RFC 3986), and those that browsers quote themselves.
_ADDRESS = re.compile(r"[^\s<>\"\\^`{}]{1,2000}")
_NODES = ("block", "au")
_LONGEST_IRI = 1000
_TITLE = 250
_LONGEST_TEXT = 8000


class _Place(Struct, frozen=True):
    """What is read: whether the file is a package, which has pages of its own, and the limit of parts."""

    in_package: bool
    limits: Limits


def read_course_structure(raw: bytes, *, in_package: bool, limits: Limits = LIMITS) -> Manifest:
    """Raises Refused (manifest_…, structure_…, nothing_to_launch, too_many_items)."""
    root = xml.parse(raw, limits)
    if xml.local(root.tag) != "coursestructure":
        raise build_refusal("structure_invalid", reason=clean_text(xml.local(root.tag), 40))
    for element in root.iter():
        if isinstance(element.tag, str) and element.tag.rpartition("}")[0].lstrip("{") in ("", _NAMESPACE):
            _check_order(element)
    _check_ids(root)
    items = list(_read_items(root, _Place(in_package, limits)))
    manifest = Manifest(
        version="cmi5",
        edition="cmi5",
        title=_read_text(child(root, "course", "title")),
        items=items,
        course=attribute(child(root, "course"), "id"),
    )
    if not any(manifest.launchable()):
        raise build_refusal("nothing_to_launch")
    return manifest


def _list_names(element: Element) -> list[str]:
    """Returns the names of the children that are not another namespace's."""
    tags = [each.tag for each in element if isinstance(each.tag, str)]
    return [xml.local(tag) for tag in tags if tag.rpartition("}")[0].lstrip("{") in ("", _NAMESPACE)]


def _check_order(element: Element) -> None:
    """Raises Refused (structure_invalid) if a child is unknown, missing, or in another place."""
    kind = xml.local(element.tag)
    order = _ORDER.get(kind)
    if order is None:
        return
    place = 0
    names = _list_names(element)
    for name in names:
        while place < len(order) and name not in order[place].split("|"):
            place += 1
        if place == len(order):
            raise build_refusal("structure_invalid", reason=f"{kind}/{clean_text(name, 40)}")
    if missing := next((each for each in _MANDATORY.get(kind, ()) if each not in names), None):
        raise build_refusal("structure_invalid", reason=f"{kind}/{missing}")


def _check_ids(root: Element) -> None:
    """Raises Refused (structure_id_invalid, structure_id_twice)."""
    seen: set[tuple[str, str]] = set()
    for element in root.iter():
        kind = xml.local(element.tag) if isinstance(element.tag, str) else ""
        if kind not in ("course", "block", "au", "objective") or attribute(element, "idref"):
            continue
        identifier = attribute(element, "id")
        if len(identifier) > _LONGEST_IRI or not _IRI.fullmatch(identifier):
            raise build_refusal("structure_id_invalid", id=clean_text(identifier, 100))
        if (kind, identifier) in seen:
            raise build_refusal("structure_id_twice", id=clean_text(identifier, 100))
        seen.add((kind, identifier))


def _read_items(element: Element, place: _Place) -> Iterator[Item]:
    """Reads blocks and units in their order. The tree is not deeper than the limits allow."""
    count = sum(1 for each in element.iter() if isinstance(each.tag, str) and xml.local(each.tag) in _NODES)
    if count > place.limits.items:
        raise build_refusal("too_many_items", count=count, most=place.limits.items)
    for each in element:
        kind = xml.local(each.tag) if isinstance(each.tag, str) else ""
        if kind == "block":
            yield Item(
                identifier=attribute(each, "id"),
                title=_read_text(child(each, "title")),
                items=list(_read_items(each, place)),
            )
        elif kind == "au":
            yield _read_unit(each, place)


def _read_unit(element: Element, place: _Place) -> Item:
    address = text_of(child(element, "url"))
    absolute = bool(_SCHEME.match(address))
    _check_address(address, absolute=absolute, in_package=place.in_package)
    unit = AssignableUnit(
        url=address if absolute else "",
        move_on=_choose(_MOVE_ON, attribute(element, "moveOn"), "NotApplicable"),
        mastery_score=_read_score(attribute(element, "masteryScore")),
        launch_method=_choose(_METHODS, attribute(element, "launchMethod"), "AnyWindow"),
        launch_parameters=_read_raw(child(element, "launchParameters")),
        entitlement_key=_read_raw(child(element, "entitlementKey")),
    )
    try:
        launch = None if absolute else resolve([], address)
    except NotInside:
        raise build_refusal("launch_outside", address) from None
    return Item(
        identifier=attribute(element, "id"),
        title=_read_text(child(element, "title")),
        launch=launch,
        unit=unit,
    )


def _check_address(address: str, *, absolute: bool, in_package: bool) -> None:
    """Raises Refused (structure_url_invalid, structure_url_relative, structure_url_parameters)."""
    if not _ADDRESS.fullmatch(address):
        raise build_refusal("structure_url_invalid", address)
    if not absolute and not in_package:
        raise build_refusal("structure_url_relative", address)
    try:
        parts = urlsplit(address)
        valid = not absolute or (parts.scheme.lower() in ("http", "https") and bool(parts.hostname))
    except ValueError:
        valid = False
    if not valid:
        raise build_refusal("structure_url_invalid", address)
    if any(name in LAUNCH_PARAMETERS for name, _ in parse_qsl(parts.query, keep_blank_values=True)):
        raise build_refusal("structure_url_parameters", address)


def _choose(values: Mapping[str, T], text: str, usual: str) -> T:
    if text and text not in values:
        raise build_refusal("structure_invalid", reason=clean_text(text, 40))
    return values[text or usual]


def _read_score(text: str) -> float | None:
    """Raises Refused (structure_invalid) for a number that is not from 0 to 1."""
    if not text:
        return None
    if not re.fullmatch(r"[0-9.]{1,20}", text) or text.count(".") > 1 or text == ".":
        raise build_refusal("structure_invalid", reason=clean_text(text, 40))
    score = float(text)
    if score > 1:
        raise build_refusal("structure_invalid", reason=clean_text(text, 40))
    return score


def _read_text(element: Element | None) -> str:
    """Returns the first text that is not empty, in one line. Further ones are in other languages."""
    texts = [text_of(each) for each in children(element, "langstring")]
    return clean_text(next((each for each in texts if each), ""), _TITLE)


def _read_raw(element: Element | None) -> str:
    """Returns the text as it is, without blanks at its ends."""
    text = "".join(element.itertext()).strip() if element is not None else ""
    return text.replace("\0", "")[:_LONGEST_TEXT]
