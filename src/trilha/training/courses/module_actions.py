"""Changes to the modules of a course. A change without effect emits no event."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from msgspec import UNSET, Struct, structs

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, invalid
from trilha.core.types import Title
from trilha.platform.events.catalogue import CourseUpdated
from trilha.platform.events.outbox import emit
from trilha.training.courses import module_queries, queries, rules
from trilha.training.courses.contents import ContentCheck, get_type
from trilha.training.courses.contents import parts as list_parts
from trilha.training.courses.lessons import queries as lessons
from trilha.training.courses.minutes import estimate
from trilha.training.courses.schema import (
    PACKAGED_TYPES,
    AuthoredModule,
    ModulePatch,
    NewModule,
    OutlinedModule,
)

# The members that hold what an author chose, by the columns that store it.
_CHOICES = {"workload_kind": "chosen_workload_kind", "delivery": "chosen_delivery"}


async def add(tx: Tx, course_id: UUID, modules: Sequence[NewModule]) -> list[OutlinedModule]:
    """Appends modules. Raises NotFound, and what `ContentCheck.check` raises."""
    await queries.lock(tx, course_id)
    if not modules:
        return []
    made = await insert(tx, course_id, modules)
    await tell(tx, course_id)
    return made


async def insert(tx: Tx, course_id: UUID, modules: Sequence[NewModule]) -> list[OutlinedModule]:
    """Adds modules as `add` does, for a course that is being created."""
    await _check_count(tx, course_id, len(modules))
    check = ContentCheck(tx).check
    checked = [structs.replace(each, content=await check(each)) for each in modules]
    ids = set(await module_queries.insert(tx, course_id, checked))
    await _estimate_minutes(tx, course_id)
    return [each for each in await module_queries.list_all(tx, course_id) if each.id in ids]


async def _check_count(tx: Tx, course_id: UUID, added: int) -> None:
    """Raises BusinessRule (too_many_modules)."""
    if added and await module_queries.count(tx, course_id) + added > rules.MAX_MODULES:
        raise BusinessRule("too_many_modules")


async def change(tx: Tx, course_id: UUID, module_id: UUID, patch: ModulePatch) -> AuthoredModule:
    """Raises NotFound, BusinessRule (course_without_modules), and what `ContentCheck.check` raises."""
    await queries.lock(tx, course_id)
    module = await module_queries.get(tx, course_id, module_id)
    values = {
        name: value
        for name in patch.__struct_fields__
        if name != "duration_minutes"
        and (value := getattr(patch, name)) is not UNSET
        and value != getattr(module, _CHOICES.get(name, name))
    }
    if module.type == "ARTICLE" and "body" in values and not values["body"] and not module.body:
        del values["body"]
    if "presence_percent" in values and module.type != "CLASS":
        raise invalid("presence_percent", "invalid_value")
    if {"content", "body"} & set(values):
        values |= await _check_content(tx, module, values)
        values = {
            name: value
            for name, value in values.items()
            if value != getattr(module, _CHOICES.get(name, name))
        }
    values |= _settle_minutes(module, patch)
    if not values:
        return module
    if "body" in values:
        await _add_version(tx, module_id, values["body"] or "")
    await module_queries.update(tx, module_id, values)
    if {"duration_minutes", "required", "presence_percent"} & set(values):
        await queries.note_change(tx, course_id)
    await _check_published(tx, course_id)
    await tell(tx, course_id)
    return await module_queries.get(tx, course_id, module_id)


async def _add_version(tx: Tx, module_id: UUID, body: str) -> None:
    """Stores Markdown from an import or another program as a version, so that authors who have the lesson
    open notice it.
    """
    await lessons.keep_original(tx, module_id)
    head = await lessons.find_head(tx, module_id)
    number = head.number + 1 if head else 1
    await lessons.insert_version(tx, module_id, number, body=body)
    await lessons.prune_versions(tx, module_id, number)


def _settle_minutes(module: AuthoredModule, patch: ModulePatch) -> dict[str, Any]:
    """Returns what a patch changes of the minutes and of whether they are estimated."""
    if patch.duration_minutes is UNSET:
        return {}
    typed = patch.duration_minutes
    estimated = typed is None and module.type not in ("SCORM", "CMI5", "CLASS", "PRACTICE")
    wanted = {"duration_minutes": typed or 0, "minutes_estimated": estimated}
    if estimated and module.minutes_estimated:
        return {}  # `tell` estimates them anew
    return {name: value for name, value in wanted.items() if value != getattr(module, name)}


async def _estimate_minutes(tx: Tx, course_id: UUID) -> None:
    """Estimates anew the minutes that no author has entered."""
    measures = await module_queries.load_measures(tx, course_id)
    if not measures:
        return
    modules = [each for each in await module_queries.list_all(tx, course_id) if each.id in measures]
    estimates = {each.id: estimate(each.type, measures[each.id]) for each in modules}
    changed = {each.id: estimates[each.id] for each in modules if each.duration_minutes != estimates[each.id]}
    if changed:
        await module_queries.set_minutes(tx, changed)
        await queries.note_change(tx, course_id)


async def _check_content(tx: Tx, module: AuthoredModule, values: dict[str, Any]) -> dict[str, Any]:
    members = {name: values.get(name, getattr(module, name)) for name in ("body", "content")}
    whole = NewModule(title=Title.fit(module.title), duration_minutes=0, type=module.type, **members)
    return {"content": await ContentCheck(tx).check(whole)}


async def move(tx: Tx, course_id: UUID, module_id: UUID, position: int) -> None:
    """Moves a module to a position that counts from 1; a position past the end means last. Raises
    NotFound.
    """
    await queries.lock(tx, course_id)
    module = await module_queries.get(tx, course_id, module_id)
    order = [each.id for each in await module_queries.list_all(tx, course_id)]
    wanted = rules.move(order, module.id, position)
    if wanted != order:
        await module_queries.set_order(tx, course_id, wanted)
        await tell(tx, course_id)


async def remove(tx: Tx, course_id: UUID, module_id: UUID) -> None:
    """Removes a module from the course; learning records about it are kept.

    Raises NotFound, and BusinessRule (course_without_modules).
    """
    await queries.lock(tx, course_id)
    await module_queries.get(tx, course_id, module_id)
    await _remove(tx, course_id, [module_id])
    await _check_published(tx, course_id)
    await tell(tx, course_id)


async def package_modules(
    tx: Tx, package_id: UUID, minutes: int, required: bool = True, **members: Any
) -> list[NewModule]:
    """Builds one module for each part of a package and shares the minutes among them. All have `members`.

    Raises NotFound, and Conflict (package_not_ready).
    """
    parts = await list_parts(tx, package_id)
    return [
        NewModule(
            title=Title.fit(part.title or part.identifier),
            type=get_type(part),
            duration_minutes=share,
            required=required,
            content={"package_id": str(package_id), "item": part.identifier},
            **members,
        )
        for part, share in zip(parts, rules.shares(minutes, len(parts)), strict=True)
    ]


class Replacement(Struct, frozen=True):
    """What a new version of a package changes: the titles of modules, in the order of the course.

    `items` are the parts that the remaining modules will show.
    """

    kept: Sequence[OutlinedModule]
    added: Sequence[NewModule]
    removed: Sequence[OutlinedModule]
    items: Mapping[UUID, str]


async def plan_replacement(tx: Tx, course_id: UUID, old_id: UUID, new_id: UUID) -> Replacement:
    """Returns what `replace_package` would do. Raises NotFound, and Conflict (package_not_ready)."""
    modules = await module_queries.list_all(tx, course_id)
    shown = {each.id: each.content["item"] for each in modules if _is_of(each, old_id)}
    fresh = await package_modules(tx, new_id, 0)
    if old_id == new_id or not shown:
        return Replacement([], [], [], {})
    items = rules.successors(shown, [each.content["item"] for each in fresh if each.content])
    return Replacement(
        kept=[each for each in modules if each.id in items],
        added=[each for each in fresh if each.content and each.content["item"] not in items.values()],
        removed=[each for each in modules if each.id in shown and each.id not in items],
        items=items,
    )


async def replace_package(tx: Tx, course_id: UUID, old_id: UUID, new_id: UUID) -> None:
    """Replaces a package by another version. Parts that it still has keep their module, new parts are added
    after these, and modules of missing parts are removed.

    Raises NotFound, Conflict (package_not_ready), and BusinessRule (course_without_modules,
    too_many_modules).
    """
    await queries.lock(tx, course_id)
    plan = await plan_replacement(tx, course_id, old_id, new_id)
    before = [each.id for each in await module_queries.list_all(tx, course_id)]
    shown = {each.id for each in (*plan.kept, *plan.removed)}
    if not shown:
        return
    contents = {
        module.id: (module.content or {}) | {"package_id": str(new_id), "item": plan.items[module.id]}
        for module in plan.kept
    }
    await module_queries.update_contents(tx, contents)
    await _check_count(tx, course_id, len(plan.added) - len(plan.removed))
    added = await module_queries.insert(tx, course_id, plan.added) if plan.added else []
    place = max(n for n, each in enumerate(before) if each in shown) + 1
    await module_queries.set_order(tx, course_id, [*before[:place], *added, *before[place:]])
    await _remove(tx, course_id, [each.id for each in plan.removed])
    await _check_published(tx, course_id)
    await tell(tx, course_id)


def _is_of(module: OutlinedModule, package_id: UUID) -> bool:
    return (
        module.type in PACKAGED_TYPES
        and bool(module.content)
        and module.content["package_id"] == str(package_id)
    )


async def _remove(tx: Tx, course_id: UUID, module_ids: Sequence[UUID]) -> None:
    if module_ids:
        await module_queries.remove(tx, module_ids)
        await queries.note_change(tx, course_id)
        left = [each.id for each in await module_queries.list_all(tx, course_id)]
        await module_queries.set_order(tx, course_id, left)


async def _check_published(tx: Tx, course_id: UUID) -> None:
    """Ensures that a published course keeps a required module."""
    course = await queries.get(tx, course_id)
    if course.status == "PUBLISHED" and not any(
        each.required for each in await module_queries.list_all(tx, course_id)
    ):
        raise BusinessRule("course_without_modules")


async def tell(tx: Tx, course_id: UUID) -> None:
    """Emits `course.updated`, notes that the course's content has changed, and estimates minutes anew."""
    await _estimate_minutes(tx, course_id)
    course = await queries.update(tx, course_id, {})
    await emit(tx, CourseUpdated(course_id=course.id, slug=course.slug, status=course.status))
