"""The files of a package that are unpacked, the ones that are refused, and that nothing is
written elsewhere.
"""

import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from conftest import FIXTURES
from training.scorm import packages
from training.scorm.packages import HOSTILE, PAGE, item, manifest, package, resource, written, zipped
from trilha.training.scorm import words
from trilha.training.scorm.package.doctor import Report
from trilha.training.scorm.package.extraction import Extraction, StoredFile, extract
from trilha.training.scorm.package.limits import LIMITS, Limits


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Path]:
    """Returns a folder to unpack into, and checks that nothing is written beside it."""
    folder = tmp_path / "outer" / "files"
    folder.mkdir(parents=True)
    (tmp_path / "course.zip").touch()
    yield folder
    assert sorted(each.name for each in tmp_path.iterdir()) == ["course.zip", "outer"]
    assert [each.name for each in folder.parent.iterdir()] == ["files"]
    assert all(each.is_file() and each.name.isdigit() for each in folder.iterdir())


def extracted(target: Path, raw: bytes, limits: Limits = LIMITS) -> Extraction:
    return extract(written(target.parents[1], raw), target, limits)


def codes(report: Report, severity: str | None = None) -> list[str]:
    return [each.code for each in report.findings if severity in (None, each.severity)]


@pytest.mark.parametrize("code", HOSTILE)
def test_what_is_refused_and_why(target: Path, code: str) -> None:
    found = extracted(target, HOSTILE[code]())
    assert (found.report.verdict, codes(found.report, "error")) == ("refused", [code])
    assert (found.manifest, found.files) == (None, {})
    # The administrator gets an explanation.
    told = words.build_report(found.report).findings[0]
    assert told.what
    assert told.fix
    assert "%(" not in told.what + told.fix


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (package(xml=packages.laughs()), "manifest_has_dtd"),
        (packages.unix_entry("device", packages.DEVICE), "not_a_file"),
        (package(("..\\win.txt", "x")), "name_leaves_package"),
        (package(("C:/x.txt", "x")), "absolute_name"),
        (package(("straße.html", "1"), ("STRASSE.html", "2")), "names_differ_in_case"),
        (package(("é.html", "1"), (unicodedata.normalize("NFD", "é.html"), "2")), "duplicate_name"),
        (package(("link", "1"), ("LINK/x", "2")), "file_and_folder"),
        (packages.lying(b"x" * 1000, 10), "damaged"),
        (packages.lying(b"x" * 10, 1000), "damaged"),
        (package()[:-200], "not_a_zip"),
        (b"", "not_a_zip"),
    ],
)
def test_other_forms_of_the_same(target: Path, raw: bytes, code: str) -> None:
    assert codes(extracted(target, raw).report) == [code]


def test_every_bad_name_is_told(target: Path) -> None:
    raw = package(("../../evil.txt", "x"), ("/abs.txt", "x"), ("..\\win.txt", "x"), ("C:/x.txt", "x"))
    found = extracted(target, raw).report.findings
    assert [each.where for each in found] == ["../../evil.txt", "/abs.txt", "..\\win.txt", "C:/x.txt"]
    assert not list(target.iterdir())


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ({"total": 1000}, "too_large_unpacked"),
        ({"file": 1000}, "file_too_large"),
        ({"entries": 2}, "too_many_entries"),
        ({"directory": 100}, "too_many_entries"),
        ({"ratio": 10, "ratio_from": 1000}, "bomb"),
        ({"manifest": 100}, "manifest_too_large"),
    ],
)
def test_limits(target: Path, limits: dict[str, int], code: str) -> None:
    raw = package(("a.txt", "a" * 2000), ("b.txt", "b"))
    assert codes(extracted(target, raw, structs.replace(LIMITS, **limits)).report) == [code]
    assert extracted(target, raw).report.verdict == "accepted"


def test_a_bomb_leaves_nothing(target: Path) -> None:
    extracted(target, packages.bomb(200))
    assert not list(target.iterdir())


