"""Reading questions from GIFT, Moodle XML and tables; and hostile files."""

import base64
import io
from datetime import date
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import convert, structs
from PIL import Image

from trilha.training.question_bank import exporting, importing, statistics, tags
from trilha.training.question_bank.exporting import Words
from trilha.training.question_bank.parsing import detection
from trilha.training.question_bank.parsing.schema import MAX_QUESTIONS, ParsedFile, ParsedQuestion
from trilha.training.question_bank.samples import SAMPLES
from trilha.training.question_bank.schema import BankQuestion, Figures
from trilha.training.quizzes.schema import NewQuestion, Picture, Question

TODAY = date(2026, 11, 28)


def read(content: str | bytes, name: str = "questions.gift") -> ParsedFile:
    return detection.read(name, content if isinstance(content, bytes) else content.encode())


def only(content: str | bytes, name: str = "questions.gift") -> ParsedQuestion:
    (question,) = read(content, name).questions
    return question


def members(content: str | bytes, name: str = "questions.gift") -> dict[str, Any]:
    found = only(content, name).members
    assert found is not None
    return found


def checked(parsed: ParsedFile) -> list[NewQuestion]:
    return [each.question for each in importing.check(parsed, TODAY) if each.question]


def right(question: dict[str, Any]) -> list[str]:
    return [each["text"] for each in question["choices"] if each["right"]]


@pytest.mark.parametrize(
    ("content", "kind", "answer"),
    [
        ("Who? {=Ana ~Rui ~Eva}", "single", ["Ana"]),
        ("Who? {~%50%Ana ~%50%Rui ~%-100%Eva}", "multiple", ["Ana", "Rui"]),
        ("Who? {=Ana =Rui ~Eva}", "multiple", ["Ana", "Rui"]),
        ("Who? {~%100%Ana ~Eva}", "multiple", ["Ana"]),
    ],
)
def test_choices_of_gift(content: str, kind: str, answer: list[str]) -> None:
    question = members(content)
    assert (question["kind"], right(question)) == (kind, answer)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Sun {T}", {"kind": "true_false", "right": True}),
        ("Sun {FALSE#no#yes}", {"kind": "true_false", "right": False, "feedback": "no\nyes"}),
        ("Pi {#3.14:0.01}", {"kind": "numeric", "value": 3.14, "tolerance": 0.01}),
        ("Pi {#3.13..3.15}", {"kind": "numeric", "value": 3.14, "tolerance": 0.01}),
        ("Pi {#=3,14:0,01 =%50%3:1}", {"kind": "numeric", "value": 3.14, "tolerance": 0.01}),
        ("Capital {=Brasília =%50%Rio}", {"kind": "fill_in", "accepted": ["Brasília"]}),
        ("Capital {=a\\=b}", {"kind": "fill_in", "accepted": ["a=b"]}),
        ("Write {}", {"kind": "essay"}),
        ("Write {####Well}", {"kind": "essay", "feedback": "Well"}),
        ("Sun is {=hot} today", {"text": "Sun is _____ today"}),
        ("[html]<p>A &amp; <b>B</b></p>{T}", {"text": "A & B"}),
        ("[markdown]# A **b**{T}", {"text": "A b"}),
        ("::N::A\\{b\\} \\: c{T}", {"text": "A{b} : c"}),
    ],
)
def test_other_questions_of_gift(content: str, expected: dict[str, Any]) -> None:
    question = members(content)
    assert {name: question.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("content", "refusal"),
    [
        ("Pair {=a->b =c->d}", "matching"),
        ("Open {=a", "unclosed"),
        ("What {nothing}", "no_answer"),
        ("Number {#many}", "invalid_number"),
    ],
)
def test_what_gift_does_not_import(content: str, refusal: str) -> None:
    question = only(f"// line 1\n\n{content}\n")
    assert (question.refusal, question.members, question.line) == (refusal, None, 3)


def test_categories_comments_and_descriptions() -> None:
    parsed = read("$CATEGORY: $course$/top/NR-35/Básico\n\nOnly words.\n\n// [tag:altura]\nSun {T}\n")
    assert parsed.descriptions == 1
    assert parsed.questions[0].tags == ["nr-35", "básico", "altura"]


def test_losses_are_noted() -> None:
    assert only("Who? {=Ana ~%50%Rui ~Eva}").losses == ["partial_credit"]
    assert only("Who? {~%50%Ana ~%50%Rui ~%-50%Eva}").losses == ["partial_credit", "penalty"]
    assert only("Who? {=Ana =%40%Rui}").losses == ["other_answers"]


def picture() -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(written, "PNG")
    return written.getvalue()


def moodle(*questions: str) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?><quiz>{"".join(questions)}</quiz>'.encode()


