"""The error codes of questions to instructors."""

from trilha.core.errors import codes, register

register(
    "learner questions",
    codes("not_found", 404, learner_question_not_found="There is no such question."),
    codes("conflict", 409, learner_question_closed="The question is closed."),
    codes(
        "business_rule",
        422,
        too_many_learner_questions="The person has too many questions that wait for an answer.",
        too_many_messages="The question has too many messages.",
        course_shares_no_questions="The course does not show questions to all of its learners.",
    ),
)