def test_a_good_package(target: Path) -> None:
    found = extracted(target, package(("media/photo.webp", b"RIFF"), ("empty.css", "")))
    assert found.report.verdict == "accepted"
    assert found.report.findings == []
    assert (found.report.scos, found.report.assets, found.report.files) == (1, 0, 4)
    assert found.files["media/photo.webp"] == StoredFile(2, 4, "image/webp")
    assert {each.name for each in target.iterdir()} == {"0", "1", "2", "3"}
    assert (target / "1").read_text() == PAGE
    assert (target / "3").read_bytes() == b""
    assert found.manifest is not None
    (part,) = found.manifest.launchable()
    assert part.launch is not None
    assert part.launch.url == "index.html"


def test_progress_is_told_of_bytes(target: Path) -> None:
    seen: list[tuple[int, int]] = []
    raw = package(("a.bin", bytes(range(256)) * 4096))
    extract(written(target.parents[1], raw), target, progress=lambda *each: seen.append(each))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert len(seen) >= 4
    assert seen[-1][0] == seen[-1][1] == sum(each.stat().st_size for each in target.iterdir())


def test_a_package_in_a_folder(target: Path) -> None:
    files = [
        ("__MACOSX/imsmanifest.xml", "junk"),
        ("Meu Curso/imsmanifest.xml", manifest()),
        ("Meu Curso/index.html", PAGE),
        ("meu curso/a.css", ""),
        ("Meu Curso/.DS_Store", "junk"),
        ("readme.txt", "outside"),
    ]
    found = extracted(target, zipped(files))
    assert set(found.files) == {"imsmanifest.xml", "index.html", "a.css"}
    assert codes(found.report) == ["files_outside", "nested_folder"]


def test_the_manifest_nearest_to_the_root_is_meant(target: Path) -> None:
    raw = package(("backup/imsmanifest.xml", manifest(title="Old")), xml=manifest(title="New"))
    found = extracted(target, raw)
    assert found.manifest is not None
    assert found.manifest.title == "New"


@pytest.mark.parametrize(
    ("href", "stored"),
    [
        ("Index.HTML", "index.html"),
        ("Seguran%C3%A7a.html", unicodedata.normalize("NFD", "Segurança.html")),
        ("a b.html", "a b.html"),
        ("a%20b.html", "a%20b.html"),
        ("pasta\\index.html", "pasta/index.html"),
    ],
)
def test_a_page_is_found_however_its_name_is_written(target: Path, href: str, stored: str) -> None:
    xml = manifest(resources=resource("r-i1", href))
    found = extracted(target, zipped([("imsmanifest.xml", xml), (stored, PAGE)]))
    assert found.manifest is not None
    (part,) = found.manifest.launchable()
    assert part.launch is not None
    assert part.launch.path in found.files
    assert part.launch.path == unicodedata.normalize("NFC", stored)


@pytest.mark.parametrize("encoding", ["cp850", "cp1252", "utf-8"])
def test_names_of_windows_without_a_mark(target: Path, encoding: str) -> None:
    xml = manifest(resources=resource("r-i1", "index.html", files=["introdução.html"]))
    raw = packages.raw_name("introdução.html".encode(encoding), xml)
    assert "introdução.html" in extracted(target, raw).files


def _fresh(target: Path) -> Path:
    for each in target.iterdir():
        each.unlink()
    return target


@pytest.mark.parametrize(
    ("files", "code", "where"),
    [
        (
            [("index.html", '<script src="https://cdn.example.com/a.js">LMSInitialize')],
            "external_hosts",
            "index.html",
        ),
        ([("a.css", "@import url(//fonts.example.com/a.css)")], "external_hosts", "a.css"),
        ([("a.js", "parent.document.title")], "reaches_for_parent", "a.js"),
        ([("a.js", "navigator.serviceWorker.register('x')")], "service_worker_inside", "a.js"),
        ([("film.swf", "FWS")], "flash", "film.swf"),
        ([("index.html", "<h1>silent</h1>")], "api_not_used", ""),
    ],
)
def test_what_the_doctor_warns_of(target: Path, files: packages.Files, code: str, where: str) -> None:
    raw = zipped([("imsmanifest.xml", manifest()), *({"index.html": PAGE} | dict(files)).items()])
    report = extracted(target, raw).report
    assert report.verdict == "accepted"
    assert [(each.code, each.where) for each in report.findings if each.severity == "warning"] == [
        (code, where)
    ]


