"""The error codes of courses."""

from trilha.core.errors import codes, field_codes, register

register(
    "courses",
    field_codes(
        unknown_part="The package has no such part.",
        wrong_media_type="A module of this type does not show such a file.",
        text_too_complex="The text has too many cells of tables, or takes too long to be shown.",
        unknown_media_type="The file is no MP4 or WebM video, no WebVTT captions and no PDF.",
        media_too_large="The file is larger than 2 GiB.",
        document_unreadable="The PDF cannot be read, or asks for a password.",
        video_without_length="The video does not tell how long it is.",
        not_an_image="The file is no PNG, JPEG or WebP image.",
        image_too_large="The image has more than 10 MB, or too many pixels.",
    ),
    codes(
        "not_found",
        404,
        course_not_found="There is no such course.",
        module_not_found="There is no such module.",
        media_file_not_found="There is no such file.",
    ),
    codes("conflict", 409, course_slug_exists="A course with this slug exists."),
    codes(
        "business_rule",
        422,
        course_without_modules="A course needs a required module before it is published.",
        too_many_modules="A course has at most 500 modules.",
        course_is_draft="A draft has to be published first.",
        teacher_not_instrutor="Who teaches a course has the role instrutor.",
    ),
)
