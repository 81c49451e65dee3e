"""What can be done to selected questions of learners."""

from trilha.access.permissions.roles import Permission
from trilha.core.database import Tx
from trilha.kit import N_, NN_
from trilha.training.learner_questions import actions
from trilha.training.learner_questions.lists import QUESTIONS
from trilha.training.learner_questions.schema import ListedQuestion
from trilha.web.panel.bulk.actions import BulkAction, Context, Targets, declare, one_by_one
from trilha.web.panel.courses.bulk import find_teacher

TARGETS = Targets(
    QUESTIONS, lambda row: f"{row.user_name}, {row.course_title}", lambda context: find_teacher(context.reach)
)


def _skip_closed(context: Context, row: ListedQuestion) -> str | None:
    if row.user_id == context.user_id and not context.reach.is_everyone:
        return "yourself"
    return "learner_question_closed" if row.state == "CLOSED" else None


async def _close(tx: Tx, context: Context, row: ListedQuestion) -> None:
    await actions.close(tx, row.id)


CLOSE = declare(
    BulkAction(
        name="learner-questions/close",
        targets=TARGETS,
        permission=Permission.COURSES_WRITE,
        label=N_("Close questions"),
        icon="lock",
        question=NN_("Close %(num)s question?", "Close %(num)s questions?"),
        consequence=N_("No more messages can follow. Learners who have no answer get none."),
        button=N_("Close questions"),
        done=NN_("%(num)s question was closed.", "%(num)s questions were closed."),
        skip=_skip_closed,
        act=one_by_one(_close),
    )
)
ACTIONS = (CLOSE,)
