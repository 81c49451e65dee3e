"""The evidence file: JSON, written one page of the log at a time, so that memory use is constant."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec

from trilha.core.database import Reading, Tx
from trilha.core.errors import NotFound
from trilha.people.users.reach import Reach
from trilha.training.certificates.badges import keys
from trilha.training.certificates.badges.credentials import Place
from trilha.training.certificates.badges.keys import SigningKey
from trilha.training.certificates.rules import format_code
from trilha.training.learning.evidence import queries as evidence_queries
from trilha.training.learning.evidence import verification
from trilha.training.learning.evidence.schema import Entry, Verification
from trilha.training.reports.evidence import queries
from trilha.training.reports.evidence.chain import FORMAT, canonical, link, signature
from trilha.training.reports.evidence.schema import Day, Evidence, Facts

_PAGE = 500
_NOTHING = Verification(UUID(int=0), 0, "", None, "", None, None)


class EvidenceFile:
    """An evidence file as of the moment at which it was begun; later entries are not in it."""

    def __init__(
        self, reading: Reading, facts: Facts, verified: Verification, key: SigningKey, address: str
    ) -> None:
        self._reading = reading
        self._key = key
        self._keys = Place(address, facts.tenant_slug).keys
        self.facts = facts
        self._verified = verified
        self.subject = _subject(facts)

    @classmethod
    async def begin(
        cls, tx: Tx, reading: Reading, enrollment_id: UUID, reach: Reach, address: str
    ) -> "EvidenceFile":
        """Reads and verifies the log. `address` is the server's public address. Raises NotFound."""
        facts = await queries.get_facts(tx, enrollment_id, reach)
        try:
            verified = await verification.verify(tx, enrollment_id)
        except NotFound:
            verified = _NOTHING  # no study activity yet
        return cls(reading, facts, verified, await keys.signing(tx), address)

    async def pieces(self) -> AsyncIterator[bytes]:
        head = f'{{"format":{canonical(FORMAT)},"subject":{canonical(self.subject)},"log":['
        yield head.encode()
        last, credited = link("", self.subject), 0.0
        async for entry in self._entries():
            shown = _entry_to_dict(entry)
            last = link(last, shown)
            credited += _read_credited_seconds(entry)
            comma = "," if entry.number > 1 else ""
            yield f"{comma}{canonical(shown | {'chain': last})}".encode()
        summary = self._summary(credited)
        digest = link(last, summary)
        signed = signature(self._key, self._keys, digest)
        yield f'],"summary":{canonical(summary)},"digest":{canonical(digest)},'.encode()
        yield f'"signature":{canonical(signed)}}}\n'.encode()

    async def summarize(self, time_zone: str) -> Evidence:
        """Returns the evidence without the log, by days in this time zone, for the PDF."""
        last, credited, days = link("", self.subject), 0.0, dict[str, list[float]]()
        async for entry in self._entries():
            last = link(last, _entry_to_dict(entry))
            credited += _read_credited_seconds(entry)
            day = datetime.fromisoformat(entry.at).astimezone(ZoneInfo(time_zone)).date().isoformat()
            of_day = days.setdefault(day, [0, 0.0])
            of_day[0] += 1
            of_day[1] += _read_credited_seconds(entry)
        shown = [Day(day, int(entries), seconds) for day, (entries, seconds) in days.items()]
        digest = link(last, self._summary(credited))
        return Evidence(self.facts, self._verified.entries, self._verified.problem, digest, shown)

    def _summary(self, credited: float) -> dict[str, Any]:
        """Builds the summary. `whole`: the server has verified every entry with its key."""
        return {
            "entries": self._verified.entries,
            "credited_seconds": round(credited, 3),
            "whole": not self._verified.problem,
        }

    async def _entries(self) -> AsyncIterator[Entry]:
        after, limit = 0, self._verified.entries
        while after < limit:
            async with self._reading() as tx:
                page = await evidence_queries.list_entries(tx, self.facts.enrollment_id, after, _PAGE)
            if not page:
                return
            for entry in page:
                if entry.number > limit:
                    return
                yield entry
            after = page[-1].number


def _entry_to_dict(entry: Entry) -> dict[str, Any]:
    """Builds an entry. `detail` is the exact text that was stored; `hash` is the server's keyed hash."""
    return {
        "number": entry.number,
        "kind": entry.kind,
        "launch_id": str(entry.launch_id) if entry.launch_id else None,
        "at": str(entry.at),
        "detail": entry.detail,
        "hash": entry.hash.hex(),
    }


def _read_credited_seconds(entry: Entry) -> float:
    return float(msgspec.json.decode(entry.detail).get("credited", 0)) if entry.kind == "beat" else 0.0


def _subject(facts: Facts) -> dict[str, Any]:
    """Builds the subject without the current time, so that the same log always has the same digest."""
    certificate = None
    if facts.certificate_code is not None:
        certificate = {
            "verification_code": format_code(facts.certificate_code),
            "issued_at": facts.certificate_issued_at,
            "expires_at": facts.certificate_expires_at,
            "entry": facts.certificate_entry,
            "hash": facts.certificate_hash.hex() if facts.certificate_hash else None,
        }
    enrollment = {
        "id": str(facts.enrollment_id),
        "status": facts.status,
        "progress": facts.progress,
        "score": facts.score,
        "started_at": facts.started_at,
        "completed_at": facts.completed_at,
    }
    return {
        "company": facts.tenant_name,
        "person": {"id": str(facts.user_id), "name": facts.user_name, "cpf": facts.cpf},
        "course": {
            "id": str(facts.course_id),
            "title": facts.course_title,
            "regulation": facts.regulation,
        },
        "enrollment": enrollment,
        "certificate": certificate,
    }
