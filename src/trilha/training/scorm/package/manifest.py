"""Reads imsmanifest.xml: the parts of a package, their order, and where each begins.

SCORM 1.2 Content Aggregation Model; SCORM 2004 CAM, 2nd to 4th Edition. Where packages of authoring tools
differ from both, we follow the tools.
"""

import re
from collections.abc import Iterator
from typing import Any, Literal
from xml.etree.ElementTree import Element

from msgspec import Struct

from trilha.training.scorm.package import sequencing, xml
from trilha.training.scorm.package.limits import LIMITS, Limits
from trilha.training.scorm.package.links import Launch, NotInside, resolve
from trilha.training.scorm.package.report import PackageRefused, build_refusal, clean_text
from trilha.training.scorm.package.xml import attribute, child, children, text_of

Version = Literal["1.2", "2004", "cmi5"]
MoveOn = Literal["Passed", "Completed", "CompletedAndPassed", "CompletedOrPassed", "NotApplicable"]
LaunchMethod = Literal["AnyWindow", "OwnWindow"]
_TITLE = 250
_DATA = 8000
_EDITIONS = {"1.3": "2nd Edition", "2nd": "2nd Edition", "3rd": "3rd Edition", "4th": "4th Edition"}


class AssignableUnit(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What cmi5 says of a part. `url` is its address on another server, or empty if it is in the package."""

    url: str = ""
    move_on: MoveOn = "NotApplicable"
    mastery_score: float | None = None  # 0 to 1
    launch_method: LaunchMethod = "AnyWindow"
    launch_parameters: str = ""
    entitlement_key: str = ""


class Item(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part, or a folder of parts (no `launch`). An `sco` uses the runtime; an asset is only displayed.

    `mastery_score` is 0 to 100, `scaled_passing_score` -1 to 1, `completion_threshold` 0 to 1.
    `prerequisites` are an AICC script over identifiers. `sequencing` has the form that scorm-again takes.
    """

    identifier: str
    title: str
    visible: bool = True
    launch: Launch | None = None
    resource: str = ""
    sco: bool = False
    mastery_score: float | None = None
    scaled_passing_score: float | None = None
    completion_threshold: float | None = None
    progress_weight: float | None = None
    max_time_allowed: str = ""
    time_limit_action: str = ""
    launch_data: str = ""
    prerequisites: str = ""
    sequencing: dict[str, Any] = {}
    items: list["Item"] = []
    unit: AssignableUnit | None = None

    @property
    def is_launchable(self) -> bool:
        return self.launch is not None or bool(self.unit and self.unit.url)


class Manifest(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A manifest. `title` may be empty. `edition` is the shortened version that it declares. `declared` are
    the files that it names.

    `sequencing` is that of the organization, as in an Item; `collections` are what it refers to. `course` is
    the id of the course in a course structure of cmi5.
    """

    version: Version
    edition: str
    title: str
    items: list[Item]
    sequencing: dict[str, Any] = {}
    collections: dict[str, dict[str, Any]] = {}
    declared: list[str] = []
    generator: str = ""
    problems: list[str] = []
    course: str = ""

    def launchable(self) -> Iterator[Item]:
        """The parts that can be opened, in order, in whatever folder they are."""
        for item in walk(self.items):
            if item.is_launchable:
                yield item


def walk(items: list[Item]) -> Iterator[Item]:
    for item in items:
        yield item
        yield from walk(item.items)


def read_manifest(raw: bytes, limits: Limits = LIMITS) -> Manifest:
    """Raises Refused (manifest_…, nothing_to_launch, launch_outside)."""
    root = xml.parse(raw, limits)
    if xml.local(root.tag) != "manifest":
        raise build_refusal("manifest_broken", reason=clean_text(xml.local(root.tag), 40))
    return _Reader(root, limits).read()


class _Reader:
    def __init__(self, root: Element, limits: Limits) -> None:
        self._root = root
        self._limits = limits
        self._base = attribute(root, "base")
        self._resources = child(root, "resources")
        self._by_identifier: dict[str, Element] = {}
        for each in children(self._resources, "resource"):
            self._by_identifier.setdefault(attribute(each, "identifier"), each)
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}
        self._problems: list[str] = []
        self._outside: list[PackageRefused] = []
        self._version, self._edition = _version(root)

    def read(self) -> Manifest:
        organization = self._organization()
        self._count_items(organization)
        items = [self._item(each) for each in children(organization, "item")]
        if not any(item.launch for item in walk(items)) and not self._outside:
            items = self._without_organization(organization)
        if self._outside:
            raise PackageRefused(*(finding for each in self._outside for finding in each.findings))
        if not items:
            raise build_refusal("nothing_to_launch")
        first = next((item.title for item in walk(items) if item.title != item.identifier), "")
        return Manifest(
            version=self._version,
            edition=self._edition,
            title=_line(text_of(child(organization, "title"))) or self._general_title() or first,
            items=items,
            sequencing=sequencing.read(organization),
            collections=sequencing.read_collections(self._root),
            declared=list(self._list_declared_files()),
            generator=_line(_generator(self._root)),
            problems=self._problems,
        )

    def _organization(self) -> Element | None:
        """The default organization, or the first one if no organization has its name."""
        organizations = child(self._root, "organizations")
        every = list(children(organizations, "organization"))
        wanted = attribute(organizations, "default")
        named = [each for each in every if attribute(each, "identifier") == wanted]
        if wanted and every and not named:
            self._problems.append("default_organization_missing")
        return next(iter(named or every), None)

    def _count_items(self, organization: Element | None) -> None:
        """Limits items, because each may become a module of a course. Raises Refused (too_many_items)."""
        most = self._limits.items
        named = [] if organization is None else [each for each in organization.iter() if _is_item(each)]
        if len(named) > most:
            raise build_refusal("too_many_items", count=len(named), most=most)

    def _item(self, element: Element) -> Item:
        identifier = self._unique(clean_text(attribute(element, "identifier"), 255))
        reference = attribute(element, "identifierref")
        resource = self._by_identifier.get(reference)
        if reference and resource is None:
            self._problems.append("resource_missing")
        return Item(
            identifier=identifier,
            title=_line(text_of(child(element, "title"))) or identifier,
            visible=attribute(element, "isvisible").lower() not in ("false", "0"),
            launch=self._launch(resource, attribute(element, "parameters")),
            resource=clean_text(reference, 255),
            sco=_is_sco(resource),
            **_extras(element),
            items=[self._item(each) for each in children(element, "item")],
        )

    def _unique(self, identifier: str) -> str:
        """Modules are identified by it, so the second item of a name gets a number."""
        base = identifier or "item"
        unique, number = base, self._numbers.get(base, 1)
        while unique in self._taken:
            number += 1
            unique = f"{base}-{number}"
        # The next item of this name continues counting here.
        self._numbers[base] = number
        if unique != identifier:
            self._problems.append("identifier_not_unique")
        self._taken.add(unique)
        return unique

    def _launch(self, resource: Element | None, parameters: str) -> Launch | None:
        href = attribute(resource, "href")
        if resource is None or not href:
            return None
        try:
            return resolve(self._bases(resource), href, parameters)
        except NotInside:
            self._outside.append(build_refusal("launch_outside", href))
            return None

    def _bases(self, resource: Element) -> list[str]:
        bases = (self._base, attribute(self._resources, "base"), attribute(resource, "base"))
        return [each for each in bases if each]

    def _without_organization(self, organization: Element | None) -> list[Item]:
        """The first SCO, else the first page, of a package that has only resources."""
        every = [each for each in self._by_identifier.values() if attribute(each, "href")]
        chosen = next((each for each in every if _is_sco(each)), next(iter(every), None))
        if chosen is None:
            return []
        self._problems.append("no_organization")
        identifier = attribute(chosen, "identifier")
        item = Item(
            identifier=clean_text(identifier, 255),
            title=_line(text_of(child(organization, "title")))
            or self._general_title()
            or clean_text(identifier),
            launch=self._launch(chosen, ""),
            resource=clean_text(identifier, 255),
            sco=_is_sco(chosen),
        )
        return [item] if item.launch else []

    def _general_title(self) -> str:
        return _line(text_of(child(self._root, "metadata", "lom", "general", "title")))

    def _list_declared_files(self) -> Iterator[str]:
        """The declared paths, as written. Paths outside the package are ignored."""
        for resource in self._by_identifier.values():
            for file in children(resource, "file"):
                try:
                    yield resolve(self._bases(resource), attribute(file, "href")).path
                except NotInside:
                    continue


def _version(root: Element) -> tuple[Version, str]:
    """By what it says of itself, else by its namespaces."""
    said = text_of(child(root, "metadata", "schemaversion"))
    namespaces = {each.tag.rpartition("}")[0] for each in root.iter() if isinstance(each.tag, str)}
    namespaces |= {key.rpartition("}")[0] for each in root.iter() for key in each.attrib}
    is_2004 = any("adlcp_v1p3" in each for each in namespaces)
    if re.search(r"2004|CAM\s*1\.3|^1\.3", said, re.IGNORECASE) or (is_2004 and said != "1.2"):
        found = next((edition for mark, edition in _EDITIONS.items() if mark in said), "")
        return "2004", f"2004 {found}".strip()
    return "1.2", "1.2"


def _is_item(element: Element) -> bool:
    return isinstance(element.tag, str) and xml.local(element.tag) == "item"


def _is_sco(resource: Element | None) -> bool:
    return attribute(resource, "scormtype").lower() == "sco"


def _extras(element: Element) -> dict[str, Any]:
    """What an item asks of the runtime."""
    threshold = child(element, "completionThreshold")
    own = child(element, "sequencing")
    primary = child(own, "objectives", "primaryObjective")
    by_measure = sequencing.truth(attribute(primary, "satisfiedByMeasure"))
    # If it is satisfied by measure and states no measure, the measure is 1 (SN 3.10).
    passing = _number(text_of(child(primary, "minNormalizedMeasure")) or "1", -1, 1) if by_measure else None
    return {
        "mastery_score": _number(text_of(child(element, "masteryscore")), 0, 100),
        "scaled_passing_score": passing,
        "completion_threshold": _completion_threshold(threshold),
        "progress_weight": _number(attribute(threshold, "progressWeight"), 0, 1),
        "max_time_allowed": _max_time(element, own),
        "time_limit_action": text_of(child(element, "timelimitaction")).lower(),
        "launch_data": clean_text(text_of(child(element, "datafromlms")), _DATA),
        "prerequisites": clean_text(text_of(child(element, "prerequisites")), _DATA),
        "sequencing": sequencing.read(element),
    }


def _completion_threshold(element: Element | None) -> float | None:
    """A number in the 3rd Edition, attributes in the 4th."""
    if element is None:
        return None
    if sequencing.truth(attribute(element, "completedByMeasure")):
        return _number(attribute(element, "minProgressMeasure") or "1", 0, 1)
    return _number(text_of(element), 0, 1)


def _max_time(element: Element, own: Element | None) -> str:
    limit = attribute(child(own, "limitConditions"), "attemptAbsoluteDurationLimit")
    return clean_text(text_of(child(element, "maxtimeallowed")) or limit, 60)


def _number(text: str, minimum: float, maximum: float) -> float | None:
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    return number if minimum <= number <= maximum else None


def _generator(root: Element) -> str:
    """The tool that says it made this, where one does."""
    for name in ("generator", "tool", "authoringtool"):
        if said := attribute(root, name) or text_of(child(root, "metadata", name)):
            return said
    return ""


def _line(text: str) -> str:
    return clean_text(text, _TITLE)
