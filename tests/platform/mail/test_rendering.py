"""Mail templates: every kind of message in every language, and no value is interpreted as markup."""

import re
from datetime import datetime
from email import message_from_bytes, message_from_string
from email.policy import SMTPUTF8
from html.parser import HTMLParser
from typing import Any, get_args
from uuid import UUID, uuid4

import msgspec
import pytest

from trilha.core.types import Timestamp
from trilha.platform.mail import catalogue, rendering
from trilha.platform.mail.catalogue import (
    CATALOGUE,
    AnyMessage,
    DigestPerson,
    MeetingEvent,
    Message,
    PasswordReset,
    ReminderItem,
    TestMessage,
)
from trilha.platform.mail.delivery.composing import compose
from trilha.platform.mail.schema import Brand, Content, Locale

LOCALES: tuple[Locale, ...] = get_args(Locale)
BRAND = Brand("Acme & Filhos")
AT = Timestamp("2026-11-21T23:30:00.000Z")
EVERY = [pytest.param(kind, locale, id=f"{kind} {locale}") for kind in CATALOGUE for locale in LOCALES]


ITEMS = [
    ReminderItem(
        kind=each,
        enrollment_id=uuid4(),
        sentence="A & B <1>",
        due_at=AT,
        text="<2>",
        link=f"https://learn.test/{each}?a=1&b=<c>",
    )
    for each in ("assigned", "voice_answer_waiting", "certificate_expiring", "question_answered")
]


EVENT = MeetingEvent(
    uid="uid",
    sequence=1,
    title="A & B <5>",
    course="<6>",
    starts_at=AT,
    ends_at=Timestamp("2026-11-22T00:30:00.000Z"),
    time_zone="Europe/Lisbon",
    room="<7>",
    meeting_url="https://meet.test/?a=1&b=<8>",
)


def sample(kind: str) -> Any:
    """Returns a message in which each member has a recognizable value."""
    values: dict[str, Any] = {}
    for member in msgspec.structs.fields(CATALOGUE[kind]):
        if member.type in (Timestamp, Timestamp | None):
            values[member.name] = AT
        elif member.type is bool:
            values[member.name] = True
        elif member.type == tuple[str, ...]:
            values[member.name] = (f"{member.name} <1>", f"{member.name} <2>")
        elif member.type == tuple[ReminderItem, ...]:
            values[member.name] = tuple(ITEMS)
        elif member.type == tuple[DigestPerson, ...]:
            values[member.name] = (DigestPerson(name="<3>", titles=("A & B <4>", "C")),)
        elif member.type is MeetingEvent:
            values[member.name] = EVENT
        elif member.name == "own_subject":
            continue
        elif member.type in (int, int | None):
            values[member.name] = 1_000 + len(values)
        else:
            values[member.name] = f"https://learn.test/{member.name}?a=1&b=<{member.name}>"
    return CATALOGUE[kind](**values)


def content(message: Any, name: str = "Ana <b>Lima</b>") -> Content:
    return Content(name, "America/Sao_Paulo", message)


def _list_texts(value: Any) -> list[str]:
    if isinstance(value, MeetingEvent):
        return [value.title, value.course, value.room or "", value.meeting_url or ""]
    if isinstance(value, ReminderItem):
        return [value.sentence, value.text, value.link]
    return [value.name, *value.titles] if isinstance(value, DigestPerson) else [value]


