"""The error codes of custom fields."""

from trilha.core.errors import codes, field_codes, register

register(
    "custom_fields",
    field_codes(
        unknown_custom_field="There is no custom field with this key.",
        choices_required="A field of the type choice needs at least one choice; other types take none.",
        invalid_key="A key has 1 to 40 lower-case letters, digits and underscores, and begins with a letter.",
    ),
    codes("not_found", 404, custom_field_not_found="There is no such custom field."),
    codes(
        "conflict",
        409,
        custom_field_exists="There is a custom field with this key.",
        too_many_custom_fields="A company has at most 50 custom fields.",
    ),
)
