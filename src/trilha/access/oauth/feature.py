from datetime import timedelta

from trilha.access.oauth import unscoped
from trilha.access.oauth.jobs import jobs
from trilha.access.oauth.signing_keys import SEALED_KEYS
from trilha.feature import Feature

FEATURE = Feature(
    name="oauth",
    credentials=[unscoped.CLIENT_SECRET, unscoped.ACCESS_TOKEN],
    build_jobs=lambda settings: jobs(signing_key_age=timedelta(days=settings.signing_key_days)),
    installation_columns=[SEALED_KEYS],
)
