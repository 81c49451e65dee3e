"""The error codes of courses."""

from trilha.core.errors import codes, field_codes, register

register(
    "courses",
    field_codes(
        unknown_part="The package has no such part.",
        wrong_media_type="A module of this type cannot show this file.",
        text_too_complex="The text has too many table cells, or takes too long to render.",
        unknown_media_type="The file is not an MP4 or WebM video, WebVTT captions or a PDF.",
        media_too_large="The file is larger than 2 GiB.",
        unknown_audio="The file is not an MP3, Ogg, MP4, WAV or WebM recording.",
        audio_too_large="The audio has more than 20 MiB.",
        document_unreadable="The PDF cannot be read or has a password.",
        video_without_length="The video file does not state its duration.",
        not_an_image="The file is not a PNG, JPEG or WebP image.",
        question_incomplete="The question lacks its text, a choice, or the right answer.",
        word_unreadable="The file is not a Word document (.docx), or it is damaged.",
        image_too_large="The image has more than 10 MB, or too many pixels.",
    ),
    codes(
        "not_found",
        404,
        course_not_found="There is no such course.",
        module_not_found="There is no such module.",
        media_file_not_found="There is no such file.",
        language_not_found="The platform does not offer this language, or the course is not in it.",
        lesson_version_not_found="There is no such version of this lesson.",
        module_import_not_found="There is no such import of a module, or it ended more than 30 days ago.",
    ),
    codes(
        "conflict",
        409,
        course_slug_exists="A course with this slug exists.",
        language_exists="The course is in this language already.",
        translation_changed="Somebody has changed these texts since you opened them.",
        too_many_imports="100 imports of modules are waiting or running. Wait until some of them have ended.",
        lesson_changed="Somebody has changed this lesson since you opened it.",
        lesson_draft_changed="This draft was saved in another window meanwhile.",
    ),
    codes(
        "business_rule",
        422,
        course_without_modules="A course needs a required module before it is published.",
        modules_without_minutes="The law asks for a workload: enter the minutes of every required module.",
        too_many_modules="A course can have at most 1,500 modules.",
        course_is_draft="A draft has to be published first.",
        teacher_not_instrutor="Only people with the role instrutor can teach a course.",
    ),
)
