"""Addresses inside a package, and the names of its files."""

import unicodedata

import pytest

from trilha.training.scorm.package.limits import LIMITS
from trilha.training.scorm.package.links import NotInside, candidates, resolve
from trilha.training.scorm.package.paths import Lookup, decode_names, normal, problem_of


@pytest.mark.parametrize(
    ("bases", "href", "parameters", "url"),
    [
        ([], "index.html", "", "index.html"),
        (["content/", "res/", "a/"], "index.html", "", "content/res/a/index.html"),
        (["a/b/"], "../index.html", "", "a/index.html"),
        (["a/"], "/index.html", "", "index.html"),
        ([], "./index.html", "", "index.html"),
        ([], "a\\b.html", "", "a/b.html"),
        ([], "index.html?x=1#f", "", "index.html?x=1#f"),
        ([], "index.html?x=1#f", "?mode=fail&y=2", "index.html?x=1&mode=fail&y=2#f"),
        ([], "index.html", "?mode=fail", "index.html?mode=fail"),
        ([], "index.html", "&mode=fail", "index.html?mode=fail"),
        ([], "index.html", "mode=fail", "index.html?mode=fail"),
        ([], "index.html#f", "mode=fail", "index.html?mode=fail#f"),
        ([], "index.html", "#page", "index.html#page"),
        ([], "index.html#f", "#page", "index.html#f"),
        ([], "index.html", '?q="><script>', "index.html?q=%22%3E%3Cscript%3E"),
        ([], " index.html ", "", "index.html"),
    ],
)
def test_where_a_part_begins(bases: list[str], href: str, parameters: str, url: str) -> None:
    assert resolve(bases, href, parameters).url == url


@pytest.mark.parametrize(
    "href",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,x",
        "https://evil.example/x.html",
        "//evil.example/x.html",
        "\\\\evil.example\\x.html",
        "../other/index.html",
        "a/../../other/index.html",
        "..\\other\\index.html",
        "%2e%2e/other/index.html",
        "/../x.html",
        "java\nscript:alert(1)",
    ],
)
def test_what_is_no_address_inside(href: str) -> None:
    with pytest.raises(NotInside):
        resolve([], href)


def test_a_base_may_lead_outside_neither() -> None:
    with pytest.raises(NotInside):
        resolve(["https://evil.example/"], "x.html")
    with pytest.raises(NotInside):
        resolve(["a/", "../../"], "x.html")


def test_a_file_may_have_a_percent_sign_in_its_name() -> None:
    assert candidates(resolve([], "a%20b.html").path) == ["a b.html", "a%20b.html"]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a/b.html", None),
        ("a\\b.html", None),
        ("./a/b.html", None),
        ("a..b/c...html", None),
        ("Capítulo 1/página?.html", None),
        ("folder/", None),
        ("consent.html", None),
        ("../a", "name_leaves_package"),
        ("a/..", "name_leaves_package"),
        ("a\\..\\..\\b", "name_leaves_package"),
        ("/a", "absolute_name"),
        ("\\a", "absolute_name"),
        ("C:/a", "absolute_name"),
        ("c:a", "absolute_name"),
        ("\\\\host\\share", "absolute_name"),
        ("a\0b", "control_character_in_name"),
        ("a\nb", "control_character_in_name"),
        ("NUL", "reserved_name"),
        ("a/com1.txt", "reserved_name"),
        ("LPT9", "reserved_name"),
        ("", "reserved_name"),
        ("./", "reserved_name"),
        ("d/" * 30 + "x", "too_deep"),
        ("d/" * 29 + "x", None),
        ("x" * 240, None),
        ("x" * 241, "name_too_long"),
        ("é" * 121, "name_too_long"),
    ],
)
def test_which_names_are_allowed(name: str, code: str | None) -> None:
    assert problem_of(name, LIMITS) == code


def test_the_one_form_of_a_name() -> None:
    assert normal("./a\\\\b//" + unicodedata.normalize("NFD", "Segurança.html")) == "a/b/Segurança.html"


@pytest.mark.parametrize("encoding", ["cp850", "cp1252", "utf-8"])
def test_names_in_the_encoding_of_the_system_that_made_them(encoding: str) -> None:
    names = {0: ("Introdução.html".encode(encoding), False), 1: (b"index.html", False)}
    assert decode_names(names, ["Introdução.html"]) == {0: "Introdução.html", 1: "index.html"}


def test_names_that_nothing_names_are_as_windows_writes_them_in_brazil() -> None:
    assert decode_names({0: ("ação.html".encode("cp850"), False)}, []) == {0: "ação.html"}


def test_a_file_is_found_whatever_the_case_and_form() -> None:
    lookup = Lookup({"Aula/Índice.html": 1, "a.html": 2})
    assert lookup.find("aula/índice.HTML") == 1
    assert lookup.find(unicodedata.normalize("NFD", "Aula/Índice.html")) == 1
    assert lookup.path("A.HTML") == "a.html"
    assert lookup.find("b.html") is None
    assert lookup.find("../a.html") is None
