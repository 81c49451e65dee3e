"""Creates and updates many users with a fixed number of statements."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import asyncpg
from msgspec import UNSET, Struct, structs

from trilha.core.database import Tx
from trilha.core.errors import CODES, ApiError, Conflict, Invalid, invalid
from trilha.core.passwords import HashedPassword
from trilha.core.web.parsing import convert_json
from trilha.people.custom_fields import queries as custom_fields
from trilha.people.custom_fields import values as custom_values
from trilha.people.custom_fields.schema import CustomField
from trilha.people.users import actions, bulk_queries, queries, rules, sealing
from trilha.people.users.actions import NewPerson
from trilha.people.users.bulk_schema import BulkUser, BulkUserError, BulkUsersResult
from trilha.people.users.documents import cpf_fingerprint
from trilha.people.users.schema import NewUser, StoredUser, User, UserPatch
from trilha.platform.events.catalogue import UserCreated, UserUpdated
from trilha.platform.events.event import Event
from trilha.platform.events.outbox import emit
from trilha.platform.tenants import queries as tenants
from trilha.platform.tenants.quotas import actions as quotas

_TOGETHER = 50  # items processed before other requests get a turn
_TRIES = 3
_PATCHED_MEMBERS = tuple(UserPatch.__struct_fields__)
# The member to report for codes that belong to no single member.
_FIELDS = {"email_exists": "email", "cpf_exists": "cpf", "privileged_user": "email"}


class _Change(Struct, frozen=True):
    """Changes to one user: the changed members, and the columns to write."""

    user: User
    changed: Sequence[str]
    columns: Mapping[str, Any]


async def put(
    tx: Tx, items: Sequence[Mapping[str, Any]], passwords: Mapping[int, HashedPassword], *, invite: bool
) -> BulkUsersResult:
    """Treats each item like `actions.create` or `actions.update`. `passwords` are hashed, by index."""
    for attempt in range(1, _TRIES + 1):
        try:
            async with tx.savepoint():
                return await _Bulk(tx, passwords, invite=invite).put(items)
        except asyncpg.UniqueViolationError:
            # Another transaction took an address or a CPF after our lookup. The next attempt will see it.
            if attempt == _TRIES:
                raise
    raise AssertionError


class _Bulk:
    """Processes one call's items, once, keeping track of what earlier items claimed."""

    def __init__(self, tx: Tx, passwords: Mapping[int, HashedPassword], *, invite: bool) -> None:
        self._tx = tx
        self._passwords = passwords
        self._invite = invite
        self._errors: list[BulkUserError] = []
        self._ids: dict[int, UUID] = {}
        self._by_email: dict[str, StoredUser] = {}
        self._by_number: dict[str, list[StoredUser]] = defaultdict(list)
        self._cpf_owners: dict[bytes, UUID] = {}
        self._units: set[UUID] = set()
        self._fields: Mapping[str, CustomField] = {}
        self._company_names: list[str] = []
        # Users and unique values (address, number, CPF) of earlier items.
        self._taken: set[object] = set()
        self._new: dict[int, NewPerson] = {}
        self._changes: dict[int, _Change] = {}

    async def put(self, items: Sequence[Mapping[str, Any]]) -> BulkUsersResult:
        parsed = await self._read(items)
        await self._load(list(parsed.values()))
        for index, item in parsed.items():
            if index % _TOGETHER == 0:
                await asyncio.sleep(0)  # Let other requests run.
            try:
                self._plan(index, item)
            except ApiError as error:
                self._refuse(index, error)
        events = [*await self._update(), *await self._create()]
        await emit(self._tx, *events)
        failed = len(self._errors)
        return BulkUsersResult(
            len(self._new),
            len(self._changes),
            len(items) - len(self._new) - len(self._changes) - failed,
            failed,
            sorted(self._errors, key=lambda error: error.index),
            [self._ids.get(index) for index in range(len(items))],
        )

    async def _read(self, items: Sequence[Mapping[str, Any]]) -> dict[int, BulkUser]:
        parsed = {}
        for index, raw in enumerate(items):
            if index % _TOGETHER == 0:
                await asyncio.sleep(0)
            try:
                parsed[index] = _check(convert_json(BulkUser, raw, self._tx.today))
            except ApiError as error:
                self._refuse(index, error)
        return parsed

    async def _load(self, items: Sequence[BulkUser]) -> None:
        """Loads and locks all stored rows that the items touch."""
        emails = [item.email for item in items if item.email]
        numbers = [item.employee_number for item in items if item.employee_number]
        for stored in await bulk_queries.lock_people(self._tx, emails, numbers):
            self._by_email[stored.email] = stored
            if stored.employee_number:
                self._by_number[stored.employee_number].append(stored)
        fingerprints = [cpf_fingerprint(self._tx, item.cpf) for item in items if item.cpf]
        if fingerprints:
            self._cpf_owners = await bulk_queries.owners_of_cpfs(self._tx, fingerprints)
        self._fields = await custom_fields.load_fields(
            self._tx, {key: None for item in items if item.custom_fields for key in item.custom_fields}
        )
        if any(item.password for item in items):
            self._company_names = await tenants.list_names(self._tx)
        if units := {item.business_unit_id for item in items if item.business_unit_id}:
            self._units = await bulk_queries.lock_units(self._tx, list(units))

    def _plan(self, index: int, item: BulkUser) -> None:
        stored = self._match(item)
        self._check_email(item, stored)
        self._check_cpf(item, stored)
        if item.business_unit_id and item.business_unit_id not in self._units:
            raise invalid("business_unit_id", "unknown_business_unit")
        if item.custom_fields is not UNSET:
            checked = custom_values.check(item.custom_fields, self._fields)
            item = structs.replace(item, custom_fields=checked)
        if stored is None:
            if item.password:
                rules.check_not_a_name(item.password, self._company_names)
            self._new[index] = NewPerson(_new_user(item), self._passwords.get(index))
        else:
            self._ids[index] = stored.id
            if (change := self._change(stored, item)) is not None:
                self._changes[index] = change
        self._taken |= {stored and stored.id, *self._keys(item)}

    def _match(self, item: BulkUser) -> StoredUser | None:
        """Finds the user by employee number, else by e-mail address. Raises Conflict."""
        candidates = self._by_number.get(item.employee_number or "", [])
        if len(candidates) > 1:
            raise Conflict("ambiguous_employee_number")
        stored = candidates[0] if candidates else self._by_email.get(item.email or "")
        number = ("employee_number", item.employee_number)
        by_email = bool(item.email) and ("email", item.email) in self._taken
        is_known = stored.id in self._taken if stored else by_email
        if is_known or (item.employee_number and number in self._taken):
            raise Conflict("duplicate_item")
        return stored

    def _keys(self, item: BulkUser) -> set[object]:
        """Returns the values that must be unique within a call."""
        fingerprint = cpf_fingerprint(self._tx, item.cpf) if item.cpf else None
        return {
            ("email", item.email),
            ("employee_number", item.employee_number),
            ("cpf", fingerprint),
        }

    def _check_email(self, item: BulkUser, stored: StoredUser | None) -> None:
        if not item.email or (stored is not None and stored.email == item.email):
            return
        if stored is not None:
            actions.check_address_may_change(stored)
        if (owner := self._by_email.get(item.email)) is not None:
            raise Conflict("email_exists", existing_user_id=owner.id)
        if ("email", item.email) in self._taken:
            raise Conflict("email_exists")

    def _check_cpf(self, item: BulkUser, stored: StoredUser | None) -> None:
        if not item.cpf:
            return
        fingerprint = cpf_fingerprint(self._tx, item.cpf)
        owner = self._cpf_owners.get(fingerprint)
        if owner is not None and (stored is None or owner != stored.id):
            raise Conflict("cpf_exists", existing_user_id=owner)
        if ("cpf", fingerprint) in self._taken:
            raise Conflict("cpf_exists")

    def _change(self, stored: StoredUser, item: BulkUser) -> _Change | None:
        patch = UserPatch(**{name: getattr(item, name) for name in _PATCHED_MEMBERS})
        sealed = {name: getattr(stored, f"{name}_sealed") for name in (*sealing.DOCUMENTS, "custom_fields")}
        changed = actions.list_changed_members(self._tx, stored, sealed, patch)
        columns = actions.columns(self._tx, stored, sealed, patch, changed)
        return _Change(stored, changed, columns) if changed else None

    async def _update(self) -> list[Event]:
        changes = list(self._changes.values())
        if not changes:
            return []
        moved = [change.user.id for change in changes if "email" in change.changed]
        if moved:
            await actions.leave_addresses(self._tx, moved)
        written = await bulk_queries.update_many(
            self._tx, {change.user.id: change.columns for change in changes}
        )
        for index, change in list(self._changes.items()):
            if change.user.id not in written:
                del self._changes[index], self._ids[index]
                self._refuse(index, Conflict("user_erased"))
        return [
            UserUpdated(user_id=change.user.id, changed=list(change.changed))
            for change in self._changes.values()
        ]

    async def _create(self) -> list[Event]:
        await self._refuse_overflow()
        created = await actions.insert_many(self._tx, list(self._new.values()), invite=self._invite)
        by_email = {user.email: user for user in created}
        for index, person in list(self._new.items()):
            if (user := by_email.get(person.user.email)) is not None:
                self._ids[index] = user.id
            else:  # another request created this user first
                del self._new[index]
                taken = await queries.has_email(self._tx, person.user.email)
                self._refuse(index, Conflict("email_exists" if taken else "cpf_exists"))
        return [UserCreated(user_id=user.id, role=user.role, status=user.status) for user in created]

    async def _refuse_overflow(self) -> None:
        """Refuses the last new users if the company's plan has no room for all."""
        overflow = await quotas.find_overflow(self._tx, len(self._new)) if self._new else None
        if overflow is not None:
            for index in list(self._new)[overflow[0] :]:
                del self._new[index]
                self._refuse(index, overflow[1])

    def _refuse(self, index: int, error: ApiError) -> None:
        detail = UNSET if isinstance(error, Invalid) else error.detail or UNSET
        field = error.field or _FIELDS.get(error.code)
        self._errors.append(BulkUserError(index, field, error.code, CODES[error.code].message, detail))


def _check(item: BulkUser) -> BulkUser:
    """Raises Invalid (required) if the item has neither address nor number."""
    if not item.email and not item.employee_number:
        raise invalid("email", "required")
    return item


def _new_user(item: BulkUser) -> NewUser:
    """Raises Invalid (required)."""
    for name in ("email", "name"):
        if getattr(item, name) is UNSET:
            raise invalid(name, "required")
    members = {name: value for name, value in structs.asdict(item).items() if value is not UNSET}
    return NewUser(**members)
