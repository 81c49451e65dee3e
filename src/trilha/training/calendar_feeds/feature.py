from trilha.feature import Feature
from trilha.training.calendar_feeds import queries
from trilha.training.calendar_feeds.personal_data_export import EXPORT

FEATURE = Feature(name="calendar_feeds", erasures=[queries.erase_person], export=EXPORT)
