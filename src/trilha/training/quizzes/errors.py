"""The error codes of quizzes."""

from trilha.core.errors import codes, field_codes, register

register(
    "quizzes",
    field_codes(
        invalid_number="The value is not a number.",
        one_right_choice="Mark exactly one choice as correct.",
        no_right_choice="Mark at least one choice as correct.",
        duplicate_choice="Two choices have the same text.",
        unknown_pool="The quiz has no questions in this pool.",
    ),
    codes(
        "not_found",
        404,
        quiz_not_found="There is no such quiz.",
        question_not_found="There is no such question.",
    ),
    codes("business_rule", 422, too_many_questions="A quiz can have at most 500 questions."),
)
