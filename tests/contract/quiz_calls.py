"""Calls that return the error codes of quizzes, by code. No route of /v1 does, only pages."""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from conftest import World
from trilha.core.database import Tx
from trilha.core.errors import ApiError
from trilha.core.types import to_json
from trilha.core.web.parsing import convert
from trilha.training.courses import media
from trilha.training.learning.grading import actions as grading
from trilha.training.learning.grading.schema import NewGrade
from trilha.training.learning.voice_answers import recordings
from trilha.training.question_bank import actions as bank
from trilha.training.question_bank import queries as bank_queries
from trilha.training.question_bank.parsing.reading import check_parsed
from trilha.training.question_bank.parsing.schema import ParsedFile
from trilha.training.question_bank.schema import MAX_BANK_QUESTIONS
from trilha.training.quizzes import actions, queries
from trilha.training.quizzes.schema import MAX_QUESTIONS, NewQuestion, NewQuiz
from trilha.web.panel.quizzes.forms import QuestionForm

Call = Callable[[World], Awaitable[httpx2.Response]]
Act = Callable[[Tx], Awaitable[Any]]


def acting(act: Act) -> Call:
    async def call(world: World) -> httpx2.Response:
        async with world.tx() as tx:
            with pytest.raises(ApiError) as caught:
                await act(tx)
        return _told(caught.value)

    return call


def answering(act: Callable[[World], Awaitable[None]]) -> Call:
    """Returns the error of what is done in transactions of its own."""

    async def call(world: World) -> httpx2.Response:
        with pytest.raises(ApiError) as caught:
            await act(world)
        return _told(caught.value)

    return call


def _told(failure: ApiError) -> httpx2.Response:
    id = "req_of_the_page_______________"
    return httpx2.Response(failure.status, content=to_json(failure.body(id)), headers={"x-request-id": id})


def _writing(kind: str, **members: Any) -> Call:
    async def writing(tx: Tx) -> None:
        convert(NewQuestion, {"kind": kind, "text": "?"} | members, tx.today)

    return acting(writing)


async def _draw_from_nothing(tx: Tx) -> None:
    convert(NewQuiz, {"draws": {"A": 1}}, tx.today)


async def _type_a_word(tx: Tx) -> None:
    convert(QuestionForm, {"value": "um"}, tx.today)


async def _ask_too_much(tx: Tx) -> None:
    quiz = await actions.create(tx, NewQuiz())
    await actions.add_questions(tx, quiz.id, [NewQuestion(kind="voice", text="?")] * (MAX_QUESTIONS + 1))


async def _remove_what_is_not_there(tx: Tx) -> None:
    quiz = await actions.create(tx, NewQuiz())
    await actions.remove_question(tx, quiz.id, uuid4())


async def _grade_nothing(tx: Tx) -> None:
    await grading.grade_answer(tx, uuid4(), NewGrade(grade=1), grader=uuid4())


def _recording(size: int, first: bytes) -> Call:
    async def recorded(_: Tx) -> None:
        recordings.check_recording(size, first)

    return acting(recorded)


_TWO = [{"text": "a"}, {"text": "b"}]


def _audio(size: int, first: bytes) -> Call:
    async def uploaded(_: Tx) -> None:
        media.judge_audio(size, first)

    return acting(uploaded)


async def _read_a_file(problem: str = "") -> None:
    check_parsed(ParsedFile("gift", problem=problem))


async def _fill_the_bank(tx: Tx) -> None:
    await tx.execute(
        """
        INSERT INTO bank_questions (tenant_id, kind, text, weight, answer_key, measured_at, created_at,
                                    updated_at)
        SELECT :tenant, 'voice', '?', 1, '{}', :now, :now, :now FROM generate_series(1, :count)
        """,
        count=MAX_BANK_QUESTIONS,
    )
    await bank.add(tx, [(NewQuestion(kind="voice", text="?"), [])], None)


QUIZ_CALLS: dict[str, Call] = {
    "invalid_number": acting(_type_a_word),
    "one_right_choice": _writing("single", choices=_TWO),
    "no_right_choice": _writing("multiple", choices=_TWO),
    "duplicate_choice": _writing("single", choices=[{"text": "a", "right": True}, {"text": "A"}]),
    "unknown_pool": acting(_draw_from_nothing),
    "quiz_not_found": acting(lambda tx: queries.get(tx, uuid4())),
    "question_not_found": acting(_remove_what_is_not_there),
    "too_many_questions": acting(_ask_too_much),
    "unknown_question_format": acting(lambda _: _read_a_file()),
    "question_file_too_large": acting(lambda _: _read_a_file("question_file_too_large")),
    "question_file_too_complex": acting(lambda _: _read_a_file("question_file_too_complex")),
    "bank_question_not_found": acting(lambda tx: bank_queries.get(tx, uuid4())),
    "question_import_not_found": acting(lambda tx: bank_queries.get_import(tx, uuid4(), uuid4())),
    "question_bank_full": acting(_fill_the_bank),
    "recording_too_large": _recording(recordings.MAX_BYTES + 1, b""),
    "unknown_recording": _recording(1, b"x"),
    "audio_too_large": _audio(media.MAX_AUDIO_BYTES + 1, b""),
    "unknown_audio": _audio(1, b"x"),
    "answer_not_found": acting(_grade_nothing),
}
