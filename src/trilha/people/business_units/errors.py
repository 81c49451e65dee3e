"""The error codes of business units."""

from trilha.core.errors import codes, register

register(
    "business_units",
    codes("not_found", 404, business_unit_not_found="There is no such business unit."),
    codes(
        "conflict",
        409,
        business_unit_code_exists="A business unit with this code already exists.",
        business_unit_below_itself="A business unit cannot be moved below itself.",
        business_unit_not_empty="The business unit still has people or units in it. Move them first.",
    ),
    codes(
        "business_rule",
        422,
        manager_not_gestor="Only people with the role gestor can manage a business unit.",
    ),
)
