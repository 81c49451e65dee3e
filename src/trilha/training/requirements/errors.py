"""The error codes of requirements."""

from trilha.core.errors import codes, field_codes, register

register(
    "requirements",
    field_codes(
        invalid_rule="Use exactly one of all, any and not, or exactly field, op and value.",
        rule_too_deep="The rule has too many levels.",
        too_many_conditions="The rule has too many conditions.",
        personal_field="A rule cannot use a personal field, because rules are not sealed.",
        unknown_learning_group="There is no such learning group.",
        one_target="Set exactly one of course_id and learning_path_id.",
        one_due_date="Set exactly one of due_days and due_on.",
    ),
    codes("not_found", 404, requirement_not_found="There is no such requirement."),
    codes(
        "conflict", 409, custom_field_in_use="The rules of requirements use this field. Change them first."
    ),
)
