"""Applies one batch of rows: matches people, then creates, updates or refuses."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from msgspec import UNSET, structs

from trilha.core.common_passwords import is_name
from trilha.core.database import Tx
from trilha.core.errors import ApiError, Invalid
from trilha.core.passwords import HashedPassword
from trilha.people.custom_fields import queries as custom_fields
from trilha.people.custom_fields import values as custom_values
from trilha.people.custom_fields.schema import CustomField
from trilha.people.custom_fields.values import PREFIX, CheckedValues
from trilha.people.people_import import enrolling, queries, rows
from trilha.people.people_import.enrolling import EnrollProblem, Outcome, Target
from trilha.people.people_import.queries import Unit
from trilha.people.people_import.schema import CheckedRow, PersonRow, RowProblem, Tally
from trilha.people.users import actions as users
from trilha.people.users import bulk_queries as user_queries
from trilha.people.users.actions import NewPerson
from trilha.people.users.documents import cpf_fingerprint
from trilha.people.users.schema import NewUser, StoredUser, UserPatch
from trilha.people.users.sealing import DOCUMENTS
from trilha.people.users.words import search_text
from trilha.platform.tenants import queries as tenants
from trilha.platform.tenants.quotas import actions as quotas

_PROFILE = ("name", "department", "job_title", "employee_number", "hire_date", *DOCUMENTS)


class Refusal(Exception):
    """Why a row was refused: the code, and the member that caused it."""

    def __init__(self, code: str, member: str) -> None:
        super().__init__(code)
        self.code = code
        self.member = member


class Batch:
    """Applies rows, once. The results are in `tally` and `problems`."""

    def __init__(self, tx: Tx, headers: Mapping[str, str], *, dry_run: bool) -> None:
        self._tx = tx
        self._headers = headers  # by member
        self._dry_run = dry_run
        self.tally = Tally()
        self.problems: list[RowProblem] = []
        self._units: dict[str, list[Unit]] = defaultdict(list)
        self._by_email: dict[str, StoredUser] = {}
        self._by_number: dict[str, list[StoredUser]] = defaultdict(list)
        self._cpf_owners: dict[bytes, UUID] = {}
        self._fields: dict[str, CustomField] = {}
        # The lines of the people who were applied, by their ids: existing ones, and new ones.
        self._existing_lines: dict[UUID, int] = {}
        self._new_lines: dict[UUID, int] = {}
        self._company_names: list[str] = []

    async def take(self, checked: Sequence[CheckedRow], passwords: Mapping[int, HashedPassword]) -> None:
        for row in checked:
            self.problems += row.problems
            self.tally.refused += row.person is None
        people = [(row.line, row.person, row.custom_fields) for row in checked if row.person]
        await self._load([person for _, person, _ in people])
        keys = {key: None for _, _, custom in people for key in custom}
        self._fields = await custom_fields.load_fields(self._tx, keys)
        new: dict[str, tuple[int, NewPerson]] = {}
        for line, person, cells in people:
            try:
                stored = self._match(person)
                unit = self._unit(person)
                self._check_cpf(person, stored)
                custom = self._check_custom_fields(cells)
                if stored is None:
                    self._check_password(person)
                    new_user = _new_user(person, unit, custom)
                    new[new_user.email] = (line, NewPerson(new_user, passwords.get(line)))
                else:
                    await self._update(stored, person, unit, custom)
                    self._existing_lines[stored.id] = line
            except Refusal as refusal:
                self._refuse(line, refusal.code, refusal.member, person)
        await self._create(new)

    async def enroll(self, target: Target) -> None:
        """Enrolls the people who were applied. A problem of one of them keeps nobody else from it."""
        lines = self._new_lines if target.new_only else self._new_lines | self._existing_lines
        if not lines:
            return
        try:
            outcome = await enrolling.get(target.kind).enroll(self._tx, target, list(lines))
        except ApiError as error:
            problems = [EnrollProblem(user_id, error.code, error.message) for user_id in lines]
            outcome = Outcome(0, 0, problems)
        self.tally.enrolled += outcome.enrolled
        self.tally.enrolled_before += outcome.enrolled_before
        self.tally.not_enrolled += len({each.user_id for each in outcome.problems})
        counts: dict[int, int] = defaultdict(int)
        for each in outcome.problems:
            line = lines[each.user_id]
            self.problems.append(RowProblem(line, counts[line], "", each.code, each.message, ""))
            counts[line] += 1

    async def _load(self, people: Sequence[PersonRow]) -> None:
        """Loads and locks all stored rows that the batch touches, in a fixed number of statements."""
        if any(person.business_unit for person in people):
            for unit in await queries.lock_units(self._tx):
                for key in {str(unit.id), search_text(unit.name), search_text(unit.code or "")} - {""}:
                    self._units[key].append(unit)
        if any(person.password for person in people):
            self._company_names = await tenants.list_names(self._tx)
        emails = [person.email for person in people if person.email]
        numbers = [person.employee_number for person in people if person.employee_number]
        for stored in await user_queries.lock_people(self._tx, emails, numbers):
            self._by_email[stored.email] = stored
            if stored.employee_number:
                self._by_number[stored.employee_number].append(stored)
        fingerprints = [cpf_fingerprint(self._tx, person.cpf) for person in people if person.cpf]
        self._cpf_owners = await user_queries.owners_of_cpfs(self._tx, fingerprints)

    def _check_password(self, person: PersonRow) -> None:
        """Raises Refusal for the company's name."""
        if person.password and is_name(person.password, self._company_names):
            raise Refusal("password_is_name", "password")

    def _match(self, person: PersonRow) -> StoredUser | None:
        """Finds the person by e-mail, else by employee number. Raises Refusal."""
        numbered = self._by_number.get(person.employee_number or "", [])
        if person.email and (owner := self._by_email.get(person.email)):
            if (
                any(person_with_number.id != owner.id for person_with_number in numbered)
                and owner not in numbered
            ):
                raise Refusal("employee_number_of_another", "employee_number")
            return owner
        if len(numbered) > 1:
            raise Refusal("ambiguous_employee_number", "employee_number")
        return numbered[0] if numbered else None

    def _unit(self, person: PersonRow) -> UUID | None:
        if not person.business_unit:
            return None
        key = search_text(person.business_unit)
        candidates = self._units.get(key, [])
        # A code identifies one unit, even if other units have it as their name.
        exact = [unit for unit in candidates if unit.code and search_text(unit.code) == key]
        if not candidates:
            raise Refusal("unknown_business_unit", "business_unit")
        if len(exact) != 1 and len(candidates) > 1:
            raise Refusal("ambiguous_business_unit", "business_unit")
        return (exact or candidates)[0].id

    def _check_cpf(self, person: PersonRow, stored: StoredUser | None) -> None:
        if person.cpf:
            owner = self._cpf_owners.get(cpf_fingerprint(self._tx, person.cpf))
            if owner is not None and (stored is None or owner != stored.id):
                raise Refusal("cpf_exists", "cpf")

    def _check_custom_fields(self, cells: Mapping[str, Any]) -> CheckedValues:
        """Checks the values again, because a field may have changed since the file was checked."""
        try:
            return custom_values.check(cells, self._fields)
        except Invalid as error:
            raise Refusal(error.detail[0].code, error.detail[0].field) from None

    async def _update(
        self, stored: StoredUser, person: PersonRow, unit: UUID | None, custom: CheckedValues
    ) -> None:
        members = {name: value for name in _PROFILE if (value := getattr(person, name)) is not None}
        patch = UserPatch(**members, business_unit_id=unit or UNSET, custom_fields=custom or UNSET)
        sealed = {name: getattr(stored, f"{name}_sealed") for name in (*DOCUMENTS, "custom_fields")}
        email = person.email if person.email and person.email != stored.email else None
        role = person.role if person.role and person.role != stored.role else None
        _check_privileges(stored, email, role)
        if not (email or role or users.list_changed_members(self._tx, stored, sealed, patch)):
            self.tally.unchanged += 1
            return
        self.tally.updated += 1
        if self._dry_run:
            return
        if role:
            await users.change_role(self._tx, stored.id, role)  # type: ignore[arg-type]
        await users.apply(self._tx, stored, sealed, structs.replace(patch, email=email or UNSET))

    async def _create(self, new: Mapping[str, tuple[int, NewPerson]]) -> None:
        if self._dry_run:
            self.tally.created += len(new)
            return
        new = await self._refuse_overflow(new)
        created = await users.create_many(self._tx, [person for _, person in new.values()])
        self.tally.created += len(created)
        created_emails = {user.email for user in created}
        self._new_lines |= {user.id: new[user.email][0] for user in created}
        for email, (line, _) in new.items():
            if email not in created_emails:  # Another request created this person first.
                self._refuse(line, "email_exists", "email", None)

    async def _refuse_overflow(
        self, new: Mapping[str, tuple[int, NewPerson]]
    ) -> Mapping[str, tuple[int, NewPerson]]:
        """Refuses the last new people if the company's plan has no room for all. Returns the others."""
        overflow = await quotas.find_overflow(self._tx, len(new)) if new else None
        if overflow is None:
            return new
        items = list(new.items())
        for _, (line, _) in items[overflow[0] :]:
            self._refuse(line, "quota_exceeded", "email", None)
        return dict(items[: overflow[0]])

    def _refuse(self, line: int, code: str, member: str, person: PersonRow | None) -> None:
        value = "" if person is None or member.startswith(PREFIX) else str(getattr(person, member) or "")
        column = self._headers.get(member, "")
        self.problems.append(rows.problem(line, 0, column, code, rows.mask(member, value)))
        self.tally.refused += 1


def _check_privileges(stored: StoredUser, email: str | None, role: str | None) -> None:
    """Raises Refusal if a file would change the role or address of a privileged account. An address receives
    password links, so whoever controls the file could take the account over.
    """
    if role and stored.role == "admin":
        raise Refusal("privileged_user", "role")
    if email and (stored.role != "learner" or role):
        raise Refusal("privileged_user", "email")
    if role and role != "learner" and stored.address_unconfirmed:
        raise Refusal("address_unconfirmed", "role")


def _new_user(person: PersonRow, unit: UUID | None, custom: CheckedValues) -> NewUser:
    if person.email is None or person.name is None:
        raise Refusal("required", "email" if person.email is None else "name")
    members = {name: value for name in _PROFILE if (value := getattr(person, name)) is not None}
    if person.role:
        members["role"] = person.role
    return NewUser(email=person.email, business_unit_id=unit, custom_fields=custom or UNSET, **members)
