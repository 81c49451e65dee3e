from trilha.feature import Feature
from trilha.platform.bulk_actions.jobs import BEGIN_HELD, PRUNE

FEATURE = Feature(name="bulk_actions", build_jobs=lambda settings: [BEGIN_HELD, PRUNE])
