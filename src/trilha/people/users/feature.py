from trilha.feature import Feature
from trilha.people.users import errors
from trilha.people.users.api import routes
from trilha.people.users.jobs import JOBS
from trilha.people.users.personal_data_export import EXPORT
from trilha.people.users.sealing import SEALED_DOCUMENTS

# The erasure of the user's own row comes after those of all other features: see `personal_data.actions`.
FEATURE = Feature(
    name="users",
    errors=[errors],
    v1=[routes],
    build_jobs=lambda _: JOBS,
    sealed_columns=SEALED_DOCUMENTS,
    export=EXPORT,
)
