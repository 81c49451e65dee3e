from trilha.feature import Feature
from trilha.training.qualifications import errors, queries
from trilha.training.qualifications.api import routes
from trilha.training.qualifications.export import EXPORT
from trilha.training.qualifications.jobs import TELL

FEATURE = Feature(
    name="qualifications",
    errors=[errors],
    v1=[routes],
    build_jobs=lambda _: (TELL,),
    sealed_columns=[queries.SEALED_DOCUMENTS],
    erasures=[queries.erase_person],
    export=EXPORT,
)
