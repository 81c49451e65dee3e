"""Reading manifests, in the form of the standards and in the forms that authoring tools write."""

import zipfile
from time import process_time

import pytest

from conftest import FIXTURES
from training.scorm.packages import item, manifest, resource
from trilha.training.scorm.package.limits import Limits
from trilha.training.scorm.package.manifest import Item, Manifest, read_manifest
from trilha.training.scorm.package.report import PackageRefused
from trilha.training.scorm.runtime.activities import sequencing_settings

ADL = FIXTURES / "scorm" / "adl_cts_2004_4th_manifests.zip"


def read(text: str) -> Manifest:
    return read_manifest(text.encode())


def only(text: str) -> Item:
    (found,) = read(text).launchable()
    return found


@pytest.mark.parametrize(
    ("version", "said", "expected", "edition"),
    [
        ("1.2", "1.2", "1.2", "1.2"),
        ("1.2", "", "1.2", "1.2"),
        ("1.2", "1.1.4", "1.2", "1.2"),
        ("2004", "CAM 1.3", "2004", "2004 2nd Edition"),
        ("2004", "2004 3rd Edition", "2004", "2004 3rd Edition"),
        ("2004", "2004 4th Edition", "2004", "2004 4th Edition"),
        ("2004", "", "2004", "2004"),
        ("1.2", "2004 3rd Edition", "2004", "2004 3rd Edition"),
    ],
)
def test_the_version(version: str, said: str, expected: str, edition: str) -> None:
    found = read(manifest(version=version, schemaversion=said))
    assert (found.version, found.edition) == (expected, edition)


@pytest.mark.parametrize("kind", ["scormtype", "scormType", "SCORMTYPE"])
def test_how_scorm_type_is_written_does_not_matter(kind: str) -> None:
    assert only(manifest().replace("scormType", kind)).sco


def test_what_is_no_sco_is_content() -> None:
    found = read(manifest(resources=resource("r-i1", "index.html", sco=False)))
    assert [each.sco for each in found.launchable()] == [False]


def test_items_are_a_tree_in_order() -> None:
    inner = item("a", title="First") + item("b", title="Second", isvisible="false")
    found = read(
        manifest(
            item("unit", inner, title="Unit", ref=None) + item("c", title="Third"),
            "".join(resource(f"r-{each}", f"{each}.html") for each in "abc"),
        )
    )
    assert [(each.identifier, each.launch) for each in found.items if not each.items] == [
        ("c", found.items[1].launch)
    ]
    assert [(each.title, each.visible, each.launch and each.launch.url) for each in found.launchable()] == [
        ("First", True, "a.html"),
        ("Second", False, "b.html"),
        ("Third", True, "c.html"),
    ]


def test_the_default_organization_is_taken() -> None:
    both = "".join(
        f'<organization identifier="{each}"><title>{each}</title>{item("i1")}</organization>'
        for each in ("o1", "o2")
    )
    assert read(manifest(organizations=f'<organizations default="o2">{both}</organizations>')).title == "o2"
    dangling = read(manifest(organizations=f'<organizations default="o9">{both}</organizations>'))
    assert (dangling.title, dangling.problems) == ("o1", ["default_organization_missing"])


def test_without_an_organization_the_first_sco_is_taken() -> None:
    resources = resource("page", "page.html", sco=False) + resource("sco", "sco.html")
    found = read(manifest(resources=resources, organizations="<organizations/>"))
    assert [(each.identifier, each.sco) for each in found.launchable()] == [("sco", True)]
    assert found.problems == ["no_organization"]
    assert found.title == ""


def test_a_part_without_its_resource_is_left_out_and_told() -> None:
    found = read(manifest(item("i1") + item("i2", ref="nothing")))
    assert [each.identifier for each in found.launchable()] == ["i1"]
    assert found.problems == ["resource_missing"]


def test_parts_of_one_identifier_are_told_apart() -> None:
    found = read(manifest(item("i1") + item("i1") + item("", ref="r-i1")))
    assert [each.identifier for each in found.launchable()] == ["i1", "i1-2", "item"]
    assert "identifier_not_unique" in found.problems


def test_what_scorm_12_says_of_a_part() -> None:
    inner = (
        "<adlcp:masteryscore>80</adlcp:masteryscore><adlcp:maxtimeallowed>00:30:00</adlcp:maxtimeallowed>"
        "<adlcp:timelimitaction>exit,no message</adlcp:timelimitaction>"
        "<adlcp:datafromlms>start=3</adlcp:datafromlms>"
        '<adlcp:prerequisites type="aicc_script">a &amp; b</adlcp:prerequisites>'
    )
    found = only(manifest(item("i1", inner)))
    assert found.mastery_score == 80
    assert (found.max_time_allowed, found.time_limit_action) == ("00:30:00", "exit,no message")
    assert (found.launch_data, found.prerequisites) == ("start=3", "a & b")