def test_links_and_namespaces_are_no_hosts(target: Path) -> None:
    page = PAGE + '<a href="https://www.example.com/">x</a><svg xmlns="http://www.w3.org/2000/svg"/>'
    assert extracted(target, package(("more.html", page))).report.hosts == []


def test_hosts_are_told_once(target: Path) -> None:
    page = '<img src="https://b.example.com/1"><img src="//B.example.com/2"><link href=https://a.example.com>'
    assert extracted(target, package(("more.html", page))).report.hosts == ["a.example.com", "b.example.com"]


def test_missing_and_misnamed_files_are_told_and_no_reason_to_refuse(target: Path) -> None:
    files = ["index.html", "Media/Photo.PNG", "lost.png", "lost.js", "../outside.png"]
    xml = manifest(resources=resource("r-i1", "INDEX.html", files=files))
    report = extracted(target, package(("media/photo.png", "x"), xml=xml)).report
    assert [(each.severity, each.code, each.where, each.values) for each in report.findings] == [
        ("warning", "files_missing", "lost.png", {"count": 2}),
        ("info", "launch_misnamed", "index.html", {"wanted": "INDEX.html"}),
        ("info", "files_misnamed", "Media/Photo.PNG", {"count": 1}),
    ]


def test_content_without_a_sco(target: Path) -> None:
    raw = package(xml=manifest(resources=resource("r-i1", "index.html", sco=False)))
    report = extracted(target, raw).report
    assert (report.scos, report.assets, codes(report)) == (0, 1, ["no_sco"])


def test_several_parts(target: Path) -> None:
    items = item("a") + item("b", "<adlcp:prerequisites>a</adlcp:prerequisites>")
    resources = resource("r-a", "index.html") + resource("r-b", "index.html")
    report = extracted(target, package(xml=manifest(items, resources))).report
    assert (report.scos, codes(report)) == (2, ["several_parts", "prerequisites"])


@pytest.mark.parametrize(
    ("path", "tool"),
    [
        ("story_content/user.js", "Articulate Storyline"),
        ("scormcontent/lib/rise/a.js", "Articulate Rise"),
        ("adapt/js/adapt.min.js", "Adapt"),
        ("contentv3.xml", "eXeLearning"),
        ("Build/course.loader.js", "Unity"),
        ("assets/js/CPM.js", "Adobe Captivate"),
    ],
)
def test_the_tool_by_its_files(target: Path, path: str, tool: str) -> None:
    assert extracted(target, package((path, ""))).report.tool == tool


def test_the_tool_by_what_the_first_page_says(target: Path) -> None:
    page = PAGE + '<meta name="generator" content="Made by &lt;hand&gt;">'
    raw = zipped([("imsmanifest.xml", manifest()), ("index.html", page)])
    assert extracted(target, raw).report.tool == "Made by &lt;hand&gt;"