def test_moodle_xml_with_a_picture() -> None:
    encoded = base64.b64encode(picture()).decode()
    question = only(
        moodle(
            '<question type="category"><category><text>$course$/NR-10</text></category></question>',
            f"""<question type="multichoice"><name><text>N</text></name>
            <questiontext format="html">
            <text><![CDATA[<p>A<br>b</p><img src="@@PLUGINFILE@@/a%20b.png">]]></text>
            <file name="a b.png" path="/" encoding="base64">{encoded}</file></questiontext>
            <defaultgrade>2.0</defaultgrade><single>true</single>
            <answer fraction="100"><text>Yes</text><feedback><text>ok</text></feedback></answer>
            <answer fraction="0"><text>No</text></answer>
            <tags><tag><text>Extra</text></tag></tags></question>""",
        ),
        "a.xml",
    )
    assert question.tags == ["nr-10", "extra"]
    assert question.losses == ["picture_without_alt"]
    assert question.pictures[0].content[8:12] == b"WEBP"
    assert question.members is not None
    assert (question.members["text"], question.members["weight"]) == ("A\nb", 2.0)


@pytest.mark.parametrize("kind", ["matching", "cloze", "gapselect", ""])
def test_what_moodle_xml_does_not_import(kind: str) -> None:
    question = only(
        moodle(f'<question type="{kind}"><questiontext><text>A</text></questiontext></question>'), "x.xml"
    )
    assert question.refusal == ("matching" if kind == "matching" else "unsupported_kind")


@pytest.mark.parametrize(
    "header",
    [
        "tipo;pergunta;alternativa 1;alternativa 2;resposta;cor",
        "type,question,choice a,choice b,answer,color",
    ],
)
def test_tables_in_both_languages(header: str) -> None:
    separator = ";" if ";" in header else ","
    rows = (
        ["", "Que cor?", "Verde", "Azul", "B", "x"],
        ["vf", "É?", "", "", "F", ""],
        ["", "Escreva", "", "", "", ""],
    )
    content = "\n".join([header, *(separator.join(row) for row in rows)])
    parsed = read(content.encode("cp1252"), "a.csv")
    assert parsed.unknown_columns == [header.split(separator)[-1]]
    assert [each.members and each.members["kind"] for each in parsed.questions] == [
        "single",
        "true_false",
        "essay",
    ]
    assert right(parsed.questions[0].members or {}) == ["Azul"]


def test_problems_of_a_table_have_their_line() -> None:
    parsed = read(
        "tipo;pergunta;alternativa 1;alternativa 2;resposta\nsingle;A;b;c;Z\nfoo;A;;;\nnumber;A;;;x\n",
        "a.csv",
    )
    assert [(each.line, each.refusal) for each in parsed.questions] == [
        (2, "unknown_right"),
        (3, "unknown_kind"),
        (4, "invalid_number"),
    ]


@pytest.mark.parametrize("language", ["pt", "en"])
def test_the_template_is_imported_whole(language: str) -> None:
    table = exporting.write_table(SAMPLES[language], Words(english=language == "en"), ";")
    found = checked(read(table, "t.csv"))
    assert [plain(each) for each in found] == [plain(each.question) for each in SAMPLES[language]]


def plain(question: NewQuestion) -> dict[str, Any]:
    """Returns what a question says, without ids."""
    values = {name: getattr(question, name) for name in NewQuestion.__struct_fields__}
    return values | {"choices": [structs.replace(each, id="", picture=None) for each in question.choices]}


WORDS = st.text(
    st.characters(
        min_codepoint=33, max_codepoint=0x2FFF, blacklist_categories=("Cs", "Cc", "Zs", "Zl", "Zp", "Cf")
    ),
    min_size=1,
    max_size=12,
)
TEXT = st.lists(WORDS, min_size=1, max_size=4).map(" ".join).filter(lambda text: not text.startswith("'"))
NUMBER = st.integers(-10_000, 10_000).map(lambda number: number / 8)


@st.composite
def questions(draw: st.DrawFn) -> BankQuestion:
    kind = draw(st.sampled_from(["single", "multiple", "true_false", "numeric", "fill_in", "essay", "voice"]))
    raw: dict[str, Any] = {
        "id": str(uuid4()),
        "kind": kind,
        "text": draw(TEXT),
        "feedback": draw(TEXT | st.just("")),
    }
    raw["weight"] = draw(st.integers(1, 80)) / 8
    if kind in ("single", "multiple"):
        texts = draw(st.lists(TEXT, min_size=2, max_size=6, unique_by=lambda text: text.strip().casefold()))
        marked = draw(
            st.sets(st.sampled_from(range(len(texts))), min_size=1, max_size=1 if kind == "single" else 6)
        )
        raw["choices"] = [{"text": text, "right": place in marked} for place, text in enumerate(texts)]
    elif kind == "true_false":
        raw["right"] = draw(st.booleans())
    elif kind == "numeric":
        raw |= {"value": draw(NUMBER), "tolerance": abs(draw(NUMBER))}
    elif kind == "fill_in":
        raw["accepted"] = draw(st.lists(TEXT, min_size=1, max_size=3))
    elif kind == "voice":
        raw["longest_seconds"] = draw(st.integers(5, 600))
    names = tags.limit(draw(st.lists(st.sampled_from(["nr-35", "básico", "a b", "x/y"]), max_size=3)))
    question = convert(raw, Question, strict=False)
    return BankQuestion(question.id, question, names, Figures(), None, None)


