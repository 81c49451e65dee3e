"""Puts a pedagogic project into words. No I/O, no clock."""

from datetime import datetime
from zoneinfo import ZoneInfo

from babel import dates

from trilha.core.clock import in_zone
from trilha.kit.page import Locale
from trilha.training.certificates.pdf.paper import Document, Section, Signatory, clean
from trilha.training.certificates.pdf.schema import Company
from trilha.training.certificates.pdf.texts import WORDS
from trilha.training.courses.workloads import sum_workloads
from trilha.training.pedagogic_projects.schema import PublishedProject

_WORDS: dict[Locale, dict[str, str]] = {
    "pt-BR": {
        "title": "Projeto pedagógico",
        "version": "Versão {number}, de {day}",
        "objectives": "Objetivos",
        "law": "Fundamento legal",
        "description": "Apresentação",
        "method": "Metodologia e avaliação",
        "infrastructure": "Infraestrutura e recursos",
        "syllabus": "Conteúdo programático",
        "workload": "Carga horária",
        "minimum": "Mínimo exigido",
    },
    "en": {
        "title": "Pedagogic project",
        "version": "Version {number}, {day}",
        "objectives": "Objectives",
        "law": "Legal basis",
        "description": "Presentation",
        "method": "Method and assessment",
        "infrastructure": "Infrastructure and resources",
        "syllabus": "Syllabus",
        "workload": "Workload",
        "minimum": "Required minimum",
    },
}
_TEXTS = ("description", "objectives", "law", "method", "infrastructure")


def build_document(project: PublishedProject, company: Company, number: int, now: datetime) -> Document:
    words, printed = _WORDS[company.locale], WORDS[company.locale]
    day = dates.format_date(
        in_zone(now, ZoneInfo(company.time_zone)), printed.day, locale=company.locale.replace("-", "_")
    )
    texts = [(words[name], getattr(project, name)) for name in _TEXTS]
    role = " · ".join(filter(None, (project.responsible.role, project.responsible.register_number)))
    return Document(
        language=printed.language,
        region=printed.region,
        title=words["title"],
        subject=clean(project.title),
        company=clean(company.name),
        note=words["version"].format(number=number, day=day),
        texts=[(title, [clean(line) for line in text.splitlines() if line.strip()]) for title, text in texts],
        sections=[
            Section(
                words["syllabus"],
                [
                    (clean(each.title), f"{printed.kinds[each.kind, each.delivery]} · {_hours(each.minutes)}")
                    for each in project.modules
                ],
            ),
            Section(words["workload"], _build_workload(project, company.locale)),
        ],
        signing=[
            Signatory(
                clean(project.responsible.name),
                clean(f"{printed.responsible_signs}: {role}" if role else printed.responsible_signs),
                None,
            )
        ],
        date=(now.year, now.month, now.day, now.hour, now.minute, now.second),
    )


def _build_workload(project: PublishedProject, locale: Locale) -> list[tuple[str, str]]:
    words, printed = _WORDS[locale], WORDS[locale]
    sums = sum_workloads((each.kind, each.delivery, each.minutes) for each in project.modules)
    lines = [(printed.kinds[each.kind, each.delivery], _hours(each.minutes)) for each in sums]
    lines.append((printed.total, _hours(sum(each.minutes for each in sums))))
    if project.minimum_minutes:
        lines.append((words["minimum"], _hours(project.minimum_minutes)))
    return lines


def _hours(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    return " ".join(filter(None, (f"{hours} h" if hours else "", f"{rest} min" if rest or not hours else "")))
