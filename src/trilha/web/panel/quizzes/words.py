"""The texts about quizzes for authors."""

from trilha.kit import N_, say
from trilha.training.quizzes.schema import FeedbackLevel, Kind, Presentation

KINDS: dict[Kind, str] = {
    "single": N_("Single choice"),
    "multiple": N_("Multiple choice"),
    "true_false": N_("True or false"),
    "numeric": N_("Number"),
    "fill_in": N_("Short text"),
    "essay": N_("Essay"),
    "voice": N_("Voice answer"),
}
HINTS: dict[Kind, str] = {
    "single": N_("One of several choices is right."),
    "multiple": N_("All right choices have to be ticked, and no other."),
    "true_false": N_("A sentence that is true or false."),
    "numeric": N_("A number, with a tolerance if you like."),
    "fill_in": N_("A word or a few, compared with those you accept."),
    "essay": N_("A longer text; an instructor reads and grades it."),
    "voice": N_("Recorded in the browser; an instructor listens and grades it."),
}
SIGNS: dict[Kind, str] = {
    "single": "circle-dot",
    "multiple": "square-check",
    "true_false": "toggle-left",
    "numeric": "hash",
    "fill_in": "text-cursor-input",
    "essay": "notebook-pen",
    "voice": "mic",
}
FEEDBACK: dict[FeedbackLevel, str] = {
    "never": N_("Nothing but the score"),
    "result": N_("Which answers were right, and your comments"),
    "answers": N_("The right answers too"),
}
PRESENTATIONS: dict[Presentation, str] = {
    "one": N_("One question a screen"),
    "all": N_("All questions on one page"),
}
say(
    invalid_number=N_("Enter a number, such as 2,5."),
    one_right_choice=N_("Mark one choice as the right one."),
    no_right_choice=N_("Mark at least one choice as right."),
    duplicate_choice=N_("Write each choice once."),
    unknown_pool=N_("Choose a pool that the quiz has."),
    too_many_questions=N_("A quiz can have at most 500 questions."),
)
QUESTION_SENTENCES = {
    "out_of_range": N_("Enter a number within the limits."),
    "required": N_("Fill in this field."),
}
DRAW_SENTENCES = {
    "out_of_range": N_("Enter a number within the limits."),
    "required": N_("Fill in this field."),
    "too_long": N_("A quiz draws with at most 10 tags. Change or remove one in the quiz settings."),
}
SETTINGS_SENTENCES = {
    "out_of_range": N_("Enter a number within the limits."),
    "too_short": N_("Fill in this field."),
}
