"""Error codes of tenants."""

from trilha.core.errors import codes, field_codes, register

register(
    "tenants",
    codes("not_found", 404, tenant_not_found="There is no tenant with this slug."),
    field_codes(
        unknown_time_zone="The time zone does not exist. Use an IANA name such as America/Sao_Paulo.",
        logo_not_an_image="The file must be a PNG, JPEG or WebP image.",
        logo_too_large="The file must be at most 1 MB, and the image at most 4000 pixels on each side.",
        password_below_minimum="The password is shorter than the minimum length set by the company.",  # noqa: S106
    ),
)
