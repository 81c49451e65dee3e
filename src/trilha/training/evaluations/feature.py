from trilha.feature import Feature
from trilha.training.evaluations import errors, queries
from trilha.training.evaluations.api import routes
from trilha.training.evaluations.jobs import ASK_DUE
from trilha.training.evaluations.personal_data_export import EXPORT

FEATURE = Feature(
    name="evaluations",
    errors=[errors],
    v1=[routes],
    build_jobs=lambda _: (ASK_DUE,),
    erasures=[queries.erase],
    export=EXPORT,
)