@settings(max_examples=30, deadline=None)
@given(st.lists(questions(), min_size=1, max_size=5), st.sampled_from(["gift", "xml", "csv"]), st.booleans())
def test_an_export_is_imported_as_it_was(given: list[BankQuestion], form: str, english: bool) -> None:
    if form == "csv":
        content = exporting.write_table(given, Words(english=english), "," if english else ";").encode()
    elif form == "gift":
        content = exporting.write_gift(given).encode()
    else:
        content = exporting.write_xml(given, {})
    parsed = read(content, f"a.{form}")
    assert [each.tags for each in parsed.questions] == [each.tags for each in given]
    assert [plain(each) for each in checked(parsed)] == [plain(each.question) for each in given]
    # Moodle gives a part of the points where we do not, in our own exports too.
    assert {loss for each in parsed.questions for loss in each.losses} <= {"partial_credit"}


def test_an_export_of_moodle_xml_has_the_pictures() -> None:
    file_id = UUID(int=5)
    question = structs.replace(
        SAMPLES["pt"][0].question, picture=Picture(file_id=file_id, alt="Um <andaime>")
    )
    each = BankQuestion(question.id, question, ["a"], Figures(), None, None)
    parsed = only(exporting.write_xml([each], {file_id: picture()}), "a.xml")
    assert (parsed.pictures[0].alt, parsed.losses) == ("Um <andaime>", [])
    assert parsed.members is not None
    assert parsed.members["text"] == question.text


_BOMB = '<!DOCTYPE quiz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><quiz>&b;</quiz>'


@pytest.mark.parametrize(
    "content",
    [
        _BOMB.encode(),
        b'<?xml version="1.0"?><!DOCTYPE quiz SYSTEM "file:///etc/passwd"><quiz/>',
        b"<quiz>" + b"<a>" * 50_000,
        b"<quiz/>",
        b"<quiz><question type='multichoice'/></quiz>",
        b"<quiz><question type='numerical'><answer fraction='100'>1e999</answer></question></quiz>",
        b"<quiz><question type='numerical'><answer fraction='x'><text/></answer></question></quiz>",
        b"\x00" * 1000,
        b"PK\x03\x04 not a sheet",
        b"{" * 100_000,
        b"::" * 100_000 + b"{",
        b"A {" + b"=" * 100_000 + b"}",
        b"A {" + b"~%50%" * 50_000 + b"}",
        b"A {#" + b"9" * 100_000 + b"}",
        b"A {#9e999..1}",
        b"[html]" + b"<div>" * 100_000 + b"{T}",
        b"[html]<![if{T}",
        b"[markdown]" + b"[" * 100_000 + b"{T}",
        b"$CATEGORY: " + b"/" * 100_000,
        b"A\xed\xa0\x80 {T}",
        b"A\x00\x01 {T}",
        b"tipo;pergunta\n" + b";" * 100_000,
        b'question,answer\n"' + b"a" * 200_000,
        b"question;choice 1;choice 99;choice z;answer\nA;b;c;d;1;2;3\n",
    ],
)
@pytest.mark.parametrize("name", ["a.gift", "a.xml", "a.csv", "a"])
def test_hostile_files_are_read_or_refused(content: bytes, name: str) -> None:
    parsed = detection.read(name, content)
    importing.check(parsed, TODAY)
    assert parsed.problem or len(parsed.questions) <= MAX_QUESTIONS


@settings(max_examples=80, deadline=None)
@given(
    st.binary(max_size=300)
    | st.text("{}~=#%:.\\->[]/$*\n ab1\ud800\x00T", max_size=200).map(
        lambda text: text.encode("utf-8", "surrogatepass")
    )
    | st.text('<>/quizquestion="& \n', max_size=200).map(lambda text: f"<quiz>{text}</quiz>".encode()),
    st.sampled_from(["a.gift", "a.xml", "a.csv", "a"]),
)
def test_any_bytes_are_read_or_refused(content: bytes, name: str) -> None:
    for each in importing.check(detection.read(name, content), TODAY):
        text = each.question.text if each.question else each.parsed.name
        text.encode()
        assert "\x00" not in text


def test_too_many_questions_are_refused() -> None:
    assert read("A {T}\n\n" * (MAX_QUESTIONS + 1)).problem == "question_file_too_large"


def test_figures_in_words() -> None:
    assert [statistics.judge_difficulty(each) for each in (None, 90.0, 60.0, 10.0)] == [
        None,
        "easy",
        "medium",
        "hard",
    ]
    correlations = (None, 0.5, 0.25, 0.1, -0.2)
    assert [statistics.judge_discrimination(each) for each in correlations] == [
        None,
        "good",
        "fair",
        "none",
        "reversed",
    ]
    assert statistics.choose_attempts(500) == 40


def test_tags_are_normalized() -> None:
    assert tags.split(" NR-35, Básico;nr-35\n" + "x" * 80) == ["nr-35", "básico", "x" * 60]
