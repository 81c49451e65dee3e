"""Matches the people of the file with users in Trilha: by employee number, then by e-mail.
Changes nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from hr_export import Employee, Json, Problem


@dataclass
class Match:
    """The rows with their users (None for new people), users who are only in Trilha, and rows without a safe
    match.

    `after` has the rows whose e-mail still belongs to another row's user, with the number of that row. They
    wait until that user has the new address.
    """

    pairs: list[tuple[Employee, Json | None]] = field(default_factory=list)
    after: list[tuple[Employee, str]] = field(default_factory=list)
    leavers: list[Json] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def match(
    employees: Iterable[Employee],
    users: Iterable[Json],
    known: frozenset[str],
    unreadable: Iterable[Employee] = (),
) -> Match:
    """`known` are the ids of users that an earlier run found in its file. A person named in an `unreadable`
    row counts as present, so that a typing error makes nobody a leaver.

    A leaver is active in Trilha, is missing in the file, and once came from HR: by an employee number, or in
    an earlier run. Administrators never count as leavers.
    """
    people, rows = list(users), list(employees)
    by_number: dict[str, list[Json]] = {}
    for user in people:
        if user["employee_number"]:
            by_number.setdefault(user["employee_number"], []).append(user)
    by_email = {user["email"]: user for user in people}
    numbers = {row.number for row in rows if row.number}
    found = Match()
    taken: set[str] = set()
    for row in rows:
        same_number = by_number.get(row.number or "", [])
        if len(same_number) > 1:
            found.problems.append((row, f"{len(same_number)} people in Trilha have its employee number."))
            taken |= {user["id"] for user in same_number}
        elif same_number:
            found.pairs.append((row, same_number[0]))
            taken.add(same_number[0]["id"])
        else:
            _by_email(found, row, by_email.get(row.email), numbers, taken)
    for row in unreadable:
        taken |= {user["id"] for user in by_number.get(row.number or "", [])}
        taken |= {by_email[row.email]["id"]} if row.email in by_email else set()
    found.leavers = [user for user in people if user["id"] not in taken and _is_leaver(user, known)]
    return found


def _by_email(found: Match, row: Employee, user: Json | None, numbers: set[str], taken: set[str]) -> None:
    """Matches a row whose number is unknown. If an address was reassigned, its previous owner stays the same
    person.
    """
    theirs = user["employee_number"] if user else None
    if user is None or not theirs or not row.number:
        found.pairs.append((row, user))
    elif theirs in numbers:
        found.after.append((row, theirs))
        return
    elif user["name"].casefold() == (row.body["name"] or "").casefold():
        found.pairs.append((row, user))  # the same person under a new number
    else:
        why = f"Its e-mail is that of {user['name']}, number {theirs}, who is not in the file."
        found.problems.append((row, why))
    if user is not None:
        taken.add(user["id"])


def _is_leaver(user: Json, known: frozenset[str]) -> bool:
    came_from_hr = bool(user["employee_number"]) or user["id"] in known
    return user["status"] == "ACTIVE" and user["role"] != "admin" and came_from_hr
