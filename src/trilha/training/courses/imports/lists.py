"""The list of imports of modules."""

from trilha.core.lists import List, equal
from trilha.training.courses.imports.schema import ModuleImport

_REPORT = "(SELECT report FROM packages WHERE tenant_id = :tenant AND id = row.id)"
IMPORTS = List(
    name="module-imports",
    table="module_imports",
    kind=ModuleImport,
    columns={"report": _REPORT},
    filters={"course_id": equal("course_id", "created_at"), "status": equal("status", "created_at")},
)