@pytest.mark.parametrize(
    ("text", "score"), [("80", 80), ("72,5", 72.5), ("", None), ("x", None), ("101", None)]
)
def test_a_mastery_score_is_0_to_100(text: str, score: float | None) -> None:
    inner = f"<adlcp:masteryscore>{text}</adlcp:masteryscore>"
    assert only(manifest(item("i1", inner))).mastery_score == score


@pytest.mark.parametrize(
    ("element", "threshold"),
    [
        ("<adlcp:completionThreshold>0.7</adlcp:completionThreshold>", 0.7),
        ('<adlcp:completionThreshold completedByMeasure="true" minProgressMeasure="0.9"/>', 0.9),
        ('<adlcp:completionThreshold completedByMeasure="true"/>', 1.0),
        ('<adlcp:completionThreshold completedByMeasure="false" minProgressMeasure="0.9"/>', None),
        ('<adlcp:completionThreshold progressWeight="0.5"/>', None),
        ("<adlcp:completionThreshold>7</adlcp:completionThreshold>", None),
        ("", None),
    ],
)
def test_the_completion_threshold_of_both_editions(element: str, threshold: float | None) -> None:
    assert only(manifest(item("i1", element), version="2004")).completion_threshold == threshold


@pytest.mark.parametrize(
    ("objective", "score"),
    [
        ('satisfiedByMeasure="true"><imsss:minNormalizedMeasure>0.8</imsss:minNormalizedMeasure>', 0.8),
        ('satisfiedByMeasure="true">', 1.0),
        ('satisfiedByMeasure="false"><imsss:minNormalizedMeasure>0.8</imsss:minNormalizedMeasure>', None),
        (">", None),
    ],
)
def test_the_scaled_passing_score(objective: str, score: float | None) -> None:
    inner = (
        f"<imsss:sequencing><imsss:objectives><imsss:primaryObjective {objective}"
        "</imsss:primaryObjective></imsss:objectives></imsss:sequencing>"
    )
    assert only(manifest(item("i1", inner), version="2004")).scaled_passing_score == score


def test_sequencing_is_as_the_runtime_takes_it() -> None:
    rule = (
        '<imsss:preConditionRule><imsss:ruleConditions conditionCombination="any">'
        '<imsss:ruleCondition condition="objectiveMeasureGreaterThan" measureThreshold="0.5" operator="not"'
        ' referencedObjective="obj"/></imsss:ruleConditions><imsss:ruleAction action="skip"/>'
        "</imsss:preConditionRule>"
    )
    strange = rule.replace('"skip"', '"explode"')
    inner = (
        f'<imsss:sequencing IDRef="shared"><imsss:sequencingRules>{rule}{strange}</imsss:sequencingRules>'
        '<imsss:limitConditions attemptLimit="2"/></imsss:sequencing>'
        "<adlnav:presentation><adlnav:navigationInterface><adlnav:hideLMSUI>continue</adlnav:hideLMSUI>"
        "</adlnav:navigationInterface></adlnav:presentation>"
    )
    collection = (
        '<imsss:sequencingCollection><imsss:sequencing ID="shared"><imsss:controlMode choice="false"/>'
        "</imsss:sequencing></imsss:sequencingCollection></manifest>"
    )
    flow = '<imsss:sequencing><imsss:controlMode flow="true"/></imsss:sequencing>'
    text = manifest(item("i1", inner, title="A"), version="2004", more=flow, title="T")
    assert sequencing_settings(read(text.replace("</manifest>", collection))) == {
        "activityTree": {
            "id": "organization",
            "title": "T",
            "sequencingControls": {"flow": True},
            "children": [
                {
                    "id": "i1",
                    "title": "A",
                    "isVisible": True,
                    "attemptLimit": 2,
                    "sequencingIdRef": "shared",
                    "hideLmsUi": ["continue"],
                    "sequencingRules": {
                        "preConditionRules": [
                            {
                                "action": "skip",
                                "conditionCombination": "any",
                                "conditions": [
                                    {
                                        "condition": "objectiveMeasureGreaterThan",
                                        "operator": "not",
                                        "referencedObjective": "obj",
                                        "parameters": {"threshold": 0.5},
                                    }
                                ],
                            }
                        ]
                    },
                }
            ],
        },
        "collections": {"shared": {"sequencingControls": {"choice": False}}},
    }


