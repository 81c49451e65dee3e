"""The error codes of certificate templates."""

from trilha.core.errors import codes, field_codes, register

register(
    "certificate templates",
    field_codes(
        unknown_placeholder="There is no such placeholder.",
        too_little_contrast="The color is too light to be read on white.",
        picture_not_an_image="The file is not a PNG, JPEG or WebP image.",
        picture_too_large="The image has more than 1 MiB or 4000 pixels on a side.",
        picture_missing="The picture does not exist. Upload it first.",
        template_name_exists="Another template has this name.",
    ),
    codes("not_found", 404, template_not_found="There is no such certificate template."),
    codes("conflict", 409, template_archived="The template is archived."),
)
