"""The error codes of tenants."""

from trilha.core.errors import field_codes, register

register(
    "tenants",
    field_codes(
        unknown_time_zone="There is no such time zone.",
        logo_not_an_image="The file is not an image in PNG, JPEG or WebP.",
        logo_too_large="The file has more than 1 MB, or the image more than 4000 pixels on a side.",
        password_below_minimum="The password is shorter than the company asks for.",  # noqa: S106
    ),
)
