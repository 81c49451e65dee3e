"""/v1/courses/{id}/modules: adds, changes, moves and removes modules."""

from typing import Any
from uuid import UUID

from msgspec import UNSET, UnsetType, structs

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.lists import fetch_page
from trilha.core.outbound.guard import Guard
from trilha.core.web.answers import AcceptedResult
from trilha.core.web.pagination import ListQuery, Page
from trilha.core.web.routes import MIB, Envelope, Routes
from trilha.training.courses import media, module_actions, module_queries, queries, quiz_actions
from trilha.training.courses.article_pages import ArticlePages
from trilha.training.courses.imports import actions as imports
from trilha.training.courses.imports.files import ImportFile, keep_upload
from trilha.training.courses.imports.schema import ModuleImport, ModuleUpload
from trilha.training.courses.lists import MODULES
from trilha.training.courses.schema import (
    AuthoredModule,
    Module,
    ModuleCreate,
    ModuleMove,
    ModulePatch,
    ModuleUpdate,
    NewModule,
    build_checklist,
    read_checklist,
)
from trilha.training.quizzes.schema import NewQuiz, QuizSettings

routes = Routes("Modules", "The contents of a course.")
_CHECKLIST = ("items", "qualification")


@routes.get("/courses/{course_id}/modules", scope=Scope.COURSES_READ, errors=["course_not_found"])
async def list_modules(tx: Tx, course_id: UUID, query: ListQuery) -> Page[Module]:
    """List a course's modules in the order in which learners take them."""
    await queries.get(tx, course_id)
    return await fetch_page(tx, MODULES, query, course_id)


@routes.post(
    "/courses/{course_id}/modules",
    scope=Scope.COURSES_WRITE,
    status=201,
    max_body=2 * MIB,
    max_upload=media.MAX_BYTES + MIB,
    prepare=keep_upload,
    progress="/module-imports/{id}",
    errors=[
        "course_not_found",
        "too_many_modules",
        "text_too_complex",
        "one_right_choice",
        "no_right_choice",
        "duplicate_choice",
        "unknown_pool",
        "too_many_imports",
        "quota_exceeded",
        "invalid_url",
        "https_required",
        "port_not_allowed",
        "address_not_allowed",
        "wrong_media_type",
        "document_unreadable",
        "video_without_length",
        "media_too_large",
        "package_too_large",
    ],
)
async def create_module(
    tx: Tx,
    course_id: UUID,
    data: ModuleCreate | None,
    form: ModuleUpload | None,
    prepared: ImportFile | None,
    texts: ArticlePages,
    guard: Guard,
) -> Envelope[Module] | AcceptedResult[Envelope[ModuleImport]]:
    """Add a module as the last one of a course. An article, a quiz, a class or a practice is added at
    once. A package, a document or a video is imported: the answer is the import, and its modules follow.
    """
    if form is not None:
        assert prepared is not None
        return AcceptedResult(Envelope(await imports.start_with_file(tx, course_id, form, prepared)))
    assert data is not None
    if data.source_url is not None:
        return AcceptedResult(Envelope(await imports.start_with_url(tx, course_id, data, guard)))
    return Envelope(await _add_text(tx, course_id, data, texts))


async def _add_text(tx: Tx, course_id: UUID, data: ModuleCreate, texts: ArticlePages) -> Module:
    """Adds an article, a quiz, a class or a practice."""
    names = ("title", "duration_minutes", "required", "workload_kind", "delivery")
    members = {name: getattr(data, name) for name in names}
    if data.type == "QUIZ":
        quiz = NewQuiz(
            **structs.asdict(data.quiz or QuizSettings()), questions=[each.build() for each in data.questions]
        )
        module = await quiz_actions.add(tx, course_id, NewModule(**members), quiz)
        return await module_queries.get_public(tx, module.id)
    if data.type == "CLASS":
        new = NewModule(**members, type="CLASS", presence_percent=data.presence_percent)
        (module,) = await module_actions.add(tx, course_id, [new])
        return await module_queries.get_public(tx, module.id)
    if data.type == "PRACTICE":
        content = build_checklist(data.items, data.qualification)
        (module,) = await module_actions.add(
            tx, course_id, [NewModule(**members, type="PRACTICE", content=content)]
        )
        return await module_queries.get_public(tx, module.id)
    (module,) = await module_actions.add(tx, course_id, [NewModule(**members, body=data.body)])
    await texts.save(tx, module.id, data.body or "")
    return await module_queries.get_public(tx, module.id)


def _change_checklist(module: AuthoredModule, data: ModuleUpdate) -> dict[str, Any] | UnsetType:
    """Returns the content of a practical module with what an update changes of its checklist. Raises
    Invalid.
    """
    changed = [name for name in _CHECKLIST if getattr(data, name) is not UNSET]
    if not changed:
        return UNSET
    if module.type != "PRACTICE":
        raise invalid(changed[0], "invalid_value")
    before = read_checklist(module.content)
    qualification = before.qualification if data.qualification is UNSET else data.qualification
    if data.items is UNSET:
        return {**(module.content or {}), "qualification": qualification}
    return build_checklist(data.items, qualification, {each.id for each in before.items})


@routes.patch(
    "/courses/{course_id}/modules/{module_id}",
    scope=Scope.COURSES_WRITE,
    max_body=2 * MIB,
    errors=["course_not_found", "module_not_found", "course_without_modules", "text_too_complex"],
)
async def update_module(
    tx: Tx, course_id: UUID, module_id: UUID, data: ModuleUpdate, texts: ArticlePages
) -> Envelope[Module]:
    """Change a module. A published course keeps at least one required module."""
    members = {name: getattr(data, name) for name in data.__struct_fields__ if name not in _CHECKLIST}
    await queries.lock(tx, course_id)
    before = await module_queries.get(tx, course_id, module_id)
    patch = ModulePatch(**members, content=_change_checklist(before, data))
    after = await module_actions.change(tx, course_id, module_id, patch)
    if (after.body or "") != (before.body or ""):
        await texts.save(tx, module_id, after.body or "")
    return Envelope(await module_queries.get_public(tx, module_id))


@routes.delete(
    "/courses/{course_id}/modules/{module_id}",
    scope=Scope.COURSES_WRITE,
    status=204,
    errors=["course_not_found", "module_not_found", "course_without_modules"],
)
async def delete_module(tx: Tx, course_id: UUID, module_id: UUID) -> None:
    """Remove a module from its course. What learners did in it stays as evidence."""
    await module_actions.remove(tx, course_id, module_id)


@routes.post(
    "/courses/{course_id}/modules/{module_id}/move",
    scope=Scope.COURSES_WRITE,
    errors=["course_not_found", "module_not_found"],
)
async def move_module(tx: Tx, course_id: UUID, module_id: UUID, data: ModuleMove) -> Envelope[Module]:
    """Move a module to another place in its course. The other modules keep their order."""
    await module_actions.move(tx, course_id, module_id, data.position)
    return Envelope(await module_queries.get_public(tx, module_id))
