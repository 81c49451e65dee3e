"""The output of a run of `hr_sync.py`, and what it stores for the next one."""

import hashlib
import hmac
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hr_export import Employee, Json, Problem


@dataclass
class Report:
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    suspended: int = 0
    reactivated: int = 0
    enrolled: int = 0
    already_enrolled: int = 0
    cancelled: int = 0
    leavers: list[str] = field(default_factory=list)
    wrong_enrollments: list[str] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)
    failed: list[Problem] = field(default_factory=list)

    def __str__(self) -> str:
        counts = {name: count for name, count in vars(self).items() if isinstance(count, int)}
        counts |= {name: len(rows) for name, rows in vars(self).items() if isinstance(rows, list)}
        done = (self.created, self.updated, self.suspended, self.reactivated, self.enrolled, self.cancelled)
        counts |= {"changes": sum(done)}
        lines = [f"{name.replace('_', ' '):<18}{count:>7}" for name, count in counts.items()]
        for title, found in (("Leavers", self.leavers), ("Wrong enrollments", self.wrong_enrollments)):
            lines += ["", f"{title}:", *(f"  {each}" for each in found)] if found else []
        for title, rows in (("Skipped", self.skipped), ("Failed", self.failed)):
            lines += ["", f"{title}:"] if rows else []
            for employee, why in sorted(rows, key=lambda row: row[0].line):
                lines.append(f"  line {employee.line}: {employee.email or '(no e-mail)'}: {why}")
        return "\n".join(lines)


class Memory:
    """Remembers which users agree with the file. It stores only digests."""

    def __init__(self, path: Path, secret: str) -> None:
        self._path = path
        self._secret = secret.encode()
        try:
            self._digests: dict[str, str] = dict(json.loads(path.read_text()))
        except (OSError, ValueError, TypeError):
            self._digests = {}

    @property
    def users(self) -> frozenset[str]:
        return frozenset(self._digests)

    def knows(self, employee: Employee, user: Json) -> bool:
        return self._digests.get(user["id"]) == self.digest(employee.body, user["updated_at"])

    def keep(self, employee: Employee, user: Json) -> None:
        self._digests[user["id"]] = self.digest(employee.body, user["updated_at"])

    def save(self) -> None:
        draft = self._path.with_name(self._path.name + ".new")
        draft.write_text(json.dumps(self._digests))
        draft.replace(self._path)

    def digest(self, *content: Any) -> str:
        return hmac.digest(self._secret, json.dumps(content).encode(), hashlib.sha256).hex()
