"""Puts a certificate's facts and template into words. No I/O, no clock."""

import math
from datetime import datetime
from zoneinfo import ZoneInfo

from babel import Locale as BabelLocale
from babel import dates, numbers

from trilha.core.clock import in_zone
from trilha.training.certificates.pdf.paper import Alternatives, Colours, Paper, Section, Signatory, clean
from trilha.training.certificates.pdf.schema import AttendedSession, Company, Facts, Instructor
from trilha.training.certificates.pdf.texts import WORDS, Words
from trilha.training.certificates.rules import format_code
from trilha.training.certificates.templates import rules
from trilha.training.certificates.templates.schema import Look
from trilha.training.courses import workloads

# The default of each design, if neither the template nor the company has a choice.
_COLOURS = {"classic": Colours("#1f3a5f", "#b08d3c"), "modern": Colours("#0f4c5c", "#e0a13a")}
_MAX_LINES = 200
# The name of the picture of the holder's signature.
HOLDER_PICTURE = "holder-signature.png"


def paper_of(facts: Facts, look: Look, company: Company, logo: str | None) -> Paper:
    """Builds the paper. `logo` is the path of the picture to print."""
    said = _Wording(facts, company.time_zone)
    words, values = said.words, said.values()
    texts = {
        "title": look.texts.title or words.title,
        "intro": look.texts.intro or words.intro,
        "body": look.texts.body or words.body,
        "closing": look.texts.closing,
        "footer": look.texts.footer,
    }
    return Paper(
        design=look.design,
        orientation=look.orientation,
        language=words.language,
        region=words.region,
        colours=colours_of(look, company.brand_colour),
        logo=logo,
        company=clean(facts.company),
        **{name: clean(rules.fill_placeholders(text, values)) for name, text in texts.items()},
        name=values["name"],
        identity=words.cpf.format(facts.cpf) if facts.cpf else "",
        course=values["course"],
        facts=said.facts(),
        regulation=words.regulation.get(facts.regulation_kind or "", ""),
        syllabus_title=words.syllabus,
        syllabus=said.syllabus() if look.syllabus else [],
        signatories=[
            Signatory(
                clean(each.name), clean(rules.fill_placeholders(each.role, values)), _path(each.picture)
            )
            for each in look.signatories
        ],
        record_title=words.record,
        record=said.record(),
        signing=said.signing(),
        issued=words.issued.format(company=values["company"], day=values["issued_on"]),
        verify=words.verify,
        url=facts.url,
        code=values["code"],
        evidence=said.evidence(),
        document_title=words.document.format(name=values["name"], course=values["course"]),
        date=_in_parts(facts.issued_at),
        alt=Alternatives(words.qr, words.signature),
    )


def colours_of(look: Look, brand: str | None) -> Colours:
    """Returns the template's colors, or else the company's made readable, or else the design's own."""
    own = _COLOURS[look.design]
    primary = look.colour or (rules.readable(brand) if brand else own.primary)
    return Colours(primary, look.accent or own.accent)


def _path(name: str | None) -> str | None:
    return f"/{name}" if name else None


def _in_parts(moment: datetime) -> tuple[int, int, int, int, int, int]:
    return (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second)


