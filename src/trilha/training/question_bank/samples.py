"""The questions of the template for spreadsheets: one of each type, in both languages."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from msgspec import convert

from trilha.training.question_bank.schema import BankQuestion, Figures
from trilha.training.quizzes.schema import Question

_NO_ID = UUID(int=0)


def _sample(tags: Sequence[str], **members: Any) -> BankQuestion:
    question = convert({"id": str(_NO_ID), **members}, Question, strict=False)
    return BankQuestion(_NO_ID, question, list(tags), Figures(), None, None)


def _choices(*texts: str, right: Sequence[int]) -> list[dict[str, object]]:
    return [{"text": text, "right": place in right} for place, text in enumerate(texts)]


SAMPLES: Mapping[str, Sequence[BankQuestion]] = {
    "pt": [
        _sample(
            ["nr-35", "básico"],
            kind="single",
            text="A partir de que altura a NR-35 considera trabalho em altura?",
            choices=_choices("1 metro", "2 metros", "5 metros", right=[1]),
            feedback="Acima de 2 metros do nível inferior, onde haja risco de queda.",
        ),
        _sample(
            ["nr-6"],
            kind="multiple",
            text="Quais destes são EPIs?",
            choices=_choices("Capacete", "Extintor", "Luvas", right=[0, 2]),
        ),
        _sample(["nr-35"], kind="true_false", text="O cinto de segurança deve ser inspecionado.", right=True),
        _sample(["física"], kind="numeric", text="Quanto é 22/7?", value=3.14, tolerance=0.01, weight=2),
        _sample(
            ["geografia"],
            kind="fill_in",
            text="Qual é a capital do Brasil?",
            accepted=["Brasília", "Brasilia - DF"],
        ),
        _sample(
            ["nr-35"],
            kind="essay",
            text="Descreva uma análise de risco.",
            longest_characters=2000,
            rubric=[{"text": "Identifica os perigos", "points": 6}, {"text": "Propõe medidas", "points": 4}],
        ),
        _sample(["atendimento"], kind="voice", text="Cumprimente o cliente.", longest_seconds=60),
    ],
    "en": [
        _sample(
            ["heights", "basic"],
            kind="single",
            text="From what height on does NR-35 speak of work at height?",
            choices=_choices("1 meter", "2 meters", "5 meters", right=[1]),
            feedback="Above 2 meters, where there is a risk of falling.",
        ),
        _sample(
            ["equipment"],
            kind="multiple",
            text="Which of these protect a person?",
            choices=_choices("Helmet", "Fire extinguisher", "Gloves", right=[0, 2]),
        ),
        _sample(["heights"], kind="true_false", text="The harness has to be inspected.", right=True),
        _sample(["physics"], kind="numeric", text="How much is 22/7?", value=3.14, tolerance=0.01, weight=2),
        _sample(
            ["geography"],
            kind="fill_in",
            text="What is the capital of Brazil?",
            accepted=["Brasília", "Brasilia - DF"],
        ),
        _sample(
            ["heights"],
            kind="essay",
            text="Describe a risk analysis.",
            longest_characters=2000,
            rubric=[{"text": "Names the hazards", "points": 6}, {"text": "Suggests measures", "points": 4}],
        ),
        _sample(["service"], kind="voice", text="Greet the customer.", longest_seconds=60),
    ],
}
