from trilha.feature import Feature
from trilha.platform.mail.catalogue import Reminders
from trilha.platform.mail.delivery import checks
from trilha.training.reminders import errors, making, queries
from trilha.training.reminders.addresses import SEALED_ADDRESSES
from trilha.training.reminders.api import routes
from trilha.training.reminders.jobs import build_jobs, find_providers
from trilha.training.reminders.personal_data_export import EXPORT
from trilha.training.reminders.push_keys import SEALED_KEYS

checks.register(Reminders, making.leave_out_done)

FEATURE = Feature(
    name="reminders",
    errors=[errors],
    v1=[routes],
    build_dependencies=lambda settings, _: [find_providers(settings)],
    build_jobs=build_jobs,
    sealed_columns=[SEALED_ADDRESSES, SEALED_KEYS],
    erasures=[queries.erase],
    export=EXPORT,
)
