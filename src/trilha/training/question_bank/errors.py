"""The error codes of the question bank."""

from trilha.core.errors import codes, field_codes, register

register(
    "question_bank",
    field_codes(
        unknown_question_format="The file is neither GIFT, Moodle XML nor a table of questions.",
        question_file_too_large="The file is larger than 5 MB or has more than 2,000 questions.",
        question_file_too_complex="The file takes too much time or memory to read.",
    ),
    codes(
        "not_found",
        404,
        bank_question_not_found="There is no such question in the bank.",
        question_import_not_found="There is no such import, or its file was removed after a day.",
    ),
    codes("business_rule", 422, question_bank_full="The question bank can have at most 20,000 questions."),
)