class Seen(HTMLParser):
    """The text of a page, and the addresses of its links."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text, self.links, self.tags = "", set[str](), set[str]()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links |= {value for name, value in attrs if name in ("href", "src") and value}

    def handle_data(self, data: str) -> None:
        self.text += data


def test_every_message_is_in_the_catalogue() -> None:
    declared = {
        each for each in vars(catalogue).values() if isinstance(each, type) and issubclass(each, Message)
    }
    assert declared == {Message, *CATALOGUE.values()}


def test_every_template_is_of_a_message() -> None:
    for locale in LOCALES:
        names = {path.name for path in (rendering.TEMPLATES / locale).iterdir()}
        assert names == {f"{kind}.{form}" for kind in (*CATALOGUE, "layout") for form in ("txt", "html")}


@pytest.mark.parametrize(("kind", "locale"), EVERY)
def test_every_kind_is_written_in_every_language(kind: str, locale: Locale) -> None:
    message = sample(kind)
    words = rendering.render(content(message), locale, BRAND)
    seen = Seen(words.html)
    for text in (words.text, seen.text):
        assert "Acme & Filhos" in text
        assert "Ana <b>Lima</b>" in text
    for name, value in msgspec.structs.asdict(message).items():
        if isinstance(value, bool) or name == "own_subject":
            continue
        if isinstance(value, (tuple, MeetingEvent)):
            values = value if isinstance(value, tuple) else (value,)
            texts = [text for each in values for text in _list_texts(each)]
            assert all(text in words.text and text in seen.text for text in texts), name
            continue
        if name in ("at", "expires_at"):
            value = {"pt-BR": "21/11/2026 20:30", "en": "2026-11-21 20:30"}[locale]
            value = value.partition(" ")[0] if kind == "qualification_expires" else value
        elif isinstance(value, int) and kind in (
            *("import_finished", "report_summary", "manager_digest", "records_erased"),
        ):
            value = f"{value:,}".replace(",", {"pt-BR": ".", "en": ","}[locale])
        assert str(value) in words.text, name
        assert str(value) in seen.text, name
    if hasattr(message, "link"):
        assert seen.links == {message.link}
    assert "b" not in seen.tags
    assert "img" not in seen.tags
    assert "script" not in seen.tags
    assert not re.search(r"{[{%]|[%}]}|None|Undefined", words.text + words.html)
    assert f'lang="{locale}"' in words.html
    assert words.subject
    assert words.subject in seen.text


def test_no_language_has_text_of_the_other() -> None:
    for kind in CATALOGUE:
        portuguese, english = (rendering.render(content(sample(kind)), each, BRAND) for each in LOCALES)
        assert portuguese.subject != english.subject
        shared = set(portuguese.text.split("\n")) & set(english.text.split("\n"))
        shared -= {ITEMS[0].sentence, ITEMS[0].text, "<3>: A & B <4>, C"}
        own = {line for line in shared if line and not line.startswith(("https://", "    https://", "-- "))}
        assert own == set()


@pytest.mark.parametrize("by_administrator", [True, False])
def test_both_forms_of_a_sentence(by_administrator: bool) -> None:
    message = msgspec.structs.replace(sample("second_factor_off"), by_administrator=by_administrator)
    for locale, words in (("en", "administrator turned off"), ("pt-BR", "por um administrador")):
        rendered = rendering.render(content(message), locale, BRAND)  # type: ignore[arg-type]
        for text in (rendered.text, rendered.html):
            assert (words in text) is by_administrator


@pytest.mark.parametrize("subject", ["=?utf-8?q?x=0ABcc:_evil@y.z?=", "a\nBcc: evil@y.z", "a\u2028b\x0bc"])
def test_an_own_subject_is_one_line(subject: str) -> None:
    mail = made(message=msgspec.structs.replace(sample("reminders"), own_subject=subject))
    parsed = message_from_bytes(mail.content)
    assert parsed["Bcc"] is None
    assert parsed["Subject"]
    assert not parsed.defects


def test_text_on_the_brand_colour_can_be_read() -> None:
    message = PasswordReset(link="https://learn.test/", minutes=30)
    for colour, text in (("#ffdd00", "#000000"), ("#102030", "#ffffff"), ("#808080", "#000000")):
        page = rendering.render(content(message), "en", Brand("Acme", colour)).html
        assert f"background:{colour}; color:{text}" in page


def made(
    *, to: str = "ana@example.com", name: str = "Ana", sender: str = "learn@example.com", **o: Any
) -> Any:
    options = {
        "id": uuid4(),
        "locale": "pt-BR",
        "brand": Brand("Acme"),
        "created_at": datetime.fromisoformat(AT),
    } | o
    id, message = options.pop("id"), options.pop("message", TestMessage())
    return compose(id, content(message, name), to_email=to, sender=sender, **options)


HOSTILE = [
    "Ana\r\nBcc: eva@example.com",
    "Ana\nBcc: eva@example.com",
    "Ana\rBcc: eva@example.com",
    "Ana\u2028Bcc: eva@example.com",
    "Ana\x00\x0b\x0c\x85Bcc: eva@example.com",
    'Ana" <eva@example.com>, "',
    "ã" * 120 + "\r\nBcc: eva@example.com",
    "=?utf-8?q?=0D=0ABcc:_eva=40example.com?=",
    "Ana =?utf-8?q?=0D=0A?= Bcc: eva@example.com",
    "=?utf-8?b?DQpCY2M6IGV2YUBleGFtcGxlLmNvbQ==?=",
    "= ?utf-8?q?=?utf-8?q?=0D=0ABcc:_eva=40example.com?=",
]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("local", ["ana", "joão"])
def test_no_name_makes_a_header_or_an_address(name: str, local: str) -> None:
    mail = made(to=f"{local}@example.com", name=name, brand=Brand(name))
    message = message_from_string(mail.content.decode(), policy=SMTPUTF8)
    assert sorted(message.keys()) == [
        *("Auto-Submitted", "Content-Language", "Content-Type", "Date", "From", "MIME-Version"),
        *("Message-ID", "Subject", "To"),
    ]
    assert [each.addr_spec for each in message["To"].addresses] == [f"{local}@example.com"]
    assert [each.addr_spec for each in message["From"].addresses] == ["learn@example.com"]
    assert not re.search(rb"(\r|\n)Bcc", mail.content.partition(b"\r\n\r\n")[0])


def test_the_same_bytes_at_each_attempt() -> None:
    id = UUID("11111111-2222-4333-8444-555555555555")
    first, second = (made(id=id) for _ in range(2))
    assert first.content == second.content
    assert b"Message-ID: <11111111-2222-4333-8444-555555555555@example.com>\r\n" in first.content
    assert b"Auto-Submitted: auto-generated\r\n" in first.content
    assert b"Date: Sat, 21 Nov 2026 23:30:00 +0000\r\n" in first.content


def test_lines_are_ascii_and_of_a_length_that_servers_take() -> None:
    for kind in CATALOGUE:
        mail = made(message=sample(kind), name="João " * 20)
        assert mail.content.isascii()
        assert max(map(len, mail.content.split(b"\r\n"))) <= 998
        assert b"\n" not in mail.content.replace(b"\r\n", b"")


def test_whom_it_is_from() -> None:
    assert b"From: Acme <learn@example.com>\r\n" in made().content
    assert b"From: Academia <learn@example.com>\r\n" in made(sender="Academia <learn@example.com>").content


def test_the_union_is_closed() -> None:
    assert set(get_args(AnyMessage)) == set(CATALOGUE.values())


@pytest.mark.parametrize(
    "name",
    [
        "Visite bit.ly/x",
        "Ganhe em https://evil.example",
        "www evil example",
        "pague em evil\uff0eexample",
        "pague em evil\u3002example",
        "e.vi\u200bl",
        "escreva a x@evil.example",
        "Ligue 0800 123 4567",
        "\uff57\uff57\uff57.evil.example",
    ],
)
@pytest.mark.parametrize("locale", LOCALES)
def test_a_name_that_could_become_a_link_is_left_out(name: str, locale: Locale) -> None:
    invitation = catalogue.Invitation(link="https://learn.test/login/reset/x", days=7)
    words = rendering.render(content(invitation, name), locale, BRAND)
    mail = compose(
        uuid4(),
        content(invitation, name),
        to_email="stranger@example.com",
        locale=locale,
        sender="Trilha <trilha@example.com>",
        brand=BRAND,
        created_at=datetime.fromisoformat(AT),
    )
    to = message_from_string(mail.content.decode(), policy=SMTPUTF8)["to"]
    assert to.addresses[0].display_name == ""
    for text in (words.text, words.html):
        assert name.split()[-1] not in text
    assert {"en": "Hello.", "pt-BR": "Olá."}[locale] in words.text


@pytest.mark.parametrize("name", ["José Carlos Jr.", "J.R. Silva", "Ana d'Ávila-Souza", "Li Wei 2"])
def test_other_names_are_greeted(name: str) -> None:
    invitation = catalogue.Invitation(link="https://learn.test/login/reset/x", days=7)
    assert f"Olá, {name}." in rendering.render(content(invitation, name), "pt-BR", BRAND).text