GOOD = {
    "generated/good_12_single.zip": ("1.2", [("Unidade 1", "index.html")]),
    "generated/good_12_mastery.zip": ("1.2", [("Prova", "index.html")]),
    "generated/good_12_multi_prereq.zip": (
        "1.2",
        [("Módulo 1", "a/index.html"), ("Módulo 2", "b/index.html")],
    ),
    "generated/good_2004_single.zip": ("2004 4th Edition", [("Unidade 1", "index.html")]),
    "generated/good_2004_threshold_seq.zip": (
        "2004 4th Edition",
        [("Conteúdo", "index.html"), ("Prova", "test.html")],
    ),
    "generated/edge_nested_root.zip": ("1.2", [("Unidade 1", "index.html")]),
    "generated/edge_bom_utf16.zip": ("1.2", [("Unidade 1", "index.html")]),
    "generated/edge_case_mismatch.zip": ("1.2", [("U", "index.html")]),
    "generated/edge_xmlbase_params.zip": (
        "2004 4th Edition",
        [("U", "res%20dir/index.html?x=1&mode=fail&y=2#f")],
    ),
    "generated/edge_nfd_name.zip": ("1.2", [("U", "Seguran%C3%A7a.html")]),
    "generated/edge_no_org.zip": ("1.2", [("r_i1", "index.html")]),
    "generated/edge_not_scorm_imscp.zip": ("1.2", [("Unidade 1", "index.html")]),
    "packages/rustici_RuntimeBasicCalls_SCORM12.zip": ("1.2", [("Golf Explained", "shared/launchpage.html")]),
    "packages/rustici_RuntimeBasicCalls_SCORM20043rdEdition.zip": (
        "2004 3rd Edition",
        [("Golf Explained", "shared/launchpage.html")],
    ),
    "packages/rustici_singlescobasic.zip": ("1.2", [("Golf Explained", "shared/launchpage.html")]),
    "packages/rustici_singlescobasic_missingorg.zip": ("1.2", [("resource_1", "sso/launchpage.html")]),
    "packages/imscp_test_quiz.zip": ("1.2", [("A question", "test_quiz.htm")]),
    "packages/security_parent_dom_violation.zip": (
        "2004 4th Edition",
        [("SCO with Parent DOM Access", "sco.html")],
    ),
    "packages/svincent_template_SCORM2004_4th.zip": ("2004 4th Edition", [("SCORM Template", "index.html")]),
}
BAD = {
    "evil_slip": "name_leaves_package",
    "evil_symlink": "symbolic_link",
    "evil_xxe": "manifest_has_dtd",
    "evil_laughs": "manifest_has_dtd",
    "evil_href_js": "launch_outside",
    "evil_dup": "duplicate_name",
    "evil_serviceworker": "service_worker",
}
needs_fixtures = pytest.mark.skipif(not (FIXTURES / "scorm").is_dir(), reason="The fixtures are not here.")


@needs_fixtures
@pytest.mark.parametrize("name", GOOD)
def test_good_and_odd_packages_of_others(target: Path, name: str) -> None:
    found = extracted(target, (FIXTURES / "scorm" / name).read_bytes())
    assert found.report.verdict == "accepted"
    assert found.manifest is not None
    parts = [(each.title, each.launch.url) for each in found.manifest.launchable() if each.launch]
    assert (found.report.edition, parts) == GOOD[name]


@needs_fixtures
def test_what_the_packages_of_others_ask_for(target: Path) -> None:
    def parts(name: str) -> list[tuple[float | None, ...]]:
        found = extracted(_fresh(target), (FIXTURES / "scorm" / name).read_bytes()).manifest
        assert found is not None
        return [
            (each.mastery_score, each.completion_threshold, each.scaled_passing_score)
            for each in found.launchable()
        ]

    assert parts("generated/good_12_mastery.zip") == [(80, None, None)]
    assert parts("generated/good_2004_threshold_seq.zip") == [(None, 0.9, None), (None, None, 0.8)]
    assert parts("packages/svincent_template_SCORM2004_4th.zip") == [(None, 1.0, None)]
    assert len(parts("packages/rustici_RuntimeMinimumCalls_SCORM12-mini.zip")) == 9
    assert len(parts("packages/imscp_eventos.zip")) == 7


@needs_fixtures
@pytest.mark.parametrize("name", BAD)
def test_hostile_packages_of_others(target: Path, name: str) -> None:
    report = extracted(target, (FIXTURES / "scorm" / "generated" / f"{name}.zip").read_bytes()).report
    assert report.verdict == "refused"
    assert BAD[name] in codes(report, "error")