@pytest.mark.parametrize(
    "raw",
    [
        manifest(title="Ação").encode(),
        b"\xef\xbb\xbf" + manifest(title="Ação").encode(),
        manifest(title="Ação").replace("UTF-8", "UTF-16").encode("utf-16"),
        manifest(title="Ação").replace("UTF-8", "ISO-8859-1").encode("latin-1"),
        manifest(title="Ação").replace("UTF-8", "windows-1252").encode("cp1252"),
        manifest(title="Ação").encode("cp1252"),  # declares UTF-8
        manifest(title="Ação").replace("UTF-8", "UTF-16").encode(),  # declares UTF-16
        manifest(title="Ação", head="").encode(),
    ],
)
def test_encodings(raw: bytes) -> None:
    assert read_manifest(raw).title == "Ação"


def test_titles_are_text() -> None:
    found = only(manifest(item("i1", title="&lt;img src=x onerror=alert(1)&gt;&#10;  two <b>words</b>")))
    assert found.title == "<img src=x onerror=alert(1)> two words"


def test_a_title_can_be_stored_and_is_not_endless() -> None:
    assert only(manifest(item("i1", title="&#133;" + "x" * 300))).title == "x" * 249 + "…"


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        (Limits(manifest=100), manifest()),
        (Limits(elements=5), manifest()),
        (Limits(element_depth=8), manifest("<item>" * 8 + "</item>" * 8)),
    ],
)
def test_a_manifest_has_limits(limits: Limits, text: str) -> None:
    with pytest.raises(PackageRefused) as error:
        read_manifest(text.encode(), limits)
    assert error.value.findings[0].code == "manifest_too_large"


def test_equal_identifiers_are_numbered_in_time_that_grows_with_their_number() -> None:
    """Measures processor time: quadratic time would take minutes."""
    count = 20_000
    began = process_time()
    found = read_manifest(manifest(item("same", ref="r-i1") * count).encode(), Limits(items=count))
    assert process_time() - began < 20
    assert [each.identifier for each in found.items[:3]] == ["same", "same-2", "same-3"]
    assert found.items[-1].identifier == f"same-{count}"
    assert len({each.identifier for each in found.items}) == count


def test_a_number_that_is_taken_is_passed_over() -> None:
    found = read(manifest("".join(item(each, ref="r-i1") for each in ("a-2", "a", "a", "a"))))
    assert [each.identifier for each in found.items] == ["a-2", "a", "a-3", "a-4"]


def test_a_base_of_many_files_is_no_longer_than_an_address() -> None:
    """The base is repeated in the address of each file."""
    files = "".join(f'<file href="{n}.html"/>' for n in range(1_000))
    resources = f'<resource identifier="r-i1" xml:base="{"x/" * 100_000}" href="a.html">{files}</resource>'
    with pytest.raises(PackageRefused) as error:
        read(manifest(resources=resources))
    assert error.value.findings[0].code == "launch_outside"


def test_every_launch_that_is_outside_is_told() -> None:
    hrefs = ("javascript:alert(1)", "//evil.example/x", "../other/x.html", "ok.html")
    resources = "".join(resource(f"r-{n}", href) for n, href in enumerate(hrefs))
    with pytest.raises(PackageRefused) as error:
        read(manifest("".join(item(str(n)) for n in range(4)), resources))
    assert [(each.code, each.where) for each in error.value.findings] == [
        ("launch_outside", href) for href in hrefs[:3]
    ]


@pytest.mark.skipif(not ADL.exists(), reason="The manifests of ADL's test suite are not here.")
def test_every_manifest_of_adl_is_read() -> None:
    with zipfile.ZipFile(ADL) as file:
        names = [each for each in file.namelist() if each.endswith(".xml")]
        read_all = {name: read_manifest(file.read(name)) for name in names}
    assert len(read_all) == 189
    for name, found in read_all.items():
        assert (found.version, found.edition, found.problems) == ("2004", "2004 4th Edition", []), name
        assert found.title.startswith("LMS Test"), (name, found.title)
        assert list(found.launchable()), name
        tree = sequencing_settings(found)["activityTree"]
        assert tree["children"], name
    assert sum(len(list(each.launchable())) for each in read_all.values()) == 880
    cm08 = read_all["LMSTestPackage_CM-08.imsmanifest.xml"]
    assert cm08.items[0].identifier == "activity_1"
    assert cm08.items[0].sequencing["sequencingIdRef"] in cm08.collections