class _Wording:
    """Formats facts in the certificate's language and the company's time zone."""

    def __init__(self, facts: Facts, time_zone: str) -> None:
        self.words: Words = WORDS[facts.locale]
        self._facts = facts
        self._zone = ZoneInfo(time_zone)
        self._babel = BabelLocale.parse(facts.locale, sep="-")

    def values(self) -> dict[str, str]:
        """Returns the values by placeholder."""
        facts = self._facts
        return {
            "name": clean(facts.name or self.words.no_name),
            "cpf": facts.cpf or "",
            "course": clean(facts.course),
            "company": clean(facts.company),
            "workload": self._duration(facts.workload_minutes),
            "score": self._score() or "",
            "started_on": self._day(facts.started_at),
            "completed_on": self._day(facts.completed_at),
            "issued_on": self._day(facts.issued_at),
            "valid_until": self._day(facts.expires_at) if facts.expires_at else "",
            "code": format_code(facts.code),
        }

    def facts(self) -> list[tuple[str, str]]:
        facts, words = self._facts, self.words
        started, completed = (self._short_day(each) for each in (facts.started_at, facts.completed_at))
        taken = (
            (words.completed, completed)
            if started == completed
            else (words.period, f"{started} – {completed}")
        )
        shown = [
            (words.workload, self._duration(facts.workload_minutes) if facts.workload_minutes else ""),
            (words.score, self._score() or ""),
            taken,
            (words.valid_until, self._short_day(facts.expires_at) if facts.expires_at else ""),
        ]
        return [(name, value) for name, value in shown if value]

    def syllabus(self) -> list[tuple[str, str]]:
        lines = self._facts.syllabus[:_MAX_LINES]
        return [(clean(each.title), self._duration(each.minutes, short=True)) for each in lines]

    def record(self) -> list[Section]:
        """Returns what the law asks papers of a training to say, without empty sections."""
        facts, words = self._facts, self.words
        training = facts.training
        sections = [
            (words.workloads, self._workloads()),
            (words.sessions, [self._session(each) for each in training.sessions[:_MAX_LINES]]),
            (words.instructors, [self._instructor(each) for each in training.instructors[:_MAX_LINES]]),
            (
                words.project,
                [(clean(facts.course), words.version.format(facts.project_version))]
                if facts.project_version
                else [],
            ),
        ]
        return [Section(title, lines) for title, lines in sections if lines]

    def signing(self) -> list[Signatory]:
        """Returns the holder and the technical responsible, where the law may ask for their signatures."""
        facts, words = self._facts, self.words
        signature = facts.training.signature
        is_safety = facts.regulation_kind == "occupational_safety"
        if not (is_safety or facts.training.sessions or signature):
            return []
        role, picture = words.holder_signs, None
        if signature:
            how = words.signed_by_passkey if signature.kind == "PASSKEY" else words.signed_by_hand
            role = f"{role}, {how.format(day=self._short_day(signature.signed_at))}"
            picture = f"/{HOLDER_PICTURE}" if signature.strokes else None
        signing = [Signatory(clean(facts.name or words.no_name), role, picture)]
        responsible = facts.training.responsible
        if responsible and responsible.name:
            role = " · ".join(filter(None, (responsible.role, responsible.register_number)))
            title = f"{words.responsible_signs}: {role}" if role else words.responsible_signs
            signing.append(Signatory(clean(responsible.name), clean(title), None))
        return signing

    def _workloads(self) -> list[tuple[str, str]]:
        parts = [
            (each.kind, each.delivery, each.minutes)
            for each in self._facts.syllabus
            if each.kind and each.delivery
        ]
        sums = workloads.sum_workloads(parts)
        lines = [(self.words.kinds[each.kind, each.delivery], self._duration(each.minutes)) for each in sums]
        if len(sums) > 1:
            lines.append((self.words.total, self._duration(sum(each.minutes for each in sums))))
        return lines

    def _session(self, session: AttendedSession) -> tuple[str, str]:
        zone = ZoneInfo(session.time_zone)
        start, end = in_zone(session.starts_at, zone), in_zone(session.ends_at, zone)
        day = dates.format_date(start, self.words.short_day, locale=self._babel)
        times = "–".join(dates.format_time(each, "HH:mm", locale=self._babel) for each in (start, end))
        place = session.room or self.words.online
        return f"{day}, {times} · {clean(place)} · {clean(session.title)}", self._duration(session.minutes)

    def _instructor(self, instructor: Instructor) -> tuple[str, str]:
        qualifications = (
            ", ".join(filter(None, (each.title, each.issuing_body, each.register_number)))
            for each in instructor.qualifications
        )
        return clean(instructor.name), clean("; ".join(qualifications))

    def evidence(self) -> str:
        number, hash = self._facts.evidence_number, self._facts.evidence_hash
        if number is None or hash is None:
            return ""
        return self.words.evidence.format(number=number, hash=hash.hex())

    def _score(self) -> str | None:
        if self._facts.score is None:
            return None
        # Rounded down, as everywhere, so that no score looks better than it is.
        return f"{self._number(math.floor(self._facts.score * 10) / 10)}%"

    def _duration(self, minutes: int, *, short: bool = False) -> str:
        hours, rest = divmod(minutes, 60)
        if short or (hours and rest):
            parts = [f"{hours} h" if hours else "", f"{rest} min" if rest else ""]
            return " ".join(each for each in parts if each)
        parts = [self._format_count(hours, self.words.hours), self._format_count(rest, self.words.minutes)]
        return " ".join(each for each in parts if each)

    def _format_count(self, count: int, forms: tuple[str, str]) -> str:
        return forms[count != 1].format(self._number(count)) if count else ""

    def _number(self, number: float) -> str:
        return str(numbers.format_decimal(number, locale=self._babel))

    def _day(self, moment: datetime) -> str:
        return str(dates.format_date(in_zone(moment, self._zone), self.words.day, locale=self._babel))

    def _short_day(self, moment: datetime) -> str:
        return str(dates.format_date(in_zone(moment, self._zone), self.words.short_day, locale=self._babel))
