"""Waives units: a person who need not take a module has met its moveOn (cmi5 9.3.7)."""

from uuid import UUID, uuid4

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.errors import Conflict, NotFound
from trilha.core.types import Line, Timestamp
from trilha.platform.audit import queries as audit
from trilha.training.enrollments import actions as enrollments
from trilha.training.enrollments import queries as enrollment_queries
from trilha.training.enrollments.schema import EnrollmentStatus
from trilha.training.learning.attempts import queries as attempt_queries
from trilha.training.learning.cmi5 import moving_on
from trilha.training.learning.cmi5.schema import NodeProgress
from trilha.training.learning.cmi5.statements import StatementBuilder, build_activity_id
from trilha.training.learning.completion import actions as completion
from trilha.training.learning.completion import queries as completion_queries
from trilha.training.learning.evidence import log
from trilha.training.learning.evidence import queries as evidence_queries
from trilha.training.learning.launches import queries as launch_queries
from trilha.training.learning.launches import units
from trilha.training.scorm.runtime.mapping import State
from trilha.training.xapi import actions as xapi
from trilha.training.xapi.actions import Submission


class Reason(Line):
    __slots__ = ()
    shortest = 1
    longest = 500


async def waive(tx: Tx, enrollment_id: UUID, module_id: UUID, reason: Reason, base: str) -> None:
    """Waives the unit of a module for one enrollment.

    Raises NotFound (enrollment_not_found, module_not_found) and Conflict (module_not_waivable,
    already_waived, enrollment_expired).
    """
    enrollment = await enrollment_queries.get(tx, enrollment_id)
    if enrollment.status == EnrollmentStatus.EXPIRED:
        raise Conflict("enrollment_expired")
    await evidence_queries.lock_head(tx, enrollment_id)
    await enrollments.start(tx, enrollment_id)
    head = await evidence_queries.lock_head(tx, enrollment_id)
    modules = await launch_queries.list_modules(tx, head.course_id)
    module = next((each for each in modules if each.id == module_id), None)
    if module is None:
        raise NotFound("module_not_found")
    if module.type != "CMI5":
        raise Conflict("module_not_waivable")
    last = await attempt_queries.find_last_attempt(tx, enrollment_id, module_id)
    loaded = await units.load_unit(tx, module, last.attempt if last else None)
    nodes = await moving_on.load_nodes(tx, enrollment_id, loaded.package_id)
    identifier = loaded.item.identifier
    before = nodes.get(("AU", identifier), NodeProgress("AU", identifier))
    if before.waived_at is not None:
        raise Conflict("already_waived")
    built = StatementBuilder(base, head.user_id, enrollment_id, uuid4(), tx.now)
    waived = structs.replace(before, waived_at=Timestamp.of(tx.now))
    more = await moving_on.satisfy(tx, head, loaded, nodes, [waived], built)
    await completion_queries.start_module(tx, enrollment_id, module_id)
    head = await log.append(tx, head, "commit", None, outcome="WAIVED", module=module_id, reason=str(reason))
    state = State(completion="completed", progress=100.0)
    await completion.record_progress(tx, head, None, module_id, state)
    await audit.record(tx, "enrollment.module_waived", enrollment_id, module.title, reason=str(reason))
    statement = built.build_waived(build_activity_id(base, module_id), identifier, str(reason))
    await xapi.record(tx, [Submission([statement, *more])])
