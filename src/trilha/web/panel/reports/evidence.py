"""/admin/enrollments/{id}/evidence.…: the evidence of an enrollment, as a file that anybody can check."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.web.answers import Answer, Stream, TypedAnswer
from trilha.core.web.routes import Routes
from trilha.kit import N_, formats
from trilha.people.users.reach import Reach
from trilha.platform.audit import queries as audit
from trilha.training.certificates.links import Links
from trilha.training.certificates.rules import format_code
from trilha.training.enrollments.schema import EnrollmentStatus
from trilha.training.reports.evidence.file import EvidenceFile
from trilha.training.reports.evidence.printing import EvidencePapers
from trilha.training.reports.evidence.schema import Evidence, Facts
from trilha.web.panel.courses.forms import KINDS
from trilha.web.panel.enrollments import words
from trilha.web.panel.view import PanelView

routes = Routes("Evidence", "The proof of what was learnt.")
_ACCESS = may(Permission.REPORTS_READ)


class _Pdf(TypedAnswer):
    __slots__ = ()
    media_type = "application/pdf"


@routes.get("/enrollments/{enrollment_id}/evidence.json", access=_ACCESS)
async def download_evidence(view: PanelView, links: Links, enrollment_id: UUID) -> Stream[bytes]:
    """Download the whole log, in a signed chain of hashes."""
    file = await _begin(view, links, enrollment_id, "json")
    return Stream(file.pieces(), "application/json", headers=_build_file_headers(enrollment_id, "json"))


@routes.get("/enrollments/{enrollment_id}/evidence.pdf", access=_ACCESS)
async def print_evidence(
    view: PanelView, links: Links, papers: EvidencePapers, enrollment_id: UUID
) -> Answer:
    """Download a PDF with the activity by day and the digest of the whole log."""
    file = await _begin(view, links, enrollment_id, "pdf")
    paper = _paper(view, await file.summarize(view.page.time_zone))
    return _Pdf(await papers.print(view.tenant_id, paper), headers=_build_file_headers(enrollment_id, "pdf"))


async def _begin(view: PanelView, links: Links, enrollment_id: UUID, form: str) -> EvidenceFile:
    """Begins the file and records in the audit log who downloads it."""
    reach = Reach(view.viewer.role, view.viewer.user_id)
    async with view.changing() as tx:
        file = await EvidenceFile.begin(tx, view.reading, enrollment_id, reach, links.address)
        await _record(tx, file.facts, form)
    return file


async def _record(tx: Tx, facts: Facts, form: str) -> None:
    await audit.record(
        tx,
        "evidence.downloaded",
        facts.enrollment_id,
        user_id=str(facts.user_id),
        course_id=str(facts.course_id),
        form=form,
    )


def _build_file_headers(enrollment_id: UUID, form: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="evidence-{enrollment_id}.{form}"'}


def _paper(view: PanelView, evidence: Evidence) -> dict[str, Any]:
    facts, page = evidence.facts, view.page
    total = [view.say(N_("Total")), formats.number(page, evidence.entries), _minutes(view, evidence)]
    return {
        "lang": view.locale[:2],
        "company": facts.tenant_name,
        "title": view.say(N_("Training evidence")),
        "made": view.say(N_("As of %(time)s"), time=_moment(view, page.now)),
        "parts": [_whom(view, facts), _outcome(view, facts), *_demands(view, facts)],
        "days": {
            "title": view.say(N_("Log contents")),
            "empty": view.say(N_("No study activity yet.")),
            "header": [view.say(each) for each in (N_("Day"), N_("Entries"), N_("Credited minutes"))],
            "rows": [
                [
                    _day(view, each.day),
                    formats.number(page, each.entries),
                    formats.number(page, int(each.seconds // 60)),
                ]
                for each in evidence.days
            ],
            "total": total,
        },
        "digest": evidence.digest,
        "digest_short": f"SHA-256 {evidence.digest[:16]}…",
        "check": {
            "title": view.say(N_("How to verify it")),
            "text": _whole(view, evidence),
            "how": view.say(
                N_(
                    "The enrollment's JSON file contains every entry. "
                    "Trilha's examples include a script that verifies it and needs only Python:"
                )
            ),
            "command": f"python check_evidence.py evidence.json {evidence.digest}",
        },
    }


def _whole(view: PanelView, evidence: Evidence) -> str:
    if evidence.problem:
        return view.say(N_("The log is NOT intact: it was changed after it was written."))
    return view.say(
        N_(
            "The log is intact. Each entry contains the hash (SHA-256) of the one before it. "
            "The last hash, the digest, covers all of them:"
        )
    )


def _whom(view: PanelView, facts: Facts) -> dict[str, Any]:
    shown = [(N_("Name"), facts.user_name), (N_("CPF"), facts.cpf), (N_("Course"), facts.course_title)]
    return _part(view, N_("Person and course"), shown)


def _outcome(view: PanelView, facts: Facts) -> dict[str, Any]:
    code = format_code(facts.certificate_code) if facts.certificate_code else None
    shown = [
        (N_("State"), view.say(words.STATUSES[EnrollmentStatus(facts.status)])),
        (N_("Progress"), formats.percent(view.page, facts.progress)),
        (N_("Score"), None if facts.score is None else formats.decimal(view.page, facts.score)),
        (N_("Start date"), _text(view, facts.started_at)),
        (N_("Completion date"), _text(view, facts.completed_at)),
        (N_("Certificate"), code),
        (N_("Certificate valid until"), _text(view, facts.certificate_expires_at)),
    ]
    return _part(view, N_("Result"), shown)


def _demands(view: PanelView, facts: Facts) -> list[dict[str, Any]]:
    if not (regulation := facts.regulation):
        return []
    credited = (facts.credited_seconds or 0) / 60
    workload = view.say(
        N_("%(done)s of %(required)s minutes"),
        done=formats.number(view.page, int(credited)),
        required=formats.number(view.page, regulation.get("minimum_workload_minutes", 0)),
    )
    shown = [
        (N_("Kind"), view.say(KINDS[regulation["kind"]])),
        (N_("Workload"), workload),
        (N_("Minimum score"), formats.decimal(view.page, regulation.get("minimum_score", 0))),
    ]
    return [_part(view, N_("Regulation"), shown)]


def _part(view: PanelView, title: str, facts: Sequence[tuple[str, str | None]]) -> dict[str, Any]:
    return {"title": view.say(title), "facts": [(view.say(name), text) for name, text in facts if text]}


def _minutes(view: PanelView, evidence: Evidence) -> str:
    return formats.number(view.page, int(sum(each.seconds for each in evidence.days) // 60))


def _text(view: PanelView, moment: str | None) -> str | None:
    return None if moment is None else _moment(view, datetime.fromisoformat(moment))


def _moment(view: PanelView, moment: datetime) -> str:
    local = moment.astimezone(ZoneInfo(view.page.time_zone))
    return f"{formats.day_text(view.page, local.date())} {local:%H:%M}"


def _day(view: PanelView, day: str) -> str:
    return formats.day_text(view.page, datetime.fromisoformat(day).date())
