from trilha.feature import Feature
from trilha.platform.events import erasure, errors
from trilha.platform.events.api import routes

FEATURE = Feature(name="events", errors=[errors], v1=[routes], erasures=[erasure.erase_person])
