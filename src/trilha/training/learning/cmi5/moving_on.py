"""Applies moveOn: what a unit, a block and the whole course structure have met, and what follows from it."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.training.learning.cmi5 import queries, rules
from trilha.training.learning.cmi5.schema import NodeKind, NodeProgress
from trilha.training.learning.cmi5.statements import StatementBuilder
from trilha.training.learning.completion import actions as completion
from trilha.training.learning.completion import queries as completion_queries
from trilha.training.learning.evidence import queries as evidence_queries
from trilha.training.learning.evidence.schema import LogHead
from trilha.training.learning.launches import queries as launch_queries
from trilha.training.learning.launches.schema import LoadedUnit
from trilha.training.scorm.runtime.mapping import State
from trilha.training.xapi.statements import NewStatement

Nodes = dict[tuple[NodeKind, str], NodeProgress]


async def load_nodes(tx: Tx, enrollment_id: UUID, package_id: UUID) -> Nodes:
    progress = await queries.list_progress(tx, enrollment_id, package_id)
    return {(each.kind, each.identifier): each for each in progress}


async def satisfy(
    tx: Tx,
    head: LogHead,
    loaded: LoadedUnit,
    nodes: Nodes,
    changed: Sequence[NodeProgress],
    built: StatementBuilder,
) -> list[NewStatement]:
    """Stores changed units, and the blocks and the course that they satisfy. Returns the statements about
    those. `nodes` are all that is stored.
    """
    now = Timestamp.of(tx.now)
    units = {item.identifier: item.unit for item in loaded.manifest.launchable() if item.unit}
    saved: list[NodeProgress] = []
    for node in changed:
        if node.satisfied_at is None and rules.is_met(units[node.identifier].move_on, node):
            node = structs.replace(node, satisfied_at=now)
        saved.append(node)
        nodes["AU", node.identifier] = node
    present = await _list_present(tx, head, loaded.package_id)
    satisfied = {
        identifier for (kind, identifier), node in nodes.items() if kind == "AU" and node.satisfied_at
    }
    statements = []
    for kind, identifier in rules.list_satisfied(loaded.manifest, satisfied, present.keys()):
        if (kind, identifier) not in nodes:
            node = NodeProgress(kind, identifier, satisfied_at=now)
            saved.append(node)
            nodes[kind, identifier] = node
            statements.append(built.build_satisfied(kind, identifier, loaded.package_id))
    if saved:
        await queries.save_progress(tx, head.enrollment_id, loaded.package_id, saved)
    return statements


async def _list_present(tx: Tx, head: LogHead, package_id: UUID) -> dict[str, UUID]:
    """Returns the modules of the course that show a unit of the package, by the unit's identifier."""
    modules = await launch_queries.list_modules(tx, head.course_id)
    return {
        module.content["item"]: module.id
        for module in modules
        if module.type == "CMI5" and module.content and module.content["package_id"] == str(package_id)
    }


async def satisfy_without_criteria(
    tx: Tx, head: LogHead, loaded: LoadedUnit, built: StatementBuilder
) -> list[NewStatement]:
    """Satisfies the units whose moveOn is NotApplicable, before the first of them is opened, and completes
    their modules (9.6.1.1).
    """
    nodes = await load_nodes(tx, head.enrollment_id, loaded.package_id)
    present = await _list_present(tx, head, loaded.package_id)
    changed = [
        NodeProgress("AU", item.identifier)
        for item in loaded.manifest.launchable()
        if item.unit
        and item.unit.move_on == "NotApplicable"
        and item.identifier in present
        and ("AU", item.identifier) not in nodes
    ]
    if not changed:
        return []
    statements = await satisfy(tx, head, loaded, nodes, changed, built)
    for node in changed:
        module_id = present[node.identifier]
        await completion_queries.start_module(tx, head.enrollment_id, module_id)
        state = State(completion="completed", progress=100.0)
        await completion.record_progress(tx, head, None, module_id, state)
        # Each step may have added entries to the log.
        head = await evidence_queries.lock_head(tx, head.enrollment_id)
    return statements
